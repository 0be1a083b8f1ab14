"""Whole files as declared by a site: path, content, mode, owner, and whether the content is a secret.

It deliberately keeps a mode that makes no sense as it was written, so that the planner can name it in a refusal.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

SECRET = "<secret>"
# The kernel's own file systems: a write there is a command, no file; sysctl and the other nouns give such commands.
KERNEL_TREES = ("/proc", "/sys", "/dev")
RACEWAY_HOME = "/var/lib/raceway"
_MODE = re.compile(r"0?[0-7]{3,4}")


@dataclass(frozen=True)
class File:
    """One declared file. ``mode`` is the octal number as a string of digits, as it was written."""

    path: str
    content: str = field(default="", repr=False)  # it may be a secret: no traceback or log shows it
    mode: str = "0644"
    owner: str = "root"
    group: str = "root"
    secret: bool = False
    why: str = ""


@dataclass(frozen=True)
class FileDesired:
    """What the ``file`` noun is given."""

    files: Tuple[File, ...] = ()
    platform: str = "bare_metal"


def parse(spec: Mapping[str, Any]) -> FileDesired:
    """Read ``{"files": [{"path", "content", "mode", "owner", "group", "secret", "why"}], "platform"}``."""
    default = File("")
    files = tuple(
        File(
            path=row["path"],
            content=row.get("content", ""),
            mode=_written(row.get("mode", default.mode)),
            owner=str(row.get("owner", default.owner)),
            group=str(row.get("group", default.group)),
            secret=bool(row.get("secret", False)),
            why=row.get("why", ""),
        )
        for row in spec.get("files", ())
    )
    return FileDesired(files, spec.get("platform", FileDesired().platform))


def _written(mode: object) -> str:
    # YAML reads an unquoted 0644 as the number 420: digits that look octal and are not.
    return mode if isinstance(mode, str) else f"{mode} (a number)"


def mode_number(mode: str) -> Optional[int]:
    """Return the permissions, or None where the text is no octal mode of three or four digits.

    >>> mode_number("0640"), mode_number("420"), mode_number("rw-r--r--")
    (416, 272, None)
    """
    return int(mode, 8) if _MODE.fullmatch(mode) else None


def bad_path(path: str) -> Optional[str]:
    """Return why no file can be declared at a path, or None."""
    if not path.startswith("/"):
        return "the path is relative"
    if ".." in path.split("/"):
        return "the path holds '..', so it names another place than it shows"
    if posixpath.normpath(path) != path or path == "/":
        return "the path does not name a file plainly (empty part, '.', or a slash at its end)"
    if any(char in path for char in "\0\n"):
        return "the path holds a line break or a zero byte"
    if any(path == tree or path.startswith(tree + "/") for tree in KERNEL_TREES):
        return "the kernel's own file systems hold no files that last"
    if path.startswith(RACEWAY_HOME + "/"):
        return "raceway keeps its own state there"
    return None
