"""One small member of an archive: found wherever it stands, and a file that is no archive is told."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from raceway.host import Host
from raceway.host.archive import member

NAMES = ("manifest.json", "index.json")


def make_archive(path: Path, **members: str) -> Host:
    with tarfile.open(path, "w") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(name.replace("_", "."))
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return Host(str(path.parent))


def test_the_order_of_the_names_decides_and_not_that_of_the_archive(tmp_path: Path) -> None:
    host = make_archive(tmp_path / "a.tar", index_json="{}", layer_tar="x" * 10000, manifest_json="[]")
    assert member(host, "/a.tar", NAMES) == ("manifest.json", "[]", "")


def test_an_archive_of_something_else_is_told(tmp_path: Path) -> None:
    host = make_archive(tmp_path / "a.tar", readme_txt="x")
    assert member(host, "/a.tar", NAMES)[2] == "holds none of manifest.json, index.json: no archive of images"


def test_a_compressed_archive_is_told(tmp_path: Path) -> None:
    host = make_archive(tmp_path / "a.tar", manifest_json="[]")
    (tmp_path / "a.gz").write_bytes(gzip.compress((tmp_path / "a.tar").read_bytes()))
    assert member(host, "/a.gz", NAMES) == ("", None, "is no uncompressed tar archive")


def test_an_archive_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert member(Host(str(tmp_path)), "/a.tar", NAMES) == ("", None, "is not there")
