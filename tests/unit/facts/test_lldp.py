"""Output of lldpctl: JSON of today and of older versions, plain text, errors, and pieces of them."""

from __future__ import annotations

import json

import pytest

from raceway.facts.lldp import Lldp, Neighbour, parse

from ..builders import CASES

LEAF = Neighbour("ens1f0np0", "leaf1", "swp1", 9216)


def _read(name: str) -> Lldp:
    return parse((CASES / "lldp" / name).read_text(encoding="utf-8"))


def test_every_neighbour_is_read_with_its_largest_frame() -> None:
    found = _read("normal.json")
    assert found.problem == "" and found.neighbours[:2] == (LEAF, Neighbour("ens2f0np0", "leaf2", "swp1", 1518))


def test_a_neighbour_that_names_no_frame_size_and_no_system_has_an_unknown_size_and_its_chassis_id() -> None:
    assert _read("normal.json").of("eno1") == (Neighbour("eno1", "00:1c:73:00:00:07", "7", None),)


def test_a_single_interface_is_an_object_and_no_list() -> None:
    assert _read("one_interface.json") == Lldp((Neighbour("eno1", "router", "ge-1/0/1", 9192),))


def test_the_older_form_in_which_everything_is_a_list_says_the_same() -> None:
    assert _read("older_lists.json") == Lldp((LEAF,))


def test_plain_text_says_the_same() -> None:
    found = _read("plain.txt")
    assert found.problem == "" and found.neighbours == (LEAF, Neighbour("eno1", "00:1c:73:00:00:07", "7", None))


def test_two_neighbours_of_one_interface_are_both_told() -> None:
    heard = [("a", "9216"), ("b", "1518")]
    rows = [{"eth0": {"chassis": {name: {"id": {}}}, "port": {"mfs": frame}}} for name, frame in heard]
    text = json.dumps({"lldp": {"interface": rows}})
    assert [(one.name, one.max_frame) for one in parse(text).of("eth0")] == [("a", 9216), ("b", 1518)]


def test_an_agent_that_heard_nothing_is_no_problem() -> None:
    assert _read("nothing_heard.json") == Lldp()
    assert parse("---\nLLDP neighbors:\n---\n") == Lldp()


def test_json_that_was_cut_off_gives_the_whole_neighbours_before_the_cut() -> None:
    found = _read("truncated.json")
    assert found.neighbours == (LEAF,) and "cut off or damaged after 1" in found.problem


def test_half_a_number_is_no_frame_size() -> None:
    found = _read("truncated.txt")
    assert found.neighbours == (Neighbour("ens1f0np0", "leaf1", "swp1", None),)
    assert "cut off: MFS of ens1f0np0" in found.problem


def test_an_agent_that_does_not_run_is_a_problem_in_its_own_words() -> None:
    found = _read("error.txt")
    assert found.neighbours == () and "unable to connect to socket" in found.problem


@pytest.mark.parametrize(("text", "told"), [("", "printed nothing"), ("hello\n", "no output of lldpctl: hello")])
def test_silence_and_other_text_give_no_neighbour(text: str, told: str) -> None:
    assert parse(text).neighbours == () and told in parse(text).problem


def test_json_of_another_tool_is_a_problem() -> None:
    assert parse('[{"ifname": "eth0"}]').problem != ""
