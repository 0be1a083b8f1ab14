"""Jobs as data: the gang arithmetic, the lint, and the typed templates that make vcjobs.

It deliberately does not submit anything.
"""
