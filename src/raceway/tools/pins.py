"""The table of pins, ``tools/versions.toml``, as frozen dataclasses; a bad table is one message naming file and key.

It deliberately does not look at the machine: what is installed or built is ``locate``'s business.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

from raceway import paths
from raceway.errors import RacewayError

DEFAULT, KUBERNETES = "default", "kubernetes"
SETS = (DEFAULT, KUBERNETES)


@dataclass(frozen=True)
class Family:
    """Programs that share one ``go.mod``; ``folder`` holds the recipe."""

    name: str
    title: str
    folder: Path
    disk_gib: float
    builder: str = "go"
    prepare: str = ""
    embed_module: str = ""
    embed_files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tool:
    """One program at one version. ``ask`` is empty where the question is the plugin protocol.

    ``sets``: the builds it belongs to, ``default`` and ``kubernetes``.
    """

    name: str
    family: Family
    version: str
    source: str
    why: str
    package: str = ""
    module: str = ""
    module_version: str = ""
    ldflags: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    answer: str = ""
    beside: str = ""
    needs_beside: tuple[str, ...] = ()
    sets: tuple[str, ...] = (DEFAULT,)


@dataclass(frozen=True)
class Pins:
    """The whole table, in the order in which families are built."""

    go_minimum: str
    families: dict[str, Family]
    tools: dict[str, Tool] = field(default_factory=dict)

    def tool(self, name: str) -> Tool:
        """Return one tool, or say which names there are."""
        if name not in self.tools:
            near = difflib.get_close_matches(name, self.tools, n=1)
            hint = f"did you mean {near[0]}?" if near else "run `raceway tools list`"
            raise RacewayError("tool", f"{name} is not a known name", ", ".join(self.tools), hint)
        return self.tools[name]

    def of_set(self, name: str) -> list[Tool]:
        """Return the tools of one set, in the order of the table."""
        return [tool for tool in self.tools.values() if name in tool.sets]


def load(folder: Path | None = None) -> Pins:
    """Read the table from ``folder`` (default: the tools folder of this checkout)."""
    folder = folder or paths.tools_dir()
    place = folder / "versions.toml"
    try:
        data = tomllib.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        act = "set RACEWAY_TOOLS to the tools folder of a checkout"
        raise RacewayError(str(place), "no such file", act=act) from None
    except tomllib.TOMLDecodeError as error:
        raise RacewayError(str(place), str(error), "TOML", "correct the line named") from None
    try:
        go = data["go"]
        families = {name: _family(name, row, folder) for name, row in data["family"].items()}
        tools = {
            name: _tool(name, row, families, data["family"], tuple(go.get("ldflags", ())))
            for name, row in data["tool"].items()
        }
        return Pins(go_minimum=go["minimum"], families=families, tools=tools)
    except KeyError as error:
        raise RacewayError(str(place), f"key {error} is missing or no family", act="add it to the table") from None


def _family(name: str, row: dict[str, Any], folder: Path) -> Family:
    builder = row.get("builder", "go")
    # The language host is our own Python, not a Go recipe: its source travels with this package.
    own = Path(__file__).resolve().parent / "langhost"
    return Family(
        name=name,
        title=row["title"],
        folder=own if builder == "langhost" else folder / name,
        disk_gib=float(row["disk_gib"]),
        builder=builder,
        prepare=row.get("prepare", ""),
        embed_module=row.get("embed_module", ""),
        embed_files=tuple(row.get("embed_files", ())),
    )


def _tool(
    name: str, row: dict[str, Any], families: dict[str, Family], raw: dict[str, Any], common: tuple[str, ...]
) -> Tool:
    own = tuple(row.get("ldflags", raw[row["family"]].get("ldflags", ())))
    plugin = row["ask"] == "plugin"
    return Tool(
        name=name,
        family=families[row["family"]],
        version=row["version"],
        source=row["source"],
        why=row["why"],
        package=row.get("package", ""),
        module=row.get("module", ""),
        module_version=row.get("module_version", f"v{row['version']}"),
        ldflags=common + own,
        ask=() if plugin else tuple(row["ask"]),
        answer="" if plugin else row["answer"],
        beside=row.get("beside", ""),
        needs_beside=tuple(row.get("needs_beside", ())),
        sets=_sets(name, row),
    )


def _sets(name: str, row: dict[str, Any]) -> tuple[str, ...]:
    sets = tuple(row.get("sets", (DEFAULT,)))
    unknown = [word for word in sets if word not in SETS]
    if unknown or not sets:
        raise RacewayError(f"versions.toml, tool.{name}: sets", ", ".join(unknown) or "empty", ", ".join(SETS))
    return sets
