"""One machine: read, write, run. Writes of ordinary files are whole or not at all; every run has a time limit.

``root`` puts a recorded or fake tree in the place of ``/``, so that probes and handlers run in tests unchanged.
It deliberately knows no domain: no sysctl, no unit, no mount.
"""

from __future__ import annotations

import glob
import grp
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence

RUN_TIMEOUT_S = 60.0  # a hung tool must not hang the fleet; long handlers give their own


@dataclass(frozen=True)
class Result:
    """What a program left: exit status, standard output, standard error. 127: not found; 124: out of time."""

    rc: int
    out: str
    err: str


@dataclass(frozen=True)
class FileStat:
    """Permissions as an octal number, owner and group by name, kind one of file, dir, link, other."""

    mode: int
    owner: str
    group: str
    kind: str


class Host:
    """The machine this code runs on, or the tree below ``root``."""

    def __init__(self, root: str = "/") -> None:
        self.root = root

    def path(self, path: str) -> str:
        """Return the real path of ``path`` below the root."""
        return path if self.root == "/" else os.path.join(self.root, path.lstrip("/"))

    def read(self, path: str) -> Optional[str]:
        """Return the text of a file, or None where it is absent or cannot be read."""
        try:
            with open(self.path(path), encoding="utf-8", errors="surrogateescape") as handle:
                return handle.read()
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Tell whether anything is at ``path``, a dangling link included."""
        return os.path.lexists(self.path(path))

    def writable(self, path: str) -> bool:
        """Tell whether a write would be let through: mode bits, read-only mounts and sysctl permissions count."""
        return os.access(self.path(path), os.W_OK)

    def listdir(self, path: str) -> List[str]:
        """Return the names in a folder in order, or none where there is no folder."""
        try:
            return sorted(os.listdir(self.path(path)))
        except OSError:
            return []

    def glob(self, pattern: str) -> List[str]:
        """Return the paths that match, as seen from the root."""
        found = sorted(glob.glob(self.path(pattern)))
        return found if self.root == "/" else ["/" + os.path.relpath(name, self.root) for name in found]

    def readlink(self, path: str) -> Optional[str]:
        """Return where a symbolic link points, or None where it is none."""
        try:
            return os.readlink(self.path(path))
        except OSError:
            return None

    def stat(self, path: str) -> Optional[FileStat]:
        """Return mode, owner, group and kind, or None where nothing is."""
        try:
            info = os.lstat(self.path(path))
        except OSError:
            return None
        kinds = ((stat.S_ISREG, "file"), (stat.S_ISDIR, "dir"), (stat.S_ISLNK, "link"))
        kind = next((name for test, name in kinds if test(info.st_mode)), "other")
        owner, group = _name(pwd.getpwuid, info.st_uid), _name(grp.getgrgid, info.st_gid)
        return FileStat(stat.S_IMODE(info.st_mode), owner, group, kind)

    def which(self, program: str) -> Optional[str]:
        """Return the path of a program, looking in the system folders too (a service may have a short PATH)."""
        return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin")

    def write(self, path: str, text: str, mode: int = 0o644, owner: str = "", group: str = "") -> None:
        """Put a whole file in place: temporary file beside it, fsync, rename, fsync of the folder."""
        target = self.path(path)
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=".raceway-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="surrogateescape") as stream:
                stream.write(text)
                stream.flush()
                os.fchmod(stream.fileno(), mode)
                if owner or group:
                    os.fchown(stream.fileno(), _uid(owner), _gid(group))
                os.fsync(stream.fileno())
            os.rename(temporary, target)
        except BaseException:
            os.unlink(temporary)
            raise
        _fsync_folder(folder)

    def set_mode(self, path: str, mode: int, owner: str = "", group: str = "") -> None:
        """Set permissions and, where named, owner and group."""
        os.chmod(self.path(path), mode)
        if owner or group:
            os.chown(self.path(path), _uid(owner), _gid(group))

    def poke(self, path: str, text: str) -> None:
        """Write into a kernel file (/proc, /sys) as it is; raises OSError with the kernel's own reason."""
        with open(self.path(path), "w", encoding="utf-8") as stream:
            stream.write(text)

    def remove(self, path: str) -> None:
        """Remove a file or link; absent is fine."""
        try:
            os.unlink(self.path(path))
        except FileNotFoundError:
            return
        _fsync_folder(os.path.dirname(self.path(path)))

    def mkdir(self, path: str, mode: int = 0o755) -> None:
        """Make a folder and its parents; present is fine."""
        os.makedirs(self.path(path), mode=mode, exist_ok=True)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder; absent or not empty is fine."""
        try:
            os.rmdir(self.path(path))
        except OSError:
            return

    def run(self, argv: Sequence[str], timeout: float = RUN_TIMEOUT_S, stdin: str = "") -> Result:
        """Run a program in the C locale and return what it left; never raises for a missing or failing program."""
        program = self.which(argv[0])
        if program is None:
            return Result(127, "", f"{argv[0]}: not found")
        env = dict(os.environ, LC_ALL="C", LANG="C")
        try:
            done = subprocess.run(
                [program, *argv[1:]],
                input=stdin,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout,
                env=env,
            )
        except subprocess.TimeoutExpired:
            return Result(124, "", f"{' '.join(argv)}: no answer within {timeout:.0f} s")
        return Result(done.returncode, done.stdout, done.stderr)

    def first(self, paths: Iterable[str]) -> Optional[str]:
        """Return the first path that exists, or None."""
        return next((path for path in paths if self.exists(path)), None)


def _name(lookup: object, number: int) -> str:
    try:
        return str(lookup(number)[0])  # type: ignore[operator]
    except KeyError:
        return str(number)


def _uid(name: str) -> int:
    return -1 if not name else int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid


def _gid(name: str) -> int:
    return -1 if not name else int(name) if name.isdigit() else grp.getgrnam(name).gr_gid


def _fsync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
