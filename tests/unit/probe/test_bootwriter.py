"""Lines of tmpfiles.d in the order systemd reads them."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Host
from raceway.probe.bootwriter import tmpfiles

from ..builders import make_tree


def test_write_lines_come_by_file_name_with_etc_over_usr(tmp_path: Path) -> None:
    files = {
        "/usr/lib/tmpfiles.d/a.conf": "w /sys/a - - - - usr\n",
        "/etc/tmpfiles.d/a.conf": "w /sys/a - - - - etc\n",
        "/run/tmpfiles.d/0.conf": "w /sys/a - - - - run\n",
        "/etc/tmpfiles.d/README": "w /sys/a - - - - no\n",
    }
    assert [row.value for row in tmpfiles(Host(str(make_tree(tmp_path, files))))] == ["run", "etc"]
