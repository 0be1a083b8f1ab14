"""One declaration, one arithmetic: DSCP, ToS byte, PFC bits, and what cannot be right."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from raceway.model.qos import NAMES, Qos, parse, problems, to_spec


@pytest.mark.parametrize(
    ("dscp", "ect", "byte"),
    [(26, "ect0", 106), (26, "none", 104), (24, "none", 96), (10, "ect1", 41), (63, "ect0", 254)],
)
def test_the_traffic_class_byte_is_the_dscp_and_the_ecn_bits(dscp: int, ect: str, byte: int) -> None:
    assert Qos(dscp=dscp, ect=ect).traffic_class == byte


def test_pfc_is_on_for_the_priority_of_the_data_alone() -> None:
    assert Qos(priority=5, cnp_priority=6).pfc == (False,) * 5 + (True, False, False)


def test_the_defaults_are_right_and_what_is_given_replaces_them() -> None:
    assert problems(Qos()) == []
    assert parse({"dscp": 24, "share": 80}) == Qos(dscp=24, share=80)
    assert parse(to_spec(Qos(dscp=24, ecn=False))) == Qos(dscp=24, ecn=False)
    assert tuple(field.name for field in dataclasses.fields(Qos)) == NAMES


@pytest.mark.parametrize(
    ("wrong", "name", "told"),
    [
        ({"dscp": 106}, "dscp", "a ToS byte of 106 is DSCP 26"),
        ({"dscp": -1}, "dscp", "give the DSCP itself"),
        ({"priority": 8}, "priority", "three bits"),
        ({"cnp_priority": 3}, "cnp_priority", "hold back"),
        ({"dscp": 107}, "dscp", "ECN bits 11"),
        ({"cnp_dscp": 26}, "cnp_dscp", "48 is usual"),
        ({"ect": "ce"}, "ect", "only a switch may write"),
        ({"share": 100}, "share", "all other traffic"),
        ({"mtu": 64}, "mtu", "4096"),
        ({"cable_m": 0}, "cable_m", "longest cable"),
    ],
)
def test_what_cannot_be_right_is_named_with_the_values_allowed(wrong: dict[str, Any], name: str, told: str) -> None:
    ((found, value, allowed, act),) = problems(dataclasses.replace(Qos(), **wrong))
    assert found == name and value == str(wrong[name]) and allowed
    assert told in act


@pytest.mark.parametrize(
    ("lossless", "value", "told"),
    [((9,), "9", "three bits"), ((6,), "6", "hold back"), ((3,), "3", "lossless by itself"), ((4, 4), "4, 4", "once")],
)
def test_further_lossless_priorities_are_others_and_never_the_notifications(
    lossless: tuple[int, ...], value: str, told: str
) -> None:
    ((name, found, allowed, act),) = problems(Qos(lossless=lossless))
    assert (name, found) == ("lossless", value) and allowed and told in act


def test_a_further_lossless_priority_is_paused_as_well() -> None:
    assert Qos(lossless=(5, 1)).paused == (1, 3, 5) and sum(Qos(lossless=(5, 1)).pfc) == 3
    assert parse({"lossless": [4]}) == Qos(lossless=(4,)) and to_spec(Qos(lossless=(4,)))["lossless"] == [4]
