"""NVUE: commands and YAML are one thing, ranges are spread, only documented defaults are filled in."""

from __future__ import annotations

import pytest
import yaml

from raceway.errors import RacewayError
from raceway.switch.check import check
from raceway.switch.parse.cumulus import Tree, parse

from ..builders import golden, make_switch, recorded

AI = parse(recorded("cumulus.yaml"), "ai")


def test_yaml_with_ranges_reaches_every_port() -> None:
    assert list(AI) == ["swp1", "swp2", "swp4", "swp3"]
    port = AI["swp4"]
    assert (port.trust, port.pfc, port.pfc_ways, port.cable, port.mtu) == (
        "dscp and pcp",
        frozenset({3}),
        "tx",
        "50",
        "9216",
    )
    assert port.dscp == {24: 3, 25: 3, 26: 3}
    assert port.headroom[3] == "xoff-threshold 1500"
    assert port.queues[3].wred == {"green.min": "150000", "green.max": "1500000", "green.probability": "100"}
    assert (port.queues[1].share, port.queues[6].strict, port.queues[5].ecn) == ("10", "on", "on")
    assert (port.watchdog_ms, 3 in (port.watchdog or ())) == ("300", True)


def test_a_port_without_profiles_has_the_documented_defaults_and_nothing_else() -> None:
    port = AI["swp3"]
    assert port.trust == "dscp"
    assert port.dscp is not None and (port.dscp[26], port.dscp[48], port.dscp[0]) == (3, 6, 0)
    assert (port.pfc, port.headroom[3], port.cable) == (frozenset(), "none", None)
    assert (port.queues[3].ecn, port.queues[3].share, port.mtu) == (None, None, None)


def test_the_one_word_roce_says_nothing_that_could_be_compared() -> None:
    found = check(make_switch("cumulus"), parse("nv set qos roce\nnv set interface swp1-3 type swp\n", "f"))
    unknown = {one.field for one in found if one.found.startswith("unknown")}
    assert {"trust", "ecn", "share", "cnp.strict"} <= unknown


def test_commands_and_their_tree_as_yaml_say_the_same() -> None:
    tree = Tree()
    lines = [line for line in golden("cumulus").splitlines() if line.startswith("nv set")]
    for line in lines:
        tree.add(line.split()[2:])

    def plain(node: Tree) -> dict[str, object]:
        return {word: plain(below) for word, below in node.items()}

    text = yaml.safe_dump([{"header": {}}, {"set": plain(tree)}])
    assert parse(text, "yaml") == parse(golden("cumulus"), "commands")


def test_the_command_that_comes_last_counts() -> None:
    lines = "nv set interface swp1 link mtu {}\n"
    assert parse(lines.format(9216) + lines.format(1500) + lines.format(9216), "f")["swp1"].mtu == "9216"
    assert parse(lines.format(9216) + lines.format(1500), "f")["swp1"].mtu == "1500"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Error: Unable to get config\n", "no NVUE commands and no YAML"),
        ("- header: {}\n", "no NVUE commands and no YAML"),
        ("- set:\n    interface: [\n", "neither NVUE commands nor YAML"),
        ("nv set interface swp1 description 'left rack\n", "No closing quotation"),
    ],
)
def test_what_is_no_configuration_is_refused(text: str, told: str) -> None:
    with pytest.raises(RacewayError, match=told):
        parse(text, "f")
