"""Rules for roles: one shape, typed and explained variables, a README that cannot be old."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from raceway import docs
from raceway.inventory.evaluate import DEFAULT_ROLES

from .rule import Bad, Findings, Rule, count, data, text

VERBS = ("preflight", "install", "configure", "verify")
# Hardware cannot be broken by a command, and a lab node has no mirror to mend a missing package from: there the
# comparison is shown by cases.
UNBREAKABLE = {
    "node": "tests/cases/machine",
    "acceptance": "tests/cases/package",
    "diagnose": "tests/cases/package",
}
# What these roles set exists on machines with a kernel of their own alone; there their verify is seen red.
ON_MACHINES = {"rails": "tests/vm/test_rails.py", "roce": "tests/vm/test_roce.py"}
SPECS = ("roles/*/meta/argument_specs.yml",)


def _role(file: Path) -> Path:
    return file.parent.parent


def tasks(document: object) -> Iterator[Mapping[str, Any]]:
    """Yield every task of a play, a task file or a block."""
    for row in document if isinstance(document, list) else []:
        if not isinstance(row, Mapping):
            continue
        inner = [
            row.get(key)
            for key in ("pre_tasks", "roles", "tasks", "post_tasks", "handlers", "block", "rescue", "always")
        ]
        if not any(isinstance(part, list) for part in inner):
            yield row
        for part in inner:
            yield from tasks(part)


def _verbs(_tree: Path, file: Path) -> Findings:
    if count(file) > 40:
        yield f"{count(file)} lines; allowed: 40"
    names = sorted(path.stem for path in file.parent.glob("*.yml"))
    if names != sorted([*VERBS, "main"]):
        yield f"task files are {', '.join(names)}; allowed: main, {', '.join(VERBS)}"
    order = re.findall(r"include_tasks:\s*(?:file:\s*)?(\w+)\.yml", text(file))
    if order != list(VERBS):
        yield f"includes {', '.join(order) or 'nothing'}; allowed: {', '.join(VERBS)}, in this order"
    if list(_role(file).glob("handlers/*.yml")) and "flush_handlers" not in text(file):
        yield "has handlers and does not flush them before verify"


def _task_length(_tree: Path, file: Path) -> Findings:
    if count(file) > 80:
        yield f"{count(file)} lines; allowed: 80"


def _one_call(_tree: Path, file: Path) -> Findings:
    for task in tasks(data(file)):
        if any(key in task for key in ("loop", "with_items", "with_dict", "until")):
            yield f"{task.get('name')}: loops in YAML; the whole desired state is one call"


def _prefix(_tree: Path, file: Path) -> Findings:
    role = _role(file).name
    wanted = f"{role}_" if file.parent.name == "defaults" else f"__{role}_"
    variables = data(file)
    for name in variables if isinstance(variables, Mapping) else []:
        if not str(name).startswith(wanted):
            yield f"{name}: allowed: {wanted}*"


def _registers(_tree: Path, file: Path) -> Findings:
    role = _role(file).name
    for task in tasks(data(file)):
        name = task.get("register")
        if name and not str(name).startswith(f"__{role}_"):
            yield f"registers {name}; allowed: __{role}_*"


def _reasons(_tree: Path, file: Path) -> Findings:
    before = ""
    for number, line in enumerate(text(file).splitlines(), 1):
        if re.match(r"\w+:", line) and not before.startswith("#"):
            yield f"{number}: {line.split(':')[0]} has no reason above it"
        before = line


def _specs_are_defaults(_tree: Path, file: Path) -> Findings:
    specs: Any = data(file)
    defaults: Any = data(_role(file) / "defaults" / "main.yml") or {}
    for entry, spec in specs["argument_specs"].items():
        options: Mapping[str, Any] = spec.get("options") or {}
        for name in sorted(set(defaults) - set(options)):
            yield f"{entry}: {name} has a default and no spec"
        for name, option in options.items():
            if option.get("required"):
                if name in defaults:
                    yield f"{entry}: {name} is required and has a default"
            elif name not in defaults:
                yield f"{entry}: {name} has no default"
            elif "default" not in option or option["default"] != defaults[name]:
                yield f"{entry}: {name}: spec says {option.get('default')!r}, defaults say {defaults[name]!r}"
    for verb in VERBS[:1] + VERBS[3:]:
        if verb not in specs["argument_specs"]:
            yield f"no spec of the entry point {verb}, which can be called alone"


def _options_are_explained(_tree: Path, file: Path) -> Findings:
    specs: Any = data(file)
    for name, option in (specs["argument_specs"]["main"].get("options") or {}).items():
        for key in ("description", "type"):
            if not option.get(key):
                yield f"{name} has no {key}"


def _readme(_tree: Path, file: Path) -> Findings:
    place = _role(file) / "README.md"
    if not place.exists():
        yield "the role has no README.md"
        return
    for heading in docs.HEADINGS:
        answer = text(place).partition(heading)[2].partition("\n## ")[0].strip()
        if len(answer) < 20:
            yield f"README.md does not answer “{heading.lstrip('# ')}”"
    if docs.readme(text(place), docs.options(file)) != text(place):
        yield "the table of README.md is old; next: make docs"


def _handlers(_tree: Path, file: Path) -> Findings:
    rows = list(tasks(data(file)))
    if len(rows) > 5:
        yield f"{len(rows)} handlers; allowed: 5"
    for row in rows:
        if not re.fullmatch(r"[A-Z]\w+ \S.*", str(row.get("name", ""))):
            yield f"{row.get('name')!r}: allowed: a verb and an object, such as “Reload sysctl”"
        if any("reboot" in str(key) for key in row):
            yield f"{row.get('name')!r} reboots; reboot reasons are collected, there is one reboot at the end"


def _verify_can_fail(tree: Path, file: Path) -> Findings:
    """A scenario names commands that break the node; the shared part then expects the role's verify to be red."""
    role = _role(file)
    if role.name in UNBREAKABLE:
        if not any("refusals:" in text(case) for case in (tree / UNBREAKABLE[role.name]).glob("*.yaml")):
            yield f"no case in {UNBREAKABLE[role.name]} expects a refusal"
        return
    if role.name in ON_MACHINES:
        if "def test_verify_is_red" not in text(tree / ON_MACHINES[role.name]):
            yield f"no test in {ON_MACHINES[role.name]} sees this verify red"
        return
    scenarios = [data(one) for one in role.glob("molecule/*/**/*.yml")]
    if not any(isinstance(one, Mapping) and one.get("molecule_breaks") for one in scenarios):
        yield "no scenario of the role fills molecule_breaks, so nobody has seen this verify fail"
    if "molecule_break" not in "".join(text(one) for one in (tree / "tests" / "molecule" / "shared").glob("*.yml")):
        yield "tests/molecule/shared breaks nothing"


def _scenario_enables(_tree: Path, file: Path) -> Findings:
    """A role that is not enabled plans nothing, and its scenario would be green for that reason."""
    role, variables = file.parents[3].name, data(file)
    if role not in DEFAULT_ROLES and role not in (variables.get("raceway_roles") or ()):
        yield f"raceway_roles: does not enable {role}, so nothing of it is shown"


def _spec(options: str) -> str:
    return f"argument_specs:\n  main: &m\n    options:{options}\n  preflight: *m\n  verify: *m\n"


_MAIN = "".join(f"- name: X\n  ansible.builtin.include_tasks: {verb}.yml\n" for verb in VERBS)
_ONE = _spec("\n      a_x: {type: int, default: 1, description: Some.}")
_READ = f"# a\n{docs.HEADINGS[0]}\nnothing at all, ever and ever\n"

RULES = (
    Rule(
        "a role has the same four verbs, in order, in at most 40 lines",
        ("roles/*/tasks/main.yml",),
        _verbs,
        (
            Bad({"roles/a/tasks/main.yml": _MAIN + "#\n" * 40}, "48 lines"),
            Bad({"roles/a/tasks/main.yml": _MAIN}, "task files are main;"),
            Bad(
                {f"roles/a/tasks/{v}.yml": "" for v in VERBS} | {"roles/a/tasks/main.yml": "---\n"}, "includes nothing"
            ),
            Bad({"roles/a/tasks/main.yml": _MAIN, "roles/a/handlers/main.yml": ""}, "does not flush"),
        ),
    ),
    Rule(
        "a task file has at most 80 lines",
        ("roles/*/tasks/*.yml",),
        _task_length,
        (Bad({"roles/a/tasks/x.yml": "#\n" * 81}, "81"),),
    ),
    Rule(
        "a role never loops",
        ("roles/*/tasks/*.yml",),
        _one_call,
        (Bad({"roles/a/tasks/x.yml": "- block:\n    - name: Set keys\n      x: y\n      loop: [1]\n"}, "Set keys"),),
    ),
    Rule(
        "public variables begin with the role's name, private ones with two underscores",
        ("roles/*/defaults/main.yml", "roles/*/vars/main.yml"),
        _prefix,
        (
            Bad({"roles/a/defaults/main.yml": "b_x: 1\n"}, "b_x"),
            Bad({"roles/a/vars/main.yml": "a_x: 1\n"}, "a_x: allowed: __a_*"),
        ),
    ),
    Rule(
        "what a role registers is private",
        ("roles/*/tasks/*.yml",),
        _registers,
        (Bad({"roles/a/tasks/x.yml": "- name: X\n  register: a_seen\n"}, "registers a_seen"),),
    ),
    Rule(
        "every default has its reason above it",
        ("roles/*/defaults/main.yml",),
        _reasons,
        (Bad({"roles/a/defaults/main.yml": "# why\na_x: 1\na_y: 2\n"}, "3: a_y"),),
    ),
    Rule(
        "argument specs and defaults are the same variables with the same values",
        SPECS,
        _specs_are_defaults,
        (
            Bad(
                {"roles/a/meta/argument_specs.yml": _ONE, "roles/a/defaults/main.yml": "a_x: 1\na_y: 1\n"},
                "a_y has a default",
            ),
            Bad({"roles/a/meta/argument_specs.yml": _ONE}, "a_x has no default"),
            Bad({"roles/a/meta/argument_specs.yml": _ONE, "roles/a/defaults/main.yml": "a_x: 2\n"}, "spec says 1"),
            Bad(
                {"roles/a/meta/argument_specs.yml": "argument_specs:\n  main:\n    options: {}\n"}, "entry point verify"
            ),
        ),
    ),
    Rule(
        "every variable has a type and a description",
        SPECS,
        _options_are_explained,
        (Bad({"roles/a/meta/argument_specs.yml": _spec("\n      a_x: {type: int}")}, "a_x has no description"),),
    ),
    Rule(
        "a role's README answers three questions and its table is new",
        SPECS,
        _readme,
        (
            Bad({"roles/a/meta/argument_specs.yml": _ONE}, "no README"),
            Bad({"roles/a/meta/argument_specs.yml": _ONE, "roles/a/README.md": _READ}, "never touches"),
            Bad({"roles/a/meta/argument_specs.yml": _ONE, "roles/a/README.md": _READ}, "is old"),
        ),
    ),
    Rule(
        "every verify has been seen to fail",
        ("roles/*/tasks/verify.yml",),
        _verify_can_fail,
        (
            Bad({"roles/a/tasks/verify.yml": "", "roles/a/molecule/default/molecule.yml": "x: 1\n"}, "no scenario"),
            Bad({"roles/a/tasks/verify.yml": "", "roles/a/molecule/x/v.yml": "molecule_breaks: []\n"}, "no scenario"),
            Bad(
                {"roles/a/tasks/verify.yml": "", "roles/a/molecule/x/v.yml": "molecule_breaks: [x]\n"}, "breaks nothing"
            ),
            Bad({"roles/node/tasks/verify.yml": ""}, "no case in"),
            Bad({"roles/roce/tasks/verify.yml": "", "tests/vm/test_roce.py": "x = 1\n"}, "sees this verify red"),
        ),
    ),
    Rule(
        "a scenario enables its role",
        ("roles/*/molecule/*/group_vars/all.yml",),
        _scenario_enables,
        (Bad({"roles/a/molecule/default/group_vars/all.yml": "raceway_roles: [node]\n"}, "does not enable a"),),
    ),
    Rule(
        "handlers are few, named verb and object, and never reboot",
        ("roles/*/handlers/*.yml",),
        _handlers,
        (
            Bad({"roles/a/handlers/main.yml": "- name: Reload x\n" * 6}, "6 handlers"),
            Bad({"roles/a/handlers/main.yml": "- name: sysctl\n"}, "a verb and an object"),
            Bad({"roles/a/handlers/main.yml": "- name: Restart node\n  ansible.builtin.reboot:\n"}, "reboots"),
        ),
        optional=True,
    ),
)
