"""What evidence of a node is wanted: how long, how much, of which interfaces.

It deliberately holds limits only: what is gathered is the catalogue's, and nothing here can make a node change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Tuple

CAPTURES = ("roce", "cnp", "pause")
KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True)
class Wanted:
    """Limits of one bundle; times in seconds.

    ``interfaces``: none is all that matter. ``file_bytes``: of one text; ``size_bytes``: of the packed bundle.
    ``limit_s``: after it nothing more is begun on the node, and what still runs is ended.
    """

    interfaces: Tuple[str, ...] = ()
    interval_s: int = 10
    captures: Tuple[str, ...] = CAPTURES
    capture_s: int = 5
    capture_packets: int = 2000
    capture_snap_bytes: int = 74
    rdma_sniffer: bool = False
    dmesg_bytes: int = 512 * KIB
    file_bytes: int = 2 * MIB
    size_bytes: int = 16 * MIB
    limit_s: int = 180
    hide_addresses: bool = False
    about: Mapping[str, str] = field(default_factory=dict)


def parse(spec: Mapping[str, Any]) -> Wanted:
    """Read the JSON form, whose keys are the fields' names; what is not given has its default.

    >>> parse({"interval_s": 2, "captures": ["cnp"]}).captures
    ('cnp',)
    """
    lists = {name: tuple(spec[name]) for name in ("interfaces", "captures") if name in spec}
    return Wanted(**{**spec, **lists})
