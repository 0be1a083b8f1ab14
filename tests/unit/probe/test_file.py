"""Reading what stands at declared paths, without following what is there."""

from __future__ import annotations

import os
from pathlib import Path

from raceway.host import Ledger
from raceway.model.file import parse
from raceway.probe.file import probe

from ..builders import FakeHost, make_tree


def read(root: Path, *paths: str, ledger: dict[str, list[str]] | None = None) -> object:
    host = FakeHost(root)
    book = Ledger(host)
    for name, rows in (ledger or {}).items():
        book.remember_all(name, {path: {"content": None} for path in rows})
    return probe(host, parse({"files": [{"path": path} for path in paths]}), Ledger(host))


def test_content_mode_and_owner_are_read_by_name_and_number(tmp_path: Path) -> None:
    make_tree(tmp_path, {"/a": "x\r\n"})
    (tmp_path / "a").chmod(0o640)
    fact = read(tmp_path, "/a").found["/a"]  # type: ignore[attr-defined]
    assert (fact.kind, fact.mode) == ("file", 0o640)
    assert str(os.getuid()) in fact.owner_ids


def test_folders_links_and_pipes_are_told_apart_and_not_read(tmp_path: Path) -> None:
    make_tree(tmp_path, {"/d/x": "", "/l": "-> d/x"})
    os.mkfifo(tmp_path / "p")  # reading it would wait for ever
    found = read(tmp_path, "/d", "/l", "/p").found  # type: ignore[attr-defined]
    assert [(found[path].kind, found[path].content) for path in ("/d", "/l", "/p")] == [
        ("dir", None),
        ("link", None),
        ("other", None),
    ]


def test_a_parent_that_is_no_folder_is_named_and_a_link_to_a_folder_is_one(tmp_path: Path) -> None:
    make_tree(tmp_path, {"/f": "", "/real/x": "", "/way": "-> real"})
    found = read(tmp_path, "/f/deep/x", "/way/new/x", "/none/x").found  # type: ignore[attr-defined]
    assert [found[p].blocked_by for p in ("/f/deep/x", "/way/new/x", "/none/x")] == ["/f", "", ""]


def test_paths_of_other_nouns_and_owned_ones_are_known(tmp_path: Path) -> None:
    facts = read(tmp_path, "/a", ledger={"dropin": ["/etc/d"], "file": ["/etc/old"], "unit_file": ["/etc/u"]})
    assert facts.taken == {"/etc/d": "a drop-in of raceway", "/etc/u": "a declared unit"}  # type: ignore[attr-defined]
    assert set(facts.found) == {"/a", "/etc/old"}  # type: ignore[attr-defined]


def test_a_path_that_cannot_be_a_files_is_not_looked_at(tmp_path: Path) -> None:
    assert read(tmp_path, "relative", "/proc/x").found == {}  # type: ignore[attr-defined]
