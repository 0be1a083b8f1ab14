"""Writing governors policy by policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.governor import HANDLERS, prepare
from raceway.apply.outcome import Applying, Refused
from raceway.host import Ledger
from raceway.model.plan import Step

from ..builders import make_step
from ..fake_kernel import FakeKernel

POLICY = "/sys/devices/system/cpu/cpufreq/policy{}/scaling_governor"


def make_change(values: dict[str, str], before: dict[str, str]) -> Step:
    return Step("governor", "cpu governor", "w", "y", undo="u", args={"values": values, "before": before})


def test_each_policy_is_recorded_written_and_given_back(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    run = Applying(host, Ledger(host))
    step = make_change(
        {"policy0": "performance", "policy3": "performance"}, {"policy0": "powersave", "policy3": "powersave"}
    )
    prepare(run, [step])
    HANDLERS["governor"](run, step)
    assert [host.read(POLICY.format(n)) for n in (0, 1)] == ["performance\n", "powersave\n"]
    back = make_step("governor_restore", values={"policy0": "powersave"}, forget=["policy0", "policy3"])
    HANDLERS["governor_restore"](run, back)
    assert host.read(POLICY.format(0)) == "powersave\n" and run.ledger.owned("governor") == {}


def test_a_policy_that_keeps_its_governor_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = FakeKernel("h100-node", tmp_path)
    monkeypatch.setattr(host, "poke", lambda path, text: None)
    with pytest.raises(Refused, match="policy2: the kernel kept 'powersave'"):
        HANDLERS["governor"](Applying(host, Ledger(host)), make_change({"policy2": "performance"}, {}))


def test_a_policy_that_is_not_there_is_named(tmp_path: Path) -> None:
    host = FakeKernel("h100-node", tmp_path)
    with pytest.raises(Refused, match="policy9: the kernel refused"):
        HANDLERS["governor"](Applying(host, Ledger(host)), make_change({"policy9": "performance"}, {}))
