"""Planners: desired state and facts in, Plan out. They are total and pure: no clock, no environment, no host."""
