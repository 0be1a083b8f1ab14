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

from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort, parse_gid
from raceway.host import Host
from raceway.inventory.ansible_api import default_sources
from raceway.inventory.desired import desired
from raceway.inventory.load import load
from raceway.model.nccl import LIBRARIES, Declaration, parse
from raceway.plan.nccl_environment import Environment, environment
from raceway.probe.nccl import indexes, read_ports

HELP = "show a host's collective library settings, each with its reason"
SHAPE = 'a list of {"device", "pci", "guid", "port", "link_layer", "state"}'
_PLAIN = {"device": str, "pci": str, "guid": str, "port": int, "link_layer": str, "state": str}


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
        raise RacewayError("--devices", "not given, and rails are declared", SHAPE, act)
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
    try:
        rows = json.loads(place.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RacewayError(str(place), f"no JSON: {error}", SHAPE, "correct the file") from error
    if not isinstance(rows, list):
        raise RacewayError(str(place), f"a {type(rows).__name__}", SHAPE, "write a list")
    return tuple(_port(f"{place}: entry {number}", row) for number, row in enumerate(rows, 1))


def _port(place: str, row: Any) -> RdmaPort:
    if not isinstance(row, dict) or "device" not in row:
        raise RacewayError(place, "no device", SHAPE, "name the device")
    for key, value in row.items():
        kind = _PLAIN.get(key)
        if key != "gids" and (kind is None or not isinstance(value, kind) or isinstance(value, bool)):
            found = f"{key}: {value!r}"
            raise RacewayError(place, found, SHAPE, "correct the key" if kind is None else f"write a {kind.__name__}")
    plain = {key: value.lower() if key in ("pci", "guid") else value for key, value in row.items() if key != "gids"}
    return RdmaPort(**plain, gids=_gids(place, row["gids"]) if "gids" in row else None)


def _gids(place: str, rows: Any) -> Any:
    try:
        found = [parse_gid(int(row["index"]), str(row["address"]), str(row["kind"])) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        allowed = '"gids": a list of {"index", "address", "kind"}'
        raise RacewayError(f"{place}: gids", f"{type(error).__name__}: {error}", allowed, "correct it") from error
    return tuple(gid for gid in found if gid)


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
