"""What a machine has to be to carry pods: no swap, one owner of the cgroups, forwarding, tools, room, a right clock.

It deliberately changes nothing: kernel settings are the role kernel's, packages the package noun's, swap and clocks
people's; what is missing is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Tuple

REFUSE, ACCEPT, LIMITED = "refuse", "accept", "limited"
MOST_SKEW_S = 3.0  # etcd warns of peers more than 1 s apart; an answer's date has whole seconds


@dataclass(frozen=True)
class KubeHostDesired:
    """What the ``kube_host`` noun is given.

    ``programs``: program → package that brings it (empty: none of ours); ``kernel``: the role kernel is enabled.
    ``folders``: where images and pods' data lie; ``full``: percent of their disk above which images are removed.
    ``endpoint``: ``host:port`` of the API server, empty where none is declared. ``cpus``, ``numa``: those reserved.
    """

    present: bool = False
    version: str = ""
    swap: str = REFUSE
    cgroup_v1: str = REFUSE
    cgroup_driver: str = "systemd"
    programs: Mapping[str, str] = field(default_factory=dict)
    kernel: bool = False
    folders: Tuple[str, ...] = ()
    full: int = 85
    endpoint: str = ""
    cpus: str = ""
    numa: Tuple[int, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> KubeHostDesired:
    """Read the JSON form: the names of KubeHostDesired's fields; each may be left out."""
    lists: Dict[str, Any] = {name: tuple(spec[name]) for name in ("folders", "numa") if name in spec}
    plain = {name: value for name, value in spec.items() if name not in lists}
    return KubeHostDesired(**plain, **lists)


def cpu_list(text: str) -> Tuple[int, ...]:
    """Return the CPUs of a list as the kernel writes it; ValueError for a text that is none.

    >>> cpu_list("0-2,8"), cpu_list("")
    ((0, 1, 2, 8), ())
    """
    rows = set()
    for part in text.strip().split(",") if text.strip() else []:
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()) or int(last or first) < int(first):
            raise ValueError(f"{part!r} is no CPU and no range of CPUs")
        rows |= set(range(int(first), int(last or first) + 1))
    return tuple(sorted(rows))
