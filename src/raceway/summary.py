"""The words a run is told in: one line for many nodes that say the same, a table at the end.

Pure: results in, text out. It deliberately drops nothing that went wrong: every refusal and failure has its reason and
the nodes it holds for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

NAME = re.compile(r"^(.*?)(\d+)(\D*)$")


@dataclass
class Node:
    """What one run did to one node, gathered task by task."""

    applied: list[str] = field(default_factory=list)
    planned: list[str] = field(default_factory=list)
    already: int = 0
    refusals: dict[str, str] = field(default_factory=dict)
    reboots: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    unreachable: bool = False

    @property
    def verdict(self) -> str:
        """Return the one word for the table."""
        if self.unreachable:
            return "unreachable"
        if self.failures:
            return "refused" if self.refusals else "failed"
        if self.reboots:
            return "reboot needed"
        return "as declared" if not self.planned or self.applied else "would change"

    def take(self, result: Mapping[str, Any]) -> None:
        """Add the result of one node task."""
        roles = result["roles"].values()
        self.applied += [step["what"] for step in result["applied"]]
        self.planned += [s["what"] for plan in roles for s in plan["steps"] if s["what"] not in self.planned]
        self.already = max(self.already, sum(_count(plan["noops"]) for plan in roles))
        # Kept over the tasks of a run, the first of each: only the one that tried knows what the kernel refused.
        for row in result["refused"]:
            self.refusals.setdefault(row["target"], f"{row['reason']}; next: {row['act']}")
        # Kept too: what apply gave up and forgot is still in the running kernel, and a later reading cannot know it.
        self.reboots.update({row["target"]: row["reason"] for row in result["reboots"]})


def _count(noops: Any) -> int:
    return noops if isinstance(noops, int) else len(noops)


def line(result: Mapping[str, Any]) -> str:
    """Return what one node task came to, in a few words.

    >>> line({"roles": {"kernel": {"steps": [], "noops": 42}}, "applied": [], "refused": [], "reboots": []})
    'nothing to do, 42 as declared'
    """
    steps = sum(len(plan["steps"]) for plan in result["roles"].values())
    parts = []
    if result["applied"]:
        parts.append(_number(len(result["applied"]), "step") + " applied")
    elif steps:
        parts.append(_number(steps, "step") + " to do")
    if result["refused"]:
        parts.append(f"{len(result['refused'])} refused")
    if result["reboots"]:
        parts.append("a reboot is needed")
    already = sum(_count(plan["noops"]) for plan in result["roles"].values())
    return ", ".join([*(parts or ["nothing to do"]), f"{already} as declared"])


def failure(result: Mapping[str, Any]) -> str:
    """Return why a task failed: its message and, where a program ran, the last line it wrote about it.

    >>> failure({"msg": "non-zero return code", "stderr": "sysctl: permission denied\\n"})
    'non-zero return code: sysctl: permission denied'
    """
    text = str(result.get("msg") or result.get("exception") or dict(result)).strip()
    said = str(result.get("stderr") or result.get("module_stderr") or "").strip().splitlines()
    return f"{text}: {said[-1]}" if said and said[-1] not in text else text


def steps(result: Mapping[str, Any]) -> list[str]:
    """Return the steps of a plan as lines: what, why, risk, undo."""
    return [
        f"{name}: {step['what']} — {step['why']} [{step['risk']}; undo: {step['undo']}]"
        for name, plan in result["roles"].items()
        for step in plan["steps"]
    ]


def table(nodes: Mapping[str, Node]) -> list[str]:
    """Return the closing table, one row for all nodes that fared alike."""
    groups: dict[tuple[int, int, int, int, str], list[str]] = {}
    for name, node in nodes.items():
        key = (len(node.applied or node.planned), node.already, len(node.refusals), len(node.reboots), node.verdict)
        groups.setdefault(key, []).append(name)
    rows: list[tuple[str, ...]] = [("nodes", "steps", "as declared", "refused", "reboot reasons", "verdict")]
    rows += [(fold(names), *map(str, key)) for key, names in groups.items()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def reasons(nodes: Mapping[str, Node]) -> list[str]:
    """Return refusals, reboot reasons and failures, each once with the nodes it holds for."""
    told: dict[str, list[str]] = {}
    for name, node in nodes.items():
        rows = [f"refused {target}: {why}" for target, why in node.refusals.items()]
        rows += [f"reboot for {target}: {why}" for target, why in node.reboots.items()]
        if not node.refusals:
            rows += [f"failed: {text}" for text in node.failures]
        for row in rows:
            told.setdefault(row, []).append(name)
    return [f"{fold(names)}: {row}" for row, names in told.items()]


def as_json(nodes: Mapping[str, Node]) -> str:
    """Return the run as JSON: per node the steps planned and applied, refusals, reboot reasons, failures, verdict."""
    rows = {
        name: {
            "planned": node.planned,
            "applied": node.applied,
            "as_declared": node.already,
            "refusals": node.refusals,
            "reboots": node.reboots,
            "failures": node.failures,
            "verdict": node.verdict,
        }
        for name, node in nodes.items()
    }
    return json.dumps({"nodes": rows}, indent=1, sort_keys=True) + "\n"


def fold(names: Iterable[str], most: int = 4) -> str:
    """Return host names with running numbers folded; beyond ``most`` groups the rest is counted.

    >>> fold(["gpu-01", "gpu-02", "gpu-03", "login"])
    'gpu-[01-03], login'
    """
    runs: list[list[str]] = []
    for name in sorted(names, key=_natural):
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    texts = [_run(run) for run in runs]
    shown, rest = texts[:most], sum(len(run) for run in runs[most:])
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def _natural(name: str) -> tuple[str, int, str]:
    match = NAME.match(name)
    return (match[1], int(match[2]), match[3]) if match else (name, -1, "")


def _follows(left: str, right: str) -> bool:
    """Tell whether the second name is the next number of the first, written in the same way (padded or plain)."""
    a, b = NAME.match(left), NAME.match(right)
    if not (a and b and (a[1], a[3]) == (b[1], b[3]) and int(b[2]) == int(a[2]) + 1):
        return False
    return len(a[2]) == len(b[2]) or not (a[2].startswith("0") or b[2].startswith("0"))


def _run(run: Sequence[str]) -> str:
    first, last = NAME.match(run[0]), NAME.match(run[-1])
    if len(run) < 2 or first is None or last is None:
        return run[0]
    return f"{first[1]}[{first[2]}-{last[2]}]{first[3]}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
