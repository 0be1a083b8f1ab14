"""Probes: read one host and call the parsers. They deliberately change nothing and decide nothing."""
