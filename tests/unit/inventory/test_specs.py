"""Specs and defaults of roles are read with their places; a broken spec is told with its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.inventory.specs import load_specs


def test_a_role_is_read_with_options_defaults_and_their_lines(tin: Path) -> None:
    spec = load_specs(tin)["tin"]
    assert (spec.prefix, spec.options["tin_size"].type, spec.defaults["tin_size"]) == ("tin_", "int", 1)
    assert spec.origins["tin_size"].line == 3
    assert spec.options["tin_parts"].options is not None
    assert spec.constraints.mutually_exclusive == (("tin_left", "tin_right"),)


def test_the_roles_of_this_repository_are_found_without_being_told_where() -> None:
    assert {"node", "kernel", "system"} <= set(load_specs())


def test_defaults_of_the_node_role_are_what_its_spec_says() -> None:
    spec = load_specs()["node"]
    assert {name: option.default for name, option in spec.options.items()} == dict(spec.defaults)


def test_a_folder_without_roles_is_told(tmp_path: Path) -> None:
    with pytest.raises(RacewayError, match="no role with meta"):
        load_specs(tmp_path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("argument_specs: {main: {options: {x_a: {type: integer}}}}", "type integer"),
        ("argument_specs: {main: {options: {x_a: {type: list, elements: strings}}}}", "type strings"),
        ("argument_specs: {install: {}}", "no entry point main"),
        ("[]", "no entry point main"),
        ("argument_specs: [", "YAML"),
    ],
)
def test_a_broken_spec_is_told_with_its_file(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "x" / "meta" / "argument_specs.yml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RacewayError) as caught:
        load_specs(tmp_path)
    assert told in caught.value.message()
    assert "argument_specs.yml" in caught.value.place


def test_defaults_that_are_no_mapping_are_told(tin: Path) -> None:
    (tin / "tin" / "defaults" / "main.yml").write_text("- a\n", encoding="utf-8")
    load_specs.cache_clear()
    with pytest.raises(RacewayError, match="not a mapping of variables"):
        load_specs(tin)
