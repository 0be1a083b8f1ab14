"""Names of mount units as systemd-escape gives them, device links as udev makes them, disks by lasting names."""

from __future__ import annotations

import pytest

from raceway.model.mount import Mount, bad_path, device_link, escape, parse, unstable


@pytest.mark.parametrize(
    ("path", "unit"),
    [  # recorded: systemd-escape -p --suffix=mount, systemd 252
        ("/", "-.mount"),
        ("/scratch", "scratch.mount"),
        ("/mnt/nvme-0", r"mnt-nvme\x2d0.mount"),
        ("/a/.b", "a-.b.mount"),
        ("/.hidden", r"\x2ehidden.mount"),
        ("/with space/é", r"with\x20space-\xc3\xa9.mount"),
        ("/mnt/a+b@c:d_e.f", r"mnt-a\x2bb\x40c:d_e.f.mount"),
        ("/back\\slash", r"back\x5cslash.mount"),
        ("/x//y/", "x-y.mount"),
        ("/var/lib/kubelet", "var-lib-kubelet.mount"),
    ],
)
def test_a_units_name_is_the_one_systemd_expects(path: str, unit: str) -> None:
    assert Mount(path, "tmpfs", "tmpfs").unit == unit


def test_two_paths_that_look_alike_have_different_names() -> None:
    assert escape("/a-b") != escape("/a/b")


@pytest.mark.parametrize(
    ("source", "link"),
    [
        ("UUID=0a1b-2c", "/dev/disk/by-uuid/0a1b-2c"),
        ("LABEL=big data", r"/dev/disk/by-label/big\x20data"),
        ('LABEL="a/b"', r"/dev/disk/by-label/a\x2fb"),
        ("PARTUUID=7", "/dev/disk/by-partuuid/7"),
        ("PARTLABEL=nvme0", "/dev/disk/by-partlabel/nvme0"),
        ("/dev/disk/by-id/nvme-x", "/dev/disk/by-id/nvme-x"),
        ("nfs1:/a=b", "nfs1:/a=b"),
    ],
)
def test_a_tag_becomes_the_link_that_udev_makes(source: str, link: str) -> None:
    assert device_link(source) == link


@pytest.mark.parametrize(
    "source",
    ["/dev/md0", "/dev/md127", "/dev/md/n1:0", "/dev/sda1", "/dev/nvme0n1", "/dev/vdb", "/dev/disk/by-path/pci-1"],
)
def test_a_name_of_the_moment_is_refused(source: str) -> None:
    assert unstable(source)


@pytest.mark.parametrize(
    "source",
    ["UUID=1", "LABEL=a", "/dev/disk/by-id/x", "/dev/disk/by-uuid/1", "/dev/mapper/vg-a", "/dev/vg0/scratch", "tmpfs"],
)
def test_a_name_that_lasts_is_taken(source: str) -> None:
    assert unstable(source) is None


def test_sources_are_told_apart_by_what_they_are() -> None:
    assert Mount("/a", "LABEL=x", "xfs").local_disk
    assert not Mount("/a", "nfs1:/x", "nfs").local_disk
    assert not Mount("/a", "/dev/shm/x", "none", ("bind",)).local_disk
    assert Mount("/a", "nfs1:/x", "nfs").target == "remote-fs.target"
    assert Mount("/a", "UUID=1", "xfs", ("_netdev",)).target == "remote-fs.target"
    assert Mount("/a", "UUID=1", "xfs").target == "local-fs.target"


def test_a_spec_is_read_with_its_options_in_order() -> None:
    row = {"path": "/s", "source": "tmpfs", "fstype": "tmpfs", "options": " size=1g, ,nofail"}
    desired = parse({"mounts": [row], "platform": "vm"})
    assert desired.mounts == (Mount("/s", "tmpfs", "tmpfs", ("size=1g", "nofail")),)
    assert desired.platform == "vm"
    assert parse({}).mounts == ()


@pytest.mark.parametrize("path", ["a", "/", "/usr", "/proc/x", "/a/", "/a//b", "/a/../b", "/a\nb"])
def test_a_point_that_is_not_plain_or_the_systems_own_is_bad(path: str) -> None:
    assert bad_path(path)


@pytest.mark.parametrize("path", ["/scratch", "/mnt/nvme0", "/var/lib/kubelet", "/home", "/run/x", "/opt/a b"])
def test_a_data_folder_is_a_good_point(path: str) -> None:
    assert bad_path(path) is None
