"""What is asked of a VM over ssh: has it booted, which boot is this, boot again.

It deliberately believes a new boot id and nothing else to tell a reboot: ssh may still answer for a moment after the
order to reboot.
"""

from __future__ import annotations

import contextlib
import subprocess
import time
from pathlib import Path

from raceway.errors import RacewayError

from .. import nodes, ssh
from ..nodes import NodeState
from ..record import Node, Vm
from . import qemu

BOOT_S, REBOOT_S, PAUSE_S = 180.0, 120.0, 0.1
_BOOT_ID = "/proc/sys/kernel/random/boot_id"


def probe(vm: Vm, folder: Path, state: str) -> NodeState:
    """Ask a running VM whether it has booted; one in another state is not asked."""
    node = Node(vm.name, "", f"{vm.address}:{vm.port}")
    if state != "running":
        return NodeState(node.name, node.container, node.address, state, False, "")
    return nodes.probe(node, folder, state)


def wait_ready(vm: Vm, folder: Path, seconds: float = BOOT_S) -> NodeState:
    """Wait until it has booted; the last state seen when it has not in time."""
    until = time.monotonic() + seconds
    state = NodeState(vm.name, "", f"{vm.address}:{vm.port}", "running", False, "")
    while not state.ok and time.monotonic() < until:
        # Each attempt to log in costs an emulated CPU a second of its boot: none before the boot is over.
        if announced(vm, folder):
            state = probe(vm, folder, "running")
        time.sleep(PAUSE_S)
    return state if state.ok else probe(vm, folder, "running")


def announced(vm: Vm, folder: Path) -> str:
    """The boot id that the guest wrote to its second serial port when its boot was over; empty before.

    It only tells when to ask: what counts is what is then said over ssh.
    """
    with contextlib.suppress(OSError):
        return (folder / qemu.place(vm.name) / qemu.UP).read_text(errors="replace").strip()
    return ""


def boot_id(vm: Vm, folder: Path) -> str:
    """The running kernel's boot id; empty when it cannot be asked."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        command = ssh.command(vm.name, folder, "cat", _BOOT_ID)
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=15, check=False
        )
        return result.stdout.strip() if result.returncode == 0 else ""
    return ""


def reboot(vm: Vm, folder: Path) -> float:
    """Have the guest reboot and wait until it has; return the seconds it took."""
    before, began = boot_id(vm, folder), time.monotonic()
    if not before:
        raise RacewayError(
            vm.name, "does not answer over ssh", act=f"use raceway lab vm {vm.name} reset, or cut and start"
        )
    with contextlib.suppress(subprocess.TimeoutExpired):
        # The answer may be cut off by the shutdown: the boot id tells.
        subprocess.run(
            ssh.command(vm.name, folder, "systemctl", "reboot"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=30,
            check=False,
        )
    while time.monotonic() - began < REBOOT_S:
        if announced(vm, folder) not in ("", before) and boot_id(vm, folder) not in ("", before):
            state = wait_ready(vm, folder, REBOOT_S)
            if state.ok:
                return time.monotonic() - began
        time.sleep(PAUSE_S)
    raise RacewayError(
        vm.name,
        f"has not rebooted in {REBOOT_S:.0f} s",
        act="look at its console.log",
        log=str(folder / "nodes" / vm.name),
    )
