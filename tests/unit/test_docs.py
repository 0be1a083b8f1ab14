"""The table in a role's README is made from its argument specs, and everything around it stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway import docs

SPEC = """\
argument_specs:
  main:
    options:
      a_mode: {type: str, choices: [one, "", two], default: "", description: [How., "V(two) is | twice."]}
      a_must: {type: int, required: true, description: A number.}
      a_rows:
        type: list
        elements: dict
        default: []
        description: Rows.
        options:
          name: {required: true, description: Its name.}
"""


@pytest.fixture
def roles(tmp_path: Path) -> Path:
    meta = tmp_path / "a" / "meta"
    meta.mkdir(parents=True)
    (meta / "argument_specs.yml").write_text(SPEC)
    (tmp_path / "a" / "README.md").write_text("# a\n\nWords.\n")
    return tmp_path


def test_the_table_tells_type_choices_default_and_nested_keys(roles: Path) -> None:
    rows = docs.table(docs.options(roles / "a" / "meta" / "argument_specs.yml")).splitlines()[2:]
    assert rows == [
        '| `a_mode` | str: `one`, `""`, `two` | `""` | How. `two` is \\| twice. |',
        "| `a_must` | int | required | A number. |",
        "| `a_rows` | list of dict | `[]` | Rows. |",
        "| `a_rows[].name` | str | required | Its name. |",
    ]


def test_writing_adds_the_section_once_and_is_stable(roles: Path) -> None:
    assert docs.main(["--roles", str(roles)]) == 0
    first = (roles / "a" / "README.md").read_text()
    assert first.startswith("# a\n\nWords.\n\n## Variables\n\n<!--")
    assert docs.main(["--roles", str(roles)]) == 0
    assert (roles / "a" / "README.md").read_text() == first


def test_words_around_the_table_stay_when_it_is_written_anew(roles: Path) -> None:
    place = roles / "a" / "README.md"
    place.write_text(f"# a\n\n{docs.BEGIN}\nold\n{docs.END}\n\n## After\n")
    assert docs.main(["--roles", str(roles)]) == 0
    text = place.read_text()
    assert text.startswith("# a\n")
    assert text.endswith(f"{docs.END}\n\n## After\n")
    assert "old" not in text


def test_check_finds_an_old_table_and_changes_nothing(roles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (roles / "a" / "README.md").read_text()
    assert docs.main(["--roles", str(roles), "--check"]) == 1
    assert (roles / "a" / "README.md").read_text() == before
    assert capsys.readouterr().out.startswith("old: ")


def test_no_role_and_no_readme_are_errors_not_silence(roles: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert docs.main(["--roles", str(roles / "a")]) == 2
    assert "no role with" in capsys.readouterr().out
    (roles / "a" / "README.md").unlink()
    assert docs.main(["--roles", str(roles)]) == 2
    assert "What it never touches" in capsys.readouterr().out
