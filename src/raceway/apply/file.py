"""Puts whole files in place and takes them back. What stood there, or nothing, is in the ledger before the write."""

from __future__ import annotations

import errno
import os
from typing import Any, Dict, List, Sequence

from ..model.plan import Step
from .outcome import Applying, Refused

SYSTEMD_FOLDERS = ("/etc/systemd/", "/run/systemd/", "/usr/lib/systemd/")


def write_file(run: Applying, step: Step) -> None:
    """Write the declared content, mode and owner; the file is whole or as before."""
    path = step.args["path"]
    run.ledger.remember(_book(step), path, _original(run, path))
    args = step.args
    try:
        run.host.write(
            path, args["content"], int(args.get("mode", 0o644)), args.get("owner", ""), args.get("group", "")
        )
    except (OSError, LookupError) as error:
        raise Refused(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    _after(run, path)


def set_attributes(run: Applying, step: Step) -> None:
    """Set mode and owner of a file whose content is right."""
    path = step.args["path"]
    run.ledger.remember(_book(step), path, _original(run, path))
    try:
        run.host.set_mode(path, int(step.args["mode"]), step.args.get("owner", ""), step.args.get("group", ""))
    except (OSError, LookupError) as error:
        raise Refused(f"{path}: mode or owner cannot be set: {getattr(error, 'strerror', None) or error}") from error


def restore_file(run: Applying, step: Step) -> None:
    """Put back what stood there before raceway, or remove the file where nothing did, and forget it."""
    give_back(run, step.args["path"], _book(step))


def give_back(run: Applying, path: str, book: str) -> None:
    """Restore one path from its ledger section; where the ledger does not know it, nothing stood there."""
    original = run.ledger.owned(book).get(path)
    try:
        if original and original.get("content") is not None:
            run.host.write(path, original["content"], original["mode"], original["owner"], original["group"])
        else:
            run.host.remove(path)
            for folder in (original or {}).get("folders", ()):
                run.host.rmdir(folder)
    except (OSError, LookupError) as error:
        raise Refused(f"{path} cannot be given back: {getattr(error, 'strerror', None) or error}") from error
    run.ledger.forget(book, path)
    _after(run, path)


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what stands at every path with one write per ledger section, before the first file changes."""
    books: Dict[str, Dict[str, Any]] = {}
    for step in steps:
        if step.type != "file_restore":
            books.setdefault(_book(step), {})[step.args["path"]] = _original(run, step.args["path"])
    for book, originals in books.items():
        run.ledger.remember_all(book, originals)


def _book(step: Step) -> str:
    return str(step.args.get("book", "file"))


def _original(run: Applying, path: str) -> Dict[str, Any]:
    """Return what stands at a path; where nothing does, the folders that will be made for it, innermost first."""
    info = run.host.stat(path)
    if info is None or info.kind != "file":
        return {"content": None, "folders": _missing_folders(run, path)}
    content = run.host.read(path)
    if content is None:  # recorded as absent it would be removed instead of given back
        raise OSError(errno.EIO, "it cannot be read", path)
    return {"content": content, "mode": info.mode, "owner": info.owner, "group": info.group}


def _missing_folders(run: Applying, path: str) -> List[str]:
    missing = []
    folder = os.path.dirname(path)
    while folder != "/" and not run.host.exists(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def _after(run: Applying, path: str) -> None:
    if path.startswith(SYSTEMD_FOLDERS):
        run.want_reload()


HANDLERS = {"file": write_file, "file_attributes": set_attributes, "file_restore": restore_file}
