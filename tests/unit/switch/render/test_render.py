"""The four files, whole: what people read before they apply it."""

from __future__ import annotations

import json

import pytest

from raceway.model.qos import Qos
from raceway.switch.model import PLATFORMS
from raceway.switch.render import COMMENT, origin, render

from ..builders import golden, make_switch


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_file_is_the_committed_one_to_the_last_byte(platform: str) -> None:
    assert render(make_switch(platform)) == golden(platform)


@pytest.mark.parametrize("platform", sorted(COMMENT))
def test_a_file_begins_with_where_it_comes_from_and_that_it_was_not_pushed(platform: str) -> None:
    lines = render(make_switch(platform)).splitlines()
    head = [line for line in lines if line.startswith(COMMENT[platform])][:5]
    assert lines[:5] == head
    assert f"leaf-{platform} ({platform}), made by raceway from what gpu" in head[0]
    assert "has not pushed this and never does" in head[3]


def test_what_has_no_comments_has_its_origin_beside_it() -> None:
    switch = make_switch("sonic")
    assert isinstance(json.loads(render(switch)), dict)
    assert "never does" in "\n".join(origin(switch))


def test_many_hosts_are_counted_and_none_are_said() -> None:
    many = make_switch("sonic", hosts=tuple(f"n{number}" for number in range(40)))
    assert "from what n0, n1, n2 and 37 more hosts declare" in origin(many)[0]
    assert "from what no hosts declare" in origin(make_switch("sonic", hosts=()))[0]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_without_ecn_nothing_marks_and_nothing_drops_at_random(platform: str) -> None:
    text = render(make_switch(platform, qos=Qos(ecn=False, cable_m=5))).split("\n", 5)[-1]
    assert not any(word in text for word in ("random-detect", "WRED", "wred", "ecn enable", "threshold 1048576"))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_without_a_watchdog_no_line_speaks_of_one(platform: str) -> None:
    text = render(make_switch(platform, watchdog_ms=0))
    assert not any(word in text for word in ("watch", "PFC_WD", "pfcwd"))


def test_sonic_gets_all_64_dscps_as_strings_and_only_two_outside_the_lossy_class() -> None:
    table = json.loads(render(make_switch("sonic")))["DSCP_TO_TC_MAP"]["AZURE"]
    assert list(table) == [str(number) for number in range(64)]
    assert {key: value for key, value in table.items() if value != "0"} == {"26": "3", "48": "6"}


def test_best_effort_is_class_1_on_eos_and_steps_aside_for_roce() -> None:
    assert make_switch("eos").rest == 1
    assert make_switch("eos", qos=Qos(priority=1)).rest == 0
    assert make_switch("sonic", qos=Qos(priority=0, cnp_priority=1)).rest == 2
