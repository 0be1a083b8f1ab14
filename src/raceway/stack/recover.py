"""Makes a stack usable again after its last run was killed.

A killed run leaves a lock, and operations it had begun and not written down as done. The lock goes when its process is
gone. A pending create is forgotten and the object created again: creation is server-side apply under a fixed name, so
the object that may already be there is taken over and not doubled. Other pending operations are settled by reading
the cluster. Files of the state that a kill or a power cut tore are put right first, since Pulumi itself stops at them.
It deliberately never breaks the lock of a run that is alive.
"""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from pathlib import Path

from raceway.errors import RacewayError
from raceway.stack.engine import capture, command
from raceway.stack.project import Project


@dataclass(frozen=True)
class Lock:
    """One lock file of the backend."""

    path: Path
    pid: int
    host: str

    @property
    def held(self) -> bool:
        """True while its process lives; a lock of another machine counts as held."""
        if self.host != socket.gethostname():
            return True
        if self.pid <= 0:
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return "pulumi" in _command_of(self.pid)


def locks(project: Project) -> list[Lock]:
    """Return the locks of this stack."""
    found = []
    for path in sorted(project.locks.glob("*.json")):
        try:
            data = json.loads(path.read_text())
            found.append(Lock(path, int(data.get("pid", 0)), str(data.get("hostname", ""))))
        except (ValueError, OSError):
            found.append(Lock(path, 0, socket.gethostname()))  # half-written by a killed run
    return found


def pending(project: Project) -> list[str]:
    """Return ``operation: resource`` for each operation that was begun and not finished."""
    if not project.checkpoint.exists():
        return []
    deployment = (json.loads(project.checkpoint.read_text()).get("checkpoint") or {}).get("latest") or {}
    return [
        f"{one['type']}: {one['resource']['urn'].rpartition('::')[2]}"
        for one in deployment.get("pending_operations") or []
    ]


def mend_sidecars(project: Project) -> list[str]:
    """Remove torn ``.attrs`` files; return what was done.

    A file backend opened without ``metadata=skip`` (a user may name one) writes one beside every file, in
    place: a kill leaves it empty, and every later read ends in ``failed to load checkpoint: EOF``. They hold nothing
    but a checksum and a content type.
    """
    torn = [path for path in sorted(project.backend.rglob("*.attrs")) if not _is_json(path)]
    for path in torn:
        path.unlink(missing_ok=True)
    return [f"removed the torn attributes of {path.stem}" for path in torn]


def mend_checkpoint(project: Project) -> list[str]:
    """Put the state of the last finished run in the place of a torn one; return what was done.

    Errors: a torn state and no finished run to go back to. The torn file stays beside it as ``….torn``.
    """
    path = project.checkpoint
    if not path.exists() or _is_json(path):
        return []
    finished = [one for one in sorted(project.history.glob("*.checkpoint.json")) if _is_json(one)]
    if not finished:
        act = f"move it away and run up: every object is taken over by its name, none is made twice ({path.name})"
        raise RacewayError(str(path), "the state is torn and no finished run left a copy", "JSON", act)
    path.replace(path.with_suffix(".torn"))
    half = path.with_suffix(".new")
    half.write_bytes(finished[-1].read_bytes())
    half.replace(path)
    text = f"the state was torn: took the last finished run's, {finished[-1].name}"
    return [f"{text}; run up before a destroy, it takes over what was made since"]


def recover(project: Project) -> list[str]:
    """Settle what a killed run left; return what was done, in words."""
    done: list[str] = []
    for lock in locks(project):
        if lock.held:
            where = "on this machine" if lock.host == socket.gethostname() else f"on {lock.host}"
            act = f"wait for it, or run: pulumi cancel --stack {project.stack}"
            raise RacewayError(f"stack {project.stack}", f"process {lock.pid} {where} is working on it", act=act)
        lock.path.unlink(missing_ok=True)
        done.append(f"removed the lock of ended process {lock.pid}")
    done += [*mend_sidecars(project), *mend_checkpoint(project)]
    left = pending(project)
    if left:
        words = command(project, "refresh", "--yes", "--skip-preview", "--clear-pending-creates")
        code, out, err = capture(project, words)
        if code:
            text = f"cannot settle pending operations ({', '.join(left)}): {(err or out).strip().splitlines()[-1]}"
            raise RacewayError(f"stack {project.stack}", text, log=str(project.log))
        done += [f"settled pending {text}" for text in left]
    return done


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except FileNotFoundError:
        return True  # gone since it was listed: nothing is torn
    except ValueError:
        return False
    return True


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "pulumi"  # no /proc here: believe the lock
