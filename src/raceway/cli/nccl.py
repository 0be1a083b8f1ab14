"""``raceway nccl env HOST``: the collective library's variables of a host, each with its reason.

Rails are declared by PCI address or GUID, the library wants names, and only a node knows which is which: ``--devices``
gives its RDMA ports. It deliberately contacts no node. Exit codes: 0 all is well, 1 something is refused, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from raceway.cluster.jobs import devices
from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort
from raceway.host import Host
from raceway.inventory.ansible_api import default_sources
from raceway.inventory.desired import desired
from raceway.inventory.load import load
from raceway.model.nccl import LIBRARIES, Declaration, parse
from raceway.plan.nccl_environment import Environment, environment
from raceway.probe.nccl import indexes, read_ports

HELP = "show a host's collective library settings, each with its reason"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the action and its options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    showing = actions.add_parser("env", help="print each variable with its reason")
    showing.add_argument("host", metavar="HOST")
    showing.add_argument("-i", "--inventory", action="append", metavar="PATH", help="as for ansible-playbook")
    text = "the node's RDMA ports: a JSON file, or a folder that holds a copy of its sys/class/infiniband (/ is here)"
    showing.add_argument("--devices", type=Path, metavar="FILE", help=text)
    showing.add_argument("--roles", type=Path, metavar="DIR", help="roles folder (default: raceway's own)")
    showing.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    """Print the environment; 1 where something is refused."""
    declaration = _declaration(args)
    if args.devices is None and declaration.rails:
        act = "copy the node's sys/class/infiniband, or write the list by hand"
        raise RacewayError("--devices", "not given, and rails are declared", devices.SHAPE, act)
    made = environment(declaration, _ports(args.devices, declaration) if args.devices else ())
    if args.json:
        print(json.dumps(_data(made), indent=2, ensure_ascii=False))
    else:
        print("\n".join(_lines(declaration, made)))
    return 1 if made.refusals else 0


def _declaration(args: argparse.Namespace) -> Declaration:
    state = desired(load(args.inventory or default_sources()), args.host, args.roles)
    if "nccl" not in state.roles:
        act = "add nccl to raceway_roles of the host"
        raise RacewayError(args.host, "the role nccl is not enabled", ", ".join(state.roles), act)
    found = parse(state.roles["nccl"]["nouns"]["nccl"]).declaration
    if found is None:
        raise RacewayError(args.host, "nccl_state is absent", "present", "nothing is set on this host")
    return found


def _ports(place: Path, declaration: Declaration) -> Sequence[RdmaPort]:
    if place.is_dir():
        return read_ports(Host(str(place.absolute())), indexes(declaration))
    return devices.parse(str(place), place.read_text(encoding="utf-8"))


def _data(made: Environment) -> dict[str, Any]:
    return {
        "variables": [vars(one) for one in made.variables],
        "refusals": [vars(one) for one in made.refusals],
        "notes": [vars(one) for one in made.notes],
    }


def _lines(declaration: Declaration, made: Environment) -> list[str]:
    library = LIBRARIES.get(declaration.kind)
    head = f"{library.name} {declaration.version}".strip() if library else declaration.kind
    rows = [f"{head}, {library.conf or 'no file: in the environment of jobs'}"] if library else []
    for one in made.variables:
        rows += [f"{one.name}={one.value}", f"    {one.why} ({one.source})"]
    rows += [f"note     {one.target}: {one.reason}" for one in made.notes]
    rows += [f"refused  {one.target}: {one.reason}; next: {one.act}" for one in made.refusals]
    return rows
