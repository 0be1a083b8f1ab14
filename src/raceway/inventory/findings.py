"""One mistake of an inventory, told once: hosts, variable, place, what was found, what is allowed, what to do.

Equal findings of many hosts (a misspelt variable in a group_vars file) become one that counts them.
It deliberately does not print: the command line and the preflight action choose how.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from raceway.inventory.origin import Origin, natural, shorten

ERROR = "error"
WARNING = "warning"
SHOWN_HOSTS = 3


@dataclass(frozen=True)
class Finding:
    """A mistake (``error``) or a doubt (``warning``). ``found`` never holds a secret."""

    variable: str
    found: str
    allowed: str = ""
    act: str = ""
    hosts: tuple[str, ...] = ()
    origin: Origin = field(default_factory=Origin)
    severity: str = ERROR

    @property
    def file(self) -> str:
        """The file the mistake stands in, or the empty string."""
        return self.origin.file

    @property
    def line(self) -> int:
        """The line in ``file``, 0 where unknown."""
        return self.origin.line

    def who(self) -> str:
        """Return the hosts in a few words: all names when few, else the first ones and the count.

        >>> Finding("v", "f", hosts=("a", "b", "c", "d", "e")).who()
        'a, b, c and 2 more (5 hosts)'
        """
        if len(self.hosts) <= SHOWN_HOSTS:
            return ", ".join(self.hosts)
        rest = len(self.hosts) - SHOWN_HOSTS
        return f"{', '.join(self.hosts[:SHOWN_HOSTS])} and {rest} more ({len(self.hosts)} hosts)"

    def message(self) -> str:
        """Return ``place: variable: found; allowed: …; next: … [hosts]`` in one line."""
        parts = [f"{self.variable}: {self.found}" if self.variable else self.found]
        if self.allowed:
            parts.append(f"allowed: {self.allowed}")
        if self.act:
            parts.append(f"next: {self.act}")
        place = f"{self.origin}: " if self.origin.file or self.origin.note else ""
        return f"{place}{'; '.join(parts)}" + (f" [{self.who()}]" if self.hosts else "")

    def to_json(self) -> Mapping[str, Any]:
        """Return plain data; every host is named."""
        return {
            "severity": self.severity,
            "file": shorten(self.file),
            "line": self.line or None,
            "column": self.origin.column or None,
            "variable": self.variable,
            "found": self.found,
            "allowed": self.allowed,
            "act": self.act,
            "hosts": list(self.hosts),
        }


class Collector:
    """Gathers findings; equal ones of the same place are kept once, with all hosts they touch."""

    def __init__(self) -> None:
        self._rows: dict[Finding, dict[str, None]] = {}

    def add(self, finding: Finding, hosts: Iterable[str] = ()) -> None:
        """Record a finding for more hosts (in addition to those it names itself)."""
        row = self._rows.setdefault(replace(finding, hosts=()), {})
        row.update(dict.fromkeys(finding.hosts))
        row.update(dict.fromkeys(hosts))

    def sorted(self) -> list[Finding]:
        """Return all findings by file, line, column and variable, hosts in natural order."""
        found = [replace(one, hosts=tuple(sorted(hosts, key=natural))) for one, hosts in self._rows.items()]
        return sorted(found, key=lambda one: (one.origin, one.variable, one.hosts[:1], one.found))
