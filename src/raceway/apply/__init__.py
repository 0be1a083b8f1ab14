"""Handlers by step type: the only code that writes to a node. They deliberately decide nothing: the plan has."""
