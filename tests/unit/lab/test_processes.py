"""A process is known by the lab's mark and its start time, never by its pid alone."""

from __future__ import annotations

from pathlib import Path

from raceway.lab import processes
from raceway.lab.processes import Process

from .builders import make_process


def test_a_name_with_brackets_and_spaces_does_not_hide_the_start_time(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 4711)
    assert processes.start_time(7, tmp_path) == 4711


def test_a_pid_that_another_process_has_got_is_not_ours(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 4711)
    assert processes.alive(Process(7, 4711), tmp_path)
    assert not processes.alive(Process(7, 4710), tmp_path)
    assert not processes.alive(Process(8, 4711), tmp_path)


def test_a_process_that_only_waits_to_be_reaped_is_gone(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 4711, state="Z", mark="abc")
    assert not processes.alive(Process(7, 4711), tmp_path)
    assert processes.of_lab("abc", tmp_path) == []


def test_only_the_exact_mark_makes_a_process_the_labs(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 1, mark="abc", words="etcd --name=lab")
    make_process(tmp_path, 8, 1, mark="abcd")
    make_process(tmp_path, 9, 1)
    make_process(tmp_path, 10, 1, words="grep RACEWAY_LAB_ID=abc")
    assert processes.of_lab("abc", tmp_path) == [Process(7, 1, ("etcd", "--name=lab"))]


def test_a_podman_call_is_found_by_the_label_it_was_given(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 1, words="podman run --label raceway.lab.id=abc image")
    make_process(tmp_path, 8, 1, words="podman run --label raceway.lab.id=abcd image")
    assert processes.with_argument("raceway.lab.id=abc", tmp_path) == [Process(7, 1)]


def test_entries_that_vanish_or_are_no_process_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "12").mkdir()
    (tmp_path / "self").mkdir()
    assert processes.of_lab("abc", tmp_path) == []
    assert processes.with_argument("abc", tmp_path) == []


def test_a_lab_whose_record_is_lost_is_found_by_the_folder_its_programs_were_given(tmp_path: Path) -> None:
    make_process(tmp_path, 7, 1, mark="abc", words="python -m raceway.lab.vm.guard /labs/vmlab vmlab-1")
    make_process(tmp_path, 8, 1, mark="abc", words="python -m raceway.lab.vm.switch /labs/vmlab")
    make_process(tmp_path, 9, 1, mark="def", words="python -m raceway.lab.vm.switch /labs/vmlab2")
    make_process(tmp_path, 10, 1, words="ls /labs/vmlab")
    assert processes.lab_ids("/labs/vmlab", tmp_path) == ["abc"]
