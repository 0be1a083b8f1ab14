"""``VmLab``: what the command line and the tests use to bring VM nodes up, look at them and remove them.

``up`` is a statement of what shall be there: run again it completes what a kill left unfinished and starts what is
off; a VM that runs is left alone. It deliberately shares record, locks and ssh with the container lab and nothing else:
a lab has nodes of one kind.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from raceway.errors import RacewayError

from .. import allocate, files, locks, ports, record, requirements, ssh
from ..home import Home
from ..nodes import NodeState
from ..processes import Process
from ..record import Record, Vm
from ..status import Status
from . import guest, image, inventory, machine
from .machine import GUARD, Machine

DEFAULT_NODES, MOST_NODES = 2, allocate.BLOCK


class VmLab(Home):
    """One lab of VM nodes by name; making the object does nothing."""

    command = "raceway lab up --vm"

    @staticmethod
    def owns(name: str) -> bool:
        """Is the lab of this name one of VMs? Also told when its record cannot be read."""
        folder = record.labs_dir() / record.check_name(name)
        with contextlib.suppress(RacewayError):
            known = record.load(folder / "lab.json")
            return bool(known and known.vms)
        return (folder / "image").is_dir()

    def prepare(self) -> None:
        """Install what is missing on this host for VM nodes (Debian, Ubuntu; root) and build their image."""
        self._check_owner()
        files.folder(record.labs_dir())
        requirements.check_vm(True, self.steps, record.labs_dir() / "install.log")
        image.ensure(self.steps)

    def up(self, count: int | None = None, *, install_missing: bool = False) -> None:
        """Make what is missing of ``count`` VMs (default: as before, else 2) and wait until all have booted."""
        self._check_owner()
        files.folder(self.folder)
        files.folder(self.folder / "logs")
        requirements.check_vm(install_missing, self.steps, self.folder / "logs" / "install.log")
        with self._alone():
            known = self._plan(count)
            image.link(image.ensure(self.steps, known.id), self.folder / "image" / known.image)
            ssh.prepare(self.folder / "ssh", known.vms)
            self._start(known)
            self._wait(known)
            self._tidy(known)
            generated = inventory.generated(known.vms, self.folder)
            files.write_if_changed(self.inventory_path, json.dumps(generated, indent=2) + "\n")

    def machine(self, node: str) -> Machine:
        """One VM by its name."""
        known = self._known()
        for vm in known.vms:
            if vm.name == node:
                return Machine(known, self.folder, vm)
        names = ", ".join(vm.name for vm in known.vms) or "none: this lab has no VMs"
        raise RacewayError(f"lab {self.name}: node", node, names, "name one of these")

    def reboot(self, node: str) -> float:
        """Have a VM's guest reboot; return the seconds until it had booted again."""
        return guest.reboot(self.machine(node).vm, self.folder)

    def start(self, node: str) -> float:
        """Switch a VM on that is off; return the seconds until it had booted."""
        with self._alone():
            one = self.machine(node)
            machine.ensure_switch(one.known, self.folder)
            one.start()
            return self._booted([one])

    def status(self) -> Status:
        """The lab as it is now."""
        known = self.record
        if known is None:
            return Status(self.name, str(self.folder), False)
        with ThreadPoolExecutor(max_workers=8) as pool:
            states = tuple(pool.map(lambda one: guest.probe(one.vm, self.folder, one.state()), self._machines(known)))
        return Status(self.name, str(self.folder), True, nodes=states)

    def down(self, *, image_too: bool = False) -> dict[str, int]:
        """Remove everything this lab made and nothing else; say how many of each."""
        self._check_owner()
        gone = {"processes": 0, "machines": 0, "images": 0}
        if self.folder.exists():
            with self._alone():
                known = self._readable()
                gone["machines"] = len([path for path in (self.folder / "nodes").glob("*") if path.is_dir()])
                gone["processes"] = self._end_processes(known, _is_guard)
                shutil.rmtree(self.folder)
                self._lock_file.unlink()
        image.sweep()
        gone["images"] = image.remove() if image_too else 0
        return gone

    def _plan(self, count: int | None) -> Record:
        """Decide and write down everything that will be made, before any of it is."""
        with locks.exclusive(record.labs_dir() / ".lock"):
            known = record.load(self.folder / "lab.json") or record.new(self.name)
            if known.nodes or known.ports:
                raise RacewayError(
                    f"lab {self.name}", "has container nodes or a control plane", act="choose another --name for VMs"
                )
            wanted = count if count is not None else len(known.vms) or DEFAULT_NODES
            if not 1 <= wanted <= MOST_NODES:
                raise RacewayError("VM nodes", str(wanted), f"1 to {MOST_NODES}", "give --nodes a number in this range")
            on = {one.vm.name for one in self._machines(known) if one.is_on()}
            names = [f"{self.name}-{index}" for index in range(1, wanted + 1)]
            requirements.check_memory(len([name for name in names if name not in on]))
            # Surplus VMs go before the record forgets them.
            for one in self._machines(known):
                if one.vm.name not in names:
                    self._remove(one)
            reserved = {port for other in record.all_records() if other.id != known.id for port in other.reserved_ports}
            vms = _with_ports(names, known, on, reserved)
            known = dataclasses.replace(known, vms=vms, image=image.key())
            record.save(self.folder / "lab.json", known)
        return known

    def _start(self, known: Record) -> None:
        machines = self._machines(known)
        if machine.ensure_switch(known, self.folder):
            for one in machines:
                if one.is_on():
                    # QEMU 7.2 does not connect again to a switch that went away.
                    self.steps.say(f"{one.vm.name}: the lab's switch was gone, so it is started anew")
                    one.cut()
        with self.steps.count(f"machines of {self.name}", len(machines)) as advance:
            for done, one in enumerate(machines, start=1):
                if not one.is_made():
                    one.make()
                if not one.is_on():
                    one.start()
                advance(done, one.vm.name)

    def _wait(self, known: Record) -> None:
        self._booted(self._machines(known))

    def _booted(self, machines: list[Machine]) -> float:
        began = time.monotonic()
        states: list[NodeState] = []
        with (
            self.steps.count(f"nodes of {self.name} boot", len(machines)) as advance,
            ThreadPoolExecutor(max_workers=len(machines)) as pool,
        ):
            futures = [pool.submit(guest.wait_ready, one.vm, self.folder) for one in machines]
            for done, future in enumerate(as_completed(futures), start=1):
                states.append(future.result())
                advance(done, states[-1].name)
        for state in states:
            if not state.ok:
                raise RacewayError(
                    state.name,
                    f"not ready after {guest.BOOT_S:.0f} s (ssh {'answers' if state.ssh else 'does not answer'}, "
                    f"system {state.system or 'unknown'})",
                    act="read its console",
                    log=str(self.folder / "nodes" / state.name / "console.log"),
                )
            if state.failed_units:
                self.steps.say(f"{state.name}: degraded, failed units: {', '.join(state.failed_units)}")
        return time.monotonic() - began

    def _machines(self, known: Record) -> list[Machine]:
        return [Machine(known, self.folder, vm) for vm in known.vms]

    def _remove(self, one: Machine) -> None:
        one.cut()
        shutil.rmtree(one.home, ignore_errors=True)
        shutil.rmtree(self.folder / "ssh" / "nodes" / one.vm.name, ignore_errors=True)

    def _tidy(self, known: Record) -> None:
        """Drop images of earlier recipes, once no VM stands on them any more."""
        for path in (self.folder / "image").iterdir():
            if path.name != known.image:
                shutil.rmtree(path, ignore_errors=True)


def _is_guard(process: Process) -> bool:
    return GUARD in process.command


def _with_ports(names: list[str], known: Record, on: set[str], reserved: set[int]) -> tuple[Vm, ...]:
    """Each VM with its port: as before while it runs or the port is still free, else one from a new block."""
    kept = {
        vm.name: vm.port
        for vm in known.vms
        if vm.name in names and (vm.name in on or (vm.port not in reserved and ports.is_free(vm.port)))
    }
    missing = [name for name in names if name not in kept]
    if missing:
        kept |= allocate.ports(missing, reserved | set(kept.values()), ports.is_free)
    return tuple(Vm(name, kept[name]) for name in names)
