"""From a host's variables to the request for its evidence, and the file its bundle goes to.

It deliberately gathers nothing from a declaration that is wrong: all mistakes are told in one message before the node
is contacted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from raceway import __version__
from raceway.errors import RacewayError
from raceway.inventory.specs import load_specs
from raceway.inventory.validate import check_value
from raceway.roles import diagnose

ROLE = "diagnose"


def variables() -> tuple[str, ...]:
    """Return the names of the variables that count."""
    return tuple(load_specs(None)[ROLE].options)


def values(given: Mapping[str, Any], host: str) -> dict[str, Any]:
    """Return every ``diagnose_*`` variable, typed and with its default; one RacewayError with all that is wrong."""
    spec = load_specs(None)[ROLE]
    found: dict[str, Any] = {}
    wrong: list[str] = []
    for name, option in spec.options.items():
        found[name], problems = check_value(option, given.get(name, spec.defaults[name]), untyped=True)
        wrong += [f"{one.path}: {one.found} (allowed: {one.allowed or one.act})" for one in problems]
    if not wrong:
        wrong = [f"{one.variable}: {one.found} (allowed: {one.allowed}: {one.act})" for one in diagnose.rules(found)]
    if wrong:
        raise RacewayError(host, "; ".join(wrong), act="correct the variables of this host")
    return found


def request(found: Mapping[str, Any], host: str, digest: str) -> dict[str, Any]:
    """Return the request to the node program."""
    about = {"host": host, "raceway": __version__, "program": digest}
    return {"mode": "evidence", "evidence": diagnose.request(found, about)}


def place(found: Mapping[str, Any], host: str, now: float) -> Path:
    """Return the file of a bundle made at ``now`` (seconds since 1970)."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    return Path(found["diagnose_folder"]) / f"{re.sub(r'[^A-Za-z0-9._-]', '_', host)}-{stamp}.tar.gz"


def write(path: Path, content: bytes) -> None:
    """Put a bundle in place, whole or not at all, for its owner's eyes alone."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    new.touch(mode=0o600)
    new.write_bytes(content)
    new.rename(path)
