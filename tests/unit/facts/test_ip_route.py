"""Output of ``ip -N -j route show table all``: every route with the interface it leaves by."""

from __future__ import annotations

from raceway.facts.ip_route import parse
from raceway.model.route import V6, Route

from ..builders import CASES


def _text(name: str) -> str:
    return (CASES / "ip_route" / name).read_text(encoding="utf-8")


def test_routes_of_all_tables_are_there_and_a_host_route_is_a_prefix() -> None:
    found = parse(_text("normal.json")).routes
    assert ("rail0", Route("10.1.0.0/24", 1000, "", 1000, "10.1.0.11")) in found
    assert ("rail0", Route("10.1.0.0/16", 1000, "10.1.0.1", 1000, "10.1.0.11")) in found
    assert ("ens2f0np0", Route("10.2.0.7/32")) in found and (
        "rail0",
        Route("fd01::/64", 1000, metric=1000, family=V6),
    ) in found


def test_each_next_hop_is_a_route_and_the_kernel_s_own_table_is_left_out() -> None:
    found = parse(_text("normal.json")).routes
    hops = [(device, route.gateway) for device, route in found if route.destination == "10.9.0.0/16"]
    assert hops == [("rail0", "10.1.0.1"), ("ens2f0np0", "10.2.0.1")]
    assert not [route for _, route in found if route.table == 255]


def test_a_default_route_that_shows_no_family_has_that_of_the_call() -> None:
    text = '[{"dst":"default","dev":"rail0","table":"1000","metric":1000,"flags":[]}]'
    assert parse(text, V6).routes[0][1].family == V6 and parse(text).routes[0][1].family == 4


def test_old_spellings_are_read_and_no_route_is_no_problem() -> None:
    assert [route.destination for _, route in parse(_text("older.json")).routes] == ["default"]
    assert parse("[]").problem == "" and parse('[{"dev":"x"}]').problem == "an entry without a destination"
