"""``raceway SUBCOMMAND``: finds the subcommand's module, runs it, and turns errors into one message and an exit code.

Exit codes: 0 fine; 1 findings, drift or a failed run; 2 bad input or a missing part of the environment;
130 interrupted. It deliberately imports a subcommand only when it is called, so that ``--help`` is instant.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence

from raceway import __version__
from raceway.errors import RacewayError

COMMANDS = {
    "tools": "find or build the pinned programs raceway works with",
    "lab": "bring up, show or remove a lab: container nodes and a control plane",
    "inventory": "check an inventory, show the desired state of a host",
    "facts": "parse pasted tool output into JSON",
    "queues": "check and draw the queues of a stack",
    "render": "write the cluster layout as plain manifests",
    "job": "size, lint and render jobs",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    available = {name: text for name, text in COMMANDS.items() if importlib.util.find_spec(f"raceway.cli.{name}")}
    parser = argparse.ArgumentParser(prog="raceway", description="Declarative infrastructure for AI clusters.")
    parser.add_argument("--version", action="version", version=f"raceway {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="SUBCOMMAND", required=True)
    chosen = next((word for word in words if not word.startswith("-")), "")
    for name, text in available.items():
        sub = subparsers.add_parser(name, help=text, description=text)
        if name == chosen:
            importlib.import_module(f"raceway.cli.{name}").configure(sub)
    args = parser.parse_args(words)
    return _guarded(args)


def _guarded(args: argparse.Namespace) -> int:
    try:
        return int(importlib.import_module(f"raceway.cli.{args.command}").run(args))
    except RacewayError as error:
        print(f"raceway {args.command}: {error.message()}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"raceway {args.command}: interrupted; run the same command again to go on", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
