"""SONiC's tables: old references, keys with lists and ranges, and what is not there."""

from __future__ import annotations

import json

import pytest

from raceway.errors import RacewayError
from raceway.model.qos import Qos
from raceway.switch.check import check
from raceway.switch.model import Port
from raceway.switch.parse.sonic import parse

from ..builders import make_switch, recorded

STOCK = parse(recorded("sonic-stock.json"), "stock")


def test_lists_ranges_and_bracketed_references_reach_every_port() -> None:
    assert list(STOCK) == ["Ethernet0", "Ethernet8"]
    for port in STOCK.values():
        assert (port.trust, port.pfc, port.mtu) == ("dscp", frozenset({3, 4}), "9100")
        assert port.dscp is not None and port.dscp[26] == 1
        assert port.queue_of is not None and port.queue_of[4] == 4
        assert port.queues[4].wred["green.min"] == "1048576"


def test_a_share_is_the_part_of_all_weights_of_the_port() -> None:
    assert STOCK["Ethernet0"].queues[3].share == f"{100 * 15 / (5 * 14 + 2 * 15):.4g}"
    assert STOCK["Ethernet0"].queues[7].share is None


def test_headroom_is_what_the_priority_gets_none_or_unknown() -> None:
    assert STOCK["Ethernet0"].headroom[3] == "size 105472, xon 19456, xoff 86016"
    assert STOCK["Ethernet0"].headroom[0] == "size 0, xon 0, xoff 0"
    assert STOCK["Ethernet0"].headroom[5] == "none"
    assert 3 not in STOCK["Ethernet8"].headroom


def test_the_watchdog_of_an_older_release_watches_what_is_paused() -> None:
    assert (STOCK["Ethernet0"].watchdog, STOCK["Ethernet8"].watchdog) == ({3, 4}, frozenset())


def test_a_stock_switch_is_seen_to_lose_roce() -> None:
    ports = (Port("Ethernet0", 400_000, 5, "gpu01"), Port("Ethernet8", 400_000, 40, "gpu02"))
    found = {one.field: one for one in check(make_switch("sonic", ports=ports, qos=Qos(cable_m=5)), STOCK)}
    assert found["dscp.data"].found == "26 to 1"
    assert found["pfc"].found == "3,4"
    assert found["dscp.others"].found == "3"
    assert found["mtu"].found == "9100"
    assert "cable" not in found and "ecn" not in found


def test_an_attribute_for_all_ports_reaches_those_that_have_none() -> None:
    maps = {"global": {"dscp_to_tc_map": "AZURE"}, "Ethernet0": {"pfc_enable": "3"}}
    found = parse(json.dumps({"PORT_QOS_MAP": maps}), "f")
    assert list(found) == ["Ethernet0"]
    assert (found["Ethernet0"].trust, found["Ethernet0"].dscp) == ("dscp", None)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (recorded("sonic-stock.json")[:900], "no whole JSON"),
        ("Traceback (most recent call last):\n  File", "no whole JSON"),
        ("[]", "JSON, but a list"),
        ('{"PORT": []}', "PORT: no table of rows"),
        ('{"PORT": {"Ethernet0": "up"}}', "PORT: no table of rows"),
    ],
)
def test_what_is_no_database_is_refused(text: str, told: str) -> None:
    with pytest.raises(RacewayError, match=told):
        parse(text, "f")
