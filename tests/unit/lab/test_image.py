"""The image is named by its recipe: the same recipe is the same image anywhere, another one is another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from raceway.lab import image, locks


def test_the_name_does_not_depend_on_where_the_package_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = image.tag()
    copy = tmp_path / "else where"
    shutil.copytree(image.SOURCES, copy)
    monkeypatch.setattr(image, "SOURCES", copy)
    assert image.tag() == before


def test_a_changed_file_or_package_list_is_another_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = image.tag()
    monkeypatch.setattr(image, "PACKAGES", (*image.PACKAGES, "vim"))
    assert image.tag() != before
    monkeypatch.undo()
    copy = tmp_path / "sources"
    shutil.copytree(image.SOURCES, copy)
    (copy / "sshd.conf").write_text("UseDNS no\n")
    monkeypatch.setattr(image, "SOURCES", copy)
    assert image.tag() != before


def test_another_mirror_is_asked_when_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACEWAY_LAB_MIRROR", raising=False)
    assert image.command("out.tar")[-2:] == ["bookworm", "out.tar"]
    monkeypatch.setenv("RACEWAY_LAB_MIRROR", "http://mirror.example/debian")
    assert image.command("out.tar")[-1] == "http://mirror.example/debian"


def test_what_a_killed_build_left_is_swept_but_not_under_a_running_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path))
    image.sweep()
    left = tmp_path / "lab-image" / "build"
    left.mkdir(parents=True)
    with locks.exclusive(tmp_path / "lab-image" / "lock"):
        image.sweep()
        assert left.exists()
    image.sweep()
    assert not left.exists()


def test_a_node_has_what_ansible_and_the_kernel_role_need() -> None:
    assert {"python3", "python3-apt", "openssh-server", "systemd-sysv", "iproute2", "kmod"} <= set(image.PACKAGES)


def test_the_first_process_opens_the_nodes_network_and_keeps_the_devices_shut() -> None:
    text = (image.SOURCES / "lab-init").read_text()
    assert "mount -o remount,bind,rw /proc/sys/net" in text
    assert '[ "$folder" = /sys/fs/cgroup/devices/ ] ||' in text
    assert (image.SOURCES / "lab-init").stat().st_mode & 0o111
