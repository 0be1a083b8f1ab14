"""Rules for the rooms that run on the nodes: standard library of Python 3.9, nothing of the controller half."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from .python import imports
from .rule import Bad, Findings, Rule, parsed, text

ROOMS = ("model", "facts", "probe", "plan", "apply", "host", "checks", "evidence", "node")
FILES = (*(f"src/raceway/{room}/*.py" for room in ROOMS), "src/raceway/errors.py", "plugins/modules/*.py")
NEWER_MODULES = frozenset({"tomllib", "compression", "annotationlib", "concurrent.interpreters"})
# call → keyword that Python 3.9 does not know, and names that came later.
NEWER_KEYWORDS = {
    "dataclass": {"slots", "kw_only", "match_args", "weakref_slot"},
    "zip": {"strict"},
    "field": {"kw_only"},
}
NEWER_NAMES = {
    "typing": {"TypeAlias", "ParamSpec", "TypeGuard", "Self", "Never", "assert_never", "NotRequired", "override"},
    "itertools": {"pairwise", "batched"},
    "contextlib": {"chdir", "aclosing"},
    "enum": {"StrEnum"},
    "datetime": {"UTC"},
    "bisect": set(),
    "types": {"NoneType", "UnionType"},
}
BUILTIN_TYPES = frozenset({"int", "str", "float", "bool", "bytes", "dict", "list", "tuple", "set", "None"})


def _library(_tree: Path, file: Path) -> Findings:
    for line, name in imports(parsed(file)):
        top = name.split(".")[0]
        if not name.startswith(".") and (top not in sys.stdlib_module_names or name in NEWER_MODULES):
            own = file.parts[-2] == "modules" and top == "raceway"  # from the bundle it has just unpacked
            if not own:
                yield f"{line}: imports {name}; allowed: the standard library of Python 3.9, relative imports"


def _boundary(tree: Path, file: Path) -> Findings:
    depth = len(file.relative_to(tree / "src" / "raceway").parts) - 1
    for node in ast.walk(parsed(file)):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        # Dots beyond the room's own folder lead to the package: what is named there must be node half too.
        if node.level == depth + 1:
            tops = [node.module.split(".")[0]] if node.module else [alias.name for alias in node.names]
            for top in tops:
                if top not in {*ROOMS, "errors", "__version__"}:
                    yield f"{node.lineno}: reaches into {top}, which does not travel to the nodes"
        elif node.level > depth + 1:
            yield f"{node.lineno}: reaches out of the package"


def _grammar(_tree: Path, file: Path) -> Findings:
    try:
        module = ast.parse(text(file), feature_version=(3, 9))
    except SyntaxError as error:
        yield f"{error.lineno}: Python 3.9 cannot read this: {error.msg}"
        return
    annotations = {id(part) for node in ast.walk(module) for part in _annotation_parts(node)}
    future = "from __future__ import annotations" in text(file)
    for node in ast.walk(module):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and _is_type(node.left, node.right):
            if id(node) not in annotations or not future:
                yield f"{node.lineno}: X | Y of types is evaluated; write Union or Optional"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            for keyword in node.keywords:
                if keyword.arg in NEWER_KEYWORDS.get(node.func.id, ()):
                    yield f"{node.lineno}: {node.func.id}({keyword.arg}=) came after Python 3.9"
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in NEWER_NAMES.get(node.module or "", ()):
                    yield f"{node.lineno}: {node.module}.{alias.name} came after Python 3.9"


def _annotation_parts(node: ast.AST) -> list[ast.AST]:
    found = [getattr(node, field, None) for field in ("annotation", "returns")]
    return [part for one in found if isinstance(one, ast.AST) for part in ast.walk(one)]


def _is_type(*sides: ast.expr) -> bool:
    return any(
        (isinstance(side, ast.Constant) and side.value is None)
        or (isinstance(side, ast.Name) and side.id in BUILTIN_TYPES)
        or (
            isinstance(side, ast.Subscript)
            and isinstance(side.value, ast.Name)
            and side.value.id in {"Optional", "Dict", "List"}
        )
        for side in sides
    )


RULES = (
    Rule(
        "the node half imports the standard library only",
        FILES,
        _library,
        (
            Bad({"src/raceway/plan/x.py": "import yaml\n"}, "imports yaml"),
            Bad({"src/raceway/host/x.py": "import tomllib\n"}, "imports tomllib"),
            Bad({"src/raceway/facts/x.py": "from raceway.model import plan\n"}, "imports raceway.model"),
            Bad({"plugins/modules/x.py": "from ansible.module_utils.basic import AnsibleModule\n"}, "imports ansible"),
        ),
    ),
    Rule(
        "the node half knows nothing of the controller half",
        FILES,
        _boundary,
        (
            Bad({"src/raceway/apply/x.py": "from ..tools import ensure\n"}, "reaches into tools"),
            Bad({"src/raceway/apply/x.py": "from .. import paths\n"}, "reaches into paths"),
            Bad({"src/raceway/errors.py": "from .inventory import machines\n"}, "reaches into inventory"),
            Bad({"src/raceway/host/x.py": "from ...tests import x\n"}, "reaches out"),
        ),
        but=("plugins/modules/*.py",),
    ),
    Rule(
        "the node half is written in the grammar of Python 3.9",
        FILES,
        _grammar,
        (
            Bad({"src/raceway/plan/x.py": "match x:\n    case 1: pass\n"}, "cannot read"),
            Bad({"src/raceway/plan/x.py": "Value = str | None\n"}, "X | Y"),
            Bad({"src/raceway/plan/x.py": "def f(a: str | None): ...\n"}, "X | Y"),
            Bad({"src/raceway/model/x.py": "@dataclass(frozen=True, slots=True)\nclass A: ...\n"}, "dataclass(slots=)"),
            Bad({"src/raceway/model/x.py": "from typing import Self\n"}, "typing.Self"),
            Bad({"src/raceway/model/x.py": "zip(a, b, strict=True)\n"}, "zip(strict=)"),
        ),
    ),
)
