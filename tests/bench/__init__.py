"""Benches: raceway and its peers do the same work on the same nodes in one run; ratios are the result."""
