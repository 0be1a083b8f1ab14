"""A Python language host for the Pulumi engine, used only where the official one is missing.

``host`` serves the engine, ``program.py`` runs one user program in the interpreter the project asks for. The folder
is copied into the tool cache as it is. It deliberately imports nothing from the rest of raceway: what runs there
is what was pinned, whatever the checkout holds by then, and a program's environment need not have raceway.
"""
