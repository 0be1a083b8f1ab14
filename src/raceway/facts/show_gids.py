"""What ``show_gids`` says: the GIDs in use, with version and interface. InfiniBand rows have neither.

Three lines of real output (tabs between the columns)::

    DEV     PORT    INDEX   GID                                     IPv4            VER     DEV
    mlx5_0  1       3       0000:0000:0000:0000:0000:ffff:c0a8:0101 192.168.1.1     v2      ens1f0
    n_gids_found=1

It deliberately does not read the IPv4 column: the script fills it for every GID that starts with zeroes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .gid import Gid, address_of, kind_of, whole
from .natural import natural
from .reading import joined, lines, not_output_of, quote

_HEADER = re.compile(r"^DEV\s+PORT\s+INDEX\s+GID\b")
_RULE = re.compile(r"^[-\s]+$")
_TRAILER = re.compile(r"^n_gids_found\s*=\s*(\d+)$")
_ROW = re.compile(
    r"^(\S+)\s+(\d+)\s+(\d+)\s+([0-9a-fA-F:]+)(?:\s+(\d+\.\d+\.\d+\.\d+))?(?:\s+([vV]\d))?(?:\s+(?![\d.]+$)(\S+))?$"
)


@dataclass(frozen=True)
class PortGids:
    """The GIDs of one port, by index."""

    device: str
    port: int
    gids: Tuple[Gid, ...] = ()

    @property
    def name(self) -> str:
        """The port as ``device/port``."""
        return f"{self.device}/{self.port}"


@dataclass(frozen=True)
class ShowGidsFacts:
    """Ports in natural order. No ports and no problem: the script ran to its end and found no GID."""

    ports: Tuple[PortGids, ...] = ()
    problem: str = ""


def parse(text: str) -> ShowGidsFacts:
    """Return the rows by port, and whether as many came as the last line counts."""
    rows: List[Tuple[str, int, Gid]] = []
    announced: Optional[int] = None
    problems: List[str] = []
    for line in lines(text):
        row, trailer = _ROW.match(line.strip()), _TRAILER.match(line.strip())
        if trailer:
            announced = int(trailer[1])
        elif row and whole(row[4]) and address_of(row[4]):
            gid = Gid(int(row[3]), address_of(row[4]), kind_of(row[6]), row[7] or "")
            rows.append((row[1], int(row[2]), gid))
        elif not _HEADER.match(line.strip()) and not _RULE.match(line):
            problems.append(f"not understood: {quote(line)}")
    if not rows and announced is None:
        started = any(_HEADER.match(line) for line in lines(text))
        return ShowGidsFacts((), "cut off before the first whole row" if started else not_output_of("show_gids", text))
    if announced is None:
        problems.append(f"cut off after {len(rows)} rows: the last line n_gids_found is missing")
    elif announced != len(rows):
        problems.append(f"{announced} GIDs announced, {len(rows)} rows read")
    return ShowGidsFacts(_by_port(rows), joined(*problems))


def _by_port(rows: List[Tuple[str, int, Gid]]) -> Tuple[PortGids, ...]:
    ports: Dict[Tuple[str, int], List[Gid]] = {}
    for device, port, gid in rows:
        ports.setdefault((device, port), []).append(gid)
    return tuple(
        PortGids(*name, tuple(sorted(ports[name], key=lambda gid: gid.index)))
        for name in sorted(ports, key=lambda name: (natural(name[0]), name[1]))
    )
