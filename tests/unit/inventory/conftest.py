"""Inventories and roles written into a temporary folder: small enough to see the one thing a test is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import dedent

import ansible.plugins.filter.core  # noqa: F401 - its import starts ldconfig, which no test may
import pytest

from raceway.inventory import Finding, Inventory, check, load

Make = Callable[[Mapping[str, str]], Path]
Findings = Callable[..., list[Finding]]

# One variable of each kind, and rules between them, so that a test need not know a real role.
TIN_SPECS = """
argument_specs:
  main:
    options:
      tin_name: {type: str, default: ""}
      tin_size: {type: int, default: 1}
      tin_ratio: {type: float, default: 0.5}
      tin_shiny: {type: bool, default: false}
      tin_colour: {type: str, choices: [red, dark_green], default: red}
      tin_lids: {type: list, elements: str, default: []}
      tin_settings: {type: dict, default: {}}
      tin_anything: {type: raw, default: null}
      tin_password: {type: str, default: ""}
      tin_pin: {type: int, no_log: true, default: 0}
      tin_parts:
        type: list
        elements: dict
        default: []
        options:
          name: {type: str, required: true}
          count: {type: int, default: 1}
          kind: {type: str, choices: [nut, bolt]}
      tin_left: {type: str}
      tin_right: {type: str}
    mutually_exclusive: [[tin_left, tin_right]]
"""
TIN_DEFAULTS = """
tin_name: ""
tin_size: 1
tin_ratio: 0.5
tin_shiny: false
tin_colour: red
tin_lids: []
tin_settings: {}
tin_anything:
tin_password: ""
tin_pin: 0
tin_parts: []
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Write files (path → text, indentation removed) below a folder; return the folder."""

    def write(files: Mapping[str, str]) -> Path:
        folder = tmp_path / "inventory"
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def tin(tmp_path: Path) -> Path:
    """A roles folder with the one role ``tin``."""
    for name, text in (("meta/argument_specs.yml", TIN_SPECS), ("defaults/main.yml", TIN_DEFAULTS)):
        path = tmp_path / "roles" / "tin" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "roles"


@pytest.fixture
def loaded(make: Make) -> Callable[[str], Inventory]:
    """Load an inventory given as the text of its hosts.yml."""
    return lambda text: load(make({"hosts.yml": text}) / "hosts.yml")


@pytest.fixture
def found(make: Make, tin: Path) -> Findings:
    """Return the findings of an inventory against role ``tin`` (``hosts`` alone, or more files by name)."""

    def run(hosts: str, limit: str = "", **files: str) -> list[Finding]:
        named = {name.replace("__", "/") + ".yml": text for name, text in files.items()}
        folder = make({"hosts.yml": hosts, **named})
        return check(load(folder / "hosts.yml"), roles_dir=tin, limit=limit)

    return run
