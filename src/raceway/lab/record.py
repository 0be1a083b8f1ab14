"""lab.json: everything a lab makes, written down before it is made.

A kill at any moment therefore leaves a record that is complete: ``up`` goes on from it, ``down`` removes by it.
It deliberately holds intentions and names, not states: what is really there is asked of podman and of /proc.
"""

from __future__ import annotations

import dataclasses
import json
import re
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError
from raceway.paths import state_dir

from . import files

FORMAT = 1
# A name goes into container and host names: an RFC 1123 label, short enough for all of them.
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")


@dataclass(frozen=True)
class Node:
    """One container node: its name in the inventory, its container and its address."""

    name: str
    container: str
    address: str


@dataclass(frozen=True)
class Vm:
    """One VM node: its name in the inventory and the loopback port that leads to its ssh."""

    name: str
    port: int

    @property
    def address(self) -> str:
        """Every VM of this host is behind the same address; the port tells them apart."""
        return "127.0.0.1"


@dataclass(frozen=True)
class Record:
    """What a lab is. ``id`` marks every container, network and process of this lab and of no other.

    ``image``: the podman image of container nodes, or the key of the image of VM nodes. ``control_planes``: how many of
    the nodes, the first ones, are for a cluster's control plane; 0 for a lab without Kubernetes nodes.
    """

    name: str
    id: str
    network: str = ""
    subnet: str = ""
    image: str = ""
    nodes: tuple[Node, ...] = ()
    vms: tuple[Vm, ...] = ()
    ports: dict[str, int] = field(default_factory=dict)
    tools: dict[str, str] = field(default_factory=dict)
    machines: tuple[dict[str, Any], ...] = ()
    # Where the machines come from: "" the lab's own nodes, "given" the caller, else the path of an inventory.
    machines_from: str = ""
    control_planes: int = 0
    format: int = FORMAT

    @property
    def reserved_ports(self) -> set[int]:
        """Every loopback port of this lab."""
        return {*self.ports.values(), *(vm.port for vm in self.vms)}


def labs_dir() -> Path:
    """Folder of all labs of this state folder."""
    return state_dir() / "labs"


def check_name(name: str) -> str:
    """Return the name if it can be one."""
    if not NAME.fullmatch(name):
        raise RacewayError(
            "--name", repr(name), "lower-case letters, digits and inner hyphens, at most 32", "rename it"
        )
    return name


def new(name: str) -> Record:
    """A record for a lab that does not exist yet."""
    return Record(name=check_name(name), id=uuid.uuid4().hex)


def load(path: Path) -> Record | None:
    """Read a record; None when there is none."""
    try:
        raw = json.loads(path.read_text())
        if raw["format"] != FORMAT:
            raise RacewayError(str(path), f"format {raw['format']}", str(FORMAT), "use the raceway that made this lab")
        raw["nodes"] = tuple(Node(**node) for node in raw["nodes"])
        raw["vms"] = tuple(Vm(**vm) for vm in raw.get("vms", ()))
        raw["machines"] = tuple(raw["machines"])
        return Record(**raw)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise RacewayError(
            str(path), f"not a lab record ({error})", act="put the file back, or run raceway lab down for this lab"
        ) from None


def save(path: Path, record: Record) -> None:
    """Write the record and make it durable."""
    files.folder(path.parent)
    files.write(path, json.dumps(dataclasses.asdict(record), indent=2, sort_keys=True) + "\n", 0o600)


def all_records() -> list[Record]:
    """The readable records of all labs (for what is reserved); an unreadable one reserves nothing."""
    found = []
    for path in sorted(labs_dir().glob("*/lab.json")):
        try:
            record = load(path)
        except (RacewayError, OSError):
            continue
        if record:
            found.append(record)
    return found
