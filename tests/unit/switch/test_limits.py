"""Refusals before anything is rendered, and how changed thresholds meet stored ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.model.qos import Qos
from raceway.switch.limits import STOCK_WRED, merge_wred, problems, require
from raceway.switch.model import PLATFORMS, Port, Wred
from raceway.switch.render import render

from .builders import make_switch

STORED = {**STOCK_WRED, "green": Wred(123, 5000, 5)}


def refused(change: dict[str, Any]) -> str:
    """Return the message a change of the thresholds is refused with."""
    with pytest.raises(RacewayError) as caught:
        merge_wred("leaf01 switch_wred", STORED, change)
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"green": {"min": 123, "max": 122}}, "switch_wred.green: min 123 above max 122"),
        ({"green": {"max": 122}}, "switch_wred.green: min 123 above max 122"),
        ({"green": {"min": 5001}}, "switch_wred.green: min 5001 above max 5000"),
        ({"yellow": {"max": 122}}, "switch_wred.yellow: min 1048576 above max 122"),
        ({"green": {"min": -1}}, "green.min: -1; allowed: a whole number from 0 to"),
        ({"green": {"probability": 101}}, "green.probability: 101; allowed: a whole number from 0 to 100"),
        ({"green": {"probability": -5}}, "green.probability: -5"),
        ({"green": {"min": 12.5}}, "green.min: 12.5; allowed: a whole number"),
        ({"green": {"min": "1e6"}}, "green.min: '1e6'; allowed: a whole number"),
        ({"green": {"min": True}}, "green.min: True; allowed: a whole number"),
        ({"green": {"enabled": "maybe"}}, "green.enabled: 'maybe'; allowed: true or false"),
        ({"blue": {"min": 1}}, "switch_wred.blue: no colour; allowed: green, yellow, red"),
        ({"green": {"minimum": 1}}, "allowed: a mapping with min, max, probability, enabled"),
        ({"green": 5}, "switch_wred.green: 5; allowed: a mapping"),
    ],
)
def test_b15_a_change_is_judged_together_with_what_is_stored(change: dict[str, Any], told: str) -> None:
    assert told in refused(change)


def test_b15_a_change_keeps_every_stored_value_it_does_not_name() -> None:
    merged = merge_wred("p", STORED, {"green": {"max": " 166912", "enabled": False}})
    assert merged["green"] == Wred(123, 166912, 5, enabled=False)
    assert merged["red"] == STOCK_WRED["red"]
    assert STORED["green"] == Wred(123, 5000, 5)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_b15_a_number_typed_with_a_blank_is_rendered_without_one(platform: str) -> None:
    wred = merge_wred("p", STOCK_WRED, {"green": {"min": " 166912"}})
    text = render(make_switch(platform, wred=wred))
    assert "166912" in text
    assert '" 166912' not in text and "  166912" not in text


@pytest.mark.parametrize("platform", PLATFORMS)
def test_b17_a_pair_that_is_not_in_the_table_is_refused_by_port_and_pair(platform: str) -> None:
    switch = make_switch(platform)
    port = replace(switch.ports[2], cable_m=45)
    with pytest.raises(RacewayError) as caught:
        render(replace(switch, ports=(*switch.ports[:2], port)))
    assert f"leaf-{platform} {port.name}" in str(caught.value)
    assert "no headroom for the pair (100000 Mb/s, 45 m)" in str(caught.value)
    assert "declare " in caught.value.act and "switch_headroom" in caught.value.act


def test_b17_sonic_has_no_row_for_seven_metres_and_names_the_lengths_it_has() -> None:
    switch = make_switch("sonic", ports=(Port("Ethernet0", 400_000, 7, "gpu01"),))
    with pytest.raises(RacewayError, match="allowed: at 400000: 5, 40, 300 m; next: declare 40 m"):
        render(switch)


def test_b17_a_length_above_the_longest_row_is_not_advised_away() -> None:
    switch = make_switch("sonic", ports=(Port("Ethernet0", 400_000, 500, "gpu01"),))
    assert problems(switch)[0].act == "add the row of this switch's own table to switch_headroom"


def test_b17_a_speed_without_any_row_names_the_speeds() -> None:
    switch = make_switch("sonic", ports=(Port("Ethernet0", 1_000, 5, "gpu01"),))
    assert "allowed: speeds 10000, 25000" in str(problems(switch)[0])


def test_b17_a_slow_port_of_a_fast_switch_uses_the_row_of_its_own_speed() -> None:
    switch = make_switch("sonic")
    assert switch.row(switch.ports[2]).xoff == 49152
    assert switch.row(switch.ports[3]).xoff == 132096


@pytest.mark.parametrize(
    ("platform", "changes", "told"),
    [
        ("sonic", {"qos": Qos(dscp=106, cable_m=5)}, "roce_dscp: 106; allowed: 0 to 63; next: a ToS byte of 106"),
        ("sonic", {"qos": Qos(cnp_priority=3, cable_m=5)}, "roce_cnp_priority: 3"),
        ("nxos", {"qos": Qos(priority=0, cable_m=5)}, "roce_priority: 0; allowed: 1 to 7"),
        (
            "sonic",
            {"qos": Qos(lossless=(4,), cable_m=5)},
            "roce_lossless: 4; allowed: none; next: these files know one",
        ),
        ("eos", {"mtu": 9216}, "switch_mtu: 9216; allowed: 9000 to 9214 bytes"),
        ("sonic", {"mtu": 1500}, "switch_mtu: 1500; allowed: 9000 to 9216 bytes"),
        ("nxos", {"watchdog_ms": 5000}, "switch_watchdog_ms: 5000; allowed: 0 for none, or 100 to 1000 in steps of"),
        ("cumulus", {"watchdog_ms": 150}, "switch_watchdog_ms: 150"),
        ("cumulus", {"ports": ()}, "switch_ports: empty"),
        ("cumulus", {"ports": (Port("Ethernet1", 100_000, 5),)}, "Ethernet1: no port name of this platform"),
        ("eos", {"ports": (Port("Ethernet1/1\nreload", 100_000, 5),)}, "no port name of this platform"),
        ("sonic", {"ports": (Port("Ethernet0", 100_000, 5),) * 2}, "leaf-sonic Ethernet0: named twice"),
        ("sonic", {"wred": {**STOCK_WRED, "red": Wred(3, 2, 5)}}, "leaf-sonic: switch_wred.red: min 3 above max 2"),
        ("eos", {"wred": {**STOCK_WRED, "green": Wred(1, 2, 0)}}, "green.probability: 0; allowed: 1 to 100"),
        ("eos", {"wred": {**STOCK_WRED, "green": Wred(1, 300_000_000, 5)}}, "green.max: 300000000; allowed: 1 to 25"),
    ],
)
def test_what_a_platform_cannot_do_is_refused_with_what_it_can(
    platform: str, changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(RacewayError) as caught:
        render(make_switch(platform, **changes))
    assert told in str(caught.value)


def test_several_reasons_are_all_told_at_once() -> None:
    switch = make_switch("nxos", mtu=1500, ports=(Port("swp1", 1_000, 5),))
    with pytest.raises(RacewayError) as caught:
        require(switch)
    told = str(caught.value)
    assert "3 reasons not to render" in told
    assert all(word in told for word in ("switch_mtu", "swp1: no port name", "1000 Mb/s, 5 m"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_declaration_within_the_limits_has_no_problem(platform: str) -> None:
    assert problems(make_switch(platform)) == []
