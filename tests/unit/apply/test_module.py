"""Loading and unloading modules: what a tool claims is looked for in /sys."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.module import HANDLERS, prepare
from raceway.apply.outcome import Applying, Refused
from raceway.host import Ledger, Result

from ..builders import FakeHost, make_step
from ..fake_kernel import FakeKernel


def make_run(host: FakeHost) -> Applying:
    return Applying(host, Ledger(host))


def test_a_module_is_recorded_as_absent_and_then_loaded(tmp_path: Path) -> None:
    run = make_run(FakeKernel("debian12-vm", tmp_path))
    step = make_step("module", name="tcp_bbr")
    prepare(run, [step])
    HANDLERS["module"](run, step)
    assert run.host.exists("/sys/module/tcp_bbr/initstate")
    assert Ledger(run.host).owned("module") == {"tcp_bbr": "absent"}


def test_what_modprobe_says_is_the_reason(tmp_path: Path) -> None:
    run = make_run(FakeKernel("debian12-vm", tmp_path))
    with pytest.raises(Refused, match="Module tcp_vegas not found"):
        HANDLERS["module"](run, make_step("module", name="tcp_vegas"))


def test_a_modprobe_that_loads_nothing_is_refused(tmp_path: Path) -> None:
    run = make_run(FakeHost(tmp_path, {"modprobe": ""}))
    with pytest.raises(Refused, match="/sys/module/tcp_bbr is not there"):
        HANDLERS["module"](run, make_step("module", name="tcp_bbr"))


def test_unloading_forgets_and_a_module_that_stays_is_refused(tmp_path: Path) -> None:
    run = make_run(FakeKernel("debian12-vm", tmp_path))
    run.ledger.remember("module", "virtio_net", "absent")
    step = make_step("module_unload", name="virtio_net")
    run.host.tools["rmmod"] = lambda words: Result(0, "", "")  # type: ignore[attr-defined]
    with pytest.raises(Refused, match="still loaded"):
        HANDLERS["module_unload"](run, step)
    run.host.tools["rmmod"] = lambda words: Result(1, "", "rmmod: ERROR: Module virtio_net is in use")  # type: ignore[attr-defined]
    with pytest.raises(Refused, match="in use"):
        HANDLERS["module_unload"](run, step)
    assert run.ledger.owned("module") == {"virtio_net": "absent"}
    HANDLERS["module_forget"](run, step)
    assert run.ledger.owned("module") == {}
