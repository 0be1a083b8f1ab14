"""A Python language host for the Pulumi engine, used only where the official one is missing.

``host.py`` serves the engine, ``program.py`` runs one user program in the interpreter the project asks for. Both are
copied into the tool cache as they are. They deliberately import nothing from the rest of raceway: the program's
virtual environment need not have it.
"""
