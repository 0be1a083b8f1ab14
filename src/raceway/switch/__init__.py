"""The switch side of the fabric: files for four platforms from the hosts' declaration, and what a running one lacks.

It deliberately reaches no switch: it makes text, and reads text that somebody has fetched.
"""
