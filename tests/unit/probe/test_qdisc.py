"""What the qdisc probe asks, and what it makes of silence."""

from __future__ import annotations

from raceway.host import Ledger, Result
from raceway.model.qdisc import parse
from raceway.probe.qdisc import probe, read_qdiscs

from ..builders import recorded_host

FQ = parse({"kind": "fq", "default_route": True, "interfaces": ["eth0"]})


def test_case_b38_roots_links_and_default_routes_of_a_multiqueue_node() -> None:
    host = recorded_host("h100-node")
    facts = probe(host, FQ, Ledger(host))
    assert facts.default_routes == ("eno1",)
    assert facts.roots["eth0"].children[0] == (":1", "fq_codel") and facts.roots["eth0"].children[-1][0] == ":c"
    assert (facts.links["eno1"].up, facts.links["eno1"].virtual) == (True, False)
    assert facts.has_kind and not facts.problem


def test_a_veth_is_virtual_and_a_kernel_without_the_kind_is_told() -> None:
    host = recorded_host("lab-container")
    facts = probe(host, FQ, Ledger(host))
    assert facts.links["eth0"].virtual and not facts.has_kind


def test_a_kind_that_some_interface_uses_is_there() -> None:
    host = recorded_host("lab-container")
    host.programs["tc"] = host.programs.pop("tc -j qdisc show").replace("noqueue", "fq")  # type: ignore[union-attr]
    assert probe(host, FQ, Ledger(host)).has_kind


def test_no_program_is_started_where_nothing_is_managed() -> None:
    host = recorded_host("h100-node")
    assert not probe(host, parse({}), Ledger(host)).roots and host.calls == []


def test_a_missing_tc_and_an_old_one_are_problems_and_not_an_empty_node() -> None:
    host = recorded_host("h100-node")
    del host.programs["tc -j qdisc show"]
    assert "not found" in probe(host, FQ, Ledger(host)).problem
    host.programs["tc"] = "qdisc noqueue 0: dev lo root refcnt 2\n"
    assert "no JSON" in read_qdiscs(host)[1]


def test_no_ipv6_is_no_problem_and_no_ip_program_is_one() -> None:
    host = recorded_host("h100-node")
    host.programs["ip -j -6 route show default"] = Result(2, "", "Error: ipv6: not supported")
    assert probe(host, FQ, Ledger(host)).default_routes == ("eno1",)
    host.programs["ip -j -4 route show default"] = Result(127, "", "ip: not found")
    assert "ip: not found" in probe(host, FQ, Ledger(host)).problem
