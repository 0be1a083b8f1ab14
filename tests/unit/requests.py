"""Requests for whole runs of the node program, as the controller would send them."""

from __future__ import annotations

import os
import pwd
from typing import Any

ME = pwd.getpwuid(os.getuid()).pw_name


def make_request(mode: str = "apply", allow: tuple[str, ...] = ("safe",), **nouns: dict[str, Any]) -> dict[str, Any]:
    """Return a request of one role ``system`` with the given nouns."""
    return {"mode": mode, "explain": True, "roles": {"system": {"allow": list(allow), "nouns": nouns}}}


def make_file(path: str, content: str = "text\n", **more: Any) -> dict[str, Any]:
    """Return one declared file that belongs to whoever runs the tests."""
    return {"path": path, "content": content, "owner": ME, "group": "", **more}


def files(*rows: dict[str, Any]) -> dict[str, Any]:
    """Return the spec of the file noun."""
    return {"files": list(rows)}


def units(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the spec of the unit noun."""
    return {"units": list(rows), **more}


def mounts(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return the spec of the mount noun."""
    return {"mounts": list(rows), **more}
