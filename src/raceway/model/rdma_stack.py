"""Where the RDMA stack comes from as declared: the distribution (inbox), or the vendor's DOCA at one version.

It deliberately installs nothing itself: packages are the package noun's. What is here decides which repository those
packages come from and in which version, and sees that not two stacks are mixed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Tuple

INBOX, DOCA = "inbox", "doca"
STACKS = (INBOX, DOCA)


@dataclass(frozen=True)
class RdmaStackDesired:
    """What the ``rdma_stack`` noun is given. ``stack`` empty: what was written is given back.

    ``repository``: its address; ``key``: the armoured key it is signed with; ``version``: of ``packages`` (DOCA's).
    """

    stack: str = ""
    repository: str = ""
    key: str = ""
    version: str = ""
    packages: Tuple[str, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> RdmaStackDesired:
    """Read the JSON form: the names of RdmaStackDesired's fields, each of which may be left out."""
    default = RdmaStackDesired()
    names = ("stack", "repository", "key", "version", "platform")
    given = {name: str(spec.get(name, getattr(default, name))) for name in names}
    return RdmaStackDesired(packages=tuple(spec.get("packages", ())), **given)
