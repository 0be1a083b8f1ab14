"""Rules for Ansible YAML: no escape hatches, no program in Jinja."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .roles import tasks
from .rule import Bad, Findings, Rule, data, text

FILES = ("roles/*.yml", "playbooks/*.yml", "site.yml", "tests/molecule/*.yml", "inventories/*.yml")
SHELLS = ("shell", "ansible.builtin.shell", "raw", "ansible.builtin.raw")
COMMANDS = ("command", "ansible.builtin.command", "script", "ansible.builtin.script")
WORDS = (
    (r"^\s*ignore_errors:", "ignore_errors hides what went wrong"),
    (r"^\s*ignore_unreachable:", "ignore_unreachable hides what went wrong"),
    (r"^\s*failed_when:\s*(false|no|False)\b", "failed_when: false hides what went wrong"),
    (r"^\s*state:\s*latest\b", "state: latest is another state every day"),
)


def _words(_tree: Path, file: Path) -> Findings:
    for number, line in enumerate(text(file).splitlines(), 1):
        for pattern, reason in WORDS:
            if re.search(pattern, line):
                yield f"{number}: {reason}"


def _shell(_tree: Path, file: Path) -> Findings:
    for task in tasks(data(file)):
        for key in SHELLS:
            if key in task:
                yield f"{task.get('name')}: {key}; allowed: a module"
        if any(key in task for key in COMMANDS) and "changed_when" not in task:
            yield f"{task.get('name')}: a command says by changed_when what it changes"


def _default_of_declared(tree: Path, file: Path) -> Findings:
    for match in re.finditer(r"\b(\w+)\s*\|\s*(?:default|d)\b", text(file)):
        if match[1] in _declared(tree):
            yield f"{match[1]} | default: the role declares it; its default stands in defaults/main.yml"


@functools.lru_cache(maxsize=4)
def _declared(tree: Path) -> frozenset[str]:
    """Return the names of all roles' variables."""
    return frozenset(name for file in tree.glob("roles/*/defaults/main.yml") for name in _keys(data(file)))


def _keys(variables: Any) -> list[str]:
    return [str(name) for name in variables] if isinstance(variables, Mapping) else []


def _long_jinja(_tree: Path, file: Path) -> Findings:
    for match in re.finditer(r"\{\{.*?\}\}|\{%.*?%\}", text(file), re.DOTALL):
        if "\n" in match[0]:
            yield f"{text(file)[: match.start()].count(chr(10)) + 1}: Jinja over several lines; move it to Python"


RULES = (
    Rule(
        "no word that hides an error or a version",
        FILES,
        _words,
        tuple(
            Bad({"roles/a/tasks/main.yml": f"- name: X\n  {line}\n"}, sees)
            for line, sees in (
                ("ignore_errors: true", "ignore_errors"),
                ("ignore_unreachable: true", "ignore_unreachable"),
                ("failed_when: false", "failed_when"),
                ("x:\n    state: latest", "state: latest"),
            )
        ),
    ),
    Rule(
        "no shell, and a command says what it changes",
        FILES,
        _shell,
        (
            Bad(
                {"playbooks/x.yml": "- hosts: all\n  tasks:\n    - name: X\n      ansible.builtin.shell: ls\n"}, "shell"
            ),
            Bad({"roles/a/tasks/x.yml": "- name: X\n  block:\n    - name: Y\n      command: ls\n"}, "Y: a command"),
        ),
    ),
    Rule(
        "no default() of a declared variable",
        FILES,
        _default_of_declared,
        (
            Bad(
                {"roles/a/defaults/main.yml": "a_x: 1\n", "roles/a/tasks/x.yml": "x: '{{ a_x | default(2) }}'\n"},
                "a_x | default",
            ),
            Bad({"roles/a/defaults/main.yml": "a_x: 1\n", "site.yml": "x: '{{ a_x|d(2) }}'\n"}, "a_x | default"),
        ),
    ),
    Rule(
        "no Jinja longer than one line",
        FILES,
        _long_jinja,
        (
            Bad({"site.yml": "x: >-\n  {{ a\n  + b }}\n"}, "2: Jinja"),
            Bad({"site.yml": "x: |\n  {% if\n   a %}\n"}, "2: Jinja"),
        ),
    ),
)
