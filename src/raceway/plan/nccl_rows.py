"""One variable of a library with its reason, and the rule about interface names that NCCL and HCCL share.

It deliberately knows no library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence

# Any list of names to leave out replaces the built-in one, so what that one leaves out is said again.
BUILT_IN_EXCLUSION = ("lo", "docker")


@dataclass(frozen=True)
class Variable:
    """``why``: the reason in a sentence; ``source``: who says so, a document or a report."""

    name: str
    value: str
    why: str
    source: str


row = Variable


def sockets(name: str, interfaces: Sequence[str], source: str) -> List[Variable]:
    """Return the variable that names the interfaces of bootstrap and sockets: exactly these, or all but these.

    >>> [one.value for one in sockets("X", ["eth0"], "") + sockets("X", ["^virbr"], "")]
    ['=eth0', '^lo,docker,virbr']
    """
    if not interfaces:
        return []
    if interfaces[0].startswith("^"):
        left_out = dict.fromkeys([*BUILT_IN_EXCLUSION, *(one.lstrip("^") for one in interfaces)])
        why = "all but these; a list of one's own replaces the built-in one, so lo and docker are named again"
        return [Variable(name, "^" + ",".join(left_out), why, source)]
    why = "these and no other: a bare name is a prefix, so eth1 would take eth10 along"
    return [Variable(name, "=" + ",".join(interfaces), why, source)]
