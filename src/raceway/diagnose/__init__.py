"""The controller's half of diagnosis: what is asked of a node, and what a bundle says to people.

It deliberately contacts no node: the action plugin does that, and reading a bundle works anywhere.
"""
