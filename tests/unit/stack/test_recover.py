"""What a killed run leaves, and when its lock may go."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.stack import recover as module
from raceway.stack.recover import locks, pending, recover

from .test_project import make_project

NO_PROCESS = 2**22 + 1  # above the kernel's largest pid


def lock(folder: Path, pid: int, host: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{pid}.json"
    path.write_text(json.dumps({"pid": pid, "hostname": host or socket.gethostname()}))
    return path


def test_the_lock_of_an_ended_process_is_removed_and_told(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    path = lock(project.locks, NO_PROCESS)
    assert recover(project) == [f"removed the lock of ended process {NO_PROCESS}"] and not path.exists()


def test_the_lock_of_a_living_run_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project(tmp_path)
    path = lock(project.locks, os.getpid())
    monkeypatch.setattr(module, "_command_of", lambda pid: "pulumi up")
    with pytest.raises(RacewayError, match=f"process {os.getpid()} on this machine is working on it"):
        recover(project)
    assert path.exists()


def test_a_pid_that_now_belongs_to_something_else_holds_nothing(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    lock(project.locks, os.getpid())
    assert len(recover(project)) == 1


def test_a_lock_of_another_machine_is_kept(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    lock(project.locks, NO_PROCESS, "elsewhere")
    with pytest.raises(RacewayError, match="on elsewhere is working on it; next: wait for it"):
        recover(project)


def test_a_half_written_lock_counts_as_left_behind(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.locks.mkdir(parents=True)
    (project.locks / "x.json").write_text('{"pid": 1')
    assert [one.held for one in locks(project)] == [False]


def test_pending_operations_are_read_from_the_state(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    assert pending(project) == []
    project.checkpoint.parent.mkdir(parents=True)
    operation = {"type": "creating", "resource": {"urn": "urn:pulumi:lab::p::kubernetes:core/v1:Namespace::team-a"}}
    project.checkpoint.write_text(json.dumps({"checkpoint": {"latest": {"pending_operations": [operation]}}}))
    assert pending(project) == ["creating: team-a"]


def test_attributes_torn_by_a_kill_are_removed_and_whole_ones_stay(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.checkpoint.parent.mkdir(parents=True)
    torn, whole = (project.checkpoint.parent / name for name in ("lab.json.attrs", "other.json.attrs"))
    torn.write_text("")
    whole.write_text('{"user.content_type": "application/json"}\n')
    assert recover(project) == ["removed the torn attributes of lab.json"]
    assert (torn.exists(), whole.exists()) == (False, True)


def test_a_torn_state_gives_way_to_the_last_finished_run_and_is_kept_beside_it(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    for folder in (project.checkpoint.parent, project.history):
        folder.mkdir(parents=True)
    project.checkpoint.write_text('{"checkpoint": {"lat')
    for number, text in ((1, '{"checkpoint": 1}'), (2, '{"checkpoint": {}}'), (3, "{")):
        (project.history / f"lab-{number}.checkpoint.json").write_text(text)
    assert recover(project) == [
        "the state was torn: took the last finished run's, lab-2.checkpoint.json; "
        "run up before a destroy, it takes over what was made since"
    ]
    assert project.checkpoint.read_text() == '{"checkpoint": {}}'
    assert project.checkpoint.with_suffix(".torn").read_text() == '{"checkpoint": {"lat'


def test_a_torn_state_without_a_finished_run_names_the_file_and_the_next_act(tmp_path: Path) -> None:
    project = make_project(tmp_path)
    project.checkpoint.parent.mkdir(parents=True)
    project.checkpoint.write_text("")
    with pytest.raises(RacewayError, match=r"lab\.json: .*no finished run left a copy.*next: move it away and run up"):
        recover(project)
    assert project.checkpoint.read_text() == ""
