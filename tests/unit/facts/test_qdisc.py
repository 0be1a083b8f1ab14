"""Output of tc and ip as JSON."""

from __future__ import annotations

import json

import pytest

from raceway.facts.qdisc import parse_default_routes, parse_qdiscs


def _row(kind: str, dev: str, **more: object) -> dict[str, object]:
    return {"kind": kind, "handle": "0:", "dev": dev, "options": {}, **more}


def test_the_children_of_an_automatic_mq_are_found_though_their_parents_have_no_major_number() -> None:
    rows = [_row("mq", "eth0", root=True), *(_row("fq", "eth0", parent=f":{n:x}") for n in (16, 2, 1))]
    found = parse_qdiscs(json.dumps(rows))["eth0"]
    assert [parent for parent, _ in found.children] == [":1", ":2", ":10"]
    assert found.summary == "mq of fq"


def test_children_of_a_root_with_a_handle_belong_to_that_root_only() -> None:
    rows = [
        _row("mq", "eth0", root=True, handle="8001:"),
        _row("fq", "eth0", parent="8001:1", handle="8002:"),
        _row("pfifo", "eth0", parent="8002:1"),
        _row("fq_codel", "eth1", parent="8001:1"),
    ]
    assert parse_qdiscs(json.dumps(rows))["eth0"].children == (("8001:1", "fq"),)


def test_an_ingress_hook_is_no_root() -> None:
    rows = [_row("clsact", "eth0", handle="ffff:", parent="ffff:fff1"), _row("fq", "eth0", root=True)]
    assert parse_qdiscs(json.dumps(rows))["eth0"].kind == "fq"


def test_different_children_are_all_named() -> None:
    rows = [_row("mq", "e", root=True), _row("fq", "e", parent=":1"), _row("fq_codel", "e", parent=":2")]
    assert parse_qdiscs(json.dumps(rows))["e"].summary == "mq of fq, fq_codel"


@pytest.mark.parametrize("text", ["", "\n", "[]"])
def test_no_output_is_no_interface(text: str) -> None:
    assert parse_qdiscs(text) == {} and parse_default_routes(text) == ()


def test_text_that_is_no_json_is_an_error_and_not_an_empty_answer() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        parse_qdiscs("qdisc noqueue 0: dev lo root refcnt 2")


def test_every_living_next_hop_of_a_multipath_route_counts_once() -> None:
    hops = [{"dev": "eth0"}, {"dev": "eth1"}, {"dev": "eth2", "flags": ["dead", "linkdown"]}]
    rows = [
        {"dst": "default", "nexthops": hops},
        {"dst": "default", "dev": "eth0", "flags": []},
        {"dst": "10.0.0.0/8", "dev": "x"},
    ]
    assert parse_default_routes(json.dumps(rows)) == ("eth0", "eth1")
