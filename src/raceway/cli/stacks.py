"""What the subcommands about stacks share: which project, which stack file, which inventory.

It deliberately is no subcommand itself.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from raceway.components.program import stack_file_settings
from raceway.errors import RacewayError
from raceway.paths import source_root

PROJECTS = ("platform", "workloads")


def add_options(parser: argparse.ArgumentParser, project: bool = True) -> None:
    """Declare which stack is meant."""
    if project:
        parser.add_argument("project", choices=PROJECTS, help="which of the two Pulumi projects")
    parser.add_argument("-s", "--stack", default="lab", help="the stack (default: lab)")
    parser.add_argument("-i", "--inventory", type=Path, metavar="PATH", help="instead of the stack file's inventory")


def folder(project: str) -> Path:
    """Return the project's folder."""
    return source_root() / "pulumi" / project


def settings(project: str, args: argparse.Namespace) -> dict[str, Any]:
    """Return the stack file's own keys, with the inventory of the command line put in."""
    path = folder(project) / f"Pulumi.{args.stack}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(one.name[7:-5] for one in folder(project).glob("Pulumi.*.yaml")))
        raise RacewayError(f"stack {args.stack}", f"no {path.name} in pulumi/{project}", known, "name one of these")
    read = stack_file_settings(path, f"raceway-{project}")
    return {**read, "inventory": str(args.inventory.absolute())} if args.inventory else read


def kubeconfig(given: Path | None) -> Path:
    """Return the kubeconfig named, or that of $KUBECONFIG."""
    named = given or (Path(os.environ["KUBECONFIG"]) if os.environ.get("KUBECONFIG") else None)
    if named is None:
        raise RacewayError("kubeconfig", "none given", "--kubeconfig or $KUBECONFIG", "name the cluster to look at")
    return named
