"""Which versions of a package the sources of apt have, newest first, as ``apt-cache madison`` prints them::

kubelet | 1.35.4-1.1 | https://pkgs.k8s.io/core:/stable:/v1.35/deb  Packages
kubelet | 1.35.3-1.1 | https://pkgs.k8s.io/core:/stable:/v1.35/deb  Packages
"""

from __future__ import annotations

from typing import Dict, Tuple


def madison(text: str) -> Dict[str, Tuple[str, ...]]:
    """Return name → versions in the order of the output.

    >>> madison(" runc | 1.1.5+ds1-1 | http://mirror.example/debian bookworm/main amd64 Packages\\n")
    {'runc': ('1.1.5+ds1-1',)}
    """
    rows: Dict[str, Tuple[str, ...]] = {}
    for line in text.splitlines():
        parts = [part.strip() for part in line.split("|")]
        if len(parts) == 3 and parts[2].endswith("Packages"):
            rows[parts[0]] = (*rows.get(parts[0], ()), parts[1])
    return rows
