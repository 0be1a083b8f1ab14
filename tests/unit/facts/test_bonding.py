"""``/proc/net/bonding/X``: the mode, the member that sends, and whether each member's link is used."""

from __future__ import annotations

from raceway.facts.bonding import BondingFacts, Member, parse

from ..builders import CASES


def _read(name: str) -> BondingFacts:
    return parse((CASES / "bonding" / name).read_text(encoding="utf-8"))


def test_a_member_without_a_link_is_seen_and_the_other_sends() -> None:
    found = _read("normal.txt")
    assert (found.active, found.up, found.polling_ms) == ("ens1f0np0", True, 100)
    good, bad = Member("ens1f0np0", True, 0, "b8:3f:d2:00:00:01"), Member("ens1f1np1", False, 3, "b8:3f:d2:00:00:02")
    assert found.members == (good, bad) and found.problem == ""


def test_lacp_has_no_member_that_sends_alone() -> None:
    found = _read("older.txt")
    assert found.active == "" and [one.name for one in found.members] == ["eth2"] and found.problem == ""
    assert found.mode == "IEEE 802.3ad Dynamic link aggregation"


def test_a_member_that_is_cut_off_is_told_and_never_taken_for_down() -> None:
    assert _read("truncated.txt").problem == "ens1f0np0: its part is cut off"
    cut = parse("Bonding Mode: x\nMII Status: up\nSlave Interface: a\n")
    assert cut.members[0].up is None and cut.problem
