"""Gives one folder with exactly the wanted tools in it, to put in front of PATH.

The folder's name is made from what it holds, so equal wishes share it and a running lab's PATH never changes under
it. It deliberately holds links only: a tool's own files stay beside its real executable.

Pulumi looks for its language host beside its own real path and warns on every run about one it finds on PATH
only; so `pulumi` is a hard link, which has its real path here, beside the host.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from raceway import paths

LAYOUT = "2"  # changes when the way of linking does, so that a folder of the older way is not taken for one of this


def folder(tools: Mapping[str, Path]) -> Path:
    """Return the folder of links for name → executable, made if absent."""
    text = "\n".join([LAYOUT, *(f"{name}={path}" for name, path in sorted(tools.items()))])
    final = paths.cache_dir() / "bin" / hashlib.sha256(text.encode()).hexdigest()[:12]
    if all((final / name).is_file() for name in tools) and final.is_dir():
        return final
    final.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".new-", dir=final.parent))
    try:
        made.chmod(0o755)
        for name, path in tools.items():
            _link(made / name, path)
        shutil.rmtree(final, ignore_errors=True)
        made.rename(final)
    except OSError:
        # Another process made the same folder in between; it is the same by its name.
        if not final.is_dir():
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return final


def _link(link: Path, path: Path) -> None:
    if link.name == "pulumi":
        try:
            os.link(path.resolve(), link)
            return
        except OSError:  # another file system: the warning is all that is lost
            pass
    link.symlink_to(path)
