"""Is a value what its spec says: a table of what is accepted and what is told, with the words used."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.inventory.specs import MISSING, Option
from raceway.inventory.validate import check_value, did_you_mean

ACCEPTED = [
    ("str", "text", "text"),
    ("str", "", ""),
    ("path", "/etc/x", "/etc/x"),
    ("int", 8, 8),
    ("int", 0, 0),
    ("float", 0.5, 0.5),
    ("float", 1, 1),
    ("bool", True, True),
    ("list", [1, "a"], [1, "a"]),
    ("dict", {"a": {"b": 1}}, {"a": {"b": 1}}),
    ("raw", None, None),
    ("raw", ["x"], ["x"]),
    ("bytes", "512M", "512M"),
]
TOLD = [
    ("str", True, "true, a bool", "quote it"),
    ("str", 8, "8, an int", "quote it"),
    ("str", 1.5, "1.5, a float", "quote it"),
    ("str", ["a"], '["a"], a list', "write a string"),
    ("path", 1, "1, an int", "quote it"),
    ("int", "8", '"8", a string', "write 8 without quotes"),
    ("int", "many", '"many", a string', "write an int"),
    ("int", True, "true, a bool", "write an int"),
    ("int", 1.0, "1.0, a float", "write an int"),
    ("float", "0.5", '"0.5", a string', "write 0.5 without quotes"),
    ("bool", "yes", '"yes", a string', "write yes without quotes"),
    ("bool", 1, "1, an int", "write true or false"),
    ("bool", "maybe", '"maybe", a string', "write true or false"),
    ("list", "a,b", '"a,b", a string', "write [a, b]"),
    ("list", "a", '"a", a string', "write [a]"),
    ("list", {"a": 1}, '{"a": 1}, a dict', "write a list"),
    ("dict", [1], "[1], a list", "write a dict"),
    ("dict", "a=1", '"a=1", a string', "write a dict"),
    ("int", "", "an empty string", "write an int"),
    ("int", None, "nothing (null)", "give v a value or remove the line"),
]
# From sources without types (INI, -e name=value) the words decide.
BY_WORDS = [
    ("int", "8", 8),
    ("float", "0.5", 0.5),
    ("bool", "yes", True),
    ("bool", "False", False),
    ("str", 7, "7"),
]


@pytest.mark.parametrize(("kind", "value", "expected"), ACCEPTED)
def test_a_value_of_its_type_is_accepted_as_it_is(kind: str, value: Any, expected: Any) -> None:
    assert check_value(Option("v", kind), value) == (expected, [])


@pytest.mark.parametrize(("kind", "value", "found", "act"), TOLD)
def test_a_value_that_ansible_would_convert_or_refuse_is_told(kind: str, value: Any, found: str, act: str) -> None:
    (problem,) = check_value(Option("v", kind), value)[1]
    assert (problem.path, problem.found) == ("v", found)
    assert act in problem.act


@pytest.mark.parametrize(("kind", "value", "expected"), BY_WORDS)
def test_sources_without_types_are_read_by_their_words(kind: str, value: Any, expected: Any) -> None:
    got, problems = check_value(Option("v", kind), value, untyped=True)
    assert (got, type(got), problems) == (expected, type(expected), [])


def test_words_that_fit_no_type_are_told_from_sources_without_types_too() -> None:
    assert check_value(Option("v", "int"), "many", untyped=True)[1]


def test_null_is_fine_where_the_default_is_null() -> None:
    assert check_value(Option("v", "str", default=None), None) == (None, [])
    assert check_value(Option("v", "str", default=MISSING), None)[1]


def test_a_choice_is_told_with_all_choices_and_the_near_one() -> None:
    option = Option("v", choices=("bare_metal", "vm"))
    (problem,) = check_value(option, "Bare-Metal")[1]
    assert (problem.found, problem.allowed) == ('"Bare-Metal"', "bare_metal, vm")
    assert problem.act == "did you mean bare_metal?"
    assert check_value(option, "vm")[1] == []


def test_each_wrong_element_of_a_list_is_told_with_its_position() -> None:
    problems = check_value(Option("v", "list", elements="int"), [1, "2", 3, True])[1]
    assert [problem.path for problem in problems] == ["v[1]", "v[3]"]


PARTS = Option(
    "v",
    "list",
    elements="dict",
    options={
        "name": Option("name", required=True),
        "count": Option("count", "int", default=1),
        "kind": Option("kind", choices=("nut", "bolt")),
    },
)


def test_every_mistake_inside_nested_values_is_told_at_once() -> None:
    problems = check_value(PARTS, [{"nmae": "x"}, {"name": "y", "count": "2", "kind": "nail"}, "z"])[1]
    assert [(problem.path, problem.found) for problem in problems] == [
        ("v[0].nmae", "unknown key"),
        ("v[0].name", "missing"),
        ("v[1].count", '"2", a string'),
        ("v[1].kind", '"nail"'),
        ("v[2]", '"z", a string'),
    ]
    assert problems[0].act == "did you mean name?"


def test_keys_left_out_of_a_nested_dict_get_their_default() -> None:
    assert check_value(PARTS, [{"name": "x"}]) == ([{"name": "x", "count": 1}], [])


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (Option("v", "int", no_log=True), "hush"),
        (Option("lab_password", "int"), "hush"),
        (Option("v", "dict", options={"api_token": Option("api_token", "int")}), {"api_token": "hush"}),
        (Option("lab_token", choices=("a", "b")), "hush"),
        (Option("lab_secrets", "list", elements="int"), "hush"),
    ],
)
def test_secrets_are_never_printed(option: Option, value: Any) -> None:
    (problem,) = check_value(option, value)[1]
    assert "<secret>" in problem.found
    assert "hush" not in repr(problem).replace(f"at={problem.at!r}", "")


def test_a_vault_value_is_shown_as_such() -> None:
    (problem,) = check_value(Option("v", "int"), "hush", mask="<vault>")[1]
    assert problem.found == "<vault>, a string"


def test_names_far_from_every_known_one_get_no_suggestion() -> None:
    assert did_you_mean("node_colour", ["node_rack", "node_leaf"]) == ""
    assert did_you_mean("node_rak", ["node_rack", "node_leaf"]) == "did you mean node_rack?"
