"""Right facts give an empty plan, and each way of being wrong is seen (variants: tests/cases/cmdline)."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.facts.cmdline import CmdlineFacts, Entry, GrubLine
from raceway.model.cmdline import GRUB_FILE, parse
from raceway.plan.cmdline import plan
from raceway.plan.dropin import render

DESIRED = parse({"arguments": [{"argument": "iommu=pt"}]})
OURS = GrubLine("GRUB_CMDLINE_LINUX", ("iommu=pt",), True, GRUB_FILE, 2)
RIGHT = CmdlineFacts(
    running=("ro", "iommu=pt"),
    loader="grub",
    entries=(
        Entry("/boot/grub/grub.cfg", ("ro", "iommu=pt")),
        Entry("/boot/grub/grub.cfg", ("ro", "single", "iommu=pt")),
    ),
    settings=(OURS,),
    own_file=render("kernel", ['GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX iommu=pt"']),
    owned={"iommu=pt": "added"},
)


def test_an_argument_in_file_entries_and_kernel_gives_an_empty_plan_and_no_reboot() -> None:
    found = plan(DESIRED, RIGHT)
    assert found.empty and not found.reboots


@pytest.mark.parametrize(
    "wrong",
    [
        {"entries": (*RIGHT.entries[:1], Entry("/boot/grub/grub.cfg", ("ro",)))},
        {"entries": (Entry("/boot/grub/grub.cfg", ("ro", "amd_iommu=pt")),)},
        {"entries": (Entry("/boot/grub/grub.cfg", ("iommu=pt", "iommu=off")),)},
        {"entries": ()},
        {"own_file": None},
        {"loader": "", "running": ("ro",)},
        {"settings": (OURS, GrubLine("GRUB_CMDLINE_LINUX_DEFAULT", ("iommu=off",), False, "/etc/default/grub", 3))},
        {"settings": (OURS, GrubLine("GRUB_CMDLINE_LINUX", (), False, "/etc/default/grub.d/99-x.cfg", 3))},
        {"owned": {"quiet": "added"}},
    ],
)
def test_each_way_of_being_wrong_is_seen(wrong: dict[str, Any]) -> None:
    assert not plan(DESIRED, dataclasses.replace(RIGHT, **wrong)).empty


@pytest.mark.parametrize("running", [("ro",), ("ro", "amd_iommu=pt"), ("iommu=pt", "iommu=off"), ()])
def test_a_running_kernel_without_the_argument_asks_for_a_reboot(running: tuple[str, ...]) -> None:
    assert [row.target for row in plan(DESIRED, dataclasses.replace(RIGHT, running=running)).reboots] == ["iommu=pt"]


def test_a_refused_argument_asks_for_no_reboot_and_stands_in_no_file() -> None:
    other = GrubLine("GRUB_CMDLINE_LINUX", ("iommu=off",), False, "/etc/default/grub", 3)
    found = plan(DESIRED, CmdlineFacts(running=("ro",), loader="grub", settings=(other,)))
    assert (found.steps, found.reboots) == ((), ()) and len(found.refusals) == 1
