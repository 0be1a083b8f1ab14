"""``raceway SUBCOMMAND``: finds the subcommand's module, runs it, and turns errors into one message and an exit code.

Exit codes: 0 fine; 1 findings, drift or a failed run; 2 bad input or a missing part of the environment;
130 interrupted. It deliberately imports a subcommand only when it is called, so that ``--help`` is instant.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from raceway import __version__
from raceway.errors import RacewayError

COMMANDS = {
    "tools": "find or build the pinned programs raceway works with",
    "lab": "bring up, show or remove a lab: container nodes and a control plane, Kubernetes nodes, or VM nodes",
    "inventory": "check an inventory, show the desired state of a host",
    "nccl": "show a host's collective library settings, each with its reason",
    "queues": "check and draw the queues of a stack",
    "render": "write the cluster layout as plain manifests",
    "drift": "name what differs between the declaration and the cluster",
    "acceptance": "show the rounds of a fabric sweep before it is run, or judge what one has measured",
    "diagnose": "say what a bundle of evidence shows",
    "facts": "read the output of a fabric tool",
    "switch": "write a switch's side of RoCE, name what a running switch has otherwise",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    chosen = next((word for word in words if not word.startswith("-")), "")
    try:
        args = _parser(chosen).parse_args(words)
        return int(importlib.import_module(f"raceway.cli.{args.command}").run(args))
    except RacewayError as error:
        return _told(chosen, error.message(), 2)
    except KeyboardInterrupt:
        return _told(chosen, "interrupted; run the same command again to go on", 130)
    except BrokenPipeError:
        # The reader has seen enough (head, a closed pager); what is still buffered must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.strerror is None:
            raise
        where = f"{error.filename}: " if error.filename else ""
        return _told(chosen, f"{where}{error.strerror}; next: give what is refused, then run the same command again", 2)


def _parser(chosen: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="raceway", description="Declarative infrastructure for AI clusters.")
    parser.add_argument("--version", action="version", version=f"raceway {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="SUBCOMMAND", required=True)
    for name, text in COMMANDS.items():
        sub = subparsers.add_parser(name, help=text, description=text)
        if name == chosen:
            importlib.import_module(f"raceway.cli.{name}").configure(sub)
    return parser


def _told(command: str, message: str, code: int) -> int:
    print(f"raceway {command}: {message}", file=sys.stderr)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
