"""The whole check: all errors at once, each with its place; every rule has a twin that is green."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.inventory import Inventory, check, load


def test_an_inventory_without_mistakes_has_no_findings(found: Any) -> None:
    assert found("nodes: {hosts: {a: {tin_size: 3}, b: {tin_shiny: true}}}") == []


def test_all_errors_of_all_hosts_are_told_at_once_sorted_by_file_and_line(found: Any) -> None:
    findings = found(
        """
        nodes:
          hosts:
            a:
              tin_size: "8"
              tin_colour: blue
            b:
              tin_syze: 3
        """,
        group_vars__nodes="tin_shiny: maybe\n",
    )
    assert [(Path(one.file).name, one.line, one.variable) for one in findings] == [
        ("nodes.yml", 1, "tin_shiny"),
        ("hosts.yml", 4, "tin_size"),
        ("hosts.yml", 5, "tin_colour"),
        ("hosts.yml", 7, "tin_syze"),
    ]


def test_a_misspelt_group_variable_is_one_finding_that_counts_its_hosts(found: Any) -> None:
    hosts = "nodes: {hosts: {" + ", ".join(f"n{number}: " for number in range(40)) + "}}"
    (finding,) = found(hosts, group_vars__nodes="\ntin_sise: 3\n")
    assert (finding.variable, Path(finding.file).name, finding.line) == ("tin_sise", "nodes.yml", 1)
    assert finding.act == "did you mean tin_size?"
    assert len(finding.hosts) == 40
    assert finding.who() == "n0, n1, n2 and 37 more (40 hosts)"


def test_a_wrong_group_value_is_told_only_for_hosts_that_do_not_override_it(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: {tin_size: 4}, b: }}", group_vars__nodes="tin_size: big\n")
    assert finding.hosts == ("b",)


def test_limit_leaves_out_findings_of_other_hosts(found: Any) -> None:
    hosts = "nodes: {hosts: {a: {tin_size: x}, b: {tin_size: y}, c: {tin_typo: 1}}}"
    assert [one.hosts for one in found(hosts, limit="b")] == [("b",)]
    assert len(found(hosts)) == 3


def test_a_limit_that_matches_nothing_is_an_error_not_a_success(found: Any) -> None:
    with pytest.raises(RacewayError, match="matches no host"):
        found("nodes: {hosts: {a: }}", limit="b")


def test_rules_between_variables_are_told_per_host(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: {raceway_roles: [tin], tin_left: x, tin_right: y}}}")
    assert (finding.variable, finding.found) == ("tin_left", "given together with tin_right")
    assert found("nodes: {hosts: {a: {raceway_roles: [tin], tin_left: x}}}") == []


def test_rules_of_a_role_that_is_not_enabled_do_not_apply(found: Any) -> None:
    assert found("nodes: {hosts: {a: {raceway_roles: [], tin_left: x, tin_right: y}}}") == []


def test_hosts_outside_the_group_nodes_need_no_complete_declaration(found: Any) -> None:
    hosts = "{nodes: {hosts: {a: }}, jump: {hosts: {j: {raceway_roles: [tin], tin_left: x, tin_right: y}}}}"
    assert found(hosts) == []


@pytest.mark.parametrize("text", ["nodes: {hosts: {}}", "nodes: {children: {empty: }}"])
def test_an_inventory_without_hosts_is_an_error_not_a_success(found: Any, text: str) -> None:
    assert found(text)[0].found == "the inventory holds no host"


def test_an_empty_group_of_nodes_is_an_error(found: Any) -> None:
    (finding,) = found("{nodes: {hosts: {}}, other: {hosts: {a: }}}")
    assert finding.found == "the group nodes holds no host"


def test_rules_of_the_real_roles_are_applied(loaded: Callable[[str], Inventory]) -> None:
    red = check(loaded("nodes: {hosts: {a: {node_accelerator_kind: nvidia}, b: {node_cpus: -1}}}"))
    assert [(one.variable, one.hosts) for one in red] == [("node_accelerator_kind", ("a",)), ("node_cpus", ("b",))]
    assert check(loaded("nodes: {hosts: {a: {node_accelerator_kind: nvidia, node_accelerator_count: 8}}}")) == []


def test_a_rule_is_told_at_the_line_of_its_variable(loaded: Callable[[str], Inventory]) -> None:
    (finding,) = check(loaded("nodes:\n  hosts:\n    a:\n      node_cpus: -4\n"))
    assert (finding.line, finding.found, finding.allowed) == (4, "-4", "0 or more")


def test_two_roles_that_ask_for_different_things_are_an_error_before_any_node_is_touched(
    loaded: Callable[[str], Inventory], monkeypatch: pytest.MonkeyPatch
) -> None:
    from raceway.model.needs import SYSCTL, Need
    from raceway.roles import system

    inventory = loaded("nodes: {hosts: {a: , b: }}")
    assert check(inventory) == []
    wish = Need(SYSCTL, "net.ipv4.tcp_congestion_control", "cubic", "system: for the test")
    monkeypatch.setattr(system, "needs", lambda values: [wish])
    (finding,) = check(inventory)
    assert "'bbr' by kernel_tcp_congestion_control; 'cubic' by system: for the test" in finding.found
    assert finding.hosts == ("a", "b")


def test_a_rule_broken_by_a_vault_value_does_not_print_it(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from .vaults import encrypted, password

    password(monkeypatch, tmp_path)
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.yml": "x: 1\n"})
    secret = encrypted("node_address", "not a host name!")
    (folder / "group_vars" / "nodes.yml").write_text(secret, encoding="utf-8")
    (finding,) = check(load(folder / "hosts.yml"))
    assert finding.found == "<vault> breaks a rule"
    assert "not a host" not in finding.message()


def test_progress_is_told_up_to_the_number_of_hosts(loaded: Callable[[str], Inventory]) -> None:
    told: list[int] = []
    check(loaded("nodes: {hosts: {a: , b: }}"), progress=told.append)
    assert told == [0, 2]
