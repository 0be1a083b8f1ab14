"""The record survives a round trip and a torn write, and says what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.lab import record
from raceway.lab.record import Vm

from .builders import make_record


def test_a_record_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    saved = make_record(machines=({"name": "node1", "taints": ["a=b:NoSchedule"]},), machines_from="given")
    record.save(tmp_path / "lab" / "lab.json", saved)
    assert record.load(tmp_path / "lab" / "lab.json") == saved


def test_vms_come_back_too_and_a_record_from_before_there_were_any_is_read(tmp_path: Path) -> None:
    path = tmp_path / "lab.json"
    saved = make_record(nodes=(), ports={"etcd": 26000}, vms=(Vm("vmlab-1", 26040),))
    record.save(path, saved)
    assert record.load(path) == saved
    assert saved.reserved_ports == {26000, 26040}
    raw = json.loads(path.read_text())
    del raw["vms"]
    path.write_text(json.dumps(raw))
    found = record.load(path)
    assert found
    assert found.vms == ()


def test_a_record_is_for_its_owner_alone(tmp_path: Path) -> None:
    record.save(tmp_path / "lab" / "lab.json", make_record())
    assert (tmp_path / "lab" / "lab.json").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "lab").stat().st_mode & 0o777 == 0o700


def test_no_record_is_no_lab(tmp_path: Path) -> None:
    assert record.load(tmp_path / "lab.json") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 1, "nodes": [{"x": 1}], "machines": []}'])
def test_a_record_that_cannot_be_read_names_its_file_and_the_way_out(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lab.json"
    path.write_text(text)
    with pytest.raises(RacewayError, match=r"lab\.json.*raceway lab down"):
        record.load(path)


def test_a_record_of_another_format_is_not_guessed_at(tmp_path: Path) -> None:
    record.save(tmp_path / "lab.json", make_record())
    raw = json.loads((tmp_path / "lab.json").read_text())
    (tmp_path / "lab.json").write_text(json.dumps({**raw, "format": 9}))
    with pytest.raises(RacewayError, match="format 9"):
        record.load(tmp_path / "lab.json")


def test_a_failed_write_leaves_the_old_record_and_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lab.json"
    record.save(path, make_record())
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        record.save(path, make_record(subnet="10.213.9.0/24"))
    assert record.load(path) == make_record()
    assert [entry.name for entry in tmp_path.iterdir()] == ["lab.json"]


@pytest.mark.parametrize("name", ["", "Lab", "a_b", "-a", "a-", "a" * 33, "a/b", "a b"])
def test_a_name_that_could_not_name_a_container_is_refused(name: str) -> None:
    with pytest.raises(RacewayError, match="--name"):
        record.new(name)


def test_two_labs_never_share_an_id() -> None:
    assert record.new("a").id != record.new("a").id


def test_an_unreadable_lab_reserves_nothing_and_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    record.save(tmp_path / "labs" / "good" / "lab.json", make_record(name="good"))
    (tmp_path / "labs" / "bad").mkdir()
    (tmp_path / "labs" / "bad" / "lab.json").write_text("{")
    assert [one.name for one in record.all_records()] == ["good"]
