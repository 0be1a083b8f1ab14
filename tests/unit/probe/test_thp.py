"""Huge page files on a node."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Host, Ledger
from raceway.model.thp import parse
from raceway.probe.thp import probe

from ..builders import make_tree, recorded_host


def test_both_choices_are_read_and_a_kernel_without_them_has_none(tmp_path: Path) -> None:
    host = recorded_host("debian12-vm")
    facts = probe(host, parse({"enabled": "madvise"}), Ledger(host))
    assert {name: choice.value for name, choice in facts.choices.items()} == {"enabled": "always", "defrag": "madvise"}
    empty = Host(str(tmp_path))
    assert probe(empty, parse({"enabled": "madvise"}), Ledger(empty)).choices == {}


def test_other_writers_are_read_only_where_something_is_declared(tmp_path: Path) -> None:
    files = {"/usr/lib/tmpfiles.d/x.conf": "w /sys/kernel/mm/transparent_hugepage/enabled - - - - never\n"}
    host = Host(str(make_tree(tmp_path, files)))
    assert [row.value for row in probe(host, parse({"enabled": "madvise"}), Ledger(host)).tmpfiles] == ["never"]
    assert probe(host, parse({}), Ledger(host)).tmpfiles == ()
