"""What a process may lock: the line of ``/proc/PID/limits``, and whether that is enough for RDMA.

    Limit                     Soft Limit           Hard Limit           Units
    Max locked memory         8388608              8388608              bytes
    Max locked memory         unlimited            unlimited            bytes

Limits of PAM do not reach services, and a container has those of its runtime (ai4d-iasc/trixie#81, ROCm/spur#449).
It deliberately reads a process, not a unit's property: a running daemon keeps what it was started with.
"""

from __future__ import annotations

import re

UNLIMITED = "unlimited"
_LINE = re.compile(r"^Max locked memory\s+(\S+)\s+(\S+)\s", re.MULTILINE)


def parse_soft(text: str) -> str:
    """Return the soft limit as printed, empty where the line is missing or cut off.

    >>> parse_soft("Max locked memory         8388608              unlimited            bytes     \\n"), parse_soft("")
    ('8388608', '')
    """
    found = _LINE.search(text)
    return found[1] if found else ""
