"""Whole runs of the node program on a tree: what check mode predicts, apply does, and nothing half-done is hidden."""

from __future__ import annotations

import errno
import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.host import Ledger
from raceway.host.ledger import LEDGER_PATH
from raceway.node import program

from ..builders import make_tree, snapshot
from ..requests import files, make_file, make_request, mounts, units
from ..systemd import SERVICE, SystemdHost


def whats(answer: dict[str, Any]) -> list[str]:
    return [step["what"] for step in answer["roles"]["system"]["steps"]]


def test_apply_carries_out_exactly_the_steps_that_plan_predicted(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    nouns = {
        "file": files(make_file("/etc/a.conf"), make_file("/srv/new/b")),
        "mount": mounts({"path": "/scratch", "source": "tmpfs", "fstype": "tmpfs", "options": "size=64m,nofail"}),
        "unit": units({"name": "x.service", "content": SERVICE, "enabled": True, "state": "started"}),
    }

    predicted = program.run(make_request("plan", **nouns), host)
    answer = program.run(make_request(**nouns), host)

    assert [row["what"] for row in answer["applied"]] == whats(predicted) == whats(answer)
    assert len(answer["applied"]) == 8
    assert (answer["refused"], answer["remaining"]) == ([], [])


def test_plan_changes_nothing_at_all(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    before = snapshot(tmp_path)
    answer = program.run(make_request("plan", file=files(make_file("/etc/a.conf"))), host)
    assert whats(answer) == ["write /etc/a.conf, which is not there yet"]
    assert snapshot(tmp_path) == before


def test_a_second_apply_finds_nothing_to_do(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    request = make_request(file=files(make_file("/etc/a.conf")))
    program.run(request, host)
    answer = program.run(request, host)
    assert (whats(answer), answer["applied"]) == ([], [])


def test_verify_sees_a_state_that_somebody_broke(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    nouns = {"file": files(make_file("/etc/a.conf"))}
    program.run(make_request(**nouns), host)
    (tmp_path / "etc/a.conf").write_text("broken")
    assert whats(program.run(make_request("verify", **nouns), host)) == ["write /etc/a.conf"]


def test_a_refused_step_lets_the_others_go_on(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    nouns = {
        "file": files(
            make_file("/etc/a.conf"), make_file("/etc/b.conf", owner="no-such-user"), make_file("/etc/c.conf")
        )
    }
    answer = program.run(make_request(**nouns), host)
    assert [row["target"] for row in answer["applied"]] == ["/etc/a.conf", "/etc/c.conf"]
    (refused,) = answer["refused"]
    assert refused["target"] == "/etc/b.conf"
    assert "there is no user no-such-user" in refused["reason"]
    assert answer["remaining"] == []  # it was told as refused, once


def test_originals_are_on_disk_before_the_first_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SystemdHost(tmp_path, {"/etc/a.conf": "former\n"})
    seen: list[dict[str, Any]] = []
    write = host.write

    def watch(path: str, text: str, *more: Any, **named: Any) -> None:
        if path != LEDGER_PATH:
            seen.append(json.loads((tmp_path / LEDGER_PATH.lstrip("/")).read_text()))
        write(path, text, *more, **named)

    monkeypatch.setattr(host, "write", watch)
    program.run(make_request(file=files(make_file("/etc/a.conf"), make_file("/etc/b.conf"))), host)
    assert len(seen) == 2
    assert seen[0]["file"]["/etc/a.conf"]["content"] == "former\n"
    assert seen[0]["file"]["/etc/b.conf"]["content"] is None


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_where_the_ledger_cannot_be_written_nothing_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    host = SystemdHost(tmp_path, {"/etc/a.conf": "former\n"})
    write = host.write

    def full(path: str, text: str, *more: Any, **named: Any) -> None:
        if path == LEDGER_PATH:
            raise OSError(code, "no way", path)
        write(path, text, *more, **named)

    monkeypatch.setattr(host, "write", full)
    before = snapshot(tmp_path)
    nouns = {
        "file": files(make_file("/etc/a.conf"), make_file("/etc/b.conf")),
        "unit": units({"name": "x.service", "content": SERVICE, "enabled": True, "state": "started"}),
        "mount": mounts({"path": "/scratch", "source": "tmpfs", "fstype": "tmpfs"}),
    }
    answer = program.run(make_request(**nouns), host)
    assert answer["applied"] == []
    assert {row["target"] for row in answer["refused"]} == {"/etc/a.conf", "/etc/b.conf", "x.service", "/scratch"}
    assert all("cannot be recorded" in row["reason"] for row in answer["refused"])
    assert snapshot(tmp_path) == before


def test_what_a_second_reading_still_plans_is_told_as_remaining(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = SystemdHost(tmp_path)
    monkeypatch.setattr(host, "set_mode", lambda *given: None)  # says nothing and does nothing
    make_tree(tmp_path, {"/etc/a.conf": "text\n"})
    (tmp_path / "etc/a.conf").chmod(0o600)
    answer = program.run(make_request(file=files(make_file("/etc/a.conf"))), host)
    assert [row["target"] for row in answer["remaining"]] == ["/etc/a.conf"]


def test_a_lock_that_another_process_holds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "LOCK_WAIT_S", 0)
    host = SystemdHost(tmp_path)
    with (tmp_path / "run/raceway.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)  # another open file: the kernel treats it as another holder
        with pytest.raises(RacewayError, match="another raceway run holds this node"):
            program.run(make_request(file=files(make_file("/etc/a.conf"))), host)
    assert not (tmp_path / "etc/a.conf").exists()


def test_a_plan_does_not_wait_for_the_lock(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    with (tmp_path / "run/raceway.lock").open("a") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert whats(program.run(make_request("plan", file=files(make_file("/etc/a.conf"))), host))


@pytest.mark.parametrize("request_", [{"mode": "destroy", "roles": {}}, {"roles": {}}])
def test_an_unknown_mode_is_refused_with_the_allowed_ones(request_: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="allowed: plan, apply, verify"):
        program.run(request_, SystemdHost(tmp_path))


def test_a_ledger_that_is_no_ledger_stops_the_run_before_any_change(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {LEDGER_PATH: "{torn"})
    with pytest.raises(RacewayError, match="is no ledger of raceway"):
        program.run(make_request(file=files(make_file("/etc/a.conf"))), host)
    assert not (tmp_path / "etc/a.conf").exists()


def test_a_step_without_consent_comes_back_as_a_refusal_naming_the_variable(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/etc/systemd/system/x.service": SERVICE})
    host.running["x.service"] = "run0"
    answer = program.run(make_request(unit=units({"name": "x.service", "state": "stopped"})), host)
    (refusal,) = answer["roles"]["system"]["refusals"]
    assert refusal["act"] == "set system_allow_disruptive: true to consent"
    assert "x.service" in host.running


def test_no_answer_holds_the_content_of_a_secret_file(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    nouns = {"file": files(make_file("/etc/key", content="s3cr3t-value", secret=True))}
    answers = [program.run(make_request(mode, **nouns), host) for mode in ("plan", "apply", "verify")]
    nouns["file"]["files"][0]["content"] = "other-s3cr3t"
    answers.append(program.run(make_request("apply", **nouns), host))
    answers.append(program.run(make_request("apply", file=files()), host))
    assert "s3cr3t" not in json.dumps(answers)
    assert Ledger(host).owned("file") == {}


def test_a_node_without_anything_declared_is_given_back_whole(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {"/etc/a.conf": "former\r\nline\n", "/etc/x": "y"})
    before = snapshot(tmp_path)
    nouns = {
        "file": files(make_file("/etc/a.conf"), make_file("/srv/deep/er/b")),
        "mount": mounts({"path": "/data/scratch", "source": "tmpfs", "fstype": "tmpfs"}),
        "unit": units({"name": "x.service", "content": SERVICE, "enabled": True, "state": "started"}),
    }
    program.run(make_request(**nouns), host)
    assert snapshot(tmp_path) != before

    allow = ("safe", "disruptive", "destructive")
    answer = program.run(make_request(allow=allow, file=files(), mount=mounts(), unit=units()), host)

    assert (answer["refused"], answer["remaining"]) == ([], [])
    assert snapshot(tmp_path) == before
    assert host.running == {}
    assert not (tmp_path / "srv").exists() and not (tmp_path / "data").exists()


def test_a_run_over_files_units_and_mounts_that_changes_nothing_starts_one_program(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    rows = [{"path": f"/scratch{n}", "source": "tmpfs", "fstype": "tmpfs", "options": "size=64m"} for n in range(4)]
    nouns = {
        "package": {"packages": []},
        "file": files(*[make_file(f"/etc/raceway.d/{n}.conf") for n in range(12)]),
        "mount": mounts(*rows),
        "unit": units(*[{"name": f"x{n}.service", "content": SERVICE, "state": "started"} for n in range(6)]),
    }
    assert program.run(make_request(**nouns), host)["remaining"] == []
    host.calls.clear()
    assert program.run(make_request(**nouns), host)["applied"] == []
    assert len(host.calls) == 1
    assert host.calls[0].startswith("systemctl show ")
