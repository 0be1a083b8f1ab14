"""Findings: equal ones are one with all their hosts, in the order of the files."""

from __future__ import annotations

from raceway.inventory.findings import Collector, Finding
from raceway.inventory.origin import Origin


def test_equal_findings_of_many_hosts_are_one_with_all_hosts_in_natural_order() -> None:
    collector = Collector()
    for host in ("n10", "n2", "n2"):
        collector.add(Finding("v", "wrong"), (host,))
    (finding,) = collector.sorted()
    assert finding.hosts == ("n2", "n10")


def test_the_same_mistake_in_two_places_stays_two() -> None:
    collector = Collector()
    for line in (7, 3):
        collector.add(Finding("v", "wrong", origin=Origin("f", line)), ("a",))
    assert [finding.line for finding in collector.sorted()] == [3, 7]


def test_a_message_names_place_variable_found_allowed_next_and_hosts() -> None:
    finding = Finding("v", "8", "an int", "write 8", ("a",), Origin("f.yml", 3))
    assert finding.message() == "f.yml:3: v: 8; allowed: an int; next: write 8 [a]"


def test_json_names_every_host_and_leaves_unknown_lines_null() -> None:
    data = Finding("v", "8", hosts=("a", "b", "c", "d"), origin=Origin("f.yml")).to_json()
    assert data["hosts"] == ["a", "b", "c", "d"]
    assert (data["line"], data["file"]) == (None, "f.yml")
