"""What ``tc -j qdisc show`` and ``ip -j route show default`` say.

Both print one JSON list; a part of real output::

    [{"kind":"mq","handle":"0:","dev":"eth0","root":true,"options":{}},
     {"kind":"fq_codel","handle":"0:","dev":"eth0","parent":":1","options":{"limit":10240}}]
    [{"dst":"default","gateway":"10.0.2.2","dev":"eth0","protocol":"dhcp","metric":100,"flags":[]}]

It deliberately keeps no counters and no options: they change without anyone's doing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Tuple


@dataclass(frozen=True)
class Qdisc:
    """The root of one interface and, in order of their parents, the kinds below it."""

    kind: str
    handle: str = "0:"
    children: Tuple[Tuple[str, str], ...] = ()  # (parent class, kind)

    @property
    def summary(self) -> str:
        """``fq``, or ``mq of fq_codel`` (``mq of fq, fq_codel`` where the children differ)."""
        kinds = sorted({kind for _, kind in self.children})
        return f"{self.kind} of {', '.join(kinds)}" if kinds else self.kind


@dataclass(frozen=True)
class Link:
    """One interface: administratively up, and whether the kernel made it without hardware (veth, bridge, lo)."""

    up: bool = True
    virtual: bool = False


@dataclass(frozen=True)
class QdiscFacts:
    """Roots and links by interface, which interfaces carry a default route, whether the kernel has the kind.

    ``problem``: why tc or ip could not be asked, empty where both answered.
    """

    roots: Mapping[str, Qdisc] = field(default_factory=dict)
    links: Mapping[str, Link] = field(default_factory=dict)
    default_routes: Tuple[str, ...] = ()
    has_kind: bool = True
    problem: str = ""
    owned: Mapping[str, Any] = field(default_factory=dict)


def parse_qdiscs(text: str) -> Dict[str, Qdisc]:
    """Return the root of each interface with the children of a classful root; ingress hooks are no root."""
    rows: List[Dict[str, Any]] = json.loads(text) if text.strip() else []
    found: Dict[str, Qdisc] = {}
    for row in rows:
        if row.get("root") and "dev" in row:
            found[row["dev"]] = Qdisc(row["kind"], row.get("handle", "0:"), _children(rows, row))
    return found


def _children(rows: List[Dict[str, Any]], root: Dict[str, Any]) -> Tuple[Tuple[str, str], ...]:
    handle = root.get("handle", "0:")
    # The kernel prints handle 0 of an automatic root as ":" in its children's parents.
    prefixes = (handle, ":") if handle == "0:" else (handle,)
    below = [
        (row["parent"], row["kind"])
        for row in rows
        if row.get("dev") == root["dev"] and row.get("parent", "").startswith(prefixes)
    ]
    return tuple(sorted(below, key=lambda child: int(child[0].rsplit(":", 1)[1] or "0", 16)))


def parse_default_routes(text: str) -> Tuple[str, ...]:
    """Return the interfaces of default routes, every next hop of a multipath route included."""
    rows: List[Dict[str, Any]] = json.loads(text) if text.strip() else []
    found: Dict[str, None] = {}
    for row in rows:
        if row.get("dst") != "default":
            continue
        for hop in row.get("nexthops", [row]):
            if "dev" in hop and "dead" not in hop.get("flags", ()):
                found[hop["dev"]] = None
    return tuple(found)
