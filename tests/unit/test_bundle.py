"""The bundle and the boundary of the node half: same bytes twice, node rooms, standard library, Python 3.9."""

from __future__ import annotations

import ast
import base64
import io
import os
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import raceway
from raceway import bundle

HOME = Path(raceway.__file__).parent
SOURCES = [HOME / "errors.py", *sorted(path for room in bundle.ROOMS for path in (HOME / room).rglob("*.py"))]
FLOOR = (3, 9)
# Modules whose import alone costs milliseconds on every call; they are imported where they are used.
SLOW = frozenset({"subprocess", "tempfile", "shutil", "glob", "pathlib", "zipfile", "compileall", "socket", "ssl"})


def names() -> list[str]:
    return zipfile.ZipFile(io.BytesIO(base64.b64decode(bundle.build().archive))).namelist()


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a copy of the package that the bundle is built from, so that nobody's edit meanwhile counts."""
    for path in (HOME / "__init__.py", *SOURCES):
        place = tmp_path / "raceway" / path.relative_to(HOME)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    monkeypatch.setattr(bundle, "__file__", str(tmp_path / "raceway" / "bundle.py"))
    bundle.build.cache_clear()
    yield tmp_path / "raceway"
    bundle.build.cache_clear()


def test_the_same_code_gives_the_same_bytes_and_the_same_name(copy: Path) -> None:
    first = bundle.build()
    for number, path in enumerate(sorted(copy.rglob("*.py"))):
        os.utime(path, (number, number))  # the time of a checkout must not count
    bundle.build.cache_clear()
    assert (bundle.build(), bundle.build().archive) == (first, first.archive)


def test_another_content_gives_another_name(copy: Path) -> None:
    first = bundle.build()
    bundle.build.cache_clear()
    (copy / "errors.py").write_text("# another content\n")
    assert bundle.build().digest != first.digest


def test_it_is_built_once_a_process(copy: Path) -> None:
    assert bundle.build() is bundle.build()


def test_the_bundle_holds_the_node_rooms_and_nothing_else() -> None:
    rooms = {name.split("/")[1] for name in names() if name.count("/") > 1}
    assert rooms == {room for room in bundle.ROOMS if any((HOME / room).glob("*.py"))}
    assert {name for name in names() if name.count("/") == 1} == {"raceway/__init__.py", "raceway/errors.py"}
    assert all(name.endswith(".py") for name in names())


def test_every_source_of_the_node_half_is_in_the_bundle() -> None:
    assert SOURCES
    assert {str(Path("raceway") / path.relative_to(HOME)) for path in SOURCES} <= set(names())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(HOME)))
def test_a_node_file_is_python_of_the_floor_and_imports_the_standard_library_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=FLOOR)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                assert alias.name.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {alias.name}"
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {node.module}"
        elif isinstance(node, ast.ImportFrom):
            target = _absolute(path, node)
            assert target[:1] == ["errors"] or target[0] in bundle.ROOMS, f"{path.name} imports {target}"


def _absolute(path: Path, node: ast.ImportFrom) -> list[str]:
    """Return the parts of a relative import below raceway."""
    package = list(path.relative_to(HOME).parent.parts)
    base = package[: len(package) - node.level + 1]
    found = base + (node.module or "").split(".") if node.module else base
    return found or [node.names[0].name]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(HOME)))
def test_a_node_file_imports_nothing_slow_at_its_top(path: Path) -> None:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        found += [node.module or ""] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        assert not SLOW & set(found), f"{path.name} imports {found} at its top"


@pytest.mark.parametrize("room", ["facts", "plan", "model"])
def test_facts_plans_and_models_touch_no_machine(room: str) -> None:
    for path in sorted((HOME / room).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            found += _absolute(path, node)[:1] if isinstance(node, ast.ImportFrom) and node.level else []
            assert not {"os", "subprocess", "time", "socket", "host", "probe", "apply"} & set(found), f"{path}: {found}"


def test_a_forbidden_import_would_be_seen(tmp_path: Path) -> None:
    node = ast.parse("from ..inventory import load").body[0]
    assert isinstance(node, ast.ImportFrom)
    assert _absolute(HOME / "plan" / "x.py", node) == ["inventory"]
    with pytest.raises(SyntaxError):
        ast.parse("match x:\n    case 1: pass", feature_version=FLOOR)


def test_the_program_goes_along_only_where_the_node_does_not_have_it() -> None:
    built = bundle.build()
    asked: list[dict[str, object]] = []

    def node(has_it: bool) -> dict[str, object]:
        def send(arguments: dict[str, object]) -> dict[str, object]:
            asked.append(arguments)
            return {"done": True} if has_it or "archive" in arguments else {"bundle_missing": True}

        asked.clear()
        return bundle.ask(send, {"mode": "verify"})

    plain = {"home": bundle.HOME, "bundle": built.digest, "request": {"mode": "verify"}}
    assert (node(True), asked) == ({"done": True}, [plain])
    assert (node(False), asked) == ({"done": True}, [plain, {**plain, "archive": built.archive}])
