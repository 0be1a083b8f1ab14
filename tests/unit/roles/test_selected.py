"""What is said of a declared row's selector."""

from __future__ import annotations

from raceway.roles.problem import Problem
from raceway.roles.selected import selected

ALLOWED = ("pci", "guid")


def test_one_selector_of_the_right_shape_is_its_value_as_it_was_written() -> None:
    assert selected("a_rows", {"rail": 0, "pci": "0000:3B:00.0"}, ALLOWED, "device") == ("0000:3B:00.0", [])


def test_none_and_two_of_them_are_told_with_the_row_and_the_next_act() -> None:
    for row, found in (({}, "rail 1: none of them"), ({"pci": "x", "guid": "y"}, "rail 1: pci and guid")):
        problem = Problem("a_rows", found, "exactly one of pci, guid", "select each rail by one of them")
        assert selected("a_rows", {"rail": 1, **row}, ALLOWED, "rail") == (None, [problem])


def test_a_wrong_shape_is_told_and_the_value_kept_for_other_checks() -> None:
    value, (problem,) = selected("a_rows", {"rail": 0, "pci": "eth0"}, ALLOWED, "device")
    assert (value, problem.found, problem.act) == ("eth0", "rail 0: pci eth0", "copy it from sysfs")
