"""Which packages are installed, from the package manager's own record.

The status file of dpkg is one paragraph a package (deb822)::

    Package: iproute2
    Status: install ok installed
    Architecture: amd64

It deliberately tells installed from merely known: a removed package keeps a paragraph while its settings stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, Mapping, Set, Tuple

APT = "apt"
DNF = "dnf"
ZYPPER = "zypper"


@dataclass(frozen=True)
class PackageFacts:
    """``manager``: apt, dnf, zypper or empty. ``installed``: declared name → the package that is or provides it.

    ``owned``: names that raceway installed, in the ledger.
    """

    manager: str = ""
    installed: Mapping[str, str] = field(default_factory=dict)
    owned: Mapping[str, str] = field(default_factory=dict)


def parse_dpkg(text: str, names: Iterable[str]) -> Dict[str, str]:
    """Return which of ``names`` are installed: name → itself, or the installed package that provides it."""
    wanted = set(names)
    found: Dict[str, str] = {}
    providers: Dict[str, str] = {}
    for block in text.split("\n\n"):
        name = block[len("Package: ") : block.find("\n")] if block.startswith("Package: ") else ""
        provides = "\nProvides: " in block
        # Most paragraphs end here: two substring tests cost a tenth of splitting every paragraph into fields.
        if not provides and not _named(name, wanted):
            continue
        fields = _fields(block)
        if not fields.get("Status", "").endswith(" installed"):
            continue
        for key in (name, f"{name}:{fields.get('Architecture', '')}"):
            if key in wanted:
                found[key] = name
        for virtual in _virtual(fields.get("Provides", "")) & wanted:
            providers.setdefault(virtual, name)
    return {**providers, **found}


def parse_rpm(text: str, names: Iterable[str]) -> Dict[str, str]:
    r"""Return the installed ones from ``rpm -q --qf '%{NAME}\n' a b`` (one line each; others "… is not installed")."""
    lines = {line.strip() for line in text.splitlines()}
    return {name: name for name in names if name in lines}


def _named(name: str, wanted: Set[str]) -> bool:
    return name in wanted or any(want.startswith(name + ":") for want in wanted if ":" in want)


def _fields(block: str) -> Dict[str, str]:
    rows = (line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(" "))
    return dict(rows)


def _virtual(provides: str) -> Set[str]:
    # "mail-transport-agent, cron-daemon (= 3.0)": a version in brackets does not change the name.
    return {part.split("(")[0].strip() for part in provides.split(",") if part.strip()}


def candidates(policy: str) -> Tuple[str, ...]:
    """Return the packages that ``apt-cache policy`` knows a version of, as named in its output.

    >>> candidates("fq:\\n  Installed: (none)\\n  Candidate: 1.2\\nno:\\n  Candidate: (none)\\n")
    ('fq',)
    """
    known, name = [], ""
    for line in policy.splitlines():
        if line and not line[0].isspace() and line.endswith(":"):
            name = line[:-1]
        elif line.strip().startswith("Candidate:") and not line.strip().endswith("(none)"):
            known.append(name)
    return tuple(known)
