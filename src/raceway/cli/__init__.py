"""The command line: one module a subcommand. It deliberately holds no logic beyond arguments and printing."""
