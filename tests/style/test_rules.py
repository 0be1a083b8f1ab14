"""The repository keeps every rule of its house style, and every rule can fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import components, modules, node_half, prose, python, roles, tests, yaml_words
from .rule import Bad, Rule, findings

ROOT = Path(__file__).parents[2]
RULES: tuple[Rule, ...] = (
    *roles.RULES,
    *yaml_words.RULES,
    *modules.RULES,
    *node_half.RULES,
    *python.RULES,
    *components.RULES,
    *tests.RULES,
    *prose.RULES,
)
TWINS = [pytest.param(rule, bad, id=f"{rule.name}-{n}") for rule in RULES for n, bad in enumerate(rule.bad)]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_repository_keeps_the_rule(rule: Rule) -> None:
    found = findings(rule, ROOT)
    assert not found, "\n".join(["", *found])


@pytest.mark.parametrize(("rule", "bad"), TWINS)
def test_the_rule_sees_a_tree_that_breaks_it(rule: Rule, bad: Bad, tmp_path: Path) -> None:
    for name, text in bad.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = findings(rule, tmp_path)
    assert any(bad.sees in line for line in found), f"expected {bad.sees!r} in {found}"


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.optional], ids=lambda rule: rule.name)
def test_the_rule_is_red_where_it_has_nothing_to_look_at(rule: Rule, tmp_path: Path) -> None:
    assert "would pass without looking" in findings(rule, tmp_path)[0]


def test_every_rule_has_a_tree_that_breaks_it_and_a_name_of_its_own() -> None:
    assert all(rule.bad for rule in RULES)
    assert len({rule.name for rule in RULES}) == len(RULES)
