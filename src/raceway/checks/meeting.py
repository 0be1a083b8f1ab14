"""Where the two programs of a pair find each other before they measure, and how each knows that the other is alive.

Every port listens for the whole block. The one that calls says which sweep and round it comes for and waits for ``go``;
the one that is called takes calls of later rounds too and keeps them. As long as a partner's program accepts
connections it lives and is waited for; one that gives no sign for some time is given up. So a node that is dead costs
each partner one patience, and one that is merely late costs nobody a measurement.

It deliberately carries words of one line only, and believes nobody: another sweep's caller is hung up on.
"""

from __future__ import annotations

import select
import time
from typing import TYPE_CHECKING, Callable, Dict, Tuple

if TYPE_CHECKING:  # costs more to import than reading all facts of a node
    import socket

STEP_S = 0.2
CONNECT_S = 1.0  # a living kernel answers at once, in milliseconds
SIGN_EVERY_S = 2.0
PROBE = "alive?"
GO, PAST = "go", "past"
LONGEST = 4096
Over = Callable[[], bool]


class Gone(Exception):
    """The partner, or whoever waits for the answer, is not there any more; the text says which and why."""


class Line:
    """A connection to a partner: lines that were heard are kept until somebody asks for them."""

    def __init__(self, connection: socket.socket) -> None:
        import socket

        # A partner whose machine has lost its power says nothing; the kernel asks, and finds out in ten seconds.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 2), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 4)):
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
        self.connection = connection
        self.heard: Dict[str, float] = {}
        self.closed = False
        self._rest = b""

    def say(self, text: str) -> None:
        """Send a line; a partner that is gone is noticed when it is listened to."""
        try:
            self.connection.sendall(text.encode() + b"\n")
        except OSError:
            self.closed = True

    def listen(self, seconds: float = 0.0) -> None:
        """Take in what has been said, waiting at most so long for the first of it."""
        if self.closed:
            return
        try:
            while select.select([self.connection], [], [], seconds)[0]:
                seconds = 0.0
                chunk = self.connection.recv(1024)
                self._rest += chunk
                if not chunk or len(self._rest) > LONGEST:
                    self.closed = True
                    return
                *whole, self._rest = self._rest.split(b"\n")
                self.heard.update({word.decode("utf-8", "replace"): time.monotonic() for word in whole})
        except OSError:
            self.closed = True

    def wait(self, words: Tuple[str, ...], deadline: float, over: Over) -> str:
        """Return the first of some words that is heard, nothing where the deadline passes or the partner leaves."""
        while True:
            self.listen(STEP_S)
            found = next((word for word in words if word in self.heard), "")
            if found or self.closed or time.monotonic() > deadline or over():
                return found

    def close(self) -> None:
        """Hang up."""
        self.connection.close()


class Meeting:
    """The place of one port for one block of a sweep."""

    def __init__(self, run: str, address: str, port: int, patience_s: float, over: Over) -> None:
        self.run, self.address, self.port = run, address, port
        self.patience_s, self.over = patience_s, over
        self._early: Dict[str, Line] = {}
        import socket

        self._door = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._door.bind((address, port))
            self._door.listen(64)
        except OSError:
            self._door.close()
            raise

    def close(self) -> None:
        """Stop listening, hang up on everybody who still waits."""
        self._door.close()
        for line in self._early.values():
            line.close()

    def call(self, peer: str, number: int, deadline: float) -> Line:
        """Go to a partner and return the connection once it is ready for this round; ``Gone`` where it is not there."""
        sign = time.monotonic()
        reason = "no program answers"
        while True:
            try:
                connection = self._connect(peer)
            except OSError as error:
                reason = str(error.strerror or error)
            else:
                sign, line = time.monotonic(), Line(connection)
                line.say(f"{self.run} {number}")
                word = line.wait((GO, PAST), deadline, self.over)
                if word == GO:
                    return line
                line.close()
                reason = "it had given this pair up" if word == PAST else "it left while it was waited for"
                if word == PAST:
                    raise Gone(f"{peer}: {reason}")
            self._still(peer, sign, deadline, reason)
            time.sleep(STEP_S)

    def receive(self, peer: str, number: int, deadline: float) -> Line:
        """Wait until a partner comes for this round and return the connection; ``Gone`` where it does not come."""
        wanted, sign, asked, reason = f"{self.run} {number}", time.monotonic(), 0.0, ""
        while not self._came(wanted):
            if select.select([self._door], [], [], STEP_S)[0]:
                self._take(number)
            if time.monotonic() - asked > SIGN_EVERY_S:
                asked = time.monotonic()
                reason = self._sign(peer)
                sign = sign if reason else time.monotonic()
            if wanted not in self._early:
                self._still(peer, sign, deadline, reason or "it did not come")
        line = self._early.pop(wanted)
        line.say(GO)
        return line

    def _came(self, wanted: str) -> bool:
        """Tell whether the caller is there, and still is."""
        line = self._early.get(wanted)
        if line is None:
            return False
        line.listen()
        if line.closed:
            self._early.pop(wanted).close()
        return not line.closed

    def _take(self, number: int) -> None:
        connection, _ = self._door.accept()
        line = Line(connection)
        line.listen(CONNECT_S)
        words = next(iter(line.heard), "").split()
        if len(words) != 2 or words[0] != self.run or not words[1].isdigit():
            line.close()
            return
        if int(words[1]) < number:
            line.say(PAST)
            line.close()
            return
        self._early[" ".join(words)] = line

    def _sign(self, peer: str) -> str:
        """Return nothing where the partner's program lives, else what happened."""
        try:
            with self._connect(peer) as connection:
                connection.sendall(f"{PROBE}\n".encode())
        except OSError as error:
            return str(error.strerror or error)
        return ""

    def _connect(self, peer: str) -> socket.socket:
        import socket

        return socket.create_connection((peer, self.port), CONNECT_S, (self.address, 0))

    def _still(self, peer: str, sign: float, deadline: float, reason: str) -> None:
        """Raise ``Gone`` where waiting any longer makes no sense."""
        now = time.monotonic()
        if self.over():
            raise Gone("the sweep was ended")
        if now - sign > self.patience_s:
            raise Gone(f"{peer}: no sign of life for {self.patience_s:.0f} s: {reason}")
        if now > deadline:
            raise Gone(f"{peer}: it lives, and did not come before the time of the block was over")
