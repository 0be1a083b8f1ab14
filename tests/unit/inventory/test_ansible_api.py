"""The one room that touches Ansible's inside: what happens when its private parts are gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.utils.display import Display

from raceway.inventory import ansible_api, check, load


def test_without_ansibles_origin_tags_lines_are_unknown_and_everything_else_works(
    make: Any, tin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make({"hosts.yml": "nodes: {hosts: {a: {tin_sise: 1, tin_size: '8'}}}"}) / "hosts.yml"
    assert {finding.line for finding in check(load(path), tin)} == {1}
    for name in ("_OriginTag", "_EncryptedTag", "_EncryptedString"):
        monkeypatch.setattr(ansible_api, name, None)
    blind = check(load(path), tin)
    assert {(finding.variable, str(finding.origin)) for finding in blind} == {
        ("tin_sise", "line unknown"),
        ("tin_size", "line unknown"),
    }


def test_what_ansible_would_print_is_collected_and_its_display_given_back() -> None:
    display = Display()
    with ansible_api.capture() as messages:
        display.warning("one")
        display.error_as_warning("two", ValueError("x"))
        display.deprecated("three")
    assert [text for text, _ in messages.warnings] == ["one"]
    assert [text for text, _ in messages.failures] == ["two"]
    assert not {"warning", "error_as_warning", "deprecated"} & set(vars(display))


def test_a_file_is_parsed_once_however_many_plugins_look_at_it(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make({"hosts.yml": "nodes: {hosts: {a: }}"}) / "hosts.yml"
    loader = ansible_api.CachingLoader()
    first = loader.load_from_file(str(path), trusted_as_template=True)
    assert loader.load_from_file(str(path), trusted_as_template=True) is first


def test_places_made_quickly_are_the_places_ansible_makes(make: Any) -> None:
    path = str(make({"x.yml": "a:\n  - b: {c: 1}\n    d: text\n"}) / "x.yml")

    def places(data: Any) -> list[Any]:
        rows = [ansible_api.origin_of(data)]
        inner = [*data, *data.values()] if isinstance(data, dict) else data if isinstance(data, list) else []
        return rows + [place for row in inner for place in places(row)]

    own = places(DataLoader().load_from_file(path))
    with ansible_api.quick_origins():
        assert places(DataLoader().load_from_file(path)) == own
    assert len({(place.line, place.column) for place in own if place}) > 4


def test_a_later_ansible_without_that_method_is_left_alone(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ansible_api, "_Constructor", None)
    inventory = load(make({"hosts.yml": "nodes: {hosts: {a: {x: 1}}}"}) / "hosts.yml")
    assert inventory.origins("a", "x")[0][1].line == 1


def test_the_configured_precedence_is_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ansible_api.plain_precedence()
    monkeypatch.setattr(ansible_api.C, "VARIABLE_PLUGINS_ENABLED", ["host_group_vars", "mine.own.vars"])
    assert not ansible_api.plain_precedence()
