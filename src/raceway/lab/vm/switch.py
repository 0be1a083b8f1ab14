"""``python -m raceway.lab.vm.switch FOLDER``: the learning Ethernet switch between the data NICs of a lab's VMs.

Each NIC is a client of one unix socket (QEMU's "-netdev stream"): four bytes of length, big endian, then the frame.
Lossless up to 8 MiB a port. It deliberately sends no pause frames and knows no priorities or VLANs: what a real switch
does with them is checked by fixtures, not here. It ends when its socket is removed or taken by another.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import socket
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Generic, TypeVar

from .qemu import SWITCH

QUEUE_LIMIT = 8 << 20
# QEMU's own limit of a packet (NET_BUFSIZE): a longer one means that the stream is out of step.
LONGEST_FRAME = 4096 + 65536
HEADER = 14  # two addresses and the type; shorter is no Ethernet frame
_READ, _SOCKET_BUFFER = 1 << 18, 1 << 20


P = TypeVar("P")


class Table(Generic[P]):
    """Which port an address was last seen at. ``P``: whatever stands for a port."""

    def __init__(self) -> None:
        self._ports: dict[bytes, P] = {}

    def targets(self, source: P, frame: bytes, ports: Collection[P]) -> list[P]:
        """Learn the sender, and return the ports the frame goes out of: one, or all others while it is not known."""
        target, sender = frame[:6], frame[6:12]
        if not sender[0] & 1:
            self._ports[sender] = source
        known = None if target[0] & 1 else self._ports.get(target)
        if known is not None:
            return [known] if known != source else []
        return [port for port in ports if port != source]

    def forget(self, port: P) -> None:
        """Forget what was learnt at a port that is gone."""
        self._ports = {address: at for address, at in self._ports.items() if at != port}


def frames(buffer: bytearray) -> Iterator[bytes]:
    """Yield each whole frame, without its length, and take it from the buffer; the rest waits for more.

    A length no frame can have is a ValueError: the stream is out of step and stays so.
    """
    start = 0
    while len(buffer) - start >= 4:
        length = int.from_bytes(buffer[start : start + 4], "big")
        if length > LONGEST_FRAME:
            raise ValueError(f"a frame of {length} bytes")
        if len(buffer) - start < 4 + length:
            break
        yield bytes(buffer[start + 4 : start + 4 + length])
        start += 4 + length
    del buffer[:start]


class Port:
    """One NIC: what came in and is not whole yet, what waits to go out, and how many frames found no room."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket, self.drops = connection, 0
        self.incoming, self.outgoing = bytearray(), bytearray()


class Switch:
    """The switch on one socket."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table, self.ports = Table[Port](), set[Port]()
        self.selector = selectors.DefaultSelector()
        path.unlink(missing_ok=True)
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen(64)
        self.server.setblocking(False)
        self.inode = path.stat().st_ino
        self.selector.register(self.server, selectors.EVENT_READ, None)

    def run(self) -> None:
        """Forward until the socket is gone."""
        while self.turn(5.0) or self._mine():
            pass

    def turn(self, seconds: float) -> bool:
        """Forward what comes in; False when nothing did in this time."""
        ready = self.selector.select(seconds)
        waiting = set[Port]()
        for key, event in ready:
            if key.data is None:
                self._accept()
            elif key.data in self.ports:
                if event & selectors.EVENT_WRITE:
                    waiting.add(key.data)
                if event & selectors.EVENT_READ:
                    waiting |= self._receive(key.data)
        for port in waiting & self.ports:
            self._send(port)
        return bool(ready)

    def _mine(self) -> bool:
        with contextlib.suppress(OSError):
            return self.path.stat().st_ino == self.inode
        return False

    def _accept(self) -> None:
        connection, _ = self.server.accept()
        connection.setblocking(False)
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            connection.setsockopt(socket.SOL_SOCKET, option, _SOCKET_BUFFER)
        port = Port(connection)
        self.ports.add(port)
        self.selector.register(connection, selectors.EVENT_READ, port)

    def _receive(self, port: Port) -> set[Port]:
        try:
            data = port.socket.recv(_READ)
        except BlockingIOError:
            return set()
        except OSError:
            data = b""
        touched = set[Port]()
        port.incoming += data
        try:
            for frame in frames(port.incoming):
                if len(frame) >= HEADER:
                    touched |= self._forward(port, frame)
        except ValueError as error:
            print(f"switch: {error}: a port is closed", flush=True)
            data = b""
        if not data:
            self._close(port)
        return touched

    def _forward(self, source: Port, frame: bytes) -> set[Port]:
        touched = set[Port]()
        for port in self.table.targets(source, frame, self.ports):
            if len(port.outgoing) > QUEUE_LIMIT:
                port.drops += 1
                continue
            port.outgoing += len(frame).to_bytes(4, "big") + frame
            touched.add(port)
        return touched

    def _send(self, port: Port) -> None:
        try:
            while port.outgoing:
                del port.outgoing[: port.socket.send(port.outgoing)]
        except BlockingIOError:
            pass
        except OSError:
            self._close(port)
            return
        self.selector.modify(port.socket, selectors.EVENT_READ | (selectors.EVENT_WRITE if port.outgoing else 0), port)

    def _close(self, port: Port) -> None:
        self.selector.unregister(port.socket)
        port.socket.close()
        self.ports.discard(port)
        self.table.forget(port)


def main() -> int:
    """Serve the lab in the folder given; end at once when another switch does."""
    os.chdir(sys.argv[1])
    lock = os.open(f"{SWITCH}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another switch is at work", file=sys.stderr)
        return 0
    Switch(Path(SWITCH)).run()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
