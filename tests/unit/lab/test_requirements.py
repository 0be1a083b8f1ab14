"""A missing host program is told once, with the exact command."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab import requirements
from raceway.lab.progress import Steps


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "HELPER_FOLDERS", ("/nowhere",))


def test_a_host_with_everything_lacks_nothing(bare: None, tmp_path: Path) -> None:
    assert requirements.missing(lambda program: f"/usr/bin/{program}", tmp_path) == []


def test_each_missing_program_is_named_by_its_package(bare: None, tmp_path: Path) -> None:
    there = {"ssh", "unshare", "ip", "iptables"}
    found = requirements.missing(lambda program: program if program in there else None, tmp_path / "no-keyring")
    assert found == ["podman", "runc", "netavark", "aardvark-dns", "mmdebstrap", "debian-archive-keyring"]


def test_a_program_outside_path_counts(bare: None, tmp_path: Path) -> None:
    def which(program: str) -> str | None:
        return None if program == "iptables" else program

    assert requirements.missing(which, tmp_path) == []


def test_the_message_holds_the_line_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "missing", lambda: ["podman", "runc"])
    monkeypatch.setattr("shutil.which", lambda program, **_: program)
    with pytest.raises(RacewayError) as caught:
        requirements.check(False, Steps(False), tmp_path / "log")
    assert "apt-get install -y --no-install-recommends podman runc" in caught.value.act
    assert "--install-missing" in caught.value.act


def test_a_user_who_is_not_root_is_told_about_the_part_that_needs_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requirements, "missing", list)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(RacewayError, match="--no-nodes"):
        requirements.check(False, Steps(False), tmp_path / "log")


def test_more_nodes_than_there_are_inotify_instances_for_are_refused_at_once(tmp_path: Path) -> None:
    limit = tmp_path / "max_user_instances"
    limit.write_text("128\n")
    requirements.check_inotify(21, limit)
    with pytest.raises(RacewayError, match=r"128, enough for 21 nodes.*sysctl -w fs.inotify.max_user_instances=308"):
        requirements.check_inotify(30, limit)
    requirements.check_inotify(30, tmp_path / "not-there")


def test_vms_need_qemu_and_what_builds_their_image_and_no_podman(bare: None) -> None:
    found = requirements.missing(lambda _: None, Path("/nowhere"), requirements.VM_PACKAGES)
    assert {"qemu-system-x86", "qemu-utils", "mmdebstrap", "e2fsprogs"} <= set(found)
    assert "podman" not in found


def test_a_host_without_qemu_is_told_the_line_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements, "missing_for_vms", lambda: ["qemu-system-x86", "qemu-utils"])
    monkeypatch.setattr("shutil.which", lambda program, **_: program)
    with pytest.raises(RacewayError, match="needed for VM nodes") as caught:
        requirements.check_vm(False, Steps(False), tmp_path / "log")
    assert "apt-get install -y --no-install-recommends qemu-system-x86 qemu-utils" in caught.value.act


def test_more_vms_than_there_is_memory_for_are_refused_at_once(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:       24000000 kB\nMemAvailable:    2500000 kB\n")
    requirements.check_memory(2, meminfo)
    with pytest.raises(RacewayError, match=r"2441 MiB available, enough for 2 VMs.*3072 MiB or more for 3 VMs"):
        requirements.check_memory(3, meminfo)
    requirements.check_memory(3, tmp_path / "not-there")
    meminfo.write_text("MemTotal: 1 kB\n")
    requirements.check_memory(3, meminfo)
