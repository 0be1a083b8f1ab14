"""From variables to a request and a file: typed, refused all at once, written whole and for its owner alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.diagnose import settings
from raceway.errors import RacewayError


def test_defaults_fill_in_and_words_of_a_command_line_are_read_as_numbers() -> None:
    found = settings.values({"diagnose_interval_s": "3", "diagnose_hide_addresses": "yes"}, "gpu01")
    assert (found["diagnose_interval_s"], found["diagnose_hide_addresses"]) == (3, True)
    assert found["diagnose_folder"] == "out/diagnose"
    assert set(found) == set(settings.variables())


def test_all_mistakes_are_told_in_one_message() -> None:
    with pytest.raises(RacewayError) as caught:
        settings.values({"diagnose_interval_s": "soon", "diagnose_captures": ["rcoe"]}, "gpu01")
    assert "gpu01" in str(caught.value)
    assert "diagnose_interval_s" in str(caught.value) and "diagnose_captures" in str(caught.value)


def test_a_rule_of_the_role_is_told_too() -> None:
    with pytest.raises(RacewayError, match="diagnose_size_mib: 65"):
        settings.values({"diagnose_size_mib": 65}, "gpu01")


def test_the_request_names_host_and_program() -> None:
    sent = settings.request(settings.values({}, "gpu01"), "gpu01", "abc")
    assert sent["mode"] == "evidence"
    assert (sent["evidence"]["about"]["host"], sent["evidence"]["about"]["program"]) == ("gpu01", "abc")


def test_a_bundle_is_named_by_host_and_time_and_no_name_leaves_the_folder() -> None:
    found = {"diagnose_folder": "out/diagnose"}
    assert settings.place(found, "gpu01", 0) == Path("out/diagnose/gpu01-19700101T000000Z.tar.gz")
    assert settings.place(found, "../../etc/x", 0).parent == Path("out/diagnose")


def test_a_bundle_is_written_whole_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.tar.gz"
    settings.write(path, b"abc")
    assert path.read_bytes() == b"abc"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [one.name for one in path.parent.iterdir()] == ["a.tar.gz"]
