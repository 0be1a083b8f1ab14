"""Writes the table of variables in each role's README from its argument specs, so that the two cannot disagree.

``python -m raceway.docs`` rewrites what lies between the two markers, ``--check`` only tells. The words around
the table are written by people. It deliberately reads no defaults: a style test holds them equal to the specs.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from raceway.errors import RacewayError
from raceway.paths import source_root

BEGIN = "<!-- variables: written by make docs -->"
END = "<!-- end of variables -->"
HEADINGS = ("## What it writes", "## What it never touches", "## How to undo it")


def table(options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the Markdown table of a role's variables; keys of a dict variable follow it, indented by its name."""
    rows = ["| variable | type | default | what it is |", "|---|---|---|---|"]
    for name, option in _flat(options):
        default = (
            f"`{_short(option['default'])}`" if "default" in option else ("required" if option.get("required") else "")
        )
        rows.append(f"| `{name}` | {_type(option)} | {default} | {_prose(option)} |")
    return "\n".join(rows)


def readme(text: str, options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a README with its table anew; one without markers gets the section at its end."""
    block = f"{BEGIN}\n{table(options)}\n{END}"
    if BEGIN not in text or END not in text:
        return f"{text.rstrip()}\n\n## Variables\n\n{block}\n"
    head, rest = text.split(BEGIN, 1)
    return head + block + rest.split(END, 1)[1]


def outdated(roles: Path) -> Iterator[tuple[Path, str]]:
    """Yield (README, right text) of each role whose README is not what it should be; an absent one is an error."""
    specs = sorted(roles.glob("*/meta/argument_specs.yml"))
    if not specs:
        raise RacewayError(str(roles), "no role with meta/argument_specs.yml", act="name the folder of the roles")
    for spec in specs:
        place = spec.parent.parent / "README.md"
        if not place.is_file():
            raise RacewayError(str(place), "absent", " / ".join(HEADINGS), "write these three answers, then make docs")
        text = place.read_text(encoding="utf-8")
        right = readme(text, options(spec))
        if right != text:
            yield place, right


def options(spec: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the variables of the entry point ``main``."""
    data = yaml.safe_load(spec.read_text(encoding="utf-8"))
    found: Mapping[str, Mapping[str, Any]] = data["argument_specs"]["main"].get("options") or {}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check; 1 when ``--check`` finds an old table."""
    parser = argparse.ArgumentParser(prog="raceway.docs", description="Tables of variables in the roles' READMEs.")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 where a table is old")
    parser.add_argument("--roles", type=Path, default=source_root() / "roles", help="folder of the roles")
    args = parser.parse_args(argv)
    try:
        old = list(outdated(args.roles))
    except RacewayError as error:
        print(f"docs: {error.message()}")
        return 2
    for place, right in old:
        if not args.check:
            place.write_text(right, encoding="utf-8")
        print(f"{'old' if args.check else 'written'}: {place}")
    return 1 if old and args.check else 0


def _flat(options: Mapping[str, Mapping[str, Any]], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, option in options.items():
        yield prefix + name, option
        if option.get("options"):
            inner = "[]." if option.get("type") == "list" else "."
            yield from _flat(option["options"], f"{prefix}{name}{inner}")


def _type(option: Mapping[str, Any]) -> str:
    kind = str(option.get("type", "str"))
    if option.get("elements"):
        kind += f" of {option['elements']}"
    choices = option.get("choices")
    return f"{kind}: {', '.join(f'`{_short(c)}`' for c in choices)}" if choices else kind


def _short(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)


def _prose(option: Mapping[str, Any]) -> str:
    described = option.get("description", "")
    text = " ".join(described) if isinstance(described, list) else str(described)
    text = re.sub(r"\b[VCIBO]\(([^)]*)\)", r"`\1`", text)  # Ansible's markup for values and options
    return " ".join(text.split()).replace("|", r"\|")


if __name__ == "__main__":
    raise SystemExit(main())
