"""Templates: filled in as Ansible would, kept where nothing differs, told where they cannot be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ansible.inventory.host import Host

from raceway.inventory import Inventory, ansible_render, load
from raceway.inventory.templates import Resolved, Resolver, short_name
from raceway.inventory.values import native

from .vaults import encrypted, password

Load = Callable[[str], Inventory]


def resolve(inventory: Inventory, host: str, name: str) -> Resolved:
    """Return one variable of a host, resolved."""
    variables = inventory.variables(host)
    return Resolver(inventory).resolve(host, variables, variables[name])


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("{{ base }}", 8),
        ("{{ base + 1 }}", 9),
        ("{{ base }}x", "8x"),
        ("{{ again }}", 8),
        ("{{ inventory_hostname }}", "a.example"),
        ("{{ inventory_hostname_short }}", "a"),
        ("{{ group_names | join(',') }}", "nodes"),
        ("{{ groups['nodes'] | length }}", 2),
        ("{{ hostvars['b'].base }}", 8),
        ("{{ 'x' if base > 4 else 'y' }}", "x"),
    ],
)
def test_a_template_gives_what_ansible_gives(loaded: Load, template: str, expected: Any) -> None:
    inventory = loaded(f"""
        nodes:
          vars: {{base: 8, again: "{{{{ base }}}}", v: "{template}"}}
          hosts: {{a.example: , b: }}
        """)
    assert resolve(inventory, "a.example", "v").value == expected


def test_templates_inside_lists_and_dicts_are_filled_in(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {n: 2, v: [{x: '{{ n }}'}, 'plain']}}}")
    assert resolve(inventory, "a", "v").value == [{"x": 2}, "plain"]


@pytest.mark.parametrize(
    "value",
    [
        "{{ n }}",
        "{{ s }}",
        "{{ b }}",
        "{{ nothing }}",
        "{{ l }}",
        "x{{ n }}y",
        "x{{ b }}y",
        "x{{ nothing }}y",
        "x{{ l }}y",
        "{{ n }}{{ n }}",
        "{{ n }} ",
        "{{ s }}\n",
        "a\r\n{{ s }}\n\n",
        "{{n}}-{{s}}-{{inventory_hostname}}",
        "{{ t }} and {{ s }}",
        "{{ '{{' }} {{ s }}",
        "{# a comment #}{{ s }}",
        "{% if n %}{{ s }}{% endif %}",
        "}} {{ s }}",
        ["{{ n }}", {"k": "{{ s }}x", "plain": 1}],
    ],
)
def test_what_is_filled_in_without_the_engine_is_what_the_engine_gives(make: Any, value: Any) -> None:
    variables = {"n": 4, "s": "text", "b": True, "nothing": None, "l": [1, "a"], "t": "{{ n }}", "v": value}
    folder = make({"hosts.yml": "nodes: {hosts: {a: }}", "group_vars/nodes.json": json.dumps(variables)})
    inventory = load(folder / "hosts.yml")
    known = {**inventory.variables("a"), "inventory_hostname": "a"}
    expected = ansible_render.render(inventory.loader, known["v"], known)
    got = resolve(inventory, "a", "v").value
    assert (got, type(native(got))) == (expected, type(native(expected)))


def test_an_undefined_variable_is_an_error_that_names_it(loaded: Load) -> None:
    assert resolve(loaded("nodes: {hosts: {a: {v: '{{ nobody }}'}}}"), "a", "v").error == "'nobody' is undefined"


def test_facts_are_not_there_to_be_declared_from(loaded: Load) -> None:
    inventory = loaded("nodes: {hosts: {a: {v: '{{ ansible_facts.processor_vcpus }}'}}}")
    assert "ansible_facts" in resolve(inventory, "a", "v").error


@pytest.mark.parametrize("value", ["'{{ v }}'", "'{{ w }}', w: '{{ v }}'", "'x{{ v }}'"])
def test_a_template_that_refers_to_itself_is_an_error(loaded: Load, value: str) -> None:
    assert resolve(loaded(f"nodes: {{hosts: {{a: {{v: {value}}}}}}}"), "a", "v").error


def test_a_template_with_a_syntax_error_is_told(loaded: Load) -> None:
    assert resolve(loaded("nodes: {hosts: {a: {v: '{{ 1 + }}'}}}"), "a", "v").error


def test_omit_leaves_the_variable_out(loaded: Load) -> None:
    assert resolve(loaded("nodes: {hosts: {a: {v: '{{ omit }}'}}}"), "a", "v").omitted


def test_unsafe_text_is_no_template(loaded: Load) -> None:
    got = resolve(loaded("nodes: {hosts: {a: {v: !unsafe '{{ nobody }}'}}}"), "a", "v")
    assert (got.value, got.error) == ("{{ nobody }}", "")


def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Count what reaches Ansible's template engine."""
    calls: list[Any] = []
    real = ansible_render.render

    def render(loader: Any, value: Any, variables: Any) -> Any:
        calls.append(value)
        return real(loader, value, variables)

    monkeypatch.setattr(ansible_render, "render", render)
    return calls


def test_a_template_over_shared_variables_is_rendered_once_for_all_hosts(
    loaded: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = loaded("nodes: {vars: {n: 2, v: '{{ n + 1 }}'}, hosts: {a: , b: , c: {n: 5}}}")
    calls, resolver = counted(monkeypatch), Resolver(inventory)
    values = [resolver.resolve(host, (all_ := inventory.variables(host)), all_["v"]).value for host in "abc"]
    assert (values, len(calls)) == ([3, 3, 6], 2)


def test_a_template_over_the_host_itself_is_rendered_for_each(loaded: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    inventory = loaded("nodes: {vars: {v: 'x-{{ inventory_hostname | upper }}'}, hosts: {a: , b: }}")
    calls, resolver = counted(monkeypatch), Resolver(inventory)
    values = [resolver.resolve(host, (all_ := inventory.variables(host)), all_["v"]).value for host in "ab"]
    assert (values, len(calls)) == (["x-A", "x-B"], 2)


def test_a_bare_reference_needs_no_engine(loaded: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    inventory = loaded("nodes: {hosts: {a: {n: [1], v: '{{ n }}'}}}")
    calls = counted(monkeypatch)
    assert resolve(inventory, "a", "v").value == [1]
    assert calls == []


def with_vault(make: Any) -> Path:
    """Write an inventory with a vault value and two templates over it."""
    hosts = "nodes: {hosts: {a: {v: '{{ pw }}', w: 'x{{ pw }}'}}}"
    folder: Path = make({"hosts.yml": hosts, "group_vars/nodes.yml": ""})
    (folder / "group_vars" / "nodes.yml").write_text(encrypted("pw", "hush"), encoding="utf-8")
    return folder / "hosts.yml"


def test_vault_values_open_and_stay_hidden_through_templates(
    make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    password(monkeypatch, tmp_path)
    inventory = load(with_vault(make))
    for name, value in (("pw", "hush"), ("v", "hush"), ("w", "xhush")):
        got = resolve(inventory, "a", name)
        assert (got.value, got.hidden, got.sealed) == (value, True, False), name


def test_vault_values_without_a_password_are_sealed_not_an_error(make: Any) -> None:
    inventory = load(with_vault(make))
    for name in ("pw", "v", "w"):
        got = resolve(inventory, "a", name)
        assert (got.sealed, got.hidden, got.error) == (True, True, ""), name


@pytest.mark.parametrize(
    ("host", "short"), [("a.example", "a"), ("a", "a"), ("10.0.0.1", "10.0.0.1"), ("fe80::1", "fe80::1")]
)
def test_the_short_name_is_what_ansible_makes_of_it(host: str, short: str) -> None:
    assert short_name(host) == short == Host(host).get_magic_vars()["inventory_hostname_short"]
