"""An archive is what ``docker save`` writes, holds what was put in, and is the same bytes every time."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile
from pathlib import Path
from typing import Any

import pytest

from raceway.lab.kube import archive
from raceway.lab.kube.archive import Image


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program"
    path.write_bytes(b"\x7fELF" * 400)
    path.chmod(0o755)
    return path


@pytest.fixture
def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.tar"
    with tarfile.open(path, "w") as tar:
        tar.addfile(tarfile.TarInfo("etc"))
    return path


def written(*images: Image) -> bytes:
    out = io.BytesIO()
    archive.write(out, images)
    return out.getvalue()


def opened(data: bytes) -> tarfile.TarFile:
    return tarfile.open(fileobj=io.BytesIO(data))


def read(data: bytes, name: str) -> bytes:
    found = opened(data).extractfile(name)
    assert found
    return found.read()


def manifest(data: bytes) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(read(data, "manifest.json"))
    return entries


def test_every_name_in_the_manifest_is_in_the_archive_and_named_by_its_content(program: Path, base: Path) -> None:
    data = written(Image(("example/a:1",), base, (("/usr/bin/a", program),)))
    [entry] = manifest(data)
    assert entry["RepoTags"] == ["example/a:1"]
    assert len(entry["Layers"]) == 2
    for name in (entry["Config"], *entry["Layers"]):
        assert hashlib.sha256(read(data, name)).hexdigest() == name.partition(".")[0]


def test_the_configuration_names_the_layers_in_order_by_their_uncompressed_digest(program: Path, base: Path) -> None:
    data = written(Image(("a:1",), base, (("/a", program),), ("/a",), ("--help",), ("TERM=dumb",)))
    [entry] = manifest(data)
    config = json.loads(read(data, entry["Config"]))
    assert [f"{digest.partition(':')[2]}.tar" for digest in config["rootfs"]["diff_ids"]] == entry["Layers"]
    assert entry["Layers"][0] == f"{hashlib.sha256(base.read_bytes()).hexdigest()}.tar"
    assert (config["architecture"], config["os"]) == ("amd64", "linux")
    assert (config["config"]["Entrypoint"], config["config"]["Cmd"]) == (["/a"], ["--help"])
    assert config["config"]["Env"] == [archive.PATH, "TERM=dumb"]
    assert len(config["history"]) == 2


def test_a_layer_holds_files_and_the_folders_above_them_with_plain_rights(program: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("plain")
    text.chmod(0o640)
    data = written(Image(("a:1",), None, (("/usr/share/a/text", text), ("/usr/bin/a", program))))
    inside = opened(read(data, manifest(data)[0]["Layers"][0]))
    assert [(one.name, oct(one.mode), one.isdir()) for one in inside.getmembers()] == [
        ("usr", "0o755", True),
        ("usr/bin", "0o755", True),
        ("usr/bin/a", "0o755", False),
        ("usr/share", "0o755", True),
        ("usr/share/a", "0o755", True),
        ("usr/share/a/text", "0o644", False),
    ]
    found = inside.extractfile("usr/bin/a")
    assert found
    assert found.read() == program.read_bytes()


def test_the_same_inputs_are_the_same_bytes_whatever_their_dates_and_owner_and_order(
    program: Path, base: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere"
    other.write_bytes(program.read_bytes())
    other.chmod(0o700)
    os.utime(other, (1, 1))
    files = (("/b", program), ("/a", program))
    again = (("/a", other), ("/b", other))
    assert written(Image(("a:1",), base, files)) == written(Image(("a:1",), base, again))
    members = opened(written(Image(("a:1",), base, files))).getmembers()
    assert {(one.mtime, one.uid, one.gid, one.uname) for one in members} == {(0, 0, 0, "")}


def test_a_changed_byte_is_another_image(program: Path) -> None:
    before = manifest(written(Image(("a:1",), None, (("/a", program),))))
    program.write_bytes(program.read_bytes()[:-1] + b"x")
    after = manifest(written(Image(("a:1",), None, (("/a", program),))))
    assert before[0]["Config"] != after[0]["Config"]
    assert before[0]["Layers"] != after[0]["Layers"]


def test_images_on_one_base_share_it(program: Path, base: Path) -> None:
    data = written(Image(("a:1",), base, (("/a", program),)), Image(("b:1", "b:2"), base))
    first, second = manifest(data)
    assert first["Layers"][0] == second["Layers"][0]
    assert second["RepoTags"] == ["b:1", "b:2"]
    names = opened(data).getnames()
    assert len(names) == len(set(names)) == 1 + 2 + 2


def test_the_manifest_stands_in_front_so_that_nobody_reads_gigabytes_to_find_it(base: Path) -> None:
    assert opened(written(Image(("a:1",), base))).next().name == "manifest.json"  # type: ignore[union-attr]


def test_a_file_that_is_not_there_is_an_error_and_no_smaller_image(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        written(Image(("a:1",), None, (("/a", tmp_path / "nothing"),)))
