"""Where raceway keeps what it makes: one cache that may be deleted at any time, one state folder that may not.

It deliberately does not create anything: who writes into a folder makes it.
"""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir() -> Path:
    """Folder of what can be made again: built tools, images, logs of builds."""
    return _folder("RACEWAY_CACHE", "XDG_CACHE_HOME", ".cache")


def state_dir() -> Path:
    """Folder of what cannot be made again: the records of labs, their keys and data."""
    return _folder("RACEWAY_STATE", "XDG_STATE_HOME", ".local/state")


def source_root() -> Path:
    """The checkout this package runs from (the folder of ``site.yml`` and ``tools/``)."""
    return Path(__file__).resolve().parents[2]


def tools_dir() -> Path:
    """The recipes of the tools: ``$RACEWAY_TOOLS``, else ``tools/`` of the checkout."""
    chosen = os.environ.get("RACEWAY_TOOLS")
    return Path(chosen).absolute() if chosen else source_root() / "tools"


def _folder(own: str, xdg: str, fallback: str) -> Path:
    # An empty variable counts as unset, and the XDG rules say that a relative path is to be ignored.
    chosen = os.environ.get(own)
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get(xdg, "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / fallback) / "raceway"
