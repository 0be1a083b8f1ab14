"""The desired state of a host: what the node gets, where each value comes from, and nothing for a wrong declaration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.inventory import Inventory, compile_vars, desired, load
from raceway.inventory.desired import compile_all

Load = Callable[[str], Inventory]


def test_a_value_comes_with_the_place_that_counts_and_those_it_outranks(make: Any) -> None:
    folder = make({
        "hosts.yml": "nodes:\n  hosts:\n    a:\n      node_rack: r9\n",
        "group_vars/nodes.yml": "node_rack: r1\nnode_leaf: l1\n",
    })  # fmt: skip
    sources = desired(load(folder / "hosts.yml"), "a").sources
    rack = sources["node_rack"]
    assert (rack.who, Path(rack.origin.file).name, rack.origin.line) == ("host a", "hosts.yml", 4)
    assert [who for who, _ in rack.outranks] == ["group nodes", "default of role node"]
    assert sources["node_leaf"].who == "group nodes"
    assert sources["node_spine"].who == "default of role node"
    assert sources["node_spine"].origin.file.endswith("roles/node/defaults/main.yml")


def test_merged_needs_name_who_asked(loaded: Load) -> None:
    state = desired(loaded("nodes: {hosts: {a: {kernel_sysctl: {vm.swappiness: 1}}}}"), "a")
    asked = {need.key: need.asked_by for need in state.merged}
    assert asked["vm.swappiness"] == ("kernel_sysctl",)
    assert asked["net.ipv4.tcp_congestion_control"] == ("kernel_tcp_congestion_control",)


def test_a_host_that_is_not_there_is_told_with_the_near_name(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {gpu01: , gpu02: }}")
    with pytest.raises(RacewayError) as caught:
        desired(inventory, "gpu1")
    assert caught.value.act in ("did you mean gpu01?", "did you mean gpu02?")
    assert caught.value.allowed == "gpu01, gpu02"


def test_a_declaration_with_errors_has_no_desired_state(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {node_cpus: many, node_rack: 1}, b: }}")
    with pytest.raises(RacewayError) as caught:
        desired(inventory, "a")
    assert "1 more error" in caught.value.found
    assert desired(inventory, "b").values["node"]["node_cpus"] == 0


def test_a_broken_rule_has_no_desired_state_on_either_way(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {node_accelerator_kind: nvidia}}}")
    with pytest.raises(RacewayError, match="nvidia with a count of 0"):
        desired(inventory, "a")
    with pytest.raises(RacewayError, match="nvidia with a count of 0"):
        compile_vars(inventory.variables("a"), "a")


def test_a_warning_does_not_stop_anything(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {node_labels: {kubernetes.io/x: y}}}}")
    assert desired(inventory, "a").roles == compile_vars(inventory.variables("a"), "a")


def test_an_unknown_role_has_no_desired_state(loaded: Load) -> None:
    with pytest.raises(RacewayError, match='unknown role "kernle"'):
        desired(loaded("nodes: {hosts: {a: {raceway_roles: [kernle]}}}"), "a")


def test_ansibles_variables_compile_to_what_show_prints(loaded: Load) -> None:
    inventory = loaded("nodes: {vars: {kernel_sysctl: {vm.swappiness: 1}}, hosts: {a: {node_rack: r1}}}")
    variables = inventory.variables("a") | {"unrelated": object(), "ansible_user": "x"}
    assert compile_vars(variables, "a") == desired(inventory, "a").roles


def test_nested_defaults_are_filled_in_on_both_ways(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {system_files: [{path: /etc/motd, content: hi}]}}}")
    (file,) = compile_vars(inventory.variables("a"), "a")["system"]["nouns"]["file"]["files"]
    assert (file["mode"], file["owner"], file["path"]) == ("0644", "root", "/etc/motd")
    assert desired(inventory, "a").roles["system"]["nouns"]["file"]["files"] == [file]


def test_compiled_variables_are_plain_data_without_ansibles_tags(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {kernel_sysctl: {vm.swappiness: 1}, system_packages: [chrony]}}}")
    kinds: set[type] = set()

    def walk(value: Any) -> None:
        kinds.add(type(value))
        for row in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(row)

    walk(compile_vars(inventory.variables("a"), "a"))
    assert kinds <= {dict, list, str, int, bool, float, type(None), tuple}


def test_all_wrong_variables_are_told_at_once_before_the_node_is_contacted() -> None:
    with pytest.raises(RacewayError) as caught:
        compile_vars({"node_cpus": "many", "kernel_tcp_congestion_control": "vegas"}, "a")
    assert "node_cpus" in caught.value.found
    assert "kernel_tcp_congestion_control" in caught.value.found


def test_variables_of_the_command_line_are_read_by_their_words() -> None:
    assert compile_vars({"node_cpus": "8"}, "a")["node"]["nouns"]["machine"]["cpus"] == 8


def test_roles_that_are_not_chosen_are_not_compiled() -> None:
    assert list(compile_vars({"raceway_roles": ["system"]}, "a")) == ["system"]


def test_all_nodes_compile_to_what_each_compiles_to(loaded: Load) -> None:
    inventory = loaded("{nodes: {hosts: {a: , b: {node_rack: r1}}}, jump: {hosts: {j: }}}")
    rows = compile_all(inventory)
    assert rows == {host: desired(inventory, host).roles for host in ("a", "b")}


def test_one_wrong_host_refuses_the_fleet(loaded: Load) -> None:
    with pytest.raises(RacewayError, match="node_cpus"):
        compile_all(loaded("nodes: {hosts: {a: , b: {node_cpus: many}}}"))
