"""``raceway lab``: bring a lab up, show it, remove it.

It deliberately holds no logic of the lab: ``raceway.lab.Lab`` does the work, here stand the words and the table.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from rich.console import Console
from rich.table import Table

from raceway.lab import Lab
from raceway.lab.status import Status
from raceway.model.machine import Machine

HELP = "bring up, show or remove a lab: container nodes and a control plane"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add prepare, up, status and down."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    prepare = actions.add_parser(
        "prepare", help="install what container nodes need from the distribution, nothing else"
    )
    up = actions.add_parser("up", help="make the lab, or complete and repair it")
    up.add_argument("--nodes", type=_count, metavar="N", help="number of container nodes (default: as before, else 2)")
    up.add_argument("--inventory", type=Path, metavar="PATH", help="mirror the fake nodes from this inventory's hosts")
    up.add_argument("--no-nodes", action="store_true", help="leave the container nodes alone (needs no root)")
    up.add_argument("--no-cluster", action="store_true", help="leave the control plane alone")
    up.add_argument(
        "--install-missing", action="store_true", help="install missing host packages (Debian, Ubuntu; root)"
    )
    status = actions.add_parser("status", help="show nodes and programs; exit 1 if something is down")
    status.add_argument("--json", action="store_true", help="print JSON")
    down = actions.add_parser("down", help="remove everything the lab made, and nothing else")
    down.add_argument("--image", action="store_true", help="remove the node image too, if no other lab uses it")
    for action in (prepare, up, status, down):
        action.add_argument("--name", default="lab", help="name of the lab (default: lab)")


def run(args: argparse.Namespace) -> int:
    """Run the action."""
    lab = Lab(args.name, show=True)
    if args.action == "prepare":
        lab.prepare()
        print("lab: this host has what container nodes need")
        return 0
    if args.action == "up":
        return _up(lab, args)
    if args.action == "status":
        return _status(lab, args.json)
    gone = lab.down(image_too=args.image)
    told = ", ".join(f"{count} {what}" for what, count in gone.items() if count)
    print(f"lab {lab.name}: {f'removed {told}' if told else 'nothing was there'}")
    return 0


def _up(lab: Lab, args: argparse.Namespace) -> int:
    machines = _machines(args.inventory) if args.inventory else None
    lab.up(
        args.nodes,
        machines,
        containers=not args.no_nodes,
        cluster=not args.no_cluster,
        install_missing=args.install_missing,
    )
    if not args.no_nodes:
        print(f"nodes:      ssh -F {lab.ssh_config} {lab.name}-1")
        print(f"inventory:  RACEWAY_LAB={lab.name} ansible-inventory -i inventories/lab --graph")
    if not args.no_cluster:
        print(f"cluster:    export KUBECONFIG={lab.kubeconfig}")
    print(f"look, end:  raceway lab status --name {lab.name}    raceway lab down --name {lab.name}")
    return 0


def _machines(path: Path) -> list[Machine]:
    from raceway.inventory import load, machines

    return list(machines(load(path)))


def _status(lab: Lab, as_json: bool) -> int:
    status = lab.status()
    if as_json:
        print(json.dumps(dataclasses.asdict(status), indent=2))
    else:
        _show(status)
    return 0 if status.ok else 1


def _show(status: Status) -> None:
    console = Console(highlight=False)
    if not status.exists:
        console.print(f"lab {status.name}: there is none; run raceway lab up --name {status.name}")
        return
    if status.nodes:
        table = Table("node", "address", "container", "ssh", "system", "failed units", box=None, pad_edge=False)
        for node in status.nodes:
            system = node.system or "-"
            table.add_row(
                node.name,
                node.address,
                node.state,
                "yes" if node.ssh else "no",
                system if node.ok else f"[red]{system}[/red]",
                ", ".join(node.failed_units),
            )
        console.print(table, "")
    if status.programs:
        table = Table("program", "state", "pid", "port", "restarts", "", box=None, pad_edge=False)
        for program in status.programs:
            colour = {"healthy": "green", "waiting": "yellow"}.get(program.state, "red")
            table.add_row(
                program.name,
                f"[{colour}]{program.state}[/{colour}]",
                str(program.pid or "-"),
                str(program.port),
                str(program.restarts),
                program.reason,
            )
        console.print(table, "")
        console.print(f"Kubernetes API: {status.api_version or 'does not answer'}, fake nodes: {status.fake_nodes}")
    console.print(f"folder: {status.folder}")


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if not 0 <= count <= 240:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 240")
    return count
