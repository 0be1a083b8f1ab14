"""One call on a node: the bundle is there whole or not at all, and every expected failure is one message."""

from __future__ import annotations

import base64
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from raceway import bundle
from raceway.errors import RacewayError
from raceway.node import call


@pytest.fixture(autouse=True)
def _keep_umask() -> Any:
    former = os.umask(0o022)
    yield
    os.umask(former)


def make_arguments(home: Path, mode: str = "plan") -> dict[str, Any]:
    made = bundle.build()
    request = {"mode": mode, "roles": {}}
    return {"home": str(home), "bundle": made.digest, "archive": made.archive, "request": request}


def install(home: Path, digest: str) -> Path:
    call.install(str(home), digest, bundle.build().archive)
    return home / digest


def test_an_installed_bundle_is_whole_compiled_and_readable(tmp_path: Path) -> None:
    place = install(tmp_path / "home", "abc")
    assert (place / "raceway/node/program.py").exists()
    assert list(place.rglob("__pycache__/program.*.pyc"))
    assert place.stat().st_mode & 0o777 == 0o755


def test_installing_the_same_bundle_twice_is_fine(tmp_path: Path) -> None:
    assert install(tmp_path, "abc") == install(tmp_path, "abc")
    assert [path.name for path in tmp_path.iterdir()] == ["abc"]


def test_only_the_running_bundle_and_the_one_before_it_are_kept(tmp_path: Path) -> None:
    for number, name in enumerate(("one", "two", "three")):
        place = install(tmp_path, name)
        os.utime(place, (number, number))
    install(tmp_path, "four")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["four", "three"]


def test_the_next_install_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    (tmp_path / ".new-left-by-a-killed-run/raceway").mkdir(parents=True)
    install(tmp_path, "abc")
    assert [path.name for path in tmp_path.iterdir()] == ["abc"]


def test_two_installs_of_one_bundle_at_once_wait_for_each_other(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        places = list(pool.map(lambda _: install(tmp_path, "abc"), range(4)))
    assert set(places) == {tmp_path / "abc"}
    assert [path.name for path in tmp_path.iterdir()] == ["abc"]


def test_a_disk_that_fills_up_leaves_no_half_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device", str(tmp_path))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", full)
        with pytest.raises(OSError, match="No space left"):
            install(tmp_path, "abc")
    assert list(tmp_path.iterdir()) == []


def test_a_plan_installs_nothing(tmp_path: Path) -> None:
    answer = call.call(make_arguments(tmp_path / "home"))
    assert answer["roles"] == {}
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (RacewayError("node request", "x", act="y"), "node request: x; next: y"),
        (PermissionError(13, "denied", "/etc/x"), "/etc/x: permission denied; next: run as root (become: true)"),
        (OSError(30, "Read-only file system", "/etc/x"), "/etc/x: Read-only file system; next: mend it and run again"),
    ],
)
def test_an_expected_failure_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, message: str
) -> None:
    def fail(request: object) -> None:
        raise error

    monkeypatch.setattr(call, "run", fail)
    assert call.call(make_arguments(tmp_path)) == {"failed": True, "msg": message}


@pytest.mark.parametrize("junk", [b"junk", bundle.build().archive.encode()[:400]])
def test_a_damaged_archive_is_one_message_and_installs_nothing(tmp_path: Path, junk: bytes) -> None:
    arguments = {**make_arguments(tmp_path / "home", mode="apply"), "archive": base64.b64encode(junk).decode()}
    answer = call.call(arguments)
    assert answer["msg"].startswith("node program: it arrived damaged: ")
    assert list((tmp_path / "home").iterdir()) == []


def test_a_strict_umask_of_the_login_does_not_reach_the_files(tmp_path: Path) -> None:
    os.umask(0o077)
    call.call(make_arguments(tmp_path))
    (tmp_path / "folder").mkdir()
    assert (tmp_path / "folder").stat().st_mode & 0o777 == 0o755


def test_a_request_for_evidence_is_answered_with_a_bundle_and_installs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from raceway.evidence import collect

    monkeypatch.setattr(collect, "collect", lambda request: {"evidence": request["evidence"]["interval_s"]})
    arguments = make_arguments(tmp_path / "home", "evidence")
    arguments["request"]["evidence"] = {"interval_s": 3}
    assert call.call(arguments) == {"evidence": 3}
    assert not (tmp_path / "home").exists()
