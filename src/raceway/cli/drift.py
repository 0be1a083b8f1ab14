"""``raceway drift``: compares a stack's declaration with the live cluster and names every field that differs.

It is ``pulumi preview --refresh`` read for people; it deliberately changes neither cluster nor state. Exit codes:
0 no drift, 1 drift, 2 cannot tell.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from raceway.cli import stacks
from raceway.stack import Project, drift

HELP = "name what differs between the declaration and the cluster"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    stacks.add_options(parser)
    parser.add_argument("--kubeconfig", type=Path, metavar="FILE", help="instead of $KUBECONFIG")
    parser.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    """Print the differences."""
    given = {"inventory": str(args.inventory.absolute())} if args.inventory else {}
    project = Project(args.project, args.stack, stacks.kubeconfig(args.kubeconfig), given)
    found = drift(project, show=not args.json)
    if args.json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    elif not found:
        print(f"{args.project}/{args.stack}: the cluster is as declared")
    else:
        print("\n".join(one.message() for one in found))
    return 1 if found else 0
