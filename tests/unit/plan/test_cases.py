"""Every planner variant is a case file: facts and a declaration, and the steps, noops, refusals and reboots they give.

``tests/cases/<noun>/<name>.yaml`` holds ``says`` (the rule in one sentence), ``desired``, ``facts`` or ``machine`` (a
recorded one, read by the noun's probe), and ``expect``. Steps, refusals and reboots not named must not come; noops
are compared where the case names them. Texts match where the expected words stand in them, types and risks exactly.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.host import Ledger
from raceway.node.registry import ORDER

from ..builders import CASES, MACHINES, make_facts, recorded_host, stage

FILES = sorted(CASES.glob("*/*.yaml"))
EXACT = ("type", "risk")


def _load(path: Path) -> dict[str, Any]:
    case = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(case) <= {"says", "source", "desired", "facts", "machine", "expect"}, f"{path}: unknown keys"
    return case


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_case_gives_the_plan_it_expects(path: Path) -> None:
    case, noun = _load(path), path.parent.name
    desired = stage("model", noun).parse(case["desired"])
    if "machine" in case:
        host = recorded_host(case["machine"])
        facts = stage("probe", noun).probe(host, desired, Ledger(host))
    else:
        facts = make_facts(noun, case["facts"])
    plan = stage("plan", noun).plan(desired, facts)
    for kind in ("steps", "refusals", "reboots"):
        check_rows(kind, case["expect"].get(kind, []), getattr(plan, kind))
    if "noops" in case["expect"]:
        check_rows("noops", case["expect"]["noops"], plan.noops)


def check_rows(kind: str, expected: list[dict[str, Any]], found: tuple[Any, ...]) -> None:
    """Compare rows in order; each named part must be there."""
    assert len(expected) == len(found), f"{kind}: expected {len(expected)}, found {[vars(row) for row in found]}"
    for wanted, row in zip(expected, found, strict=True):
        for name, value in wanted.items():
            shown = getattr(row, name)
            if name == "args":
                assert value.items() <= dict(shown).items(), f"{kind}: {shown}"
            elif name in EXACT:
                assert shown == value, f"{kind}: {row}"
            else:
                assert value in shown, f"{kind}: {name} is {shown!r}, without {value!r}"


def test_each_case_belongs_to_a_noun_and_says_its_rule() -> None:
    assert FILES
    for path in FILES:
        assert path.parent.name in ORDER, f"{path}: no such noun"
        case = _load(path)
        assert case["says"].strip(), f"{path}: says nothing"
        assert ("facts" in case) != ("machine" in case), f"{path}: facts or a machine, one of them"
        assert "machine" not in case or (MACHINES / case["machine"] / "ORIGIN").exists()


def test_each_recorded_machine_tells_where_its_files_come_from() -> None:
    shapes = sorted(path.name for path in MACHINES.iterdir())
    assert {"debian12-vm", "h100-node", "lab-container"} <= set(shapes)
    for shape in shapes:
        origin = (MACHINES / shape / "ORIGIN").read_text(encoding="utf-8")
        for top in sorted(path.name for path in (MACHINES / shape / "root").iterdir()):
            assert f"{top}/" in origin, f"{shape}: ORIGIN does not tell where {top}/ comes from"


def test_a_case_that_does_not_fit_is_seen() -> None:
    with pytest.raises(AssertionError, match="expected 1, found"):
        check_rows("steps", [{"type": "sysctl"}], ())
