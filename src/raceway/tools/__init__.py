"""The programs raceway works with, at pinned versions: a user's own where it fits, else built once from source.

``ensure`` gives executables and builds what is missing, ``bin_path`` gives one folder to put in front of PATH,
``module_dir`` gives the source folder of a Go module (CRDs, charts). It deliberately does not download binaries
and does not touch PATH, a Go installation or the checkout; everything it makes lies under the cache folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

__all__ = ["bin_path", "ensure", "module_dir"]


def ensure(names: Iterable[str], *, show: bool = True) -> dict[str, Path]:
    """Return name → executable for ``names``, building what is missing (``show``: with visible progress)."""
    from . import build, locate, pins

    table = pins.load()
    wanted = [table.tool(name) for name in names]
    found = {tool.name: locate.locate(tool, table) for tool in wanted}
    missing = [tool for tool in wanted if found[tool.name].path is None]
    if missing:
        build.build(missing, table, show=show)
        found.update({tool.name: locate.locate(tool, table) for tool in missing})
    return {name: place.executable() for name, place in found.items()}


def bin_path(names: Iterable[str], *, show: bool = True) -> str:
    """Return one folder that holds exactly ``names``, to put in front of PATH (builds what is missing)."""
    from . import view

    return str(view.folder(ensure(names, show=show)))


def module_dir(module: str) -> Path:
    """Return the folder of a pinned Go module's source in the module cache, fetched if absent."""
    from . import modules

    return modules.module_dir(module)
