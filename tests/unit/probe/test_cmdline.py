"""Boot loaders, their entries and settings on a node."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Ledger
from raceway.model.cmdline import parse
from raceway.probe.cmdline import loader, probe

from ..builders import FakeHost, make_tree, recorded_host

DESIRED = parse({"arguments": [{"argument": "iommu=pt"}]})
ENTRY = "title x\nlinux /vmlinuz\noptions root=/dev/a ro\n"


def test_grub_with_update_grub_is_read_with_its_settings() -> None:
    host = recorded_host("h100-node")
    facts = probe(host, DESIRED, Ledger(host))
    assert (facts.loader, len(facts.entries), facts.running[-1]) == ("grub", 2, "console=ttyS1,115200n8")
    assert [row.file for row in facts.settings] == ["/etc/default/grub"] * 2


def test_loader_entries_need_grubby_and_grub_needs_update_grub(tmp_path: Path) -> None:
    make_tree(tmp_path, {"/boot/loader/entries/a.conf": ENTRY, "/etc/default/grub": ""})
    assert loader(FakeHost(tmp_path, {"grubby": ""})) == "grubby"
    assert loader(FakeHost(tmp_path, {"update-grub": ""})) == "grub"
    assert loader(FakeHost(tmp_path)) == ""


def test_each_loader_entry_is_one_entry(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {f"/boot/loader/entries/{n}.conf": ENTRY for n in "ab"}), {"grubby": ""})
    assert [entry.file[-6:] for entry in probe(host, DESIRED, Ledger(host)).entries] == ["a.conf", "b.conf"]


def test_nothing_is_read_where_nothing_is_managed() -> None:
    host = recorded_host("h100-node")
    assert probe(host, parse({}), Ledger(host)).loader == ""
