"""One call from the controller: install the bundle if this is the first apply, run the request, answer in JSON.

It deliberately turns every expected failure into one message: a node must never answer with a traceback for a full
disk, a read-only /etc or a missing permission.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, Mapping

from ..errors import RacewayError

UNFINISHED = ".new-"
KEEP = 2  # the running bundle and the one before it, so that an older checkout need not send its bundle again


def call(arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """Return the answer to ``{"home", "bundle", "archive"?, "request"}``."""
    os.umask(0o022)  # a login with a stricter one must not leave folders of /etc that services cannot enter
    try:
        if "archive" in arguments and arguments["request"]["mode"] in ("apply", "kube"):
            install(arguments["home"], arguments["bundle"], arguments["archive"])
            _go_on_from(os.path.join(arguments["home"], arguments["bundle"]))
        return run(arguments["request"])
    except RacewayError as error:
        return _failed(error.message())
    except PermissionError as error:
        return _failed(f"{error.filename}: permission denied; next: run as root (become: true)")
    except OSError as error:
        return _failed(f"{error.filename or 'node'}: {error.strerror or error}; next: mend it and run again")


def run(request: Mapping[str, Any]) -> Dict[str, Any]:
    """Run the program; imported here, so that a first contact compiles it once, at its installed place."""
    if request.get("mode") == "evidence":
        from ..evidence.collect import collect

        return collect(request)
    if request.get("mode") == "kube":
        from .kube import answer as kube_answer

        return kube_answer(request)
    if request.get("mode") == "pairwise":
        from ..checks.pairwise import answer

        return answer(request)
    from .program import run as run_program

    return run_program(request)


def _go_on_from(place: str) -> None:
    """Let a program that runs from the archive import the rest of itself from where it has just been installed."""
    if os.path.isdir(os.path.dirname(__file__)):
        return
    for name in (__package__.rsplit(".", 1)[0], __package__):
        sys.modules[name].__path__ = [os.path.join(place, *name.split("."))]


def install(home: str, digest: str, archive: str) -> None:
    """Unpack the archive beside its place, compile, rename: a bundle is there whole or not at all.

    One install at a time holds the folder's lock, so whatever else stands there under a temporary name was left by an
    install that was killed, and is removed.
    """
    import fcntl

    os.makedirs(home, mode=0o755, exist_ok=True)
    lock = os.open(home, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        place = os.path.join(home, digest)
        if not os.path.isdir(place):  # another run may have put the same bundle there meanwhile
            _unpack(home, place, archive)
        _sweep(home, place)
    finally:
        os.close(lock)


def _unpack(home: str, place: str, archive: str) -> None:
    """Make ``place`` appear at once, compiled; a failure leaves nothing."""
    import base64
    import compileall
    import io
    import shutil
    import tempfile
    import zipfile

    folder = tempfile.mkdtemp(prefix=UNFINISHED, dir=home)
    try:
        with zipfile.ZipFile(io.BytesIO(base64.b64decode(archive))) as bundle:
            bundle.extractall(folder)
        compileall.compile_dir(folder, quiet=2, stripdir=folder, prependdir=place)
        os.chmod(folder, 0o755)
        os.sync()
        os.rename(folder, place)
    except (ValueError, zipfile.BadZipFile) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise RacewayError("node program", f"it arrived damaged: {error}", act="run again") from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _sweep(home: str, place: str) -> None:
    """Remove bundles beyond the last two, and everything an install that was killed left."""
    import shutil

    names = [name for name in os.listdir(home) if os.path.join(home, name) != place]
    bundles = sorted(
        (os.path.join(home, name) for name in names if not name.startswith(UNFINISHED)),
        key=os.path.getmtime,
        reverse=True,
    )
    left = [os.path.join(home, name) for name in names if name.startswith(UNFINISHED)]
    for row in bundles[KEEP - 1 :] + left:
        shutil.rmtree(row, ignore_errors=True)


def _failed(message: str) -> Dict[str, Any]:
    return {"failed": True, "msg": message}
