"""Mounts carried out on a stand-in for systemd: the kernel's table is believed, nothing else; busy ones stay whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.host import Ledger, Result
from raceway.node import program

from ..requests import make_request, mounts
from ..systemd import ETC, MOUNTINFO, SystemdHost

ALL = ("safe", "disruptive", "destructive")
UNIT = ETC + "scratch.mount"


def run(host: SystemdHost, *rows: dict[str, Any], allow: tuple[str, ...] = ALL) -> dict[str, Any]:
    return program.run(make_request(allow=allow, mount=mounts(*rows)), host)


def make_mount(path: str = "/scratch", options: str = "size=64m,nofail") -> dict[str, Any]:
    return {"path": path, "source": "tmpfs", "fstype": "tmpfs", "options": options}


def test_a_new_mount_is_there_now_and_at_boot(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    answer = run(host, make_mount())
    assert [row["type"] for row in answer["applied"]] == ["file", "mount_enable", "mount_start"]
    assert (answer["refused"], answer["remaining"]) == ([], [])
    assert " /scratch " in (host.read(MOUNTINFO) or "")
    assert host.exists(ETC + "local-fs.target.wants/scratch.mount")


def test_a_run_that_changes_nothing_starts_no_program(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    rows = [make_mount(f"/scratch{n}") for n in range(4)]
    run(host, *rows)
    host.calls.clear()
    assert run(host, *rows)["applied"] == []
    assert host.calls == []


def test_four_mounts_cost_one_reload(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, *[make_mount(f"/scratch{n}") for n in range(4)])
    assert host.calls.count("systemctl daemon-reload") == 1


def test_a_start_that_mounts_nothing_is_refused_with_the_units_last_words(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    host.fails["scratch.mount"] = "wrong fs type, bad option"
    (refused,) = run(host, make_mount())["refused"]
    assert refused["reason"].endswith("not mounted after systemctl start scratch.mount: wrong fs type, bad option")


def test_other_options_are_set_in_place(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_mount())
    answer = run(host, make_mount(options="size=128m,nodev,nofail"))
    assert [row["type"] for row in answer["applied"]] == ["file", "mount_remount"]
    assert "mount -o remount,size=128m,nodev -- /scratch" in host.calls
    assert (answer["refused"], answer["remaining"]) == ([], [])


def test_a_remount_that_the_kernel_did_not_follow_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_mount())
    monkeypatch.setattr(host, "_remount", lambda where, options: Result(0, "", ""))
    (refused,) = run(host, make_mount(options="size=128m,nofail"))["refused"]
    assert "the kernel kept size=65536k" in refused["reason"]


def test_a_mount_given_up_leaves_no_unit_no_link_and_no_folder(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_mount("/data/scratch"))
    answer = run(host)
    assert (answer["refused"], answer["remaining"]) == ([], [])
    assert not host.exists("/data")
    assert " /data/scratch " not in (host.read(MOUNTINFO) or "")
    assert not host.exists(ETC + "data-scratch.mount")
    assert not host.exists(ETC + "local-fs.target.wants/data-scratch.mount")
    assert Ledger(host)._entries == {}


def test_a_busy_mount_given_up_stays_mounted_enabled_and_known(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_mount())
    host.busy.add("/scratch")
    (refused,) = run(host)["refused"]
    assert "/scratch stays mounted: umount: /scratch: target is busy." in refused["reason"]
    assert host.exists(UNIT) and host.exists(ETC + "local-fs.target.wants/scratch.mount")
    assert "/scratch" in Ledger(host).owned("mount")
    host.busy.clear()
    assert run(host)["refused"] == []
    assert not host.exists(UNIT)


def test_a_full_tmpfs_is_not_unmounted_without_consent_to_lose_it(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    run(host, make_mount())
    (tmp_path / "scratch/result").write_text("of a week")
    answer = run(host, allow=("safe", "disruptive"))
    (refusal,) = answer["roles"]["system"]["refusals"]
    assert "destructive" in refusal["reason"] and host.exists(UNIT)


def test_what_was_mounted_before_raceway_stays_mounted_afterwards(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path)
    host._table("/scratch", "tmpfs tmpfs", "size=64m")
    run(host, make_mount(options="size=64m,nodev"))
    answer = run(host)
    assert (answer["refused"], answer["remaining"]) == ([], [])
    row = next(row for row in (host.read(MOUNTINFO) or "").splitlines() if " /scratch " in row)
    assert "nodev" not in row and not host.exists(UNIT)


def test_a_unit_file_that_stood_there_before_comes_back(tmp_path: Path) -> None:
    host = SystemdHost(tmp_path, {UNIT: "[Mount]\nWhat=tmpfs\nWhere=/scratch\nType=tmpfs\n"})
    run(host, make_mount())
    run(host)
    assert host.read(UNIT) == "[Mount]\nWhat=tmpfs\nWhere=/scratch\nType=tmpfs\n"
