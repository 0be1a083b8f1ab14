"""Both generations of control groups will do; what a host lacks is told in one message."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab.kube import needs

STATUS = "Name:\tx\nCapBnd:\t{}\n"


def make_host(root: Path, *, v2: str = "", v1: str = "", files: str = "nodev\toverlay\nnodev\ttmpfs\n\text4\n") -> Path:
    (root / "proc/self").mkdir(parents=True)
    (root / "proc/filesystems").write_text(files)
    (root / "proc/meminfo").write_text("MemTotal:       24649016 kB\nMemFree: 1 kB\n")
    (root / "proc/self/status").write_text(STATUS.format("000001fffeffffff"))
    groups = root / "sys/fs/cgroup"
    groups.mkdir(parents=True)
    for name in v1.split():
        (groups / name).mkdir()
    if v2:
        (groups / "cgroup.controllers").write_text(v2 + "\n")
    return root


V1 = "cpu,cpuacct cpuset memory pids devices freezer blkio systemd"


def test_a_host_of_either_generation_passes(tmp_path: Path) -> None:
    needs.check(make_host(tmp_path / "one", v1=V1))
    needs.check(make_host(tmp_path / "two", v2="cpuset cpu io memory hugetlb pids"))


def test_everything_that_is_missing_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(RacewayError) as caught:
        needs.check(make_host(tmp_path, v1=V1.replace("memory ", ""), files="nodev\ttmpfs\n"))
    assert "the file system overlay, the control-group controller memory" in str(caught.value)
    with pytest.raises(RacewayError, match="controller pids"):
        needs.check(make_host(tmp_path / "two", v2="cpuset cpu io memory"))


def test_the_host_is_seen_as_it_is(tmp_path: Path) -> None:
    seen = needs.Host.seen(make_host(tmp_path / "one", v1=V1))
    assert (seen.cgroup, seen.may_raise_limits, seen.memory_gib) == (1, False, 23)
    other = make_host(tmp_path / "two", v2="cpu")
    (other / "proc/self/status").write_text(STATUS.format("000001ffffffffff"))
    assert (needs.Host.seen(other).cgroup, needs.Host.seen(other).may_raise_limits) == (2, True)
