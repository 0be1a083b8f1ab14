"""``python -m raceway.lab.vm.guard FOLDER NODE``: keeps one VM, also when ``lab up`` has ended.

QEMU runs with "-action reboot=shutdown", so that a guest's reboot (or its reset button) ends it; the guard starts it
anew with the kernel parameters that the guest left on its small disk, as a boot loader would. Anything else that ends
QEMU (power-off, a crash) ends the guard too. QEMU ends with its guard: a killed guard is a power cut.

It deliberately decides nothing about the machine: the command line stands in ``qemu``, parameters in ``spec``.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from .. import processes
from ..record import Record, Vm, load
from .qemu import arguments, place
from .spec import DEFAULT, kernel_parameters

REBOOTS = ("guest-reset", "host-qmp-system-reset")
CONSOLE_LIMIT = 16 * 1024 * 1024
POLL_S = 0.2
_COMMAND_LINE_BYTES = 4096


def own_parameters(disk: bytes) -> str:
    """Kernel parameters from the first block of the guest's small disk (text, then zeros); none from a blank one.

    >>> own_parameters(b"hugepages=32 lab_test=1\\n" + bytes(100))
    'hugepages=32 lab_test=1'
    """
    text = disk[:_COMMAND_LINE_BYTES].split(b"\0")[0]
    return " ".join(text.decode(errors="replace").split())


def reason(lines: list[str]) -> str:
    """Why QEMU ended, from the events it sent; empty when it did not say."""
    why = ""
    for line in lines:
        message = json.loads(line)
        if message.get("event") == "SHUTDOWN":
            why = str(message["data"]["reason"])
    return why


def run_once(command: list[str], parameters: str, address: str) -> tuple[int, str]:
    """Run QEMU until it ends; return its exit code and why it ended."""
    Path(address).unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen(1)
        more = ["-action", "reboot=shutdown", "-append", parameters, "-qmp", f"unix:{address},server=off"]
        child = subprocess.Popen([*command, *more], stdin=subprocess.DEVNULL, preexec_fn=processes.die_with_parent())
        why = ""
        try:
            connection = _accept(server, child)
            if connection:
                with connection:
                    connection.sendall(b'{"execute":"qmp_capabilities"}\n')
                    why = reason(list(connection.makefile("r")))
        except (OSError, ValueError) as error:
            print(f"guard: control socket: {error}", flush=True)
        return child.wait(), why


def _accept(server: socket.socket, child: subprocess.Popen[bytes]) -> socket.socket | None:
    """QEMU's connection; None when it ended before (a port that is taken, a disk that is not there)."""
    server.settimeout(POLL_S)
    while child.poll() is None:
        with contextlib.suppress(TimeoutError):
            return server.accept()[0]
    return None


def keep(known: Record, vm: Vm) -> int:
    """Run the VM, again after each reboot; return QEMU's last exit code. The working folder is the lab's."""
    home = Path(place(vm.name))
    command = arguments(vm, DEFAULT, f"image/{known.image}")
    console = home / "console.log"
    while True:
        if console.exists() and console.stat().st_size > CONSOLE_LIMIT:
            console.replace(console.with_suffix(".log.1"))
        own = own_parameters((home / "cmdline.raw").read_bytes()[:_COMMAND_LINE_BYTES])
        code, why = run_once(command, f"{kernel_parameters(vm.name, DEFAULT)} {own}".strip(), str(home / "guard"))
        print(f"guard: QEMU ended with {code} {why}", flush=True)
        if code or why not in REBOOTS:
            return code


def main() -> int:
    """Keep the VM named on the command line; end at once when another guard does."""
    folder, name = Path(sys.argv[1]), sys.argv[2]
    known = load(folder / "lab.json")
    vm = next((one for one in known.vms if one.name == name), None) if known else None
    if known is None or vm is None:
        print(f"{folder}: no VM {name}", file=sys.stderr)
        return 2
    os.chdir(folder)
    lock = os.open(f"{place(name)}/guard.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another guard is at work", file=sys.stderr)
        return 0
    return keep(known, vm)


if __name__ == "__main__":
    raise SystemExit(main())
