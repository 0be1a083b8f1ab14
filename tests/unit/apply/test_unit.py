"""Units carried out on a stand-in for systemd: one reload, states read back, owed restarts kept, all given back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.host import Ledger, Result
from raceway.node import program

from ..requests import make_request, units
from ..systemd import ETC, SERVICE, VENDOR, SystemdHost

ALL = ("safe", "disruptive")
NEW = SERVICE.replace("infinity", "1d")


def run(host: SystemdHost, *rows: dict[str, Any], allow: tuple[str, ...] = ALL, **more: Any) -> dict[str, Any]:
    return program.run(make_request(allow=allow, unit=units(*rows, **more)), host)


def make_unit(name: str = "x.service", content: str = SERVICE, **more: Any) -> dict[str, Any]:
    return {"name": name, "content": content, "enabled": True, "state": "started", **more}


def count(host: SystemdHost, words: str) -> int:
    return len([call for call in host.calls if call.startswith(words)])


def test_many_new_units_cost_one_reload(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    answer = run(host, *[make_unit(f"x{n}.service") for n in range(6)])
    assert len(answer["applied"]) == 18 and not answer["refused"]
    assert sorted(host.running) == [f"x{n}.service" for n in range(6)]
    # Enabling changes links after the files are read; the starts come after both.
    assert count(host, "systemctl daemon-reload") == 1


def test_a_run_that_changes_nothing_asks_systemd_once(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    rows = [make_unit(f"x{n}.service") for n in range(6)]
    run(host, *rows)
    host.calls.clear()
    assert run(host, *rows)["applied"] == []
    assert len(host.calls) == 1


def test_a_changed_content_restarts_a_running_unit_with_it(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    answer = run(host, make_unit(content=NEW))
    assert [row["type"] for row in answer["applied"]] == ["unit_file", "unit_restart"]
    assert host.ran_with["x.service"] == NEW
    assert Ledger(host).owned("unit_pending") == {}


def test_without_consent_to_the_restart_the_file_stays_as_well(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    answer = run(host, make_unit(content=NEW), allow=("safe",))
    assert len(answer["roles"]["system"]["refusals"]) == 2 and not answer["applied"]
    assert host.read(ETC + "x.service") == SERVICE


def test_a_run_killed_between_file_and_restart_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    with monkeypatch.context() as patch:
        patch.setattr(host, "_systemctl", _killed_at(host, "daemon-reload"))
        with pytest.raises(KeyboardInterrupt):
            run(host, make_unit(content=NEW))
    assert host.ran_with["x.service"] == SERVICE
    answer = run(host, make_unit(content=NEW))
    assert [row["type"] for row in answer["applied"]] == ["unit_reload", "unit_restart"]
    assert host.ran_with["x.service"] == NEW


def _killed_at(host: SystemdHost, verb: str) -> Any:
    real = host._systemctl

    def systemctl(words: list[str]) -> Any:
        if words[0] == verb:
            raise KeyboardInterrupt
        return real(words)

    return systemctl


def test_an_owed_restart_is_void_once_the_unit_was_started_anew_by_somebody(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    Ledger(host).remember("unit_pending", "x.service", "a run long gone")
    assert run(host, make_unit())["applied"] == []


def test_a_unit_that_fails_to_start_is_refused_with_its_own_last_words(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    host.fails["x.service"] = "cannot open /etc/x.conf"
    answer = run(host, make_unit(), make_unit("y.service"))
    (refused,) = answer["refused"]
    assert refused["reason"] == ("start x.service: x.service is failed after systemctl start: cannot open /etc/x.conf")
    assert "y.service" in host.running


def test_a_unit_that_dies_after_a_successful_start_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = SystemdHost(tmp_path)
    monkeypatch.setattr(host, "_start", lambda name: _nothing())
    (refused,) = run(host, make_unit())["refused"]
    assert "x.service is inactive after systemctl start" in refused["reason"]


def _nothing() -> Result:
    return Result(0, "", "")


def test_a_failed_unit_is_reset_before_it_is_started_again(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    host.fails["x.service"] = "no"
    run(host, make_unit())
    del host.fails["x.service"]
    host.fails["x.service"] = "no"
    host.calls.clear()
    run(host, make_unit())
    assert count(host, "systemctl reset-failed -- x.service") == 1


def test_a_unit_given_up_altogether_leaves_nothing(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    answer = run(host)
    assert (answer["refused"], answer["remaining"]) == ([], [])
    assert host.running == {}
    assert not host.exists(ETC + "x.service")
    assert Ledger(host)._entries == {}


def test_a_failed_unit_given_up_is_not_left_behind_as_failed(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    host.fails["x.service"] = "no"
    run(host, make_unit())
    host.calls.clear()
    assert run(host)["refused"] == []
    assert host.calls.index("systemctl daemon-reload") < host.calls.index("systemctl reset-failed -- x.service")
    assert Ledger(host)._entries == {}


def test_without_consent_a_unit_given_up_keeps_everything(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit())
    answer = run(host, allow=("safe",))
    assert {row["act"] for row in answer["roles"]["system"]["refusals"]} == {
        "set system_allow_disruptive: true to consent"
    }
    assert "x.service" in host.running and host.exists(ETC + "x.service")


def test_a_vendors_unit_runs_on_with_its_own_file_after_an_override_is_given_up(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {VENDOR + "x.service": SERVICE})
    host.running["x.service"], host.ran_with["x.service"] = "run0", SERVICE
    run(host, {"name": "x.service", "content": NEW, "state": "started"})
    assert host.ran_with["x.service"] == NEW
    answer = run(host)
    assert (answer["refused"], answer["remaining"]) == ([], [])
    assert host.ran_with["x.service"] == SERVICE


def test_what_was_stopped_and_disabled_for_a_declaration_runs_again_afterwards(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {VENDOR + "x.service": SERVICE})
    host._links("enable", "x.service")
    host.running["x.service"] = "run0"
    run(host, {"name": "x.service", "enabled": False, "state": "stopped"})
    assert host.running == {}
    run(host)
    assert "x.service" in host.running
    assert host.exists(ETC + "multi-user.target.wants/x.service")
    assert Ledger(host)._entries == {}


def test_a_stop_that_fails_keeps_the_original_in_the_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_unit(enabled=None))
    monkeypatch.setattr(host, "_stop", lambda name: _nothing())
    answer = run(host)
    assert "still active after systemctl stop" in answer["refused"][0]["reason"]
    assert Ledger(host).owned("unit_active") == {"x.service": "inactive"}
