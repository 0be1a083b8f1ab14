"""``raceway lab``: bring a lab up, show it, remove it.

It deliberately holds no logic of the lab: ``raceway.lab.Lab`` does the work, here stand the words and the table.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from raceway.errors import RacewayError
from raceway.lab import Lab
from raceway.lab.kube import KubeLab
from raceway.lab.status import Status
from raceway.lab.vm import VmLab
from raceway.lab.vm.machine import Machine as VmMachine
from raceway.model.machine import Machine

HELP = "bring up, show or remove a lab: container nodes and a control plane, Kubernetes nodes, or VM nodes"

LAB, VMLAB, KUBELAB = "lab", "vmlab", "kubelab"
AnyLab = Lab | VmLab | KubeLab


def configure(parser: argparse.ArgumentParser) -> None:
    """Add prepare, up, status, down and vm."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    prepare = actions.add_parser(
        "prepare", help="install what nodes need from the distribution; with --vm build the image of VM nodes too"
    )
    up = actions.add_parser("up", help="make the lab, or complete and repair it")
    up.add_argument(
        "--nodes", type=_count, metavar="N", help="number of nodes (default: as before, else 2; 3 with --kubernetes)"
    )
    up.add_argument("--inventory", type=Path, metavar="PATH", help="mirror the fake nodes from this inventory's hosts")
    up.add_argument("--no-nodes", action="store_true", help="leave the container nodes alone (needs no root)")
    up.add_argument("--no-cluster", action="store_true", help="leave the control plane alone")
    up.add_argument(
        "--install-missing", action="store_true", help="install missing host packages (Debian, Ubuntu; root)"
    )
    up.add_argument(
        "--control-planes", type=_count, metavar="M", help="with --kubernetes: how many of them (default: 1)"
    )
    status = actions.add_parser("status", help="show nodes and programs; exit 1 if something is down")
    status.add_argument("--json", action="store_true", help="print JSON")
    down = actions.add_parser("down", help="remove everything the lab made, and nothing else")
    down.add_argument("--image", action="store_true", help="remove the node image too, if no other lab uses it")
    for action in (prepare, up, status, down):
        action.add_argument("--name", help="name of the lab (default: lab; vmlab, kubelab)")
        action.add_argument("--kubernetes", action="store_true", help="nodes for a real cluster of the role kubernetes")
        action.add_argument("--vm", action="store_true", help="nodes with a kernel of their own, in QEMU")
    kubeconfig = actions.add_parser("kubeconfig", help="fetch the admin kubeconfig of a lab's cluster; print its place")
    kubeconfig.add_argument("name", nargs="?", default=KUBELAB, metavar="NAME", help=f"name of the lab ({KUBELAB})")
    _configure_vm(actions.add_parser("vm", help="a VM node's buttons, cables and drives, or a shell on it"))


def _configure_vm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--name", help="name of the lab (default: the node's without its number)")
    parser.add_argument("node", metavar="NODE", help="name of the node, such as vmlab-1")
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    verbs.add_parser("reboot", help="have the guest reboot, and wait until it has")
    verbs.add_parser("cut", help="power cut: what the guest had not flushed is lost")
    verbs.add_parser("start", help="switch on a node that is off, and wait until it has booted")
    verbs.add_parser("reset", help="press the reset button")
    link = verbs.add_parser("link", help="pull or plug the cable of a NIC")
    link.add_argument("interface", metavar="IFACE", help="data0 or the roce0 over it, data1 …, mgmt0")
    link.add_argument("state", choices=("up", "down"))
    for name, text in (("nvme-rm", "take an NVMe drive out (hot remove)"), ("nvme-add", "put it back")):
        verbs.add_parser(name, help=text).add_argument("number", type=int, metavar="N", help="number of the drive")
    verbs.add_parser("ssh", help="run a command as root, or a shell").add_argument(
        "words", nargs=argparse.REMAINDER, metavar="COMMAND"
    )
    qmp = verbs.add_parser("qmp", help="any command of QEMU's control socket; prints its answer as JSON")
    qmp.add_argument("command_name", metavar="COMMAND")
    qmp.add_argument("arguments", nargs="?", type=_object, default={}, metavar="JSON")


def run(args: argparse.Namespace) -> int:
    """Run the action."""
    if args.action == "vm":
        return _vm(args)
    if args.action == "kubeconfig":
        print(KubeLab(args.name, show=True).fetch_kubeconfig())
        return 0
    lab = _lab(args)
    if args.action == "prepare":
        lab.prepare()
        what = {VmLab: "VM", KubeLab: "Kubernetes"}.get(type(lab), "container")
        print(f"lab: this host has what {what} nodes need")
        return 0
    if args.action == "up":
        return _up(lab, args)
    if args.action == "status":
        return _status(lab, args.json)
    gone = lab.down(image_too=args.image)
    told = ", ".join(f"{count} {what}" for what, count in gone.items() if count)
    print(f"lab {lab.name}: {f'removed {told}' if told else 'nothing was there'}")
    return 0


def _lab(args: argparse.Namespace) -> AnyLab:
    """The lab of the kind that is asked for; one that is there need not be told what it is, except to change it."""
    if args.vm and args.kubernetes:
        raise RacewayError("--vm", "with --kubernetes", act="a lab has nodes of one kind: leave one out")
    name = args.name or (VMLAB if args.vm else KUBELAB if args.kubernetes else LAB)
    known = args.action != "up"
    if args.vm or (known and VmLab.owns(name)):
        return VmLab(name, show=True)
    if args.kubernetes or (known and KubeLab.owns(name)):
        return KubeLab(name, show=True)
    return Lab(name, show=True)


def _up(lab: AnyLab, args: argparse.Namespace) -> int:
    if args.control_planes is not None and not isinstance(lab, KubeLab):
        raise RacewayError("--control-planes", "without --kubernetes", act="add it, or leave this out")
    if isinstance(lab, VmLab):
        return _up_vms(lab, args)
    if isinstance(lab, KubeLab):
        return _up_kubernetes(lab, args)
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


def _up_kubernetes(lab: KubeLab, args: argparse.Namespace) -> int:
    _refuse_fakes(args, "--kubernetes", "the control plane of such a lab is real and on its nodes: leave it out")
    lab.up(args.nodes, args.control_planes, install_missing=args.install_missing)
    print(f"nodes:      ssh -F {lab.ssh_config} {lab.name}-1")
    print(f"cluster:    RACEWAY_LAB={lab.name} ansible-playbook -i inventories/lab site.yml")
    print(f"then:       export KUBECONFIG=$(raceway lab kubeconfig {lab.name})")
    print(f"look, end:  raceway lab status --name {lab.name}    raceway lab down --name {lab.name}")
    return 0


def _refuse_fakes(args: argparse.Namespace, kind: str, act: str) -> None:
    for word, given in (("--inventory", args.inventory), ("--no-nodes", args.no_nodes)):
        if given:
            raise RacewayError(kind, f"with {word}", act=act)


def _up_vms(lab: VmLab, args: argparse.Namespace) -> int:
    _refuse_fakes(args, "--vm", "a lab of VM nodes has no control plane: leave it out")
    lab.up(args.nodes, install_missing=args.install_missing)
    print(f"nodes:      ssh -F {lab.ssh_config} {lab.name}-1")
    print(f"inventory:  RACEWAY_LAB={lab.name} ansible-inventory -i inventories/vmlab --graph")
    print(f"buttons:    raceway lab vm {lab.name}-1 reboot|cut|start|link|nvme-rm|nvme-add …")
    print(f"look, end:  raceway lab status --name {lab.name}    raceway lab down --name {lab.name}")
    return 0


def _vm(args: argparse.Namespace) -> int:
    # The nodes of a lab are called after it: vmlab-1, vmlab-2 …
    lab = VmLab(args.name or args.node.rpartition("-")[0] or args.node, show=True)
    node, one = args.node, lab.machine(args.node)
    if args.verb == "ssh":
        return subprocess.run(["ssh", "-F", str(lab.ssh_config), node, *args.words], check=False).returncode
    if args.verb == "qmp":
        with one.qmp() as qmp:
            print(json.dumps(qmp(args.command_name, args.arguments)))
    elif args.verb == "reboot":
        print(f"{node}: has rebooted in {lab.reboot(node):.0f} s")
    elif args.verb == "start":
        print(f"{node}: has booted in {lab.start(node):.0f} s")
    else:
        print(f"{node}: {_press(one, args)}")
    return 0


def _press(one: VmMachine, args: argparse.Namespace) -> str:
    if args.verb == "cut":
        one.cut()
        return "is off"
    if args.verb == "reset":
        one.reset()
        return "was reset"
    if args.verb == "link":
        one.link(args.interface, args.state == "up")
        return f"{args.interface} is {args.state}"
    if args.verb == "nvme-rm":
        one.remove_drive(args.number)
        return f"drive {args.number} is out"
    one.add_drive(args.number)
    return f"drive {args.number} is in"


def _machines(path: Path) -> list[Machine]:
    from raceway.inventory import load, machines

    return list(machines(load(path)))


def _status(lab: AnyLab, as_json: bool) -> int:
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
        table = Table("node", "address", "machine", "ssh", "system", "failed units", box=None, pad_edge=False)
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


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not JSON ({error})") from None
    if not isinstance(found, dict):
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON object")
    return found


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if not 0 <= count <= 240:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 240")
    return count
