"""The switches of an inventory: who speaks for them, and what happens when two hosts disagree."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.inventory.load import load
from raceway.model.qos import Qos
from raceway.switch.inventory import choose
from raceway.switch.model import PLATFORMS, Headroom, Port, Switch, Wred

from .builders import FOLDER, make_switch

HOSTS = """\
nodes:
  vars: {raceway_roles: [node, roce]}
  hosts:
    gpu1: {node_leaf: leaf1, node_spine: spine1, roce_cable_m: 3}
    gpu2: {node_leaf: leaf1, node_spine: spine1}
    gpu3: {node_leaf: leaf2, node_spine: spine1}
    gpu4: {roce_dscp: 24}
switches:
  vars: {switch_platform: eos}
  hosts:
    leaf1:
      switch_ports:
        - {name: Ethernet1/1, speed_gbps: 400, host: gpu1}
        - {name: Ethernet2/1, speed_gbps: 400, host: gpu2, cable_m: 10}
        - {name: Ethernet3/1, speed_gbps: 800}
    leaf2: {switch_ports: [{name: Ethernet1, speed_gbps: 100, host: gpu4}]}
    spine1: {switch_ports: [{name: Ethernet1, speed_gbps: 800, cable_m: 50}]}
    lonely: {switch_platform: sonic}
"""


def leaf(folder: Path, text: str = HOSTS, platform: str = "eos", name: str = "leaf1") -> Switch:
    """Return a switch of an inventory given as text."""
    (folder / "hosts.yml").write_text(text, encoding="utf-8")
    return choose(load(folder / "hosts.yml"), platform, name)


def refused(folder: Path, text: str = HOSTS, platform: str = "eos", name: str = "leaf1") -> str:
    """Return the message with which it is refused."""
    with pytest.raises(RacewayError) as caught:
        leaf(folder, text, platform, name)
    return str(caught.value)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_inventory_of_the_cases_is_what_the_builders_make(platform: str) -> None:
    assert choose(load(FOLDER / "hosts.yml"), platform) == make_switch(platform)


def test_ports_take_the_cable_of_their_host_unless_they_have_their_own(tmp_path: Path) -> None:
    assert leaf(tmp_path).ports == (
        Port("Ethernet1/1", 400_000, 3, "gpu1"),
        Port("Ethernet2/1", 400_000, 10, "gpu2"),
        Port("Ethernet3/1", 800_000, 7),
    )


def test_what_no_host_declares_has_the_default_of_the_declaration(tmp_path: Path) -> None:
    switch = leaf(tmp_path)
    assert (switch.hosts, switch.qos) == (("gpu1", "gpu2"), Qos(cable_m=3))


def test_a_spine_speaks_for_every_host_below_it(tmp_path: Path) -> None:
    assert leaf(tmp_path, name="spine1").hosts == ("gpu1", "gpu2", "gpu3")


@pytest.mark.parametrize("roce", ["raceway_roles: [node]", "raceway_roles: [roce], roce_state: absent, roce_dscp: 8"])
def test_a_host_without_roce_on_the_same_leaf_has_no_say(tmp_path: Path, roce: str) -> None:
    text = HOSTS.replace("    gpu3: {", f"    service1: {{node_leaf: leaf1, {roce}}}\n    gpu3: {{")
    switch = leaf(tmp_path, text.replace("raceway_roles: [node, roce]", "raceway_roles: [node, roce], roce_dscp: 24"))
    assert (switch.hosts, switch.qos.dscp) == (("gpu1", "gpu2"), 24)


def test_values_may_be_templates_of_other_variables(tmp_path: Path) -> None:
    text = HOSTS.replace("vars: {raceway_roles", "vars: {ai_dscp: 10, roce_dscp: '{{ ai_dscp }}', raceway_roles")
    assert leaf(tmp_path, text).qos.dscp == 10


def test_hosts_of_one_leaf_that_disagree_are_both_named(tmp_path: Path) -> None:
    told = refused(tmp_path, name="leaf2")
    assert told == (
        "leaf2: roce_dscp: gpu3 declares 26, gpu4 declares 24; allowed: one value for all hosts of a switch; "
        "next: declare it in a group that holds both"
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [("roce_ecn", "false"), ("roce_ect", "ect1"), ("roce_share", "80"), ("roce_mtu", "4200"), ("roce_lossless", "[4]")],
)
def test_any_difference_between_two_hosts_is_told(tmp_path: Path, variable: str, value: str) -> None:
    text = HOSTS.replace("gpu2: {", f"gpu2: {{{variable}: {value}, ")
    told = refused(tmp_path, text)
    assert f"leaf1: {variable}: gpu1 declares" in told and "gpu2 declares" in told


def test_facts_of_the_switch_are_taken_from_its_own_variables(tmp_path: Path) -> None:
    own = """\
    leaf1:
      switch_mtu: 9100
      switch_watchdog_ms: 0
      switch_wred: {green: {min: 150000, max: " 1500000"}}
      switch_headroom: [{speed_gbps: 400, cable_m: 12, size: 300, xon: 100, xoff: 200}]
"""
    switch = leaf(tmp_path, HOSTS.replace("    leaf1:\n", own))
    assert (switch.mtu, switch.watchdog_ms) == (9100, 0)
    assert switch.wred["green"] == Wred(150_000, 1_500_000, 5)
    assert switch.headroom[400_000, 12] == Headroom(300, 100, 200)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "speed_gbps: 800}",
            "speed_gbps: fast}",
            "switch_ports (hosts.yml:12)[2].speed_gbps: 'fast'; allowed: a whole",
        ),
        (", speed_gbps: 800}", "}", "[2]: name; allowed: name and speed_gbps"),
        ("speed_gbps: 800}", "speed_gbps: 800, cable: 3}", "[2]: name, speed_gbps, cable; allowed:"),
        ("host: gpu1}", "host: gpu9}", "leaf1 switch_ports: host gpu9; allowed: a host of the inventory"),
        (
            "node_spine: spine1, roce_cable_m: 3",
            "roce_dscp: high",
            "gpu1 roce_dscp (hosts.yml:4): 'high'; allowed: a wh",
        ),
        (
            "node_spine: spine1, roce_cable_m: 3",
            "roce_ecn: 7",
            "gpu1 roce_ecn (hosts.yml:4): 7; allowed: true or false",
        ),
        (
            "node_spine: spine1, roce_cable_m: 3",
            "roce_lossless: 4",
            "gpu1 roce_lossless (hosts.yml:4): 4; allowed: a list of priorities",
        ),
        ("roce_cable_m: 3", "roce_dscp: '{{ nothing }}'", "gpu1 roce_dscp (hosts.yml:4): "),
        ("    leaf1:\n", "    leaf1:\n      switch_wred: {green: {max: 5}}\n", "green: min 1048576 above max 5"),
        (
            "    leaf1:\n",
            "    leaf1:\n      switch_headroom: [{size: 1}]\n",
            "[0]: size; allowed: speed_gbps, cable_m, s",
        ),
        ("    leaf1:\n", "    leaf1:\n      switch_wred: 5\n", "5; allowed: a mapping with green, yellow, red"),
        (
            "    leaf1:\n",
            "    leaf1:\n      switch_headroom: [{speed_gbps: 1, cable_m: 1, size: 9, xon: 1, xoff: 0}]\n",
            "size 9, xon 1, xoff 0; allowed: 0 < xoff",
        ),
        ("    leaf1:\n", "    leaf1:\n      switch_headroom: many\n", "'many'; allowed: a list of mappings"),
    ],
)
def test_a_wrong_value_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert HOSTS.count(old) >= 1
    assert told in refused(tmp_path, HOSTS.replace(old, new, 1))


@pytest.mark.parametrize(
    ("platform", "name", "told"),
    [
        ("eos", "", "--platform eos: 3 switches of this platform; allowed: leaf1, leaf2, spine1; next: say which with"),
        ("nxos", "", "--platform nxos: 0 switches of this platform"),
        ("eos", "leaf9", "--switch leaf9: not in the group switches; allowed: leaf1, leaf2, lonely, spine1"),
        ("nxos", "leaf1", "--platform nxos: leaf1 is declared as eos"),
        ("sonic", "", "lonely: no host with RoCE hangs on it, so nobody declares what it shall do"),
    ],
)
def test_a_switch_that_is_not_the_one_meant_is_refused(tmp_path: Path, platform: str, name: str, told: str) -> None:
    assert told in refused(tmp_path, platform=platform, name=name)


def test_an_inventory_without_switches_says_which_group_is_missing(tmp_path: Path) -> None:
    assert "group switches: no such group" in refused(tmp_path, "nodes: {hosts: {gpu1: }}")
