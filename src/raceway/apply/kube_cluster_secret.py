"""A secret as a file for as long as one program runs: 0600, on tmpfs, gone afterwards whatever happens.

It deliberately tells nothing of what such a program printed but its last lines, with tokens and keys taken out.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import Iterator, Sequence

from ..host import Host, Result
from ..model.kube_cluster import SECRETS

_SECRETS = (
    re.compile(r"\b[a-z0-9]{6}\.[a-z0-9]{16}\b"),  # a bootstrap token
    re.compile(r"\b[0-9a-f]{64}\b"),  # the key of the certificates; a certificate's sum goes with it
    re.compile(r"[A-Za-z0-9+/]{80,}={0,2}"),  # a key or certificate in base64
)
TOLD_LINES = 6


@contextmanager
def kept_while(host: Host, name: str, text: str) -> Iterator[str]:
    """Write ``text`` to a file, yield its path, remove it."""
    host.mkdir(SECRETS, 0o700)
    os.chmod(host.path(SECRETS), 0o700)
    path = f"{SECRETS}/{name}"
    try:
        host.write(path, text, 0o600)
        yield path
    finally:
        host.remove(path)


def without_secrets(text: str) -> str:
    """Return a text with what may be a secret replaced.

    >>> without_secrets("join with --token abcdef.0123456789abcdef")
    'join with --token <secret>'
    """
    for pattern in _SECRETS:
        text = pattern.sub("<secret>", text)
    return text


def last_words(done: Result, lines: int = TOLD_LINES) -> str:
    """Return the end of what a program said, in one line and without secrets."""
    said = [line.strip() for line in (done.err.strip() or done.out.strip()).splitlines() if line.strip()]
    # kubeadm closes with advice about its own flags; the reason stands above it.
    said = [line for line in said if not line.startswith(("To see the stack trace", "[preflight] If you know"))]
    return without_secrets("; ".join(said[-lines:])) or f"it ended with {done.rc} and no word"


def reason(program: str, done: Result, more: Sequence[str] = ()) -> str:
    """Return why a program's run is a refusal."""
    return "; ".join([f"{program}: {last_words(done)}", *more])
