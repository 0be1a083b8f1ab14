"""Rules for words: documents name what exists, promises carry a number, nothing names the machine it was written on."""

from __future__ import annotations

import re
from pathlib import Path

from .rule import Bad, Findings, Rule, text

DOCS = ("README.md", "CONTRIBUTING.md", "docs/*.md", "roles/*/README.md", "tests/*.md")
# Locks carry hashes only, the licence is not ours, binary files have no text.
ALL = ("*",)
NOT_OURS = ("requirements*.lock", "*go.sum", "LICENSE", "*.patch", "tests/style/prose.py")
# Written in pieces, so that this file does not contain what it looks for.
HOME_OF_WRITER = re.compile(r"(?<![\w.])/(?:wor[k]|opt/whee[l]s|roo[t]/\.(?:pyenv|cache|local|config))(?:/|\b)")
PRIVATE_TOOLS = re.compile(r"\bfar[m]-[a-z]|\bduplicate[s] (?:check|gate|tool)\b")
REGISTRIES = re.compile(
    r"\b(?:pypi\.or[g]|files\.pythonhoste[d]\.org|proxy\.golan[g]\.org|sum\.golan[g]\.org|registry\.npmj[s]\.org"
    r"|crates\.i[o]|deb\.debia[n]\.org|archive\.ubunt[u]\.com)\b"
)
PATH = re.compile(r"^[\w.][\w./-]*$")
SUFFIXES = (".md", ".py", ".yml", ".yaml", ".toml", ".json", ".lock", ".cfg", ".sh", ".j2", ".txt")
TODO = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!\s*\(?#\d+)")


def _named_paths(tree: Path, file: Path) -> Findings:
    prose = re.sub(r"```.*?```", "", text(file), flags=re.DOTALL)
    named = re.findall(r"`([^`\n]+)`", prose) + re.findall(r"\]\(([^)#\s]+)", prose)
    tops = {path.name for path in tree.iterdir() if path.is_dir()}
    for name in dict.fromkeys(named):
        clean = name.strip().removeprefix("./").rstrip("/")
        inside = clean.split("/")[0] in tops and "/" in clean
        linked = f"]({name}" in prose and "://" not in name and not name.startswith("mailto:")
        if not PATH.match(clean) or not (inside or linked or (clean.endswith(SUFFIXES) and "/" in clean)):
            continue
        if clean.startswith("out/") or re.search(r"\b(NOUN|ROLE|NAME|HOST)\b", clean):
            continue  # made by a run, or a word that stands for a name
        bases = (tree, file.parent, tree / "src" / "raceway", *tree.glob("roles/*"))
        if not any((base / clean).exists() for base in bases):
            yield f"names {name}, which does not exist"


def _todo(_tree: Path, file: Path) -> Findings:
    for number, line in enumerate(text(file).splitlines(), 1):
        found = TODO.search(line)
        if found:
            yield f"{number}: {found[1]} without the number of an issue; allowed: {found[1]}(#12)"


def _machine(_tree: Path, file: Path) -> Findings:
    for number, line in enumerate(text(file).splitlines(), 1):
        for pattern, what in (
            (HOME_OF_WRITER, "a path of"),
            (PRIVATE_TOOLS, "a tool of"),
            (REGISTRIES, "a registry from"),
        ):
            found = pattern.search(line)
            if found:
                yield f"{number}: {found[0]!r} is {what} the machine this was written on"


RULES = (
    Rule(
        "every path a document names exists",
        DOCS,
        _named_paths,
        (
            Bad({"README.md": "see `src/gone.py`", "src/x.py": ""}, "src/gone.py"),
            Bad({"docs/a.md": "see [the other](other.md)"}, "other.md"),
            Bad({"docs/a.md": "see `roles/`, `nowhere/x.yml`"}, "nowhere/x.yml"),
        ),
    ),
    Rule(
        "a promise for later has the number of an issue",
        ALL,
        _todo,
        (Bad({"src/x.py": "# TO" + "DO: later\n"}, "1: TO"), Bad({"a.yml": "# FIX" + "ME (soon)\n"}, "FIX")),
        but=NOT_OURS,
    ),
    Rule(
        "nothing names the machine it was written on",
        ALL,
        _machine,
        (
            Bad({"a.md": "cd /" + "work/main\n"}, "a path of"),
            Bad({"a.py": 'X = "/ro' + 'ot/.cache/go"\n'}, "a path of"),
            Bad({"a.sh": "far" + "m-run x\n"}, "a tool of"),
            Bad({"a.toml": 'url = "https://py' + 'pi.org/simple"\n'}, "a registry from"),
        ),
        but=NOT_OURS,
    ),
)
