"""Records, nodes and process tables for the tests of the lab, with only what matters in the test spelled out.

It deliberately makes nothing real: no process, container or socket.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.lab import programs
from raceway.lab.record import Node, Record


def make_node(index: int = 1, lab: str = "lab") -> Node:
    return Node(f"{lab}-{index}", f"raceway-{lab}-{lab}-{index}", f"10.213.0.{10 + index}")


def make_record(**more: Any) -> Record:
    values: dict[str, Any] = {
        "name": "lab",
        "id": "0123abcd",
        "network": "raceway-lab",
        "subnet": "10.213.0.0/24",
        "image": "localhost/raceway-lab-node:abc",
        "nodes": (make_node(1), make_node(2)),
        "ports": {name: 26000 + index for index, name in enumerate(programs.PORTS)},
        "tools": {name: f"/tools/{name}" for name in programs.TOOLS},
    }
    return Record(**{**values, **more})


def make_process(proc: Path, pid: int, started: int, *, mark: str = "", state: str = "S", words: str = "etcd") -> None:
    """A folder of /proc as the kernel shows it; the name holds what makes naive parsers fall."""
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    fields = [state, *["0"] * 18, str(started), "0"]
    (folder / "stat").write_text(f"{pid} (a ) b) {' '.join(fields)}\n")
    (folder / "environ").write_bytes(b"PATH=/bin\0" + (f"RACEWAY_LAB_ID={mark}\0".encode() if mark else b""))
    (folder / "cmdline").write_bytes(b"\0".join(word.encode() for word in words.split()) + b"\0")
