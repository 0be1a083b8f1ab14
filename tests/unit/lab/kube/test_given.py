"""What lies beside the nodes is linked, told by checksum, and nothing of an older version stays there."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from raceway.lab.kube import given


def make(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_programs_and_archives_are_hard_links_told_by_checksum_and_name(tmp_path: Path) -> None:
    kubelet = make(tmp_path / "cache" / "kubelet", "kubelet")
    node = make(tmp_path / "cache" / "node-abc.tar", "images")
    laid = given.lay(tmp_path / "lab", {"kubelet": kubelet}, {"node": node})
    assert laid.programs == {"kubelet": hashlib.sha256(b"kubelet").hexdigest()}
    assert laid.archives == {"node": "node-abc.tar"}
    assert (tmp_path / "lab" / "bin" / "kubelet").stat().st_ino == kubelet.stat().st_ino
    kubelet.unlink()
    node.unlink()
    assert (tmp_path / "lab" / "images" / "node-abc.tar").read_text() == "images"


def test_a_newer_version_takes_the_place_of_the_older_one(tmp_path: Path) -> None:
    old = make(tmp_path / "old" / "kubelet", "old kubelet")
    new = make(tmp_path / "new" / "kubelet", "new kubelet")
    first = given.lay(tmp_path / "lab", {"kubelet": old}, {"node": make(tmp_path / "node-1.tar", "1")})
    second = given.lay(tmp_path / "lab", {"kubelet": new}, {"node": make(tmp_path / "node-2.tar", "2")})
    assert first.programs != second.programs
    assert (tmp_path / "lab" / "bin" / "kubelet").read_text() == "new kubelet"
    assert [path.name for path in (tmp_path / "lab" / "images").iterdir()] == ["node-2.tar"]
    assert old.read_text() == "old kubelet"


def test_where_links_are_not_possible_copies_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_disk(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", other_disk)
    kubelet = make(tmp_path / "cache" / "kubelet", "kubelet")
    given.lay(tmp_path / "lab", {"kubelet": kubelet}, {})
    copy = (tmp_path / "lab" / "bin" / "kubelet").stat().st_ino
    given.lay(tmp_path / "lab", {"kubelet": kubelet}, {})
    assert (tmp_path / "lab" / "bin" / "kubelet").stat().st_ino == copy != kubelet.stat().st_ino
