"""Who explains the bad cells: a port, a direction of it, or the path of one pair."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from raceway.acceptance.blame import BOTH, RECEIVES, SENDS, Blame, blame
from raceway.acceptance.cells import Cell

NODES = "abcdef"


def make_blame(bad: Callable[[str, str], bool], nodes: str = NODES) -> Blame:
    cells = [Cell(0, 0, "bandwidth", a, b, 1.0, 2.0) for a, b in itertools.permutations(nodes, 2)]
    return blame(cells, [cell for cell in cells if bad(cell.sender, cell.receiver)])


def ends(found: Blame) -> list[tuple[str, str, int]]:
    return [(end.host, end.role, len(cells)) for end, cells, _ in found.ends]


@pytest.mark.parametrize("nodes", ["abc", "abcd", NODES])
def test_a_port_that_is_bad_with_everybody_is_named_by_what_it_does(nodes: str) -> None:
    most = len(nodes) - 1
    assert ends(make_blame(lambda a, _: a == "c", nodes)) == [("c", SENDS, most)]
    assert ends(make_blame(lambda _, b: b == "c", nodes)) == [("c", RECEIVES, most)]
    assert ends(make_blame(lambda a, b: "c" in (a, b), nodes)) == [("c", BOTH, 2 * most)]


@pytest.mark.parametrize("nodes", ["abc", "abcd", NODES])
def test_one_slow_pair_among_good_ones_is_a_path_and_no_node(nodes: str) -> None:
    one_way = make_blame(lambda a, b: (a, b) == ("a", "b"), nodes)
    assert one_way.ends == () and [(c.sender, c.receiver) for c in one_way.paths] == [("a", "b")]
    there_and_back = make_blame(lambda a, b: {a, b} == {"a", "b"}, nodes)
    assert there_and_back.ends == () and len(there_and_back.paths) == 2


def test_two_bad_ports_are_named_and_their_partners_are_not_blamed() -> None:
    assert ends(make_blame(lambda a, b: bool({"b", "e"} & {a, b}))) == [("b", BOTH, 10), ("e", BOTH, 8)]
    assert ends(make_blame(lambda a, b: a == "b" or b == "e")) == [("b", SENDS, 5), ("e", RECEIVES, 4)]


def test_a_bad_port_and_a_bad_path_are_told_apart() -> None:
    found = make_blame(lambda a, b: a == "f" or (a, b) == ("a", "b"))
    assert ends(found) == [("f", SENDS, 5)] and [(c.sender, c.receiver) for c in found.paths] == [("a", "b")]


def test_a_port_that_is_bad_with_most_but_not_all_is_named() -> None:
    assert ends(make_blame(lambda a, b: a == "c" and b != "d")) == [("c", SENDS, 4)]


def test_of_a_single_pair_nobody_is_named() -> None:
    assert make_blame(lambda a, b: (a, b) == ("a", "b"), "ab").ends == ()
    assert make_blame(lambda a, b: True, "ab").ends == ()


def test_nothing_bad_is_nobodys_fault() -> None:
    assert make_blame(lambda a, b: False) == Blame((), ())
