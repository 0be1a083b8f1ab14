"""The two files of a cpufreq policy."""

from __future__ import annotations

from raceway.facts.governor import parse_policy


def test_a_policy_is_its_governor_and_what_the_driver_offers() -> None:
    found = parse_policy("schedutil\n", "performance schedutil \n")
    assert (found.governor, found.offered) == ("schedutil", ("performance", "schedutil"))


def test_a_driver_that_offers_nothing_has_an_empty_list() -> None:
    assert parse_policy("powersave\n", "").offered == ()
