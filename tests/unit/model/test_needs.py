"""Merging of kernel needs: a rule decides or both askers are named; nobody who asked is forgotten."""

from __future__ import annotations

import itertools

import pytest

from raceway.errors import RacewayError
from raceway.model.needs import LIMIT, MODULE, SYSCTL, Merged, Need, merge


def make_need(value: str, asker: str, key: str = "net.core.rmem_max", kind: str = SYSCTL, own: bool = False) -> Need:
    return Need(kind, key, value, asker, f"why of {asker}", own)


def one(*needs: Need) -> Merged:
    (merged,) = merge(needs)
    return merged


def test_the_highest_buffer_limit_wins_and_its_asker_comes_first() -> None:
    merged = one(make_need("4096", "a"), make_need("67108864", "b"))
    assert (merged.value, merged.asked_by) == ("67108864", ("b", "a"))


def test_amounts_are_compared_as_numbers() -> None:
    assert one(make_need("9", "a"), make_need("10", "b")).value == "10"


def test_each_of_three_buffer_sizes_is_merged_on_its_own() -> None:
    key = "net.ipv4.tcp_rmem"
    merged = one(make_need("4096 87380 6291456", "a", key), make_need("8192 65536 16777216", "b", key))
    assert merged.value == "8192 87380 16777216"


def test_unlimited_is_above_every_number() -> None:
    merged = one(make_need("unlimited", "a", "memlock", LIMIT), make_need("1048576", "b", "memlock", LIMIT))
    assert merged.value == "unlimited"


def test_two_different_wishes_without_a_rule_are_an_error_naming_both_askers() -> None:
    key = "net.ipv4.tcp_congestion_control"
    with pytest.raises(RacewayError) as caught:
        merge([make_need("bbr", "role roce", key), make_need("dctcp", "role fabric", key)])
    for word in (key, "'bbr' by role roce", "'dctcp' by role fabric", f"declare {key} yourself"):
        assert word in str(caught.value)


def test_the_same_wish_of_two_is_one_setting_with_both_askers() -> None:
    merged = one(make_need("", "a", "br_netfilter", MODULE), make_need("", "b", "br_netfilter", MODULE))
    assert merged.asked_by == ("a", "b")


def test_what_the_operator_declared_outranks_what_roles_ask_for() -> None:
    merged = one(make_need("67108864", "role"), make_need("4096", "kernel_sysctl", own=True))
    assert (merged.value, merged.asked_by, merged.why) == ("4096", ("kernel_sysctl", "role"), "why of kernel_sysctl")


def test_the_operators_value_decides_where_roles_contradict_each_other() -> None:
    key = "vm.swappiness"
    assert one(make_need("1", "a", key), make_need("60", "b", key), make_need("10", "v", key, own=True)).value == "10"


def test_two_own_values_that_differ_are_an_error_too() -> None:
    key = "vm.swappiness"
    with pytest.raises(RacewayError, match="two values"):
        merge([make_need("1", "a", key, own=True), make_need("2", "b", key, own=True)])


def test_the_order_of_needs_decides_nothing_but_the_order_of_equal_askers() -> None:
    needs = [make_need("1", "a"), make_need("3", "b"), make_need("2", "c"), make_need("x", "d", "k.e.y")]
    results = {tuple((m.key, m.value, m.asked_by[0]) for m in merge(row)) for row in itertools.permutations(needs)}
    assert results == {(("k.e.y", "x", "d"), ("net.core.rmem_max", "3", "b"))}


def test_kinds_with_the_same_key_are_kept_apart() -> None:
    merged = merge([make_need("1", "a", "x", SYSCTL), make_need("2", "b", "x", LIMIT)])
    assert [(m.kind, m.value) for m in merged] == [(LIMIT, "2"), (SYSCTL, "1")]
