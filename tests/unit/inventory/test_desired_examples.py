"""Both example inventories are free of errors, compile to complete plans, and give the files of tests/golden."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from raceway.inventory import check
from raceway.inventory.desired import compile_all
from raceway.switch.model import PLATFORMS

from .golden import GOLDEN, HOSTS, SUFFIX, answer, files, loaded

CASES = [pytest.param(name, host, id=f"{name}-{host}") for name, hosts in HOSTS.items() for host in hosts]


@pytest.mark.parametrize("name", HOSTS)
def test_an_example_has_no_finding_at_all(name: str) -> None:
    inventory = loaded(name)
    assert 16 <= len(inventory.nodes) <= 20
    assert [finding.message() for finding in check(inventory)] == []


@pytest.mark.parametrize("name", HOSTS)
def test_an_example_gives_the_golden_files_and_no_others(name: str, tmp_path: Path) -> None:
    made = dict(files(name, tmp_path))
    kept = {str(path.relative_to(GOLDEN)) for path in (GOLDEN / name).rglob("*") if path.is_file()}
    assert kept == set(made), "run: make golden"
    old = [path for path, text in made.items() if (GOLDEN / path).read_text(encoding="utf-8") != text]
    assert old == [], "read `make golden && git diff tests/golden`, and commit what is meant"


def test_no_golden_file_belongs_to_an_example_that_is_gone() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(HOSTS)


@pytest.mark.parametrize(("name", "host"), CASES)
def test_a_fresh_machine_gets_a_complete_plan_in_which_nothing_is_refused(name: str, host: str, tmp_path: Path) -> None:
    state = compile_all(loaded(name))[host]
    roles: Mapping[str, Mapping[str, list[object]]] = answer(state, HOSTS[name][host], tmp_path)["roles"]
    assert list(roles) == list(state)
    refused = {role: plan["refusals"] for role, plan in roles.items() if plan["refusals"]}
    assert refused == {}
    assert [role for role, plan in roles.items() if not plan["steps"] and not plan["noops"]] == []


def test_every_machine_of_an_example_compiles_and_each_kind_has_a_golden_host() -> None:
    for name, hosts in HOSTS.items():
        states = compile_all(loaded(name))
        kinds = {tuple(state) for state in states.values()}
        assert kinds == {tuple(states[host]) for host in hosts}


def test_the_examples_show_a_file_of_every_platform() -> None:
    suffixes = {path.name for path in GOLDEN.rglob("switch/*")}
    assert len([name for name in suffixes if not name.endswith(".origin.txt")]) > len(PLATFORMS)
    assert set(SUFFIX) == set(PLATFORMS)


def test_the_same_declaration_gives_the_same_files_twice(tmp_path: Path) -> None:
    first = dict(files("example-infiniband", tmp_path / "a"))
    assert first == dict(files("example-infiniband", tmp_path / "b"))
    assert not [path for path, text in first.items() if str(tmp_path) in text]
