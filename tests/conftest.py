"""Unit and style tests cannot start a program, reach a network or write outside a temporary folder.

The guard is an audit hook of the interpreter, so it sees ``open``, ``os`` and ``socket`` calls however they are
reached. A test that needs one of them says so, with the reason::

    @pytest.mark.allow("exec", reason="the linter is a program")

A touch is reported even where the code under test swallows the error. It deliberately does not guard the other rungs
(molecule, cluster, vm, kube, bench): those are there to touch real things.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
GUARDED = ("unit", "style")
# Heavy rungs stand on labs. Under xdist all tests of one lab run on one worker, in order: the files test_platform_*.py
# all stand on the lab "platform". Labs mostly wait, so several run side by side.
RUNGS = ("molecule", "cluster", "vm", "kube", "bench")
# All files of these share one lab: machines that boot once a run.
ONE_LAB = ("vm", "kube")
# Nodes of these are made in seconds: a worker makes its own, and each file goes where there is room.
OWN_LAB = ("molecule",)
# What takes longest starts first, or the last worker runs alone.
FIRST = (
    "default",
    "alternative",
    "stack",
    "platform",
    "site",
    "priority",
    "lab",
    "workloads",
    "language",
    "bench",
    "tools",
    "linters",
)
# Tests that need no company.
ALONE = ("linters",)
KINDS = ("exec", "network", "write")
EXEC = frozenset(
    {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn", "subprocess.Popen"}
)
NETWORK = frozenset({"socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg"})
LOOKUP = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
# Event of a change → the positions of its path and of the folder descriptor the path is relative to.
CHANGES: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.link": ((1, 3),),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.rmdir": ((0, 1),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.utime": ((0, 3),),
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Guard:
    """Raises AssertionError at a forbidden touch while it is on, and remembers it for the end of the test."""

    def __init__(self) -> None:
        self.on = False
        self.allowed: frozenset[str] = frozenset()
        self.touched: list[str] = []
        self.temporary = [os.path.realpath(tempfile.gettempdir())]
        self.checkout = os.path.realpath(HERE.parent)
        self.base = ""  # pytest's own temporary folder, known when the session starts

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            if isinstance(args[2], int) and args[2] & WRITING and not isinstance(args[0], int):
                self._write(event, args[0], None)
        elif event in CHANGES:
            for path, folder in CHANGES[event]:
                self._write(event, args[path], None if folder is None else args[folder])
        elif event in EXEC:
            self._refuse("exec", f"{event} {args[0] if args else ''!r}: a unit test starts no program")
        elif event == "os.kill" and args[0] != os.getpid() and args[1] != 0:
            self._refuse("exec", f"{event} {args[0]}: a unit test signals no other process")
        elif event in LOOKUP or (event in NETWORK and args[0].family != socket.AF_UNIX):
            self._refuse("network", f"{event} {args[-1]!r}: a unit test reaches no network")

    def _write(self, event: str, path: Any, folder: int | None) -> None:
        if isinstance(path, int):
            return
        place = os.fsdecode(path)
        if isinstance(folder, int) and folder >= 0:
            place = os.path.join(os.readlink(f"/proc/self/fd/{folder}"), place)
        # What is changed is the link itself, except for an open, which follows it.
        parent, name = os.path.split(os.path.abspath(place))
        real = os.path.realpath(place) if event == "open" else os.path.join(os.path.realpath(parent), name)
        # A checkout may itself lie below a temporary folder.
        inside = _below(real, self.base) or (_below(real, *self.temporary) and not _below(real, self.checkout))
        if not inside and real != os.devnull and "__pycache__" not in real.split(os.sep):
            self._refuse("write", f"{event} {real}: a unit test writes below tmp_path only")

    def _refuse(self, kind: str, text: str) -> None:
        if kind not in self.allowed:
            self.touched.append(text)
            raise AssertionError(f"{text}; next: fake it, or mark the test allow({kind!r}, reason=…)")

    @contextmanager
    def watching(self, allowed: frozenset[str]) -> Iterator[None]:
        """Guard one phase of one test."""
        self.on, self.allowed = True, allowed
        try:
            yield
        finally:
            self.on = False

    @contextmanager
    def bites(self, text: str) -> Iterator[None]:
        """Expect a forbidden touch whose message contains ``text``: for the tests of the guard itself."""
        with pytest.raises(AssertionError) as caught:
            yield
        assert text in str(caught.value), f"the guard said: {caught.value}"
        self.touched.clear()


def _below(path: str, *tops: str) -> bool:
    return any(path == top or path.startswith(top + os.sep) for top in tops if top)


# Importing Ansible makes a folder, in the home folder unless it is told another place.
os.environ.setdefault("ANSIBLE_LOCAL_TEMP", tempfile.gettempdir())
GUARD = Guard()
sys.addaudithook(GUARD)


def allowances(item: pytest.Item) -> frozenset[str]:
    """Return the kinds of touches a test is allowed; an allowance without a known kind or a reason is an error."""
    found: set[str] = set()
    for mark in item.iter_markers("allow"):
        if len(str(mark.kwargs.get("reason", ""))) < 10 or not mark.args or set(mark.args) - set(KINDS):
            raise pytest.UsageError(f"{item.nodeid}: write allow({' | '.join(KINDS)}, reason='why this test must')")
        found |= set(mark.args)
    return frozenset(found)


def _room(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).parts[0] if item.path.is_relative_to(HERE) else ""


@contextmanager
def _phase(item: pytest.Item) -> Iterator[None]:
    if _room(item) not in GUARDED:
        yield
        return
    with GUARD.watching(allowances(item)):
        yield
    touched, GUARD.touched = GUARD.touched, []
    if touched:
        pytest.fail("the error of the guard was swallowed: " + "; ".join(touched), pytrace=False)


def _wrapped(item: pytest.Item) -> Iterator[None]:
    GUARD.touched.clear()
    with _phase(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from _wrapped(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from _wrapped(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    return (yield from _wrapped(item))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Add pytest's own temporary folder, wherever --basetemp puts it."""
    factory: pytest.TempPathFactory = session.config._tmp_path_factory  # type: ignore[attr-defined]
    GUARD.base = os.path.realpath(factory.getbasetemp())


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test of a heavy rung with its name; on workers, what takes long goes first."""
    for item in items:
        if _room(item) in RUNGS:
            item.add_marker(getattr(pytest.mark, _room(item)))
    if hasattr(config, "workerinput"):
        items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    lab = _lab(item.path)
    return FIRST.index(lab) if lab in FIRST and (_room(item) in RUNGS or lab in ALONE) else len(FIRST)


def _lab(path: Path) -> str:
    """Return the first word of a test file's name: ``test_site_killed.py`` → ``site``."""
    return path.stem.split("_")[1]


def _group(nodeid: str) -> str:
    """Return what runs together on one worker."""
    file = nodeid.split("::")[0]
    path = Path(file)
    room = path.parts[1] if len(path.parts) > 1 else ""
    if room in ONE_LAB:
        return room
    if room in RUNGS and room not in OWN_LAB:
        return f"{room}/{_lab(path)}"
    return nodeid if _lab(path) in ALONE else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the tests of a lab, or of a file, on one worker; each linter goes where there is room.

    The marks of ``--dist loadgroup`` do the same, but xdist 3.8 no longer reaches the node ids of pytest 9.2 with them.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    config.option.loadscopereorder = False
    return Groups(config, log)


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int) -> None:
    """One closing line a rung, then where the log is; pytest's own closing line stays the last."""
    rungs: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "error", "skipped", "xfailed"):
        for report in terminalreporter.stats.get(outcome, ()):
            parts = Path(getattr(report, "nodeid", "").split("::")[0]).parts
            if len(parts) > 2 and parts[0] == HERE.name:
                rungs.setdefault(parts[1], Counter())[outcome] += 1
    for name, counts in rungs.items():
        terminalreporter.write_line(f"rung {name}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    log = os.environ.get("RACEWAY_TEST_LOG")
    if exitstatus and log:
        terminalreporter.write_line(f"the whole output is in {log}")


@pytest.fixture
def bites() -> Callable[[str], Any]:
    """``with bites("text"):`` expects the guard to refuse what follows."""
    return GUARD.bites
