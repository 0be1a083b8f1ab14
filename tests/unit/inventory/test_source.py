"""Precedence is Ansible's own: what raceway merges is compared with Ansible's VariableManager as an oracle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible import constants
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader
from ansible.vars.manager import VariableManager

from raceway.errors import RacewayError
from raceway.inventory import Inventory, load

Load = Callable[[str], Inventory]

# Every way to set one variable at once: nested groups, equal depths, a priority, files, folders, two sources.
TRICKY = {
    "first/hosts.yml": """
        nodes:
          vars: {v_source: nodes, v_all: nodes, v_dict: {a: nodes}}
          children:
            zebra: {vars: {v_depth: zebra, v_priority: zebra, v_both: zebra}, hosts: {n1: , n2: {v_host: inline}}}
            apple:
              vars: {v_depth: apple, v_priority: apple, v_both: apple, ansible_group_priority: 7}
              hosts: {n1: , n3.example.com: }
            deep:
              vars: {v_depth: deep}
              children: {deeper: {vars: {v_depth: deeper}, hosts: {n2: {v_inline: 1}}}}
        other: {hosts: {n1: {v_other: first}}}
        """,
    "first/group_vars/all.yml": "v_all: file of all\nv_only_all: 1\nv_source: file of all\n",
    "first/group_vars/nodes/10-a.yml": "v_dir: a\nv_source: folder of nodes\n",
    "first/group_vars/nodes/20-b.yml": "v_dir: b\nv_dict: {b: folder}\n",
    "first/group_vars/zebra.yml": "v_both: file of zebra\nv_depth: file of zebra\n",
    "first/group_vars/apple.json": '{"v_both": "file of apple"}',
    "first/group_vars/deeper": "v_both: file without ending\n",
    "first/host_vars/n2.yml": "v_host: host file\nv_dir: host file\n",
    "first/host_vars/n3.example.com.yml": "v_host: dotted\n",
    "second/more.yml": "other: {vars: {v_other: second}, hosts: {n4: , n2: {v_inline: 2}}}\n",
    "second/group_vars/zebra.yml": "v_both: second file of zebra\n",
    "second/group_vars/all.yml": "v_only_all: 2\nv_depth: second all\n",
    "second/host_vars/n2.yml": "v_host: second host file\n",
}
MAGIC = ("ansible_", "inventory_hostname", "group_names", "groups", "playbook_dir", "omit", "role_name", "environment")


def by_ansible(sources: list[str]) -> dict[str, dict[str, Any]]:
    """Return each host's variables as Ansible itself merges them."""
    loader = DataLoader()
    manager = InventoryManager(loader=loader, sources=sources)
    merger = VariableManager(loader=loader, inventory=manager)
    return {name: merger.get_vars(host=host, include_hostvars=False) for name, host in manager.hosts.items()}


def own(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what Ansible adds by itself."""
    return {name: value for name, value in variables.items() if not name.startswith(MAGIC)}


def test_variables_are_merged_exactly_as_ansible_merges_them(make: Any) -> None:
    folder = make(TRICKY)
    sources = [str(folder / "first"), str(folder / "second" / "more.yml")]
    inventory, expected = load(sources), by_ansible(sources)
    assert sorted(inventory.hosts) == sorted(expected)
    for host in inventory.hosts:
        assert own(inventory.variables(host)) == own(expected[host]), host


def test_the_oracle_notices_another_order(make: Any) -> None:
    folder = make(TRICKY)
    sources = [str(folder / "second" / "more.yml"), str(folder / "first")]
    inventory, expected = load(sources), by_ansible(list(reversed(sources)))
    assert any(own(inventory.variables(host)) != own(expected[host]) for host in inventory.hosts)


def test_changed_precedence_in_ansibles_configuration_is_followed(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make({"hosts.yml": "nodes: {vars: {v: source}, hosts: {a: }}", "group_vars/nodes.yml": "v: file\n"})
    assert load(folder / "hosts.yml").variables("a")["v"] == "file"
    monkeypatch.setattr(constants, "VARIABLE_PRECEDENCE", ["groups_plugins_inventory", "groups_inventory"])
    changed = load(folder / "hosts.yml")
    assert changed.variables("a")["v"] == "source"
    assert changed.lasting is False


def test_merged_dicts_follow_ansibles_hash_behaviour(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make({"hosts.yml": "nodes: {vars: {v: {a: 1}}, hosts: {a: {v: {b: 2}}}}"})
    assert load(folder / "hosts.yml").variables("a")["v"] == {"b": 2}
    monkeypatch.setattr(constants, "DEFAULT_HASH_BEHAVIOUR", "merge")
    assert load(folder / "hosts.yml").variables("a")["v"] == {"a": 1, "b": 2}


def test_origins_name_the_place_that_counts_first_and_then_what_it_outranks(make: Any) -> None:
    folder = make(TRICKY)
    inventory = load(folder / "first")
    places = [(where, Path(origin.file).name, origin.line) for where, origin in inventory.origins("n2", "v_host")]
    assert places == [("host n2", "n2.yml", 1), ("host n2", "hosts.yml", 4)]
    assert [where for where, _ in inventory.origins("n1", "v_priority")] == ["group apple", "group zebra"]
    assert inventory.origins("n1", "v_nowhere") == []


def test_a_bool_has_a_place_although_it_cannot_carry_one(loaded: Load) -> None:
    inventory = loaded("nodes:\n  hosts:\n    a:\n      v_bool: true\n")
    ((_, origin),) = inventory.origins("a", "v_bool")
    assert (origin.line, origin.column) == (4, 7)


def test_hosts_come_in_natural_order(loaded: Load) -> None:
    assert loaded("nodes: {hosts: {node10: , node2: , Node1: }}").hosts == ("Node1", "node2", "node10")


def test_without_a_group_of_nodes_every_host_is_a_node(loaded: Load) -> None:
    assert loaded("rack: {hosts: {a: , b: }}").nodes == ("a", "b")


def test_with_a_group_of_nodes_only_its_hosts_are_nodes(loaded: Load) -> None:
    assert loaded("{nodes: {children: {gpu: }}, gpu: {hosts: {a: }}, jump: {hosts: {j: }}}").nodes == ("a",)


def test_hosts_of_the_same_groups_share_one_merge(loaded: Load) -> None:
    inventory = loaded("nodes: {vars: {v: [1]}, hosts: {a: , b: }}")
    assert inventory.split("a")[1] is inventory.split("b")[1]


def test_extra_vars_outrank_everything(make: Any) -> None:
    path = make({"hosts.yml": "nodes: {hosts: {a: {v: 1}}}"}) / "hosts.yml"
    inventory = load(path, extra_vars={"v": 2})
    assert inventory.variables("a")["v"] == 2
    assert [where for where, _ in inventory.origins("a", "v")] == ["extra vars", "host a"]


def test_a_limit_selects_as_ansible_does(loaded: Load) -> None:
    inventory = loaded("{nodes: {hosts: {x1: , x2: , b1: }}, odd: {hosts: {x1: }}}")
    assert inventory.select("x*:!odd") == ("x2",)
    assert inventory.select("nobody") == ()


def test_a_limit_that_cannot_be_read_is_told_as_such(loaded: Load) -> None:
    with pytest.raises(RacewayError, match="--limit ~\\("):
        loaded("nodes: {hosts: {a: }}").select("~(")


def test_every_place_of_variables_is_visited_once_with_the_hosts_it_reaches(make: Any) -> None:
    folder = make(TRICKY)
    places = load(folder / "first").every_layer()
    assert sorted((layer.where, sorted(hosts)) for layer, hosts in places if "v_both" in layer.data) == [
        ("group apple", ["n1", "n3.example.com"]),
        ("group apple", ["n1", "n3.example.com"]),
        ("group deeper", ["n2"]),
        ("group zebra", ["n1", "n2"]),
        ("group zebra", ["n1", "n2"]),
    ]
