"""Values per role: what is shared stays shared, and each way a value can be unusable is a finding with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.inventory import check, load
from raceway.inventory.evaluate import Evaluator
from raceway.inventory.specs import load_specs

from .vaults import ciphertext, encrypted, password


def evaluator(make: Any, tin: Path, text: str) -> Evaluator:
    """Return an evaluator over the text of a hosts.yml."""
    return Evaluator(load(make({"hosts.yml": text}) / "hosts.yml"), load_specs(tin))


def test_defaults_lie_below_what_the_inventory_says(make: Any, tin: Path) -> None:
    values = evaluator(make, tin, "nodes: {vars: {tin_size: 2}, hosts: {a: {tin_shiny: true}}}").host("a").roles["tin"]
    assert (values["tin_size"], values["tin_shiny"], values["tin_colour"]) == (2, True, "red")


def test_hosts_without_variables_of_their_own_share_the_very_same_values(make: Any, tin: Path) -> None:
    one = evaluator(make, tin, "nodes: {vars: {tin_size: 2}, hosts: {a: , b: , c: {tin_size: 3}}}")
    a, b, c = (one.host(name) for name in "abc")
    assert a.roles["tin"] is b.roles["tin"]
    assert c.roles["tin"] is not a.roles["tin"]
    assert (a.own, c.own) == (frozenset(), {"tin"})


def test_one_hosts_value_does_not_leak_into_the_shared_ones(make: Any, tin: Path) -> None:
    one = evaluator(make, tin, "nodes: {hosts: {a: {tin_size: 3}, b: }}")
    assert [one.host(name).roles["tin"]["tin_size"] for name in "aba"] == [3, 1, 3]


def test_templates_of_a_group_are_filled_in_for_each_host(make: Any, tin: Path) -> None:
    one = evaluator(make, tin, "nodes: {vars: {tin_size: '{{ n }}', n: 1}, hosts: {a: {n: 5}, b: }}")
    assert [one.host(name).roles["tin"]["tin_size"] for name in "ab"] == [5, 1]


def test_omit_leaves_the_default(make: Any, tin: Path) -> None:
    one = evaluator(make, tin, "nodes: {hosts: {a: {tin_colour: '{{ omit }}'}}}")
    assert one.host("a").roles["tin"]["tin_colour"] == "red"


def test_a_default_may_be_a_template_over_other_variables(make: Any, tin: Path) -> None:
    file = tin / "tin" / "defaults" / "main.yml"
    file.write_text(file.read_text(encoding="utf-8").replace('tin_name: ""', 'tin_name: "{{ tin_colour }}-x"'))
    load_specs.cache_clear()
    one = evaluator(make, tin, "nodes: {hosts: {a: {tin_colour: dark_green}, b: }}")
    assert [one.host(name).roles["tin"]["tin_name"] for name in "ab"] == ["dark_green-x", "red-x"]


def test_an_undefined_variable_in_a_template_is_told_with_the_template_and_its_line(found: Any) -> None:
    (finding,) = found("nodes:\n  hosts:\n    a:\n      tin_name: '{{ nobody }}'\n")
    assert (finding.line, finding.found) == (4, "\"{{ nobody }}\": 'nobody' is undefined")
    assert found("nodes: {vars: {nobody: x}, hosts: {a: {tin_name: '{{ nobody }}'}}}") == []


def test_a_template_with_a_result_of_the_wrong_type_is_told_as_result(found: Any) -> None:
    (finding,) = found("nodes: {hosts: {a: {tin_size: 'x{{ 4 }}'}}}")
    assert finding.found == '"x4", a string (result of its template)'
    assert found("nodes: {hosts: {a: {tin_size: '{{ 4 }}'}}}") == []


def test_a_mistake_inside_a_list_is_told_at_the_line_of_the_element(found: Any) -> None:
    (finding,) = found("nodes:\n  hosts:\n    a:\n      tin_parts:\n        - name: x\n          kind: nail\n")
    assert (finding.variable, finding.line) == ("tin_parts[0].kind", 6)


def test_a_bool_inside_a_list_is_told_at_its_key(found: Any) -> None:
    (finding,) = found("nodes:\n  hosts:\n    a:\n      tin_parts:\n        - name: x\n          kind: yes\n")
    assert (finding.variable, finding.line) == ("tin_parts[0].kind", 6)


def test_an_ini_inventory_has_no_types_so_its_words_are_read(make: Any, tin: Path) -> None:
    text = "[nodes]\na tin_name=007 tin_shiny=yes tin_size=8\n[nodes:vars]\ntin_ratio=1\n"
    inventory = load(make({"hosts": text}) / "hosts")
    assert check(inventory, tin) == []
    values = Evaluator(inventory, load_specs(tin)).host("a").roles["tin"]
    assert (values["tin_name"], values["tin_shiny"], values["tin_size"]) == ("007", True, 8)


def test_an_ini_inventory_with_a_wrong_word_is_told_with_its_line(make: Any, tin: Path) -> None:
    (finding,) = check(load(make({"hosts": "[nodes]\na tin_size=many\n"}) / "hosts"), tin)
    assert (finding.variable, finding.line) == ("tin_size", 2)


def test_extra_vars_are_read_by_their_words(make: Any, tin: Path) -> None:
    path = make({"hosts.yml": "nodes: {hosts: {a: }}"}) / "hosts.yml"
    assert check(load(path, extra_vars={"tin_size": "8"}), tin) == []
    (finding,) = check(load(path, extra_vars={"tin_size": "eight"}), tin)
    assert finding.hosts == ("a",)


def vaulted(make: Any, text: str) -> Path:
    """Write an inventory whose group variables are ``text``."""
    folder: Path = make({"hosts.yml": "nodes: {hosts: {a: , b: }}", "group_vars/nodes.yml": ""})
    (folder / "group_vars" / "nodes.yml").write_text(text, encoding="utf-8")
    return folder / "hosts.yml"


def test_a_vault_value_is_checked_and_never_printed(
    make: Any, tin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password(monkeypatch, tmp_path)
    (finding,) = check(load(vaulted(make, encrypted("tin_size", "hush"))), tin)
    assert (finding.found, finding.line, len(finding.hosts)) == ("<vault>, a string", 1, 2)
    assert "hush" not in finding.message()
    assert check(load(vaulted(make, encrypted("tin_size", "8"))), tin) == []


def test_a_vault_value_nobody_can_open_is_a_doubt_not_an_error(make: Any, tin: Path) -> None:
    (finding,) = check(load(vaulted(make, encrypted("tin_size", "8"))), tin)
    assert (finding.severity, finding.found) == ("warning", "<vault>")


def test_a_wrong_value_of_an_encrypted_file_is_not_printed(
    make: Any, tin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password(monkeypatch, tmp_path)
    (finding,) = check(load(vaulted(make, ciphertext("tin_size: hush\n"))), tin)
    assert finding.found == "<vault>, a string"


def test_a_wrong_secret_is_told_without_its_value(found: Any) -> None:
    findings = found("nodes: {hosts: {a: {tin_password: 1234567, tin_pin: hush}}}")
    assert {one.variable for one in findings} == {"tin_password", "tin_pin"}
    assert not any("1234567" in one.message() or "hush" in one.message() for one in findings)
