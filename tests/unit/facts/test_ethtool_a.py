"""Output of ``ethtool -a``, as text and as JSON."""

from __future__ import annotations

from raceway.facts.ethtool_a import Pause, parse

from ..builders import CASES


def _read(name: str) -> Pause:
    return parse((CASES / "ethtool_a" / name).read_text(encoding="utf-8"))


def test_link_pause_that_is_on_is_seen() -> None:
    assert _read("normal.txt") == Pause("eth2", autonegotiate=False, rx=True, tx=True)


def test_what_was_negotiated_is_kept_apart_in_both_forms() -> None:
    wanted = Pause("eth2", autonegotiate=True, rx=True, tx=True, rx_negotiated=False, tx_negotiated=False)
    assert _read("negotiated.txt") == _read("normal.json") == wanted


def test_a_value_that_is_cut_off_is_unknown_and_not_off() -> None:
    found = _read("truncated.txt")
    assert (found.autonegotiate, found.rx, found.tx) == (False, None, None)
    assert found.problem == "cut off: in 'RX: o'; cut off: RX; cut off: TX"


def test_errors_silence_and_foreign_text_give_no_value() -> None:
    assert _read("error.txt").problem == "Cannot get device pause settings: Operation not supported"
    assert _read("localised_error.txt").problem.startswith("netlink error")
    assert _read("empty.txt").problem == "printed nothing"
    for text in ("RX: on\n", '{"a": 1}', "[{", "hello"):
        assert parse(text).problem and parse(text).rx is None
