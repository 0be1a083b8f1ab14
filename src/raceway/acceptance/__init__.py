"""The controller's half of acceptance: which pairs are measured when, what the figures mean, who is named.

It deliberately contacts no node: the action plugin does that, and all that is here works on plain values.
"""
