"""The bundle as bytes: the manifest stands first, agrees with the files, and what does not fit is told."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tarfile

from raceway.evidence.manifest import FAILED, LEFT_OUT, MISSING, ROOM, Row, fit, manifest, pack


def opened(archive: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]


def test_the_manifest_is_the_first_file_and_holds_every_row_with_its_checksum() -> None:
    rows = [Row("a.txt", "tool a", data=b"hello"), Row("b.txt", "tool b", MISSING, "tool b: not found")]
    files = opened(pack(rows, manifest(rows, {"host": "gpu01"}), "gpu01", 1_700_000_000))
    assert list(files) == ["gpu01/manifest.json", "gpu01/a.txt"]
    data = json.loads(files["gpu01/manifest.json"])
    assert (data["format"], data["host"]) == (1, "gpu01")
    assert data["items"] == [
        {
            "path": "a.txt",
            "source": "tool a",
            "status": "ok",
            "bytes": 5,
            "sha256": hashlib.sha256(b"hello").hexdigest(),
        },
        {"path": "b.txt", "source": "tool b", "status": "missing", "reason": "tool b: not found"},
    ]


def test_a_failed_command_has_its_reason_and_what_it_printed() -> None:
    (entry,) = manifest([Row("a", "x", FAILED, "exit 1: no", b"half", {"seconds": 1.5})], {})["items"]
    assert (entry["reason"], entry["bytes"], entry["seconds"]) == ("exit 1: no", 4, 1.5)


def test_what_does_not_fit_is_left_out_and_told_and_smaller_things_behind_it_still_come() -> None:
    noise = os.urandom(50_000)
    rows = fit(
        [Row("first", "x", data=noise), Row("second", "x", data=noise), Row("third", "x", data=b"y")], ROOM + 60_000
    )
    assert [row.status for row in rows] == ["ok", LEFT_OUT, "ok"]
    assert rows[1].data is None and "do not fit" in rows[1].reason


def test_a_full_bundle_is_within_its_size() -> None:
    rows = fit([Row(f"{number}", "x", data=os.urandom(20_000)) for number in range(40)], 500_000)
    assert any(row.status == LEFT_OUT for row in rows)
    assert len(pack(rows, manifest(rows, {}), "n", 0)) <= 500_000


def test_text_is_counted_as_it_is_packed() -> None:
    rows = fit([Row("text", "x", data=b"the same line\n" * 100_000)], ROOM + 10_000)
    assert rows[0].status == "ok"
