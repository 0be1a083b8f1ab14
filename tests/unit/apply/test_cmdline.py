"""Bringing boot entries up to date with the boot loader's own tool, and reading them back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.apply.cmdline import HANDLERS, prepare
from raceway.apply.outcome import Applying, Refused
from raceway.host import Ledger, Result
from raceway.model.plan import Step
from raceway.probe.cmdline import entries

from ..builders import FakeHost, make_step, make_tree
from ..fake_kernel import FakeKernel

ENTRY = "/boot/loader/entries/a.conf"


def make_change(loader: str, add: list[str], remove: list[str] | None = None) -> Step:
    gone = remove or []
    return make_step("cmdline", loader=loader, add=add, remove=gone, forget=gone, own=add)


def make_bls(folder: Path) -> FakeKernel:
    host = FakeKernel("debian12-vm", folder)
    make_tree(host.tree, {ENTRY: "title x\nlinux /vmlinuz\noptions root=/dev/a ro quiet\n"})
    host.tools["grubby"] = host._grubby
    return host


def test_update_grub_takes_our_drop_in_into_every_entry(tmp_path: Path) -> None:
    host = FakeKernel("debian12-vm", tmp_path)
    run: Any = Applying(host, Ledger(host))
    make_tree(host.tree, {"/etc/default/grub.d/90-raceway.cfg": 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX iommu=pt"\n'})
    step = make_change("grub", ["iommu=pt"])
    prepare(run, [step])
    HANDLERS["cmdline"](run, step)
    assert [e.arguments[1:] for e in entries(host, "grub")] == [
        ("ro", "iommu=pt", "quiet"),
        ("ro", "single", "iommu=pt"),
    ]
    assert Ledger(host).owned("cmdline") == {"iommu=pt": "added"}


def test_grubby_adds_and_takes_away_and_the_record_follows(tmp_path: Path) -> None:
    host = make_bls(tmp_path)
    run = Applying(host, Ledger(host))
    step = make_change("grubby", ["iommu=pt"])
    prepare(run, [step])
    HANDLERS["cmdline"](run, step)
    assert entries(host, "grubby")[0].arguments == ("root=/dev/a", "ro", "quiet", "iommu=pt")
    HANDLERS["cmdline"](run, make_change("grubby", [], ["iommu=pt"]))
    assert entries(host, "grubby")[0].arguments == ("root=/dev/a", "ro", "quiet") and run.ledger.owned("cmdline") == {}


@pytest.mark.parametrize(
    ("add", "remove", "text"), [(["iommu=pt"], [], r"lacks \[iommu=pt\]"), ([], ["quiet"], r"still has \[quiet\]")]
)
def test_entries_that_did_not_change_are_refused(add: list[str], remove: list[str], text: str, tmp_path: Path) -> None:
    host = make_bls(tmp_path)
    host.broken.add("grubby")
    with pytest.raises(Refused, match=text):
        HANDLERS["cmdline"](Applying(host, Ledger(host)), make_change("grubby", add, remove))


def test_a_tool_that_fails_or_leaves_no_entry_is_refused(tmp_path: Path) -> None:
    host = FakeHost(tmp_path, {"update-grub": Result(1, "", "/usr/sbin/grub-probe: error: no such device")})
    run = Applying(host, Ledger(host))
    with pytest.raises(Refused, match="no such device"):
        HANDLERS["cmdline"](run, make_change("grub", ["iommu=pt"]))
    host.programs["update-grub"] = ""
    with pytest.raises(Refused, match="no boot entry"):
        HANDLERS["cmdline"](run, make_change("grub", ["iommu=pt"]))


def test_without_a_boot_loader_the_record_is_all_that_goes(tmp_path: Path) -> None:
    host = FakeHost(tmp_path)
    run = Applying(host, Ledger(host))
    run.ledger.remember("cmdline", "iommu=pt", "added")
    HANDLERS["cmdline"](run, make_change("", [], ["iommu=pt"]))
    assert host.calls == [] and run.ledger.owned("cmdline") == {}
