"""A file that says nothing of any port is an error on every platform, never a switch without mismatches."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from raceway.errors import RacewayError
from raceway.switch.check import check
from raceway.switch.model import PLATFORMS
from raceway.switch.parse import FETCH, parse

from ..builders import golden, make_switch


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("text", ["", " \n\n", "{}", "% Invalid input detected at '^' marker.\n", "nonsense\n", "\0\1"])
def test_a_file_without_a_port_is_refused_by_name(platform: str, text: str) -> None:
    with pytest.raises(RacewayError, match=r"^leaf01\.txt: ."):
        parse(platform, text, "leaf01.txt")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_refusal_of_an_empty_file_names_the_command_to_fetch_it_with(platform: str) -> None:
    with pytest.raises(RacewayError) as caught:
        parse(platform, "", "f")
    assert FETCH[platform] in caught.value.act


@pytest.mark.parametrize("platform", ["cumulus", "eos", "nxos"])
@pytest.mark.parametrize("part", [0.5, 0.9, 0.97])
def test_a_file_that_was_cut_off_is_refused_or_has_mismatches(platform: str, part: float) -> None:
    text = golden(platform)
    cut = text[: int(len(text) * part)]
    try:
        running = parse(platform, cut, "f")
    except RacewayError:
        running = {}
    assert check(make_switch(platform), running)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_line_ends_of_another_system_change_nothing(platform: str) -> None:
    assert parse(platform, golden(platform).replace("\n", "\r\n"), "f") == parse(platform, golden(platform), "f")


@pytest.mark.parametrize("platform", PLATFORMS)
def test_whatever_happens_to_a_file_it_is_read_or_refused(platform: str) -> None:
    dice = random.Random(7)
    whole = golden(platform)
    outcomes = Counter[str]()
    for _ in range(150):
        lines = whole.splitlines(keepends=True)
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(lines))
            spoilt = [lines[at][: dice.randint(0, len(lines[at]))] + dice.choice(["\n", "{", "'", " -1\n", "9" * 5000])]
            lines[at : at + 1] = dice.choice([[], [lines[at]] * 2, spoilt])
        try:
            check(make_switch(platform), parse(platform, "".join(lines), "f"))
            outcomes["read"] += 1
        except RacewayError as error:
            assert str(error).startswith("f")
            outcomes["refused"] += 1
    assert outcomes["read"] > 10


@pytest.mark.parametrize(
    ("platform", "text"), [("sonic", "[" * 100_000), ("eos", "\n".join(" " * n + "x" for n in range(5000)))]
)
def test_a_file_that_is_nested_without_end_is_refused(platform: str, text: str) -> None:
    with pytest.raises(RacewayError, match="nested far too deeply"):
        parse(platform, text, "f")
