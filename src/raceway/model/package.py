"""Packages as declared: names and who asked for them.

It deliberately knows no versions: a pin belongs to the package source or to the noun that owns the product.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Tuple

# Debian policy 5.6.7 and RPM names together. No dash at either end: at the start it would be read as an option, at the
# end apt-get reads it as "remove".
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9+._-]*[A-Za-z0-9+._])?(:[a-z0-9]+)?")


@dataclass(frozen=True)
class Package:
    """One declared package; ``name`` may carry an architecture (``libc6:i386``)."""

    name: str
    asked_by: Tuple[str, ...] = ()


@dataclass(frozen=True)
class PackageDesired:
    """What the ``package`` noun is given."""

    packages: Tuple[Package, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> PackageDesired:
    """Read the JSON form: ``{"packages": [{"name", "asked_by"}], "platform"}``; a name asked for twice is one."""
    asked: dict[str, Tuple[str, ...]] = {}
    for row in spec.get("packages", ()):
        asked[row["name"]] = asked.get(row["name"], ()) + tuple(row.get("asked_by", ()))
    packages = tuple(Package(name, tuple(dict.fromkeys(who))) for name, who in asked.items())
    return PackageDesired(packages, spec.get("platform", PackageDesired().platform))


def bad_name(name: str) -> Optional[str]:
    """Return why a name cannot be a package's, or None."""
    return None if _NAME.fullmatch(name) else f"{name!r} is no package name"
