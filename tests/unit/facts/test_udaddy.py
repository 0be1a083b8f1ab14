"""What udaddy says: complete or not; it returns 0 where nothing was reached, so its words count."""

from __future__ import annotations

from raceway.facts.udaddy import Udaddy, parse

from ..builders import CASES


def read(name: str) -> Udaddy:
    return parse((CASES / "udaddy" / name).read_text(encoding="utf-8"))


def test_complete_transfers_are_complete_on_both_sides() -> None:
    assert read("normal.txt") == Udaddy(True, 0) and read("older_server.txt") == Udaddy(True, 0)


def test_a_peer_that_was_not_reached_is_a_problem_though_it_returns_0() -> None:
    facts = read("error_unreachable_and_exit_0.txt")
    assert (facts.complete, facts.status) == (False, 0) and "UNREACHABLE, error: -110" in facts.problem


def test_an_early_end_and_a_foreign_language_are_problems() -> None:
    assert not read("truncated.txt").complete and "cut off" in read("truncated.txt").problem
    assert "Kein passendes Gerät" in read("localised_error.txt").problem
    assert "before the data transfers were complete" in parse("udaddy: connecting\n").problem
