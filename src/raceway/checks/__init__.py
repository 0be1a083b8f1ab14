"""Checks that take a node's time: carried out when somebody asks for them, judged elsewhere.

It deliberately changes nothing on a node, and leaves nothing running.
"""
