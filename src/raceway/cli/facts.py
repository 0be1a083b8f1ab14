"""``raceway facts parse KIND [FILE|-]`` prints as JSON what a tool's output says; ``raceway facts kinds`` lists kinds.

It deliberately runs no tool: people paste what they see, from whatever machine they see it on. Exit codes of parse:
0 read; 1 read, and the facts carry a problem (an error line, an early end); 2 not readable or not of that kind.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from raceway.cluster.problems import nearest
from raceway.errors import RacewayError
from raceway.facts.kinds import KINDS, Kind
from raceway.facts.reading import not_output_of

HELP = "read the output of a fabric tool"
LARGEST_BYTES = 64 * 1024 * 1024  # a day's NCCL log of a large job; more is a wrong file
FOREIGN = not_output_of("", "x").partition(" of ")[0]  # how parsers begin what they say of a text that is not theirs


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the two actions."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    parsing = actions.add_parser("parse", help="print as JSON what an output says")
    parsing.add_argument("kind", metavar="KIND", help="one of `raceway facts kinds`")
    parsing.add_argument("file", metavar="FILE", nargs="?", default="-", help="default: -, standard input")
    actions.add_parser("kinds", help="list the kinds and the command whose output each takes")


def run(args: argparse.Namespace) -> int:
    """Run one action and return the exit code."""
    return _kinds() if args.action == "kinds" else _parse(args.kind, args.file)


def _kinds() -> int:
    width = max(map(len, KINDS))
    for kind in KINDS.values():
        print(f"{kind.name:<{width}}  {kind.command}")
    return 0


def _parse(name: str, file: str) -> int:
    kind = KINDS.get(name)
    if kind is None:
        act = nearest(name, KINDS) or "list the kinds with: raceway facts kinds"
        raise RacewayError("KIND", repr(name), ", ".join(KINDS), act)
    facts = parse(kind, _text(kind, file), "standard input" if file == "-" else file)
    print(json.dumps(plain(facts), indent=2, ensure_ascii=False, allow_nan=False))
    said = list(dict.fromkeys(problems(facts)))
    if said:
        print(f"raceway facts: {'; '.join(said)}", file=sys.stderr)
    return 1 if said else 0


def parse(kind: Kind, text: str, place: str) -> Any:
    """Return the facts in a text; RacewayError where it is not the output of the kind's command."""
    read = getattr(importlib.import_module(f"raceway.facts.{kind.module}"), kind.function)
    try:
        facts = read(text)
        foreign = next((said for said in problems(facts) if said.startswith(FOREIGN)), "")
    except (ValueError, RecursionError) as error:
        # A number of thousands of digits, brackets in brackets without end: no tool prints these.
        facts, foreign = None, f"this cannot be read: {error}"
    if foreign:
        raise RacewayError(place, foreign, f"what this prints: {kind.command}", "check KIND and what was pasted")
    return facts


def plain(value: Any) -> Any:
    """Return facts as what JSON knows; a number JSON has no word for is null.

    >>> plain({3: (1.5, float("inf"))})
    {'3': [1.5, None]}
    """
    if dataclasses.is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def problems(facts: Any) -> Iterator[str]:
    """Yield what facts, and the facts inside them, say under ``problem``, or else under ``errors``."""
    if dataclasses.is_dataclass(facts):
        inside = {one.name: getattr(facts, one.name) for one in dataclasses.fields(facts)}
        errors, said = inside.pop("errors", ()), inside.pop("problem", "")
        yield from [said] if said else map(str, errors)
        yield from problems(tuple(inside.values()))
    elif isinstance(facts, Mapping):
        yield from problems(tuple(facts.values()))
    elif isinstance(facts, tuple | list):
        for one in facts:
            yield from problems(one)


def _text(kind: Kind, file: str) -> str:
    place = "standard input" if file == "-" else file
    if file == "-":
        raw = sys.stdin.buffer.read(LARGEST_BYTES + 1)
    else:
        with Path(file).open("rb") as stream:
            raw = stream.read(LARGEST_BYTES + 1)
    act = f"give what this prints: {kind.command}"
    if len(raw) > LARGEST_BYTES:
        raise RacewayError(place, f"more than {LARGEST_BYTES // 2**20} MiB", "the output of one command", act)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RacewayError(place, f"byte {error.start} is no UTF-8", "text", act) from None
    if "\0" in text:
        raise RacewayError(place, f"a NUL at character {text.index(chr(0))}", "text", act)
    return text
