"""Kernel needs: what each enabled role asks of the kernel, merged by rule, with every asker kept.

A need is *kind, key, value, asker, why*. Merging never picks silently: a rule decides (the highest buffer
limit, the union of modules) or two different wishes are an error that names both askers. Rules follow the idea
of per-key merge types in NixOS' sysctl module (highest rmem_max wins).

It deliberately does not know which roles exist, nor how a need is put into force: the kernel role alone writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Iterable, List, Tuple

from ..errors import RacewayError

# A wish of the operator's own variables outranks what roles ask for, because a person decided it for this host.
SYSCTL = "sysctl"
MODULE = "module"
LIMIT = "limit"
CMDLINE = "cmdline"
QDISC = "qdisc"

# Keys where more is always enough for the one who asked for less (upper bounds of buffers and tables).
HIGHEST_WINS = frozenset(
    {
        "fs.aio-max-nr",
        "fs.file-max",
        "fs.inotify.max_user_instances",
        "fs.inotify.max_user_watches",
        "fs.nr_open",
        "kernel.pid_max",
        "net.core.netdev_max_backlog",
        "net.core.optmem_max",
        "net.core.rmem_max",
        "net.core.somaxconn",
        "net.core.wmem_max",
        "net.ipv4.neigh.default.gc_thresh1",
        "net.ipv4.neigh.default.gc_thresh2",
        "net.ipv4.neigh.default.gc_thresh3",
        "net.ipv4.tcp_max_syn_backlog",
        "vm.max_map_count",
        "vm.min_free_kbytes",
    }
)
# min, default, max: each of the three is merged on its own, the highest wins.
HIGHEST_TRIPLE = frozenset({"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"})


@dataclass(frozen=True)
class Need:
    """One wish. ``asker``: ``role: reason`` or the variable's name; ``own`` marks what the operator declared."""

    kind: str
    key: str
    value: str
    asker: str
    why: str = ""
    own: bool = False


@dataclass(frozen=True)
class Merged:
    """One decided setting with everyone who asked for it (the deciding value's askers first)."""

    kind: str
    key: str
    value: str
    asked_by: Tuple[str, ...]
    why: str = ""


def merge(needs: Iterable[Need]) -> Tuple[Merged, ...]:
    """Return one decided setting a key, sorted by kind and key; raise RacewayError naming both askers on conflict."""
    groups: Dict[Tuple[str, str], List[Need]] = {}
    for need in needs:
        groups.setdefault((need.kind, need.key), []).append(need)
    return tuple(_decide(kind, key, group) for (kind, key), group in sorted(groups.items()))


def _decide(kind: str, key: str, group: List[Need]) -> Merged:
    own = [need for need in group if need.own]
    deciding = own or group
    value = _value(kind, key, deciding)
    askers = [need.asker for need in sorted(group, key=lambda need: need not in deciding or need.value != value)]
    why = next((n.why for n in deciding if n.why), "")
    return Merged(kind, key, value, tuple(dict.fromkeys(askers)), why)


def _value(kind: str, key: str, group: List[Need]) -> str:
    values = list(dict.fromkeys(need.value for need in group))
    if len(values) == 1:
        return values[0]
    if kind == LIMIT or key in HIGHEST_WINS:
        return max(values, key=_amount)
    if key in HIGHEST_TRIPLE:
        rows = [[int(word) for word in value.split()] for value in values]
        return " ".join(str(max(column)) for column in zip(*rows))
    asked = "; ".join(f"{need.value!r} by {need.asker}" for need in group)
    raise RacewayError(
        f"{kind} {key}", f"two values are asked for: {asked}", "one value", f"declare {key} yourself to decide"
    )


def _amount(value: str) -> float:
    return float("inf") if value in ("unlimited", "infinity") else float(value)
