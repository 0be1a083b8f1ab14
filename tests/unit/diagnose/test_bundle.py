"""A bundle is a file from outside: read within limits, checked against its manifest, refused in one message."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from raceway.diagnose import bundle
from raceway.diagnose.bundle import read
from raceway.errors import RacewayError
from raceway.evidence.manifest import Row

from .builders import make_bundle, make_change


def make_tar(path: Path, **files: bytes) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"x/{name.replace('_', '.')}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return path


def test_a_bundle_is_read_without_unpacking_it(tmp_path: Path) -> None:
    path = make_bundle(tmp_path / "b.tar.gz", make_change("node/x"), rows=(Row("a/b.txt", "x", data=b"text"),))
    found = read(path)
    assert (found.manifest["host"], found.text("a/b.txt"), found.text("none"), found.damaged) == (
        "gpu01",
        "text",
        "",
        (),
    )
    assert found.deltas["changes"][0]["counter"] == "node/x"
    assert [one.name for one in tmp_path.iterdir()] == ["b.tar.gz"]


def test_a_file_that_is_not_what_the_manifest_says_is_told(tmp_path: Path) -> None:
    path = make_bundle(tmp_path / "b.tar.gz", rows=(Row("a.txt", "x", data=b"text"), Row("c.txt", "x", data=b"t")))
    with tarfile.open(path) as tar:
        files = {one.name: tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            if not name.endswith("c.txt"):
                info = tarfile.TarInfo(name)
                other = b"othe" if name.endswith("a.txt") else content
                info.size = len(other)
                tar.addfile(info, io.BytesIO(other))
    assert read(path).damaged == (
        "c.txt is in the manifest and not in the bundle",
        "a.txt is not what the manifest says",
    )


def test_what_is_no_bundle_is_refused_with_the_next_act(tmp_path: Path) -> None:
    whole = make_bundle(tmp_path / "b.tar.gz", rows=(Row("a.txt", "x", data=b"text" * 10_000),)).read_bytes()
    (tmp_path / "text").write_text("hello")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    make_tar(tmp_path / "other", readme_txt=b"x")
    make_tar(tmp_path / "list", manifest_json=b"[]")
    for name in ("text", "empty", "cut", "other", "list"):
        with pytest.raises(RacewayError, match=r"playbooks/diagnose\.yml"):
            read(tmp_path / name)


def test_a_bundle_of_another_format_says_so(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="format 9"):
        read(make_tar(tmp_path / "b", manifest_json=b'{"format": 9, "items": []}'))


def test_a_bundle_beyond_the_limits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "LARGEST_FILE", 3)
    with pytest.raises(RacewayError, match="beyond what a bundle holds"):
        read(make_bundle(tmp_path / "b.tar.gz"))


def test_links_and_devices_in_a_bundle_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "b"
    with tarfile.open(path, "w:gz") as tar:
        content = b'{"format": 1, "items": []}'
        info = tarfile.TarInfo("x/manifest.json")
        info.size = len(content)
        tar.addfile(info, io.BytesIO(content))
        link = tarfile.TarInfo("x/passwd")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert set(read(path).files) == {"manifest.json"}
