"""Writing huge page files: the kernel's brackets are the proof."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.outcome import Applying, Refused
from raceway.apply.thp import HANDLERS, prepare
from raceway.host import Ledger

from ..builders import make_step
from ..fake_kernel import FakeKernel

ENABLED = "/sys/kernel/mm/transparent_hugepage/enabled"


def test_a_choice_is_recorded_made_and_given_back(tmp_path: Path) -> None:
    host = FakeKernel("debian12-vm", tmp_path)
    run, step = Applying(host, Ledger(host)), make_step("thp", name="enabled", value="madvise", before="always")
    prepare(run, [step])
    HANDLERS["thp"](run, step)
    assert host.read(ENABLED) == "always [madvise] never\n" and Ledger(host).owned("thp") == {"enabled": "always"}
    HANDLERS["thp_restore"](run, make_step("thp_restore", name="enabled", value="always"))
    assert host.read(ENABLED) == "[always] madvise never\n" and run.ledger.owned("thp") == {}


def test_a_choice_that_the_kernel_refuses_or_forgets_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = FakeKernel("debian12-vm", tmp_path)
    run = Applying(host, Ledger(host))
    with pytest.raises(Refused, match="Invalid argument"):
        HANDLERS["thp"](run, make_step("thp", name="enabled", value="sometimes"))
    monkeypatch.setattr(host, "poke", lambda path, text: None)
    with pytest.raises(Refused, match="kept 'always' instead of 'never'"):
        HANDLERS["thp"](run, make_step("thp", name="enabled", value="never"))
