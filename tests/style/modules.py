"""Rules for Ansible modules: documented promises, check and diff mode always, hardly any code."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import yaml

from .rule import Bad, Findings, Rule, count, parsed, text

FILES = ("plugins/modules/*.py",)
LONGEST = 60
# node.py must carry what puts the bundle in place: nothing of raceway can be imported on a node before that.
LONGER = {"node.py": 130}


def documents(file: Path) -> dict[str, Any]:
    """Return DOCUMENTATION, EXAMPLES and RETURN of a module as data."""
    found: dict[str, Any] = {}
    for node in parsed(file).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in {"DOCUMENTATION", "EXAMPLES", "RETURN"} and isinstance(node.value, ast.Constant):
                found[name] = yaml.safe_load(str(node.value.value))
    return found


def _documented(_tree: Path, file: Path) -> Findings:
    docs = documents(file)
    for name in ("DOCUMENTATION", "EXAMPLES", "RETURN"):
        if not docs.get(name):
            yield f"no {name}"
    for mode in ("check_mode", "diff_mode"):
        told = ((docs.get("DOCUMENTATION") or {}).get("attributes") or {}).get(mode) or {}
        if told.get("support") != "full" and not (told.get("support") == "N/A" and told.get("details")):
            yield f"{mode}: support is {told.get('support')}; allowed: full, or N/A with details where no node changes"
    for name, row in (docs.get("RETURN") or {}).items():
        if "sample" not in row:
            yield f"RETURN {name} has no sample"


def _short(_tree: Path, file: Path) -> Findings:
    last = max((node.end_lineno or 0 for node in parsed(file).body if _is_document(node)), default=0)
    allowed = LONGER.get(file.name, LONGEST)
    if count(file) - last > allowed:
        yield f"{count(file) - last} lines after the documents; allowed: {allowed}"


def _is_document(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id
        in {
            "DOCUMENTATION",
            "EXAMPLES",
            "RETURN",
        }
    )


def _action_beside(tree: Path, file: Path) -> Findings:
    """Where an action plugin does the work, its options are those the module documents."""
    action = tree / "plugins" / "action" / file.name
    options = (documents(file).get("DOCUMENTATION") or {}).get("options") or {}
    for name in options:
        if f'"{name}"' not in text(action if action.exists() else file):
            yield f"option {name} is documented and nobody reads it"


_DOCS = "DOCUMENTATION = '''\n{}\n'''\nEXAMPLES = '''\n- name: x\n'''\nRETURN = '''\nx: {{sample: 1}}\n'''\n"

RULES = (
    Rule(
        "a module documents its promise, its return values, check and diff mode",
        FILES,
        _documented,
        (
            Bad({"plugins/modules/x.py": "x = 1\n"}, "no DOCUMENTATION"),
            Bad(
                {"plugins/modules/x.py": _DOCS.format("attributes: {check_mode: {support: none}}")},
                "check_mode: support is none",
            ),
            Bad({"plugins/modules/x.py": _DOCS.format("a: 1").replace("sample", "type")}, "RETURN x has no sample"),
        ),
    ),
    Rule(
        "a module has at most 60 lines after its documents",
        FILES,
        _short,
        (Bad({"plugins/modules/x.py": _DOCS.format("a: 1") + "x = 1\n" * 61}, "61 lines"),),
    ),
    Rule(
        "every documented option is read",
        FILES,
        _action_beside,
        (Bad({"plugins/modules/x.py": _DOCS.format("options: {mode: {}}")}, "option mode"),),
    ),
)
