"""Re-executing the manager: the new limits are what it shows afterwards, or a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.limit import HANDLERS, prepare
from raceway.apply.outcome import Applying, Refused
from raceway.host import Ledger, Result
from raceway.model.plan import Step

from ..builders import FakeHost, make_step, make_tree
from ..fake_kernel import FakeKernel

EXPECT = {"DefaultLimitMEMLOCK": "infinity"}
FILE = "/etc/systemd/system.conf.d/90-raceway.conf"


def make_run(host: FakeHost) -> Applying:
    return Applying(host, Ledger(host))


def test_case_x05_the_managers_own_word_proves_the_limit(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run = make_run(host)
    make_tree(host.tree, {FILE: "[Manager]\nDefaultLimitMEMLOCK=infinity\n"})
    run.want_reload()
    args = {"expect": EXPECT, "forget": [], "before": {"DefaultLimitMEMLOCK": "8388608"}}
    step = Step("limit", "systemd manager", "w", "y", undo="u", args=args)
    prepare(run, [step])
    HANDLERS["limit"](run, step)
    assert host.effective["DefaultLimitMEMLOCK"] == "infinity"
    assert Ledger(host).owned("limit") == {"DefaultLimitMEMLOCK": "8388608"}
    run.settle()
    assert "systemctl daemon-reload" not in host.calls  # the re-execution has read every file


def test_case_x05_a_file_that_the_manager_does_not_follow_is_refused(tmp_path: Path) -> None:
    run = make_run(FakeKernel("h100-node", tmp_path))
    with pytest.raises(Refused, match="DefaultLimitMEMLOCK='8388608' instead of 'infinity'"):
        HANDLERS["limit"](run, make_step("limit", expect=EXPECT, forget=[]))


def test_a_manager_that_cannot_be_re_executed_is_told(tmp_path: Path) -> None:
    run = make_run(FakeHost(tmp_path, {"systemctl": Result(1, "", "Access denied")}))
    with pytest.raises(Refused, match="Access denied"):
        HANDLERS["limit"](run, make_step("limit", expect=EXPECT, forget=[]))


def test_a_manager_that_stays_silent_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("raceway.apply.limit.READ_BACK_WAIT_S", 0.0)
    host = FakeHost(make_tree(tmp_path, {"/run/systemd/system/.keep": ""}))
    host.programs = {"systemctl daemon-reexec": "", "systemctl": Result(1, "", "no bus")}
    with pytest.raises(Refused, match="does not answer"):
        HANDLERS["limit"](make_run(host), make_step("limit", expect=EXPECT, forget=[]))


def test_given_up_settings_are_forgotten_after_the_re_execution(tmp_path: Path) -> None:
    run = make_run(FakeKernel("h100-node", tmp_path))
    run.ledger.remember("limit", "DefaultLimitMEMLOCK", "8388608")
    HANDLERS["limit"](run, make_step("limit", expect={}, forget=["DefaultLimitMEMLOCK"]))
    assert run.ledger.owned("limit") == {}
