"""One machine: read, write, run. Writes of ordinary files are whole or not at all; every run has a time limit.

``root`` puts a recorded or fake tree in the place of ``/``, so that probes and handlers run in tests unchanged; no
program is ever run for such a tree, since it would act on the machine outside it.
It deliberately knows no domain: no sysctl, no unit, no mount.
"""

from __future__ import annotations

# subprocess, tempfile, shutil and glob cost more to import than reading all facts of a node: subprocess and glob are
# imported where they are needed, the other two are done without.
import grp
import os
import pwd
import stat
from dataclasses import dataclass
from typing import Iterable, List, Optional, Sequence

SYSTEM_FOLDERS = ("/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/bin", "/bin")
RUN_TIMEOUT_S = 60.0  # a hung tool must not hang the fleet; long handlers give their own


@dataclass(frozen=True)
class Result:
    """What a program left: status, output, errors. 127: not found; 126: cannot be run; 124: out of time."""

    rc: int
    out: str
    err: str


@dataclass(frozen=True)
class FileStat:
    """Permissions as an octal number, owner and group by name and number, kind one of file, dir, link, other."""

    mode: int
    owner: str
    group: str
    kind: str
    uid: int = -1
    gid: int = -1


class Host:
    """The machine this code runs on, or the tree below ``root``."""

    def __init__(self, root: str = "/") -> None:
        self.root = root

    def path(self, path: str) -> str:
        """Return the real path of ``path`` below the root."""
        return path if self.root == "/" else os.path.join(self.root, path.lstrip("/"))

    def read(self, path: str) -> Optional[str]:
        """Return the text of a file as it is, or None where it is absent or cannot be read.

        Bytes that are no UTF-8 and line ends of any kind survive a read and a write, so an original comes back exactly.
        """
        try:
            with open(self.path(path), encoding="utf-8", errors="surrogateescape", newline="") as handle:
                return handle.read()
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Tell whether anything is at ``path``, a dangling link included."""
        return os.path.lexists(self.path(path))

    def is_folder(self, path: str) -> bool:
        """Tell whether a path leads to a folder, through links too."""
        return os.path.isdir(self.path(path))

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
        import glob

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
        return FileStat(stat.S_IMODE(info.st_mode), owner, group, kind, info.st_uid, info.st_gid)

    def which(self, program: str) -> Optional[str]:
        """Return the path of a program, looking in the system folders too (a service may have a short PATH)."""
        if "/" in program:
            return program if os.access(program, os.X_OK) else None
        for folder in (*os.environ.get("PATH", "").split(":"), *SYSTEM_FOLDERS):
            path = os.path.join(folder or ".", program)
            if os.access(path, os.X_OK) and not os.path.isdir(path):
                return path
        return None

    def write(self, path: str, text: str, mode: int = 0o644, owner: str = "", group: str = "") -> None:
        """Put a whole file in place: temporary file beside it, fsync, rename, fsync of the folder."""
        target = self.path(path)
        folder, name = os.path.split(target)
        os.makedirs(folder, exist_ok=True)
        # One name a target, so that what a killed run left is overwritten by the next one and never piles up.
        temporary = os.path.join(folder, f".raceway-{name[:200]}.new")
        try:
            with os.fdopen(_create(temporary), "w", encoding="utf-8", errors="surrogateescape", newline="") as stream:
                stream.write(text)
                stream.flush()
                if owner or group:
                    os.fchown(stream.fileno(), _uid(owner), _gid(group))
                os.fchmod(stream.fileno(), mode)  # after the owner: a change of owner clears set-user-id bits
                os.fsync(stream.fileno())
            os.rename(temporary, target)
        except BaseException:
            _unlink(temporary)
            raise
        _fsync_folder(folder)

    def set_mode(self, path: str, mode: int, owner: str = "", group: str = "") -> None:
        """Set permissions and, where named, owner and group."""
        if owner or group:
            os.chown(self.path(path), _uid(owner), _gid(group))
        os.chmod(self.path(path), mode)

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
        program = self.which(argv[0]) if self.root == "/" else None
        if program is None:
            return Result(127, "", f"{argv[0]}: not found")
        import subprocess

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
        except OSError as error:
            return Result(126, "", f"{program}: {error.strerror}")
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
    """Return the number of a user, -1 (leave as is) for no name; LookupError says which user is not there."""
    try:
        return -1 if not name else int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid
    except KeyError:
        raise LookupError(f"there is no user {name}") from None


def _gid(name: str) -> int:
    try:
        return -1 if not name else int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
    except KeyError:
        raise LookupError(f"there is no group {name}") from None


def _create(path: str) -> int:
    """Open a new file that only its owner can read; one that is there already was left by a killed run."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o600)
    except FileExistsError:
        os.unlink(path)
        return os.open(path, flags, 0o600)


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def _fsync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
