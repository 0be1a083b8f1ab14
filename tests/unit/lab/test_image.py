"""The image is named by its recipe: the same recipe is the same image anywhere, another one is another."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from raceway.lab import image, locks
from raceway.lab.kube import host


def moved(recipe: image.NodeImage, folder: Path) -> image.NodeImage:
    """The same recipe with its files in another place."""
    for number, source in enumerate(recipe.sources):
        shutil.copytree(source, folder / str(number))
    return replace(recipe, sources=tuple(folder / str(number) for number in range(len(recipe.sources))))


@pytest.mark.parametrize("recipe", [image.NODE, image.KUBE_NODE], ids=lambda recipe: recipe.repository)
def test_the_name_does_not_depend_on_where_the_package_lies(recipe: image.NodeImage, tmp_path: Path) -> None:
    assert moved(recipe, tmp_path / "else where").tag() == recipe.tag()


@pytest.mark.parametrize("recipe", [image.NODE, image.KUBE_NODE], ids=lambda recipe: recipe.repository)
def test_a_changed_file_or_package_list_is_another_image(recipe: image.NodeImage, tmp_path: Path) -> None:
    assert replace(recipe, packages=(*recipe.packages, "vim")).tag() != recipe.tag()
    for number in range(len(recipe.sources)):
        other = moved(recipe, tmp_path / str(number))
        next(other.sources[number].iterdir()).write_text("UseDNS no\n")
        assert other.tag() != recipe.tag()


def test_the_two_kinds_of_nodes_have_images_of_their_own() -> None:
    assert image.tag() == image.NODE.tag()
    assert image.tag(image.KUBE_NODE).partition(":")[0] != image.tag().partition(":")[0]


def test_another_mirror_is_asked_when_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACEWAY_LAB_MIRROR", raising=False)
    assert image.NODE.command("out.tar")[-2:] == ["bookworm", "out.tar"]
    monkeypatch.setenv("RACEWAY_LAB_MIRROR", "http://mirror.example/debian")
    assert image.NODE.command("out.tar")[-1] == "http://mirror.example/debian"


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
    assert {"python3", "python3-apt", "openssh-server", "systemd-sysv", "iproute2", "kmod"} <= set(image.NODE.packages)


def test_the_first_process_opens_the_nodes_network_and_keeps_the_devices_shut() -> None:
    text = (image.SOURCES / "lab-init").read_text()
    assert "mount -o remount,bind,rw /proc/sys/net" in text
    assert '[ "$folder" = /sys/fs/cgroup/devices/ ] ||' in text
    assert (image.SOURCES / "lab-init").stat().st_mode & 0o111


def test_a_kubernetes_node_has_what_kubeadm_and_the_bridge_network_look_for() -> None:
    assert set(image.NODE.packages) < set(image.KUBE_NODE.packages)
    assert {"containerd", "runc", "containernetworking-plugins", "conntrack", "iptables", "socat"} <= set(
        image.KUBE_NODE.packages
    )
    hooks = " ".join(image.KUBE_NODE.hooks())
    for path in image.KUBE_SOURCES.iterdir():
        assert str(path) in hooks


def test_a_kubernetes_nodes_first_process_gives_it_control_groups_of_its_own_before_systemd_starts() -> None:
    text = (image.KUBE_SOURCES / "kube-init").read_text()
    assert text.index("mount --make-rshared /") < text.index("exec /sbin/init")
    assert text.index('mount --bind "$known/$RACEWAY_NODE"') < text.index("exec /sbin/init")
    assert (image.KUBE_SOURCES / "kube-init").stat().st_mode & 0o111


def test_a_kubernetes_node_can_write_no_parameter_of_the_host_that_the_lab_does_not_put_back() -> None:
    text = (image.KUBE_SOURCES / "kube-init").read_text()
    assert "mount -o remount,bind,ro /proc/sys\n" in text
    opened = text.partition("for name in ")[2].partition(";")[0].replace("\\\n", " ").split()
    assert opened[0] == "net"
    assert set(opened[1:]) <= set(host.PARAMETERS)
