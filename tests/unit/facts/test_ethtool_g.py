"""Output of ``ethtool -g``, as text and as JSON."""

from __future__ import annotations

from raceway.facts.ethtool_g import Ring, Rings, parse

from ..builders import CASES


def _read(name: str) -> Rings:
    return parse((CASES / "ethtool_g" / name).read_text(encoding="utf-8"))


def test_maximum_and_current_sizes_are_told_apart_in_both_forms() -> None:
    text, data = _read("normal.txt"), _read("normal.json")
    assert text.maximum == data.maximum == Ring(rx=8192, tx=8192)
    assert text.current == data.current == Ring(rx=1024, tx=1024)
    assert (text.interface, text.other["CQE Size"], data.other["cqe-size"]) == ("eth2", "64", "64")
    assert text.problem == data.problem == ""


def test_an_older_tool_prints_zero_where_a_device_has_no_such_ring() -> None:
    found = _read("older.txt")
    assert found.maximum == Ring(4096, 0, 0, 4096) and found.current == Ring(256, 0, 0, 256)


def test_a_missing_block_is_unknown_and_not_zero() -> None:
    found = _read("truncated.txt")
    assert found.maximum.rx == 8192 and found.current == Ring()
    assert found.problem == "cut off: Current hardware settings"


def test_errors_silence_and_foreign_text_give_no_size() -> None:
    assert _read("error.txt").problem == "Cannot get device ring settings: Operation not supported"
    assert _read("localised_error.txt").problem.startswith("netlink error")
    assert _read("empty.txt").problem == "printed nothing"
    for text in ("RX: 7\nTX: 8\n", '{"a": 1}', "[{"):
        assert parse(text).problem and parse(text).current == Ring()
