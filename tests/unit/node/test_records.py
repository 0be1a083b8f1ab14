"""The node's cheap records behave as dataclasses do, for everything the node half uses of them."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway import bundle
from raceway.node import records

HOME = Path(bundle.__file__).parent
MAKERS = [pytest.param(dataclasses, id="dataclasses"), pytest.param(records, id="records")]


def make_classes(maker: Any) -> tuple[type, type]:
    @maker.dataclass(frozen=True)
    class Point:
        x: int
        y: int = 2
        tags: tuple[str, ...] = ()

        @property
        def sum(self) -> int:
            return self.x + self.y

    @maker.dataclass
    class Bag:
        rows: list[int] = maker.field(default_factory=list)
        secret: str = maker.field(default="", repr=False)

    return Point, Bag


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except (TypeError, AttributeError) as error:
        return "AttributeError" if isinstance(error, AttributeError) else "TypeError"


@pytest.mark.parametrize("maker", MAKERS)
def test_a_record_is_built_by_place_and_by_name_and_takes_its_defaults(maker: Any) -> None:
    point, bag = make_classes(maker)
    made = point(1, tags=("a",))
    assert (made.x, made.y, made.tags, made.sum, point.y) == (1, 2, ("a",), 3, 2)
    first, second = bag(), bag()
    first.rows.append(1)
    assert second.rows == []


@pytest.mark.parametrize("maker", MAKERS)
def test_a_copy_has_the_changed_fields_and_the_record_stays(maker: Any) -> None:
    point, _ = make_classes(maker)
    made = point(1, tags=("a",))
    assert maker.replace(made, x=5) == point(5, tags=("a",)) and made.x == 1
    assert outcome(lambda: maker.replace(made, z=1)) == "TypeError"


@pytest.mark.parametrize("maker", MAKERS)
def test_wrong_arguments_are_a_type_error(maker: Any) -> None:
    point, _ = make_classes(maker)
    wrong: list[Callable[[], Any]] = [
        lambda: point(),
        lambda: point(1, 2, (), 4),
        lambda: point(1, x=2),
        lambda: point(1, z=2),
    ]
    assert [outcome(call) for call in wrong] == ["TypeError"] * 4


@pytest.mark.parametrize("maker", MAKERS)
def test_a_frozen_record_refuses_changes_and_can_be_a_key(maker: Any) -> None:
    point, bag = make_classes(maker)
    made = point(1)
    assert outcome(lambda: setattr(made, "x", 5)) == "AttributeError"
    assert outcome(lambda: delattr(made, "x")) == "AttributeError"
    assert made.x == 1
    assert {made: "kept"}[point(1, 2)] == "kept"
    assert outcome(lambda: hash(bag())) == "TypeError"
    changed = bag()
    changed.rows = [1]
    assert changed == bag([1])


@pytest.mark.parametrize("maker", MAKERS)
def test_records_are_equal_by_class_and_value(maker: Any) -> None:
    point, bag = make_classes(maker)
    other, _ = make_classes(maker)
    assert point(1) == point(1, 2)
    assert point(1) != point(2)
    assert point(1) != other(1)
    assert bag() != point(1)


@pytest.mark.parametrize("maker", MAKERS)
def test_a_field_that_may_be_a_secret_is_not_shown(maker: Any) -> None:
    point, bag = make_classes(maker)
    assert repr(bag([1], secret="hunter2")).endswith("Bag(rows=[1])")
    assert repr(point(1)).endswith("Point(x=1, y=2, tags=())")


def test_what_records_do_not_cover_comes_from_the_real_module() -> None:
    assert records.is_dataclass(3) is False
    with pytest.raises(AttributeError):
        records.no_such_thing  # noqa: B018


def test_the_node_half_asks_for_nothing_that_records_do_not_cover() -> None:
    known = {"dataclass": {"frozen"}, "field": {"default", "default_factory", "repr"}, "replace": set()}
    wrong = []
    for room in bundle.ROOMS:
        for file in (HOME / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.ImportFrom) and node.module == "dataclasses":
                    wrong += [(file.name, alias.name) for alias in node.names if alias.name not in known]
                if isinstance(node, ast.Import) and any(alias.name == "dataclasses" for alias in node.names):
                    wrong.append((file.name, "import dataclasses"))
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and known.get(node.func.id):
                    names = {keyword.arg for keyword in node.keywords}
                    wrong += [(file.name, name) for name in names - known[node.func.id]]
    assert wrong == []


def test_every_record_of_the_node_half_is_made_alike_by_both_makers() -> None:
    import importlib

    compared = 0
    for room in bundle.ROOMS:
        for file in sorted((HOME / room).glob("*.py")):
            module = importlib.import_module(f"raceway.{room}.{file.stem}")
            for value in list(vars(module).values()):
                if not dataclasses.is_dataclass(value) or not isinstance(value, type):
                    continue
                if value.__module__ != module.__name__:
                    continue
                compared += 1
                assert _twin(value).__record_fields__.keys() == {f.name for f in dataclasses.fields(value)}  # type: ignore[attr-defined]
    assert compared > 50


def _twin(real: type) -> type:
    """The same class body, made a record."""
    body = {"__annotations__": dict(real.__annotations__), "__module__": real.__module__}
    for one in dataclasses.fields(real):  # type: ignore[arg-type]
        if one.default_factory is not dataclasses.MISSING:
            body[one.name] = records.field(default_factory=one.default_factory, repr=one.repr)  # type: ignore[assignment]
        elif one.default is not dataclasses.MISSING:
            body[one.name] = records.field(default=one.default, repr=one.repr)  # type: ignore[assignment]
    return records.dataclass(type(real.__name__, (), body), frozen=True)  # type: ignore[no-any-return]
