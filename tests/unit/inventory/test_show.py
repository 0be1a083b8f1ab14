"""A desired state as data to print: origins, askers, and no secret anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway.inventory import Inventory, desired, load
from raceway.inventory.show import as_data

from .vaults import encrypted, password

Load = Callable[[str], Inventory]


def test_each_variable_is_shown_with_value_and_place(loaded: Load) -> None:
    data = as_data(desired(loaded("nodes:\n  hosts:\n    a:\n      node_rack: r1\n"), "a"))
    row = data["roles"]["node"]["variables"]["node_rack"]
    assert (row["value"], row["from"]) == ("r1", "host a")
    assert row["at"].endswith("hosts.yml:4")
    assert row["outranks"][0].startswith("default of role node (")


def test_an_operators_wish_is_shown_with_the_line_of_its_variable(loaded: Load) -> None:
    data = as_data(desired(loaded("nodes:\n  hosts:\n    a:\n      kernel_sysctl: {vm.swappiness: 1}\n"), "a"))
    (need,) = [row for row in data["kernel_needs"] if row["key"] == "vm.swappiness"]
    assert need["asked_by"][0]["asker"] == "kernel_sysctl"
    assert need["asked_by"][0]["at"].endswith("hosts.yml:4")


def test_one_role_alone_can_be_shown(loaded: Load) -> None:
    data = as_data(desired(loaded("nodes: {hosts: {a: }}"), "a"), "system")
    assert list(data["roles"]) == ["system"]
    assert data["kernel_needs"] == []


def test_a_vault_value_is_hidden_wherever_it_flows(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    password(monkeypatch, tmp_path)
    folder = make({
        "hosts.yml": "nodes: {hosts: {a: {system_files: [{path: /etc/x, content: 'pw={{ pw }};'}]}}}",
        "group_vars/nodes.yml": "",
    })  # fmt: skip
    (folder / "group_vars" / "nodes.yml").write_text(encrypted("pw", "hush-hush"), encoding="utf-8")
    state = desired(load(folder / "hosts.yml"), "a")
    text = json.dumps(as_data(state))
    assert "hush-hush" not in text
    assert as_data(state)["roles"]["system"]["variables"]["system_files"]["value"] == "<vault>"
    assert state.roles["system"]["nouns"]["file"]["files"][0]["content"] == "pw=hush-hush;"


def test_settings_with_secret_names_and_files_declared_secret_are_masked(loaded: Load) -> None:
    text = """
        nodes:
          hosts:
            a:
              kernel_sysctl: {net.ipv4.tcp_fastopen_key: 1234-5678}
              system_files: [{path: /etc/x, content: hush-hush, secret: true}]
        """
    shown = json.dumps(as_data(desired(loaded(text), "a")))
    assert "1234-5678" not in shown
    assert "hush-hush" not in shown
    assert "/etc/x" in shown
