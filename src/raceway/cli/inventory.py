"""``raceway inventory check`` and ``raceway inventory show HOST``: is the declaration right, and what does it mean.

It deliberately contacts no node. Exit codes of check: 0 nothing wrong (warnings are printed), 1 errors, 2 unreadable.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from raceway.errors import RacewayError
from raceway.inventory.ansible_api import default_sources
from raceway.inventory.check import check
from raceway.inventory.desired import desired
from raceway.inventory.findings import ERROR, Finding
from raceway.inventory.load import load
from raceway.inventory.show import as_data
from raceway.inventory.source import Inventory

HELP = "check an inventory, show the desired state of a host"
MANY_HOSTS = 1000  # from here on a check takes long enough for a bar


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the two actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    checking = actions.add_parser("check", help="validate everything, report all errors with file and line")
    checking.add_argument("--limit", default="", metavar="PATTERN", help="only what touches these hosts")
    showing = actions.add_parser("show", help="print what a host shall become and where each value comes from")
    showing.add_argument("host", metavar="HOST")
    showing.add_argument("--role", default="", help="only this role")
    for one in (checking, showing):
        one.add_argument(
            "-i", "--inventory", action="append", metavar="PATH", help="as for ansible-playbook; repeatable"
        )
        one.add_argument(
            "-e", "--extra-vars", action="append", default=[], metavar="NAME=VALUE|JSON", help="outrank all"
        )
        one.add_argument("--roles", type=Path, metavar="DIR", help="roles folder (default: raceway's own)")
        one.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    """Run one action and return the exit code."""
    inventory = load(args.inventory or default_sources(), _extra(args.extra_vars))
    return _check(args, inventory) if args.action == "check" else _show(args, inventory)


def _check(args: argparse.Namespace, inventory: Inventory) -> int:
    with _bar(len(inventory.hosts), args.json) as progress:
        findings = check(inventory, args.roles, args.limit, progress)
    errors = sum(finding.severity == ERROR for finding in findings)
    if args.json:
        summary = _summary(inventory, findings)
        print(json.dumps({"findings": [one.to_json() for one in findings], "summary": summary}, indent=2))
    else:
        print_findings(findings, inventory)
    return 1 if errors else 0


def print_findings(findings: Sequence[Finding], inventory: Inventory, console: Console | None = None) -> None:
    """Print every finding as a short block, then one line that sums up."""
    out = console or Console(soft_wrap=True, highlight=False)
    for one in findings:
        colour = "red" if one.severity == ERROR else "yellow"
        name = f"[bold]{escape(one.variable)}[/]" if one.variable else ""
        out.print(f"[{colour}]{one.severity}[/] {escape(str(one.origin))}  {name}".rstrip())
        rows = (("found", one.found), ("allowed", one.allowed), ("next", one.act), ("hosts", one.who()))
        for label, text in rows:
            if text:
                out.print(f"  {label + ':':9}{escape(text)}")
    total = _summary(inventory, findings)
    colour = "red" if total["errors"] else "green"
    told = f"{_count(total['errors'], 'error')}, {_count(total['warnings'], 'warning')}"
    touched = f"; {total['hosts_touched']} of them touched" if findings else ""
    out.print(f"[{colour}]{told}[/] in {_count(total['hosts'], 'host')}{touched}")


def _summary(inventory: Inventory, findings: Sequence[Finding]) -> dict[str, int]:
    kinds = Counter(finding.severity for finding in findings)
    touched = {host for finding in findings for host in finding.hosts}
    return {
        "hosts": len(inventory.hosts),
        "errors": kinds[ERROR],
        "warnings": len(findings) - kinds[ERROR],
        "hosts_touched": len(touched),
    }


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _show(args: argparse.Namespace, inventory: Inventory) -> int:
    state = desired(inventory, args.host, args.roles)
    if args.role and args.role not in state.roles:
        raise RacewayError(
            f"--role {args.role}",
            f"not enabled on {args.host}",
            ", ".join(state.roles),
            "see raceway_roles of the host",
        )
    data = as_data(state, args.role)
    if args.json:
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        _print_state(data, Console(soft_wrap=True, highlight=False))
    return 0


def _print_state(data: dict[str, Any], out: Console) -> None:
    out.print(f"[bold]{escape(data['host'])}[/]")
    for role, state in data["roles"].items():
        out.print(f"\n[bold]{role}[/]  (may take steps that are: {', '.join(state['allow'])})")
        for name, row in state["variables"].items():
            out.print(f"  {name}: {escape(_short(row['value']))}")
            over = f"; outranks {', '.join(row['outranks'])}" if row["outranks"] else ""
            out.print(f"[dim]      {escape(row['from'])}, {escape(row['at'])}{escape(over)}[/]")
        for noun, spec in state["nouns"].items():
            out.print(f"  → {noun}")
            for line in yaml.safe_dump(spec, sort_keys=False, allow_unicode=True, width=100).splitlines():
                out.print(f"      {escape(line)}")
    if data["kernel_needs"]:
        out.print("\n[bold]kernel needs of all roles, merged[/]")
    for need in data["kernel_needs"]:
        out.print(f"  {need['kind']} {escape(need['key'])} = {escape(need['value'])}")
        for asker in need["asked_by"]:
            place = f" ({asker['at']})" if asker["at"] else ""
            out.print(f"[dim]      asked by {escape(asker['asker'] + place)}[/]")
        if need["why"]:
            out.print(f"[dim]      because {escape(need['why'])}[/]")


def _short(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _extra(words: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for word in words:
        if word.lstrip().startswith("{"):
            try:
                found.update(json.loads(word))
            except ValueError as error:
                raise RacewayError(f"-e {word}", f"no JSON: {error}", "NAME=VALUE or a JSON object") from error
            continue
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            raise RacewayError("-e", f"{word!r}", "NAME=VALUE or a JSON object", "write for instance -e node_rack=r1")
        found[name] = value
    return found


@contextmanager
def _bar(hosts: int, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    console = Console(stderr=True)
    if quiet or hosts < MANY_HOSTS or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("checking hosts"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=hosts)
        yield lambda done: progress.update(task, completed=done)
