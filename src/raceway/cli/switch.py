"""``raceway switch render`` and ``raceway switch check FILE``: the switch's side of what the hosts declare.

It deliberately reaches no switch and pushes nothing. Exit codes of check: 0 no mismatch, 1 mismatches, 2 a file or an
inventory that cannot be used.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from raceway.errors import RacewayError
from raceway.inventory.ansible_api import default_sources
from raceway.inventory.load import load
from raceway.switch import limits
from raceway.switch.check import Mismatch, check, shortened
from raceway.switch.inventory import choose
from raceway.switch.model import PLATFORMS, Switch
from raceway.switch.parse import FETCH, parse
from raceway.switch.render import COMMENT, origin, render

HELP = "write a switch's side of RoCE, name what a running switch has otherwise"
SIDECAR = ".origin.txt"  # beside a file whose format has no comments


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the two actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    rendering = actions.add_parser("render", help="print the configuration; nothing is pushed")
    rendering.add_argument("--out", type=Path, metavar="FILE", help="write it here instead of printing it")
    checking = actions.add_parser("check", help="compare a running configuration with the declaration")
    checking.add_argument("file", type=Path, metavar="FILE", help="what the switch printed")
    checking.add_argument("--json", action="store_true", help="machine-readable output")
    for one in (rendering, checking):
        one.add_argument("--platform", required=True, choices=PLATFORMS)
        one.add_argument("--switch", default="", metavar="NAME", help="which one, where several have this platform")
        one.add_argument(
            "-i", "--inventory", action="append", metavar="PATH", help="as for ansible-playbook; repeatable"
        )


def run(args: argparse.Namespace) -> int:
    """Run one action and return the exit code."""
    switch = choose(load(args.inventory or default_sources()), args.platform, args.switch)
    return _render(args, switch) if args.action == "render" else _check(args, switch)


def _render(args: argparse.Namespace, switch: Switch) -> int:
    text = render(switch)
    told = "" if switch.platform in COMMENT else "".join(f"{line}\n" for line in origin(switch))
    if args.out is None:
        sys.stdout.write(text)
        sys.stderr.write(told)
        return 0
    args.out.write_text(text, encoding="utf-8")
    files = [args.out]
    if told:
        files.append(args.out.with_name(args.out.name + SIDECAR))
        files[-1].write_text(told, encoding="utf-8")
    print(f"{', '.join(map(str, files))}: written, not pushed")
    return 0


def _check(args: argparse.Namespace, switch: Switch) -> int:
    limits.require(switch)
    found = check(switch, parse(switch.platform, _text(args.file, switch.platform), str(args.file)))
    if args.json:
        summary = {"switch": switch.name, "ports": len(switch.ports), "mismatches": len(found)}
        print(json.dumps({"mismatches": [one.to_json() for one in found], "summary": summary}, indent=2))
    else:
        _print(found, switch, Console(soft_wrap=True, highlight=False))
    return 1 if found else 0


def _text(file: Path, platform: str) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        act = f"fetch it again with: {FETCH[platform]}"
        raise RacewayError(str(file), "not text in UTF-8", "what the switch printed", act) from error


def _print(found: Sequence[Mismatch], switch: Switch, out: Console) -> None:
    for one in found:
        out.print(f"[red]{escape(one.field)}[/]  {escape(switch.name)} {escape(shortened(one.ports))}")
        rows = (("switch", one.found), ("declared", one.declared), ("next", one.act), ("hosts", shortened(one.hosts)))
        for label, text in rows:
            out.print(f"  {label + ':':10}{escape(text)}")
    count = f"{len(found)} mismatch{'' if len(found) == 1 else 'es'}"
    ports = f"{len(switch.ports)} port{'' if len(switch.ports) == 1 else 's'}"
    out.print(f"[{'red' if found else 'green'}]{count}[/] in {ports} of {escape(switch.name)}")
