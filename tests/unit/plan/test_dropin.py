"""A whole file that raceway owns: written, left, removed."""

from __future__ import annotations

import pytest

from raceway.plan.dropin import BOOK, plan_file, render

PATH = "/etc/x.d/90-raceway.conf"


@pytest.mark.parametrize(
    ("text", "found", "step"),
    [
        ("a\n", None, "file"),
        ("a\n", "b\n", "file"),
        ("a\n", "", "file"),
        ("a\n", "a\n", None),
        ("", None, None),
        ("", "a\n", "file_restore"),
        ("", "", "file_restore"),
    ],
)
def test_a_file_is_written_left_or_given_back(text: str, found: str | None, step: str | None) -> None:
    planned = plan_file(PATH, text, found, "why")
    assert [row.type for row in planned.steps] == ([step] if step else [])
    assert len(planned.noops) == (0 if step else 1)


def test_the_step_carries_what_its_handler_needs_and_shows_both_sides() -> None:
    step = plan_file(PATH, "new\n", "old\n", "why", 0o600).steps[0]
    assert (step.before, step.after) == ("old\n", "new\n")
    assert dict(step.args) == {"path": PATH, "content": "new\n", "mode": 0o600, "book": BOOK}


def test_nothing_to_say_is_no_file_and_a_header_names_the_role() -> None:
    assert render("kernel", []) == ""
    head, *rest = render("kernel", ["a", "b"]).splitlines()
    assert "kernel_state: absent" in head and rest == ["a", "b"]
