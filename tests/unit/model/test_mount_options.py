"""Declared options against what the kernel shows: same meaning, not same text."""

from __future__ import annotations

import pytest

from raceway.model.mount_options import Comparison, compare, for_remount


def differences(declared: str, live: str, fstype: str = "tmpfs") -> list[str]:
    found = compare(fstype, declared.split(","), live.split(","))
    return [f"{wanted} for {there}" for wanted, there in found.differences]


@pytest.mark.parametrize(
    ("declared", "live"),
    [
        ("size=64m", "rw,size=65536k"),
        ("size=67108864", "rw,size=65536k"),
        ("size=1G", "rw,size=1048576k"),
        ("size=1000", "rw,size=4k"),  # the kernel counts whole pages
        ("mode=0755", "rw,size=4k,mode=755"),
        ("mode=1777,uid=0", "rw"),  # tmpfs does not show its defaults
        ("nr_inodes=1k", "rw,nr_inodes=1024"),
        ("noatime,nodiratime", "rw,noatime,nodiratime"),
        ("defaults,nofail,_netdev,auto", "rw,relatime"),
        ("suid,dev,exec,rw,async", "rw,relatime"),
        ("relatime", "rw,relatime"),
        ("strictatime", "rw"),
        ("atime", "rw,relatime"),
        ("users", "rw,nosuid,nodev,noexec"),  # implied by users
        ("ro,nosuid", "ro,nosuid"),
    ],
)
def test_the_same_options_in_other_words_are_no_difference(declared: str, live: str) -> None:
    assert differences(declared, live) == []


@pytest.mark.parametrize(
    ("declared", "live", "expected"),
    [
        ("size=64m", "rw,size=65540k", ["size=64m for size=65540k"]),
        ("size=64m", "rw", ["size=64m for size=the default"]),
        ("mode=0700", "rw,mode=755", ["mode=0700 for mode=755"]),
        ("noatime", "rw,relatime", ["noatime for relatime"]),
        ("ro", "rw", ["ro for rw"]),
        ("rw", "ro", ["rw for ro"]),
        ("exec", "rw,noexec", ["exec for noexec"]),
        ("defaults", "rw,nosuid,noexec", ["suid for nosuid", "exec for noexec"]),
        ("relatime", "rw,noatime", ["relatime for noatime"]),
        ("strictatime", "rw,relatime", ["strictatime for relatime"]),
        ("defaults", "rw,noatime,sync", ["relatime for noatime", "async for sync"]),
        ("strictatime", "rw,noatime", ["strictatime for noatime"]),
        ("dirsync", "rw", ["dirsync for no dirsync"]),
    ],
)
def test_another_meaning_is_a_difference_that_names_both(declared: str, live: str, expected: list[str]) -> None:
    assert differences(declared, live) == expected


def test_options_of_a_disk_file_system_are_compared_where_they_show() -> None:
    live = "rw,noatime,attr2,inode64,logbsize=256k,noquota"
    assert differences("noatime,logbsize=262144,inode64", live, "xfs") == []
    found = differences("noatime,logbsize=32k,quota", live, "xfs")
    assert found == ["logbsize=32k for logbsize=256k", "quota for noquota"]


def test_a_bind_takes_over_the_flags_of_what_it_shows() -> None:
    assert compare("none", ["bind"], ["rw", "nodev", "noexec"]).differences == ()
    assert compare("none", ["bind", "ro"], ["rw", "nodev"]).differences == (("ro", "rw"),)


def test_what_the_kernel_does_not_show_is_told_and_not_guessed() -> None:
    found = compare("xfs", ["nofail", "largeio", "x-systemd.device-timeout=10s", "allocsize=1g"], ["rw"])
    assert found == Comparison((), ("largeio", "x-systemd.device-timeout=10s", "allocsize=1g"))
    assert compare("tmpfs", ["size=50%"], ["rw"]).unseen == ("size=50%",)


def test_a_remount_leaves_out_what_is_not_the_kernels_and_takes_back_what_nobody_declared() -> None:
    declared = ["size=128m", "nofail", "_netdev", "x-team=ml", "defaults", "nodev"]
    assert for_remount(declared, ["rw", "noexec", "nodev"]) == "remount,size=128m,nodev,exec"
    assert for_remount(["ro"], ["ro"]) == "remount,ro"
    assert for_remount(["relatime"], ["rw", "noatime"]) == "remount,atime,relatime"
    assert for_remount(["defaults"], ["rw", "noatime"]) == "remount,atime,relatime"
    assert for_remount(["atime"], ["rw", "noatime"]) == "remount,atime,relatime"
