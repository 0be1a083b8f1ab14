"""A step that is refused holds back what would be half a state without it, and nothing else."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

from raceway.node import program

from ..requests import make_request, units
from ..systemd import SERVICE, SystemdHost

KEY = "proc/sys/net/core/somaxconn"


class ReadOnlyEtc(SystemdHost):
    """A machine on which nothing below /etc can be written."""

    def write(self, path: str, *args: Any, **kwargs: Any) -> None:
        if path.startswith("/etc/"):
            raise OSError(errno.EROFS, "Read-only file system", path)
        super().write(path, *args, **kwargs)


def make_sysctl_request() -> dict[str, Any]:
    return make_request(sysctl={"settings": [{"key": "net.core.somaxconn", "value": "8192"}]})


def make_kernel(root: Path) -> Path:
    key = root / KEY
    key.parent.mkdir(parents=True)
    key.write_text("4096\n")
    return key


def test_a_live_value_is_not_set_when_its_file_cannot_be_written(tmp_path: Path) -> None:
    key = make_kernel(tmp_path)

    answer = program.run(make_sysctl_request(), ReadOnlyEtc(tmp_path))

    assert key.read_text() == "4096\n"
    assert answer["applied"] == []
    told = {row["target"]: row["reason"] for row in answer["refused"]}
    assert "Read-only file system" in told["/etc/sysctl.d/90-raceway.conf"]
    assert "/etc/sysctl.d/90-raceway.conf was refused" in told["net.core.somaxconn"]


def test_the_same_value_is_set_when_its_file_can_be_written(tmp_path: Path) -> None:
    key = make_kernel(tmp_path)
    answer = program.run(make_sysctl_request(), SystemdHost(tmp_path))
    assert (key.read_text(), answer["refused"]) == ("8192\n", [])


def test_a_unit_whose_file_cannot_be_written_is_not_started_and_says_why(tmp_path: Path) -> None:
    unit = {"name": "x.service", "content": SERVICE, "enabled": True, "state": "started"}

    answer = program.run(make_request(unit=units(unit)), ReadOnlyEtc(tmp_path))

    assert answer["applied"] == []
    reasons = [row["reason"] for row in answer["refused"]]
    assert "Read-only file system" in reasons[0]
    assert len(reasons) == 3 and all("was refused" in reason for reason in reasons[1:])
