"""Reading mounts from the kernel's table and the tree; a mounted folder is never entered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.facts.mount import Device, MountFacts
from raceway.host import Ledger
from raceway.model.mount import parse
from raceway.probe.mount import mounted, probe

from ..builders import FakeHost, make_tree

ETC = "/etc/systemd/system/"
INFO = """1 0 259:1 / / rw - ext4 /dev/vda1 rw
36 1 0:41 / /share rw - nfs4 n:/x rw
40 1 259:5 / /t rw - xfs /dev/x rw
"""


def make_mount(path: str, source: str = "tmpfs", fstype: str = "tmpfs", options: str = "") -> dict[str, str]:
    return {"path": path, "source": source, "fstype": fstype, "options": options}


def read(root: Path, files: dict[str, str], *rows: dict[str, str], owned: dict[str, Any] | None = None) -> MountFacts:
    host = FakeHost(make_tree(root, {"/proc/self/mountinfo": INFO, **files}))
    Ledger(host).remember_all("mount", owned or {})
    facts = probe(host, parse({"mounts": list(rows)}), Ledger(host))
    assert host.calls == []
    return facts


def test_a_mounted_path_is_never_looked_at_since_a_share_may_hang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[str] = []
    for name in ("stat", "listdir", "readlink", "exists"):
        real = getattr(FakeHost, name)
        monkeypatch.setattr(
            FakeHost,
            name,
            lambda self, path, real=real: touched.append(path) or real(self, path),  # type: ignore[func-returns-value]
        )
    rows = [make_mount("/share", "n:/x", "nfs"), make_mount("/share/sub/x")]
    facts = read(tmp_path, {}, rows[0], owned={"/share": {}})
    assert facts.points["/share"].mounted is not None
    assert not [path for path in touched if path.startswith("/share")]


def test_a_given_up_share_counts_as_full_without_being_entered(tmp_path: Path) -> None:
    assert read(tmp_path, {"/share/x": ""}, owned={"/share": {}}).points["/share"].entries == 1


def test_an_unmounted_point_is_described(tmp_path: Path) -> None:
    tree = {"/full/a": "", "/full/lost+found/x": "", "/link": "-> full", "/file": ""}
    names = ("/full", "/link/in", "/file", "/new/deep")
    points = read(tmp_path, tree, *[make_mount(name) for name in names]).points
    assert (points["/full"].kind, points["/full"].entries) == ("dir", 1)
    assert points["/link/in"].link == "/link"
    assert points["/file"].kind == "file"
    assert points["/new/deep"].missing == ("/new/deep", "/new")


def test_the_unit_its_link_and_its_place_in_the_boot_are_read(tmp_path: Path) -> None:
    tree = {
        ETC + "a.mount": "text",
        ETC + "local-fs.target.wants/a.mount": "-> ../a.mount",
        ETC + "b.mount": "-> /dev/null",
    }
    points = read(tmp_path, tree, make_mount("/a"), make_mount("/b")).points
    assert (points["/a"].unit, points["/a"].enabled, points["/a"].unit_link) == ("text", True, None)
    assert (points["/b"].unit, points["/b"].enabled, points["/b"].unit_link) == (None, False, "/dev/null")


def test_a_disk_is_followed_from_its_uuid_to_its_number(tmp_path: Path) -> None:
    tree = {
        "/dev/disk/by-uuid/1-2": "-> ../../nvme1n1p1",
        "/dev/nvme1n1p1": "",
        "/sys/class/block/nvme1n1p1/dev": "259:5\n",
        "/dev/disk/by-uuid/loop": "-> loop",
    }
    sources = {"/a": "UUID=1-2", "/b": "UUID=none", "/c": "UUID=loop"}
    points = read(tmp_path, tree, *[make_mount(path, source, "xfs") for path, source in sources.items()]).points
    assert points["/a"].device == Device("/dev/nvme1n1p1", "259:5")
    assert points["/b"].device is None
    assert points["/c"].device is None


def test_a_bind_knows_the_mount_its_source_lies_in(tmp_path: Path) -> None:
    point = read(tmp_path, {}, make_mount("/k", "/t/kubelet", "none", "bind")).points["/k"]
    assert point.bind_source is not None and point.bind_source.path == "/t"


def test_fstab_is_read_and_without_mounts_nothing_is(tmp_path: Path) -> None:
    assert read(tmp_path, {"/etc/fstab": "UUID=9 / ext4\n"}, make_mount("/a")).fstab[0].path == "/"
    assert read(tmp_path, {}) == MountFacts()


def test_mounted_tells_what_shows_now(tmp_path: Path) -> None:
    host = FakeHost(make_tree(tmp_path, {"/proc/self/mountinfo": INFO}))
    now = mounted(host, "/share")
    assert now is not None and now.fstype == "nfs4"
    assert mounted(host, "/nope") is None
