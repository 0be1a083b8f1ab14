"""The kernel's mount table and /etc/fstab: octal escapes, optional fields, covered mounts, binds."""

from __future__ import annotations

import pytest

from raceway.facts.mount import FstabLine, covering, parse_fstab, parse_mountinfo, unescape

INFO = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro
36 27 0:41 / /scratch rw,nosuid,relatime shared:5 master:3 - tmpfs tmpfs rw,size=65536k,inode64
98 27 259:5 / /mnt/with\040blank rw,noatime shared:9 - xfs /dev/mapper/vg-a\134b rw,attr2,inode64
99 27 259:5 /kubelet /var/lib/kubelet rw,noatime shared:9 - xfs /dev/mapper/vg-a rw,attr2
100 27 0:50 / /scratch ro,relatime - tmpfs second ro
101 27 0:60 / /share rw - nfs4 nfs1:/export rw,vers=4.2
garbage line
"""


def test_optional_fields_are_skipped_however_many_there_are() -> None:
    rows = {row.path: row for row in parse_mountinfo(INFO)}
    assert len(rows) == 6
    assert (rows["/proc"].fstype, rows["/"].source) == ("proc", "/dev/nvme0n1p2")
    assert rows["/share"].super == ("rw", "vers=4.2")


def test_octal_escapes_stand_for_the_characters_they_hide() -> None:
    (row,) = parse_mountinfo(INFO, ["/mnt/with blank"])
    assert (row.path, row.source, row.flags) == ("/mnt/with blank", r"/dev/mapper/vg-a\b", ("rw", "noatime"))
    assert unescape(r"a\011b\012") == "a\tb\n"


def test_the_last_of_two_mounts_at_one_path_is_the_one_that_shows() -> None:
    assert [row.source for row in parse_mountinfo(INFO, ["/scratch"])] == ["tmpfs", "second"]


def test_a_mount_is_read_only_if_itself_or_its_file_system_is() -> None:
    first, second = parse_mountinfo(INFO, ["/scratch"])
    assert first.options == ("rw", "nosuid", "relatime", "size=65536k", "inode64")
    assert second.options == ("ro", "relatime")


@pytest.mark.parametrize(
    ("path", "point"),
    [("/var/lib/kubelet/pods", "/var/lib/kubelet"), ("/var/lib/kubelet2", "/"), ("/scratch", "/scratch"), ("/x", "/")],
)
def test_a_path_lies_in_the_longest_mount_above_it(path: str, point: str) -> None:
    found = covering(parse_mountinfo(INFO), path)
    assert found is not None and found.path == point


def test_fstab_lines_keep_their_number_and_swap_is_no_mount() -> None:
    text = "# comment\nUUID=9 / ext4 defaults 0 1\n\n/dev/md0\t/mnt/a\\040b/ xfs nofail\nUUID=8 none swap sw 0 0\nbad\n"
    assert parse_fstab(text) == (FstabLine("/", "UUID=9", 2), FstabLine("/mnt/a b", "/dev/md0", 4))
