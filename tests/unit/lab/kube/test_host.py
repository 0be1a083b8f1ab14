"""The host's parameters are noted by the first lab and put back by the last one, whatever happened in between."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceway.lab.kube import host


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for name in host.PARAMETERS:
        path = tmp_path / "sys" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1000\n")
    return tmp_path / "sys"


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "note"


def lab(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / "labs" / name
    folder.mkdir(parents=True)
    return folder


def test_the_last_lab_puts_back_what_the_first_one_found(proc: Path, note: Path, tmp_path: Path) -> None:
    one, two = lab(tmp_path, "one"), lab(tmp_path, "two")
    host.hold(one, 1, note, proc)
    (proc / "kernel/panic").write_text("10\n")
    host.hold(two, 1, note, proc)
    host.hold(two, 1, note, proc)
    assert host.give_back(one, note, proc) == []
    assert (proc / "kernel/panic").read_text() == "10\n"
    assert host.give_back(two, note, proc) == ["kernel/panic"]
    assert (proc / "kernel/panic").read_text() == "1000\n"
    assert not note.exists()


def test_a_lab_whose_folder_was_removed_by_hand_holds_nothing_back(proc: Path, note: Path, tmp_path: Path) -> None:
    gone, here = lab(tmp_path, "gone"), lab(tmp_path, "here")
    host.hold(gone, 1, note, proc)
    (proc / "vm/overcommit_memory").write_text("1\n")
    gone.rmdir()
    host.hold(here, 1, note, proc)
    assert json.loads((note / "kernel.json").read_text())["holders"] == [str(here)]
    assert host.give_back(here, note, proc) == ["vm/overcommit_memory"]
    assert (proc / "vm/overcommit_memory").read_text() == "1000\n"


def test_room_for_watchers_is_made_and_taken_back(proc: Path, note: Path, tmp_path: Path) -> None:
    (proc / host.INOTIFY).write_text("128\n")
    one = lab(tmp_path, "one")
    host.hold(one, 5, note, proc)
    assert int((proc / host.INOTIFY).read_text()) == 5 * host.INOTIFY_A_NODE + host.INOTIFY_OTHERS
    host.give_back(one, note, proc)
    assert (proc / host.INOTIFY).read_text() == "128\n"


def test_more_room_than_is_needed_is_left_as_it_is(proc: Path, note: Path, tmp_path: Path) -> None:
    host.hold(lab(tmp_path, "one"), 2, note, proc)
    assert (proc / host.INOTIFY).read_text() == "1000\n"


def test_a_parameter_this_kernel_does_not_have_is_none_of_ours(proc: Path, note: Path, tmp_path: Path) -> None:
    (proc / "net/netfilter/nf_conntrack_max").unlink()
    one = lab(tmp_path, "one")
    host.hold(one, 1, note, proc)
    assert "net/netfilter/nf_conntrack_max" not in json.loads((note / "kernel.json").read_text())["values"]
    assert host.give_back(one, note, proc) == []


def test_without_a_note_there_is_nothing_to_put_back(note: Path, proc: Path, tmp_path: Path) -> None:
    assert host.give_back(tmp_path / "never", note, proc) == []
    assert not note.exists()


def test_groups_are_looked_for_only_where_a_hierarchy_is(tmp_path: Path) -> None:
    # A unit test cannot start a program: with hierarchy 0 everywhere none is started.
    table = tmp_path / "cgroups"
    head = "#subsys_name\thierarchy\tnum_cgroups\tenabled\n"
    table.write_text(f"{head}net_cls\t0\t2\t1\nperf_event\t0\t2\t1\nhugetlb\t0\t2\t1\n")
    host.remove_groups("raceway-x-x-", tmp_path / "work", table)
    assert host._mounted_somewhere("net_cls,net_prio", f"{head}net_prio\t12\t3\t1\n")
    assert not host._mounted_somewhere("hugetlb", table.read_text())
