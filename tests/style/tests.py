"""Rules for the tests themselves: they mirror the source, are collected, and can fail."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from .python import Function, functions
from .rule import Bad, Findings, Rule, count, files, parsed, text

TESTS = ("tests/*.py",)
CASES = ("tests/*/test_*.py", "tests/test_*.py")
LONGEST = 400
# Rooms of src/raceway in which every module has a unit test of its own name: parsers and planners are all cases.
TESTED = ("facts", "plan")
# Unit tests of things that are no module of src/raceway.
FREE = {
    "tests/unit/test_guard.py": "the guard is tests/conftest.py",
    "tests/unit/plan/test_cases.py": "it runs the files of tests/cases",
}
ASSERTING = re.compile(r"^(assert|check|expect|verify|bites|must|refuses|fails?)")


def _length(_tree: Path, file: Path) -> Findings:
    if count(file) > LONGEST:
        yield f"{count(file)} lines; allowed: {LONGEST}"


def _mirror(tree: Path, file: Path) -> Findings:
    name = file.relative_to(tree).as_posix()
    if name in FREE:
        return
    room = file.parent.relative_to(tree / "tests" / "unit")
    words = file.stem.removeprefix("test_").split("_")
    # A long test is cut by aspect: test_queues_refusals.py belongs to queues.py too.
    stems = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    tops = [tree / "src" / "raceway" / room, tree / room]
    if file.stem == f"test_{room.name}" and tops[0].is_dir():
        return  # a room as a whole
    named = {f"{stem}.py" for stem in stems} | set(stems) | {stem.replace("_", "-") for stem in stems}
    if not any((top / name).exists() for top in tops for name in named) and not any(
        path.name in named for path in (tree / room).rglob("*")
    ):
        yield f"mirrors nothing: there is no src/raceway/{room / stems[0]}.py"


def _tested(tree: Path, file: Path) -> Findings:
    room = file.relative_to(tree / "src" / "raceway").parent
    if file.stem == "__init__" or room.parts[0] not in TESTED:
        return
    if room.parts[0] == "facts" and not any(isinstance(node, Function) for node in parsed(file).body):
        return  # shapes alone, nothing to parse
    words = file.stem.split("_")
    # A planner cut in two (unit, unit_given_up) is tested with its noun; planners are tested by case files as well.
    for stem in ("_".join(words[:n]) for n in range(len(words), 0, -1)):
        folder = tree / "tests" / "unit" / room
        if any(folder.glob(f"test_{stem}.py")) or any(folder.glob(f"test_{stem}_*.py")):
            return
        if room.parts[0] == "plan" and any((tree / "tests" / "cases" / stem).glob("*.yaml")):
            return
    yield f"has neither tests/unit/{room}/test_{file.stem}.py nor cases"


def _collected(tree: Path, file: Path) -> Findings:
    name = file.relative_to(tree).as_posix()
    has_tests = any(node.name.startswith("test_") for node in parsed(file).body if isinstance(node, Function))
    if has_tests and not file.name.startswith("test_"):
        yield "holds tests and is never collected; allowed: test_*.py"
    if file.name.startswith("test_"):
        rung = "/".join(name.split("/")[:2])
        if rung not in text(tree / "Makefile"):
            yield f"no target of the Makefile runs {rung}"
        if not has_tests and not any(
            node.name.startswith("Test") for node in parsed(file).body if isinstance(node, ast.ClassDef)
        ):
            yield "is called a test and holds none"


def tests_of(module: ast.Module) -> Iterator[Function]:
    """Yield the test functions of a module."""
    return (node for node in functions(module) if node.name.startswith("test_"))


def _fails_by_itself(node: ast.AST) -> bool:
    return any(
        isinstance(part, ast.Assert)
        or (isinstance(part, ast.Raise) and "AssertionError" in ast.unparse(part))
        or (
            isinstance(part, ast.Call)
            and (_called(part) in {"raises", "warns", "fail"} or ASSERTING.match(_called(part)))
        )
        for part in ast.walk(node)
    )


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _calls(node: ast.AST) -> set[str]:
    return {_called(part) for part in ast.walk(node) if isinstance(part, ast.Call)}


@functools.lru_cache(maxsize=4)
def _asserting_helpers(tree: Path) -> frozenset[str]:
    """Return the names of helpers below tests/ that can fail, also through other helpers."""
    helpers = [
        node
        for file in files(tree)
        if file.suffix == ".py" and file.is_relative_to(tree / "tests")
        for node in functions(parsed(file))
        if not node.name.startswith("test_")
    ]
    found = {node.name for node in helpers if _fails_by_itself(node)}
    calls = {node.name: _calls(node) for node in helpers}
    grown = True
    while grown:
        more = {name for name, called in calls.items() if name not in found and called & found}
        found |= more
        grown = bool(more)
    return frozenset(found)


def _can_fail(tree: Path, file: Path) -> Findings:
    for node in tests_of(parsed(file)):
        if not _fails_by_itself(node) and not _calls(node) & _asserting_helpers(tree):
            yield f"{node.lineno}: {node.name} asserts nothing, so it cannot fail"


def _sentences(_tree: Path, file: Path) -> Findings:
    for node in tests_of(parsed(file)):
        if len(node.name.split("_")) < 4:
            yield f"{node.lineno}: {node.name} is no sentence"


def _skips(_tree: Path, file: Path) -> Findings:
    if not re.search("skip|xfail", text(file)):
        return
    for node in ast.walk(parsed(file)):
        called = node.func if isinstance(node, ast.Call) else node
        name = ast.unparse(called) if isinstance(called, ast.Attribute) else ""
        if not re.fullmatch(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)", name):
            continue
        if isinstance(node, ast.Call):
            reasons = [ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg in {"reason", "msg"}]
            if name in {"pytest.skip", "pytest.xfail", "pytest.mark.skip"}:
                reasons += [ast.unparse(arg) for arg in node.args[:1]]
            if not reasons or len(reasons[0]) < 12:
                yield f"{node.lineno}: {name} without a reason"
        elif "mark" in name and not _is_called(parsed(file), node):
            yield f"{node.lineno}: {name} without a reason"


def _is_called(module: ast.Module, attribute: ast.AST) -> bool:
    return any(isinstance(node, ast.Call) and node.func is attribute for node in ast.walk(module))


def _true_asserts(_tree: Path, file: Path) -> Findings:
    for node in ast.walk(parsed(file)):
        if (
            isinstance(node, ast.Assert)
            and isinstance(node.test, ast.Constant | ast.Tuple)
            and getattr(node.test, "value", True)
        ):
            yield f"{node.lineno}: asserts something that is always true"


def _examples(tree: Path, file: Path) -> Findings:
    shown = file.relative_to(tree).parts[1]
    said = " ".join(text(path) for path in (tree / "tests").rglob("test_*.py"))
    if shown.split(".")[0] not in said:
        yield f"no test runs the example {shown}"


_T = {"Makefile": "pytest tests/unit tests/style\n"}

RULES = (
    Rule("a test file has at most 400 lines", TESTS, _length, (Bad({"tests/unit/test_x.py": "x = 1\n" * 401}, "401"),)),
    Rule(
        "a unit test mirrors a source",
        ("tests/unit/*test_*.py",),
        _mirror,
        (Bad({"tests/unit/plan/test_x.py": "", "src/raceway/plan/y.py": ""}, "no src/raceway/plan/x.py"),),
    ),
    Rule(
        "every parser and planner has a unit test of its name",
        tuple(f"src/raceway/{room}/*.py" for room in TESTED),
        _tested,
        (Bad({"src/raceway/plan/x.py": "", "tests/unit/plan/test_y.py": ""}, "has neither tests/unit/plan/test_x.py"),),
    ),
    Rule(
        "every test is collected by a target",
        TESTS,
        _collected,
        (
            Bad(_T | {"tests/unit/queue.py": "def test_x(): assert x\n"}, "never collected"),
            Bad(_T | {"tests/odd/test_x.py": "def test_x(): assert x\n"}, "runs tests/odd"),
            Bad(_T | {"tests/unit/test_x.py": "x = 1\n"}, "holds none"),
        ),
    ),
    Rule(
        "every test asserts something",
        CASES,
        _can_fail,
        (
            Bad({"tests/unit/test_x.py": "def test_nothing(): print(1)\n"}, "test_nothing asserts nothing"),
            Bad(
                {"tests/unit/test_x.py": "def helper(): print(1)\ndef test_nothing(): helper()\n"},
                "test_nothing asserts",
            ),
        ),
    ),
    Rule(
        "no assertion is always true",
        TESTS,
        _true_asserts,
        (
            Bad({"tests/unit/test_x.py": "assert True\n"}, "1: asserts"),
            Bad({"tests/unit/test_x.py": "assert (x == 1, 'text')\n"}, "1: asserts"),
        ),
    ),
    Rule(
        "the name of a test is a sentence",
        CASES,
        _sentences,
        (Bad({"tests/unit/test_x.py": "def test_plan(): assert x\n"}, "test_plan is no sentence"),),
    ),
    Rule(
        "no test is skipped without a reason",
        TESTS,
        _skips,
        (
            Bad(
                {"tests/unit/test_x.py": "import pytest\n@pytest.mark.skip\ndef test_x(): ...\n"}, "2: pytest.mark.skip"
            ),
            Bad(
                {"tests/unit/test_x.py": "import pytest\n@pytest.mark.skipif(x)\ndef test_x(): ...\n"},
                "pytest.mark.skipif",
            ),
            Bad({"tests/unit/test_x.py": "import pytest\ndef test_x(): pytest.skip('no')\n"}, "pytest.skip without"),
        ),
    ),
    Rule(
        "every example is run by a test",
        ("examples/*", "inventories/example-*"),
        _examples,
        (Bad({"examples/roce.yml": "", "tests/unit/test_x.py": "x = 1\n"}, "example roce"),),
    ),
)
