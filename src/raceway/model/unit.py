"""systemd units as declared: content of our own, enabled at boot or not, running or not.

Each of the three may be left open (``content`` empty, ``enabled`` None, ``state`` empty); what is left open is not
touched. It deliberately has no "restarted": a restart follows from a changed content, never from a declaration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

UNIT_FOLDER = "/etc/systemd/system/"
STARTED = "started"
STOPPED = "stopped"
STATES = (STARTED, STOPPED, "")
# systemd.unit(5): the name's characters, an instance after "@", and the suffix; slices and scopes are not declared.
_NAME = re.compile(r"[A-Za-z0-9:_.\\-]+(@[A-Za-z0-9:_.\\-]*)?\.(service|socket|timer|path|target|mount|automount|swap)")


@dataclass(frozen=True)
class Unit:
    """One declared unit."""

    name: str
    enabled: Optional[bool] = None
    state: str = ""
    content: str = ""
    why: str = ""

    @property
    def path(self) -> str:
        """Where the content of an administrator's unit stands."""
        return UNIT_FOLDER + self.name

    @property
    def template(self) -> bool:
        """True for ``x@.service``: a pattern for units, itself no unit that can run."""
        return "@." in self.name


@dataclass(frozen=True)
class UnitDesired:
    """What the ``unit`` noun is given. ``packages``: packages the same request installs first, they may bring units."""

    units: Tuple[Unit, ...] = ()
    platform: str = "bare_metal"
    packages: Tuple[str, ...] = ()


def parse(spec: Mapping[str, Any]) -> UnitDesired:
    """Read the JSON form: ``{"units": [{"name", "enabled", "state", "content", "why"}], "platform", "packages"}``."""
    units = tuple(
        Unit(row["name"], row.get("enabled"), row.get("state") or "", row.get("content") or "", row.get("why") or "")
        for row in spec.get("units", ())
    )
    return UnitDesired(units, spec.get("platform", UnitDesired().platform), tuple(spec.get("packages", ())))


def bad_name(name: str) -> Optional[str]:
    """Return why a name cannot be a declared unit's, or None."""
    return None if _NAME.fullmatch(name) and not name.startswith("-") else f"{name!r} is no unit name with its suffix"


def setting(content: str, section: str, key: str) -> str:
    """Return the last value of a key in a section of a unit file, or the empty string.

    >>> setting("[Service]\\nType=simple\\nType = oneshot\\n", "Service", "Type")
    'oneshot'
    """
    found, inside = "", False
    for raw in content.splitlines():
        line = raw.strip()
        if line.startswith("["):
            inside = line == f"[{section}]"
        elif inside and "=" in line and line[0] not in "#;" and line.split("=", 1)[0].strip() == key:
            found = line.split("=", 1)[1].strip()
    return found


def install_section(content: str) -> Tuple[str, ...]:
    """Return the settings below ``[Install]``, sorted: what `systemctl enable` acts on."""
    rows, inside = [], False
    for raw in content.splitlines():
        line = raw.strip()
        if line.startswith("["):
            inside = line == "[Install]"
        elif inside and line and line[0] not in "#;":
            rows.append(line)
    return tuple(sorted(rows))
