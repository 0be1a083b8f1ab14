"""One VM as a thing on this host: its files, its guard, its buttons and cables.

A VM is off when it has no guard. Files are made under another name and renamed, so that a kill leaves none half-made.
It deliberately never reaches into the guest: what is asked over ssh stands in ``guest``.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from .. import files, processes
from ..processes import Process
from ..record import Record, Vm
from . import qemu, seed
from .qmp import Qmp
from .spec import DEFAULT, fingerprint, identity

GUARD, SWITCH = "raceway.lab.vm.guard", "raceway.lab.vm.switch"
START_S, LET_GO_S = 20.0, 60.0
_COMMAND_LINE_DISK = 65536
_GIB = 1 << 30


class Machine:
    """One VM of a lab; making the object does nothing."""

    def __init__(self, known: Record, folder: Path, vm: Vm) -> None:
        self.known, self.folder, self.vm = known, folder, vm
        self.home = folder / qemu.place(vm.name)
        self.log = folder / "logs" / f"{vm.name}.log"

    def processes(self) -> list[Process]:
        """Its guard and its QEMU, those of them that are there."""
        found = processes.of_lab(self.known.id)
        mine = [one for one in found if one.command[-1:] == (self.vm.name,) and GUARD in one.command]
        name = ("-name", self.vm.name)
        return mine + [one for one in found if name in itertools.pairwise(one.command)]

    def is_on(self) -> bool:
        """Does a guard keep it?"""
        return any(GUARD in one.command for one in self.processes())

    def is_made(self) -> bool:
        """Are its disks there, and those that the spec and the image ask for?"""
        with contextlib.suppress(OSError):
            return (self.home / "made").read_text() == fingerprint(DEFAULT, self.known.image)
        return False

    def make(self) -> None:
        """Make its disks anew: the system over the image, empty NVMe drives, no kernel parameters of its own."""
        self.cut()
        shutil.rmtree(self.home, ignore_errors=True)
        files.folder(self.home)
        image = Path("..") / ".." / "image" / self.known.image / "root.img"
        command = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "raw", "-b", str(image), "root.qcow2"]
        result = subprocess.run(
            command, cwd=self.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if result.returncode:
            raise RacewayError(
                f"{self.vm.name}: qemu-img", result.stderr.strip(), act="settle this and run raceway lab up --vm again"
            )
        sizes = {f"nvme{number}.raw": DEFAULT.nvme_gib * _GIB for number in range(DEFAULT.nvme)}
        for name, size in {**sizes, "cmdline.raw": _COMMAND_LINE_DISK}.items():
            with (self.home / name).open("wb") as stream:
                stream.truncate(size)
        # Last: what a kill left before is made anew.
        files.write(self.home / "made", fingerprint(DEFAULT, self.known.image))

    def start(self) -> None:
        """Press the power button and wait until QEMU runs (not until the guest has booted)."""
        if self.is_on():
            raise RacewayError(self.vm.name, "runs already", act="use reboot, or cut first")
        if not self.is_made():
            raise RacewayError(self.vm.name, "has no disks", act="run raceway lab up --vm")
        # A QEMU whose guard was killed goes with it, though not in the same instant.
        processes.end(self.processes(), self.known.id, patience=0)
        self._write_initrd()
        (self.home / "qmp").unlink(missing_ok=True)
        child = spawn([sys.executable, "-m", GUARD, str(self.folder), self.vm.name], self.known, self.log)
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            if child.poll() is not None:
                break
            with contextlib.suppress(RacewayError), self.qmp(timeout=2.0):
                return
            time.sleep(0.1)
        processes.end(self.processes(), self.known.id, patience=0)
        raise RacewayError(
            self.vm.name, f"does not start: {_last_line(self.log)}", act="read the log", log=str(self.log)
        )

    def _write_initrd(self) -> None:
        keys = self.folder / "ssh" / "nodes" / self.vm.name
        names = ("ssh_host_ed25519_key", "authorized_keys")
        base = (self.folder / "image" / self.known.image / "initrd.img").read_bytes()
        files.write(
            self.home / "initrd.img", seed.initrd(base, {name: (keys / name).read_bytes() for name in names}), 0o600
        )

    def cut(self) -> None:
        """Power cut: QEMU is gone at once, and with it whatever the guest had not flushed. Nothing when it is off."""
        left = processes.end(self.processes(), self.known.id, patience=0)
        if left:
            raise RacewayError(self.vm.name, f"pid {left[0].pid} does not end", act="look at it with ps")

    def qmp(self, timeout: float = 60.0) -> Qmp:
        """Its control socket."""
        return Qmp(self.home / "qmp", self.vm.name, timeout)

    def state(self) -> str:
        """``running``, ``paused`` …, as QEMU says; ``off`` without a guard, ``missing`` without disks."""
        if not self.is_on():
            return "off" if self.is_made() else "missing"
        try:
            with self.qmp(timeout=5.0) as qmp:
                return str(qmp("query-status")["status"])
        except RacewayError:
            return "starting"

    def reset(self) -> None:
        """Press the reset button, and wait until the boot that was is over: the guard starts QEMU anew."""
        before = [one for one in self.processes() if GUARD not in one.command]
        with self.qmp() as qmp:
            qmp("system_reset")
        until = time.monotonic() + START_S
        while any(processes.alive(one) for one in before):
            if time.monotonic() > until:
                raise RacewayError(self.vm.name, "QEMU did not take the reset", act="use cut, then start")
            time.sleep(0.05)

    def link(self, interface: str, up: bool) -> None:
        """Pull or plug a cable: ``data0`` (or the ``roce0`` over it), or ``mgmt0``, which ssh goes through."""
        name = f"data{interface[4:]}" if interface.startswith("roce") else interface
        allowed = [*(f"data{number}" for number in range(DEFAULT.nics)), "mgmt0"]
        if name not in allowed:
            raise RacewayError(f"{self.vm.name}: interface", repr(interface), ", ".join(allowed), "name one of these")
        with self.qmp() as qmp:
            qmp("set_link", {"name": name, "up": up})

    def remove_drive(self, number: int) -> None:
        """Ask the guest to let go of an NVMe drive (PCIe hot remove), and wait until it has."""
        device = f"nvme{self._drive(number)}"
        with self.qmp() as qmp:
            qmp("device_del", {"id": device})
            if not qmp.until("DEVICE_DELETED", "device", device, LET_GO_S):
                raise RacewayError(
                    f"{self.vm.name}: {device}",
                    f"the guest did not let go in {LET_GO_S:.0f} s",
                    act="look at dmesg in the guest; a machine that is still booting does not listen",
                )

    def add_drive(self, number: int) -> None:
        """Put an NVMe drive back into its slot, with the serial and the data it had."""
        self._drive(number)
        node = f"disk{number}-{uuid.uuid4().hex[:8]}"  # QEMU wants a name it has not seen before
        file = {"driver": "file", "filename": f"{qemu.place(self.vm.name)}/nvme{number}.raw", "discard": "unmap"}
        with self.qmp() as qmp:
            qmp("blockdev-add", {"driver": "raw", "node-name": node, "file": file})
            serial = identity(self.vm.name).drive(number)
            place: dict[str, Any] = {"driver": "nvme", "id": f"nvme{number}", "bus": f"rp{number}"}
            qmp("device_add", {**place, "serial": serial, "drive": node})

    def _drive(self, number: int) -> int:
        if not 0 <= number < DEFAULT.nvme:
            raise RacewayError(f"{self.vm.name}: drive", str(number), f"0 to {DEFAULT.nvme - 1}", "name one of these")
        return number


def ensure_switch(known: Record, folder: Path) -> bool:
    """Make sure the lab's switch runs; True when it had to be started, so that running VMs hang on nothing."""
    if any(SWITCH in one.command for one in processes.of_lab(known.id)):
        return False
    files.folder(folder / "run")
    (folder / qemu.SWITCH).unlink(missing_ok=True)
    log = folder / "logs" / "switch.log"
    child = spawn([sys.executable, "-m", SWITCH, str(folder)], known, log)
    until = time.monotonic() + START_S
    while not (folder / qemu.SWITCH).exists():
        if child.poll() is not None or time.monotonic() > until:
            raise RacewayError("the lab's switch", f"does not start: {_last_line(log)}", act="read it", log=str(log))
        time.sleep(0.05)
    return True


def spawn(command: list[str], known: Record, log: Path) -> subprocess.Popen[bytes]:
    """Start a program of the lab that lives on when we end; it carries the lab's mark."""
    environment = {**os.environ, processes.MARK: known.id, "PYTHONUNBUFFERED": "1"}
    files.folder(log.parent)
    with log.open("ab") as stream:
        return subprocess.Popen(
            command, env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
            start_new_session=True,
        )  # fmt: skip


def _last_line(log: Path) -> str:
    try:
        lines = log.read_bytes()[-2000:].decode(errors="replace").splitlines()
    except OSError:
        return "no log"
    # The guard's own words only say that QEMU ended; QEMU's say why.
    return next((line.strip() for line in reversed(lines) if line.strip() and not line.startswith("guard:")), "")
