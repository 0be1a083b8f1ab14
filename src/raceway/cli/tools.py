"""``raceway tools``: which pinned programs are there, build what is missing, print a PATH, check the cache.

It deliberately does not delete anything: the cache folder may be removed by hand at any time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from raceway.errors import RacewayError
from raceway.tools import ensure, locate, pins, store, view

HELP = "find or build the pinned programs raceway works with"
# Actions that mean, without names, what most people need: a Kubernetes lab's programs only when they are asked for.
CHOSEN = ("build", "path")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the actions; without one the list is shown."""
    parser.set_defaults(action="list", names=[], json=False, kubernetes=False)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    for action, text in (
        ("list", "show each tool: version, where it is used from, source of the pin"),
        ("build", "find or build the named tools (when none is named: all but those of a Kubernetes lab)"),
        ("path", "print a folder with the tools (as for build), to put in front of PATH; builds nothing"),
        ("verify", "hold every built tool against its recorded checksum"),
    ):
        sub = actions.add_parser(action, help=text, description=text)
        few = action in CHOSEN
        sub.add_argument("names", nargs="*", metavar="NAME", help="names of tools")
        if few:
            sub.add_argument("--kubernetes", action="store_true", help="those a lab's Kubernetes nodes are made of")
        if action != "build":
            sub.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Carry out one action."""
    table = pins.load()
    tools = [table.tool(name) for name in args.names] or _unnamed(args, table)
    actions = {"list": _list, "build": _build, "path": _path, "verify": _verify}
    return actions[args.action or "list"](tools, table, getattr(args, "json", False))


def _unnamed(args: argparse.Namespace, table: pins.Pins) -> list[pins.Tool]:
    if args.action in CHOSEN:
        return table.of_set(pins.KUBERNETES if args.kubernetes else pins.DEFAULT)
    return list(table.tools.values())


def _list(tools: list[pins.Tool], table: pins.Pins, as_json: bool) -> int:
    places = [locate.locate(tool, table) for tool in tools]
    if as_json:
        print(json.dumps([_row(place) for place in places], indent=1))
        return 0
    shown = Table("tool", "version", "used from", "source of the pin", box=None, pad_edge=False)
    for place in places:
        style = "red" if place.path is None else ""
        shown.add_row(place.tool.name, place.tool.version, place.where, place.tool.source, style=style)
    # A pipe has no width; a wrapped row would be two rows to whoever reads it.
    console = Console(highlight=False)
    console.print(shown, width=console.width if console.is_terminal else 200)
    for line in (line for place in places for line in place.passed):
        print(f"passed over on PATH, another version: {line}")
    missing = [place.tool for place in places if place.path is None]
    for words, its in (("", pins.DEFAULT), (" --kubernetes", pins.KUBERNETES)):
        # A tool of both sets is counted with the build that most people run.
        count = sum(tool.sets[0] == its for tool in missing)
        if count:
            print(f"{count} missing; next: raceway tools build{words}")
    return 0


def _row(place: locate.Place) -> dict[str, Any]:
    tool = place.tool
    return {
        "name": tool.name,
        "version": tool.version,
        "family": tool.family.name,
        "where": place.where,
        "path": str(place.path) if place.path else None,
        "passed": list(place.passed),
        "source": tool.source,
        "why": tool.why,
    }


def _build(tools: list[pins.Tool], table: pins.Pins, as_json: bool) -> int:
    made = ensure([tool.name for tool in tools])
    store.tidy(table.families.values())
    for name, path in made.items():
        print(f"{name} {table.tool(name).version} {path}")
    return 0


def _path(tools: list[pins.Tool], table: pins.Pins, as_json: bool) -> int:
    places = {tool.name: locate.locate(tool, table) for tool in tools}
    missing = [name for name, place in places.items() if place.path is None]
    if missing:
        act = f"run `raceway tools build {' '.join(missing)}`"
        raise RacewayError("tools", f"missing: {', '.join(missing)}", act=act)
    found = {name: place.executable() for name, place in places.items()}
    print(json.dumps({name: str(path) for name, path in found.items()}, indent=1) if as_json else view.folder(found))
    return 0


def _verify(tools: list[pins.Tool], table: pins.Pins, as_json: bool) -> int:
    """Check whole contents; an empty cache is no success."""
    rows = list(_verdicts(tools))
    if as_json:
        print(json.dumps([{"path": str(path), "verdict": verdict} for path, verdict in rows], indent=1))
    else:
        for path, verdict in rows:
            print(f"{verdict:<8} {path}")
    if not rows:
        raise RacewayError(str(store.root()), "no built tool", act="run `raceway tools build`")
    return 0 if all(verdict == "good" for _, verdict in rows) else 1


def _verdicts(tools: Iterable[pins.Tool]) -> Iterable[tuple[Path, str]]:
    # Builds of other recipes too: an older checkout's tools must be good as well.
    for tool in tools:
        for place in sorted(store.root().glob(f"{tool.name}-{tool.version}-*")):
            record = store.read(place)
            good = record is not None and store.intact(place / tool.name, record, whole=True)
            yield place / tool.name, "good" if good else ("changed" if record else "unknown")
