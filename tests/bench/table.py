"""Results in out/bench as the tables of docs/benchmarks.md: medians with spread, ratios, and each goal met or not.

It deliberately rounds nothing away: a goal that is missed says so in the same table.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

Rows = list[dict[str, float]]
TASKS = {
    "noop": "no-op converge",
    "again": "no-op again, ssh sessions kept",
    "first": "first converge",
    "drift": "drift report, 6 of 60",
}
Side = tuple[str, str]
# The goal, the two sides (task, tool) of the ratio, the figure, and the bound: at least, or (negative) at most.
GOALS: tuple[tuple[str, Side, Side, str, float], ...] = (
    ("no-op ≥ 40× faster than stock modules", ("noop", "stock"), ("noop", "raceway"), "wall", 40.0),
    ("the same, ssh sessions kept", ("noop", "stock"), ("again", "raceway"), "wall", 40.0),
    ("no-op ≥ 10× faster than Mitogen", ("noop", "mitogen"), ("noop", "raceway"), "wall", 10.0),
    ("the same, ssh sessions kept", ("noop", "mitogen"), ("again", "raceway"), "wall", 10.0),
    ("no-op ≥ 5× faster than pyinfra", ("noop", "pyinfra"), ("noop", "raceway"), "wall", 5.0),
    ("the same, ssh sessions kept (pyinfra keeps none)", ("noop", "pyinfra"), ("again", "raceway"), "wall", 5.0),
    ("no-op ≤ 2× one empty call", ("noop", "raceway"), ("noop", "floor"), "wall", -2.0),
    ("the same, ssh sessions kept", ("again", "raceway"), ("again", "floor"), "wall", -2.0),
    ("whole site.yml, nothing to do, ≤ 3× one empty call", ("noop", "site"), ("noop", "floor"), "wall", -3.0),
    ("the same, ssh sessions kept", ("again", "site"), ("again", "floor"), "wall", -3.0),
    ("no-op: node CPU ≤ pyinfra's", ("noop", "raceway"), ("noop", "pyinfra"), "node_cpu", -1.0),
    ("no-op: ≥ 150× fewer bytes than stock modules", ("noop", "stock"), ("noop", "raceway"), "wire_bytes", 150.0),
    ("first converge ≥ 15× faster than stock modules", ("first", "stock"), ("first", "raceway"), "wall", 15.0),
    ("first converge ≥ 2× faster than pyinfra", ("first", "pyinfra"), ("first", "raceway"), "wall", 2.0),
    ("drift report ≥ 15× faster than stock modules", ("drift", "stock"), ("drift", "raceway"), "wall", 15.0),
)


def converge(results: Iterable[Mapping[str, Any]]) -> str:
    """The tables of the 60-setting baseline, one a size, and the goals."""
    ordered = sorted(results, key=lambda result: result["nodes"])
    parts = [_goals(ordered)]
    for result in ordered:
        load = result["load"]
        parts.append(
            f"### {result['nodes']} nodes\n\n{_started(result)} Load before a tool's turn: "
            f"{load['least']:.1f} to {load['most']:.1f}{' (above the limit, forced)' if load['forced'] else ''}.\n\n"
            + _size(result)
        )
    return "\n\n".join(parts)


def _size(result: Mapping[str, Any]) -> str:
    lines = [
        "| work | tool | runs | wall s (min–max) | ÷ raceway | controller CPU s | node CPU s a node | KB a node |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for task, title in TASKS.items():
        tools: Mapping[str, Rows] = result["costs"].get(task, {})
        own = _median(tools["raceway"], "wall") if "raceway" in tools else None
        for name, rows in tools.items():
            walls = [row["wall"] for row in rows]
            wall = statistics.median(walls)
            nodes = result["nodes"]
            cells = (
                title,
                result["labels"][name],
                str(len(rows)),
                f"{wall:.2f} ({min(walls):.2f}–{max(walls):.2f})",
                f"{wall / own:.1f}" if own else "",
                f"{_median(rows, 'controller_cpu'):.2f}",
                f"{_median(rows, 'node_cpu') / nodes:.3f}",
                f"{_median(rows, 'wire_bytes') / nodes / 1000:,.1f}",
            )
            lines.append(f"| {' | '.join(cells)} |")
            title = ""
    return "\n".join(lines)


def _goals(results: list[Mapping[str, Any]]) -> str:
    sizes = [f"{result['nodes']} nodes" for result in results]
    lines = [
        f"| goal | {' | '.join(sizes)} |",
        f"|---|{'--:|' * len(results)}",
    ]
    for text, one, other, figure, bound in GOALS:
        cells = [_ratio(result["costs"], one, other, figure, bound) for result in results]
        lines.append(f"| {text} | {' | '.join(cells)} |")
    # A tool that misses one of the six, or names a seventh, ends the bench: where there are costs it was right.
    found = ["met" if result["costs"].get("drift") else "not measured" for result in results]
    lines.append(f"| drift report: 6 of 6 found, none false, by every tool | {' | '.join(found)} |")
    return "\n".join(lines)


def _ratio(costs: Mapping[str, Mapping[str, Rows]], one: Side, other: Side, figure: str, bound: float) -> str:
    above, below = (costs.get(task, {}).get(tool) for task, tool in (one, other))
    if not above or not below:
        return "not measured"
    ratio = _median(above, figure) / _median(below, figure)
    met = ratio >= bound if bound > 0 else ratio <= -bound
    shown = f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}"
    return f"{shown}× {'met' if met else '**missed**'}"


def inventory(result: Mapping[str, Any]) -> str:
    """The table of whole inventories."""
    lines = ["| hosts | check s | check + desired state s | CPU s | ms a host |", "|--:|--:|--:|--:|--:|"]
    for row in result["rows"]:
        checked, whole = row["load"] + row["check"], row["load"] + row["check"] + row["desired"]
        each = whole * 1000 / row["hosts"]
        lines.append(f"| {row['hosts']:,.0f} | {checked:.2f} | {whole:.2f} | {row['cpu_all']:.2f} | {each:.2f} |")
    last = result["rows"][-1]
    whole = last["load"] + last["check"] + last["desired"]
    verdict = "met" if whole < 10 else "**missed**"
    return "\n".join(lines) + f"\n\nGoal, {last['hosts']:,.0f} hosts below 10 s: {whole:.1f} s, {verdict}."


def pulumi(result: Mapping[str, Any]) -> str:
    """The table of the no-op update."""
    lines = [
        f"| no-op of {result['objects']} objects | runs | wall s (min–max) | plain ÷ this | create s, once |",
        "|---|--:|--:|--:|--:|",
    ]
    plain = statistics.median(result["no_op_seconds"]["plain"])
    for name, seconds in result["no_op_seconds"].items():
        median, create = statistics.median(seconds), result["create_seconds"].get(name)
        spread = f"{median:.2f} ({min(seconds):.2f}–{max(seconds):.2f})"
        shown = f"{create:.1f}" if create else ""
        lines.append(f"| {name} | {len(seconds)} | {spread} | {plain / median:.2f} | {shown} |")
    own = plain / statistics.median(result["no_op_seconds"]["raceway"])
    verdict = "met" if own >= 1.5 else "**missed**"
    return "\n".join(lines) + f"\n\nGoal, no-op at least 1.5× faster than plain Pulumi: {own:.2f}×, {verdict}."


def tcp(result: Mapping[str, Any]) -> str:
    """The tables of the long lossy path: the emulator as it was measured, the flows, the goals."""
    lines = [
        "| loss % | emulator, measured before: RTT ms, rate Mb/s, loss % | way | runs | Mb/s (min–max) | of link·(1−p) "
        "| sent again | CPU busy |",
        "|--:|---|---|--:|--:|--:|--:|--:|",
    ]
    for proof in sorted(result["emulator"], key=lambda row: row["loss"]):
        shown = f"{proof['rtt_ms']:.1f}, {proof['rate_mbps']:.1f}, {proof['lost']:.3f}"
        loss, first = proof["loss"], f"{proof['loss']:g}"
        for way in dict.fromkeys(row["way"] for row in result["rows"]):
            rows = _flows(result, loss, way)
            if not rows:
                continue
            rates = [row["mbps"] for row in rows]
            cells = (
                first,
                shown,
                way,
                str(len(rows)),
                f"{statistics.median(rates):.2f} ({min(rates):.2f}–{max(rates):.2f})",
                f"{statistics.median(rates) / (100 - loss):.3f}",
                f"{_median(rows, 'again'):.0f}",
                f"{_median(rows, 'busy'):.0%}",
            )
            lines.append(f"| {' | '.join(cells)} |")
            first = shown = ""
    began = f"Started {result['started']}, {result['seconds']} s a flow."
    return "\n".join([began, "", *lines, "", "| goal | found |", "|---|--:|", *_tcp_goals(result)])


def _tcp_goals(result: Mapping[str, Any]) -> list[str]:
    rates = {
        (proof["loss"], way): _median(_flows(result, proof["loss"], way), "mbps")
        for proof in result["emulator"]
        for way in ("cubic", "bbr")
    }
    goals = [
        ("at 1 % loss BBR ≥ 20× CUBIC", (1.0, "bbr"), (1.0, "cubic"), 20.0),
        *((f"at {loss:g} % loss BBR ≥ 0.9 of link·(1−p)", (loss, "bbr"), 100 - loss, 0.9) for loss in (0.0, 0.1, 1.0)),
        ("at 5 % loss BBR ≥ 0.85 of link·(1−p)", (5.0, "bbr"), 95.0, 0.85),
        ("without loss BBR costs ≤ 2 % of CUBIC's rate", (0.0, "bbr"), (0.0, "cubic"), 0.98),
    ]
    lines = []
    for text, above, below, bound in goals:
        one, other = rates.get(above), rates.get(below) if isinstance(below, tuple) else below
        found = "not measured"
        if one and other:
            found = f"{one / other:.{1 if bound > 1 else 3}f} {'met' if one / other >= bound else '**missed**'}"
        lines.append(f"| {text} | {found} |")
    return lines


def _flows(result: Mapping[str, Any], loss: float, way: str) -> Rows:
    return [row for row in result["rows"] if (row["loss"], row["way"]) == (loss, way)]


def fabric(result: Mapping[str, Any]) -> str:
    """The tables of the RoCE ports: a no-op both ways, and what a boot does; a part that was not measured has none."""
    lines: list[str] = []
    if "seconds" in result:
        ways = {
            "raceway": f"raceway, whole site.yml, {result['ports']} ports in one node call",
            "commands": f"{result['tasks']} command tasks, one a setting",
        }
        own = statistics.median(result["seconds"]["raceway"])
        lines += ["| no-op converge | runs | wall s (min–max) | ÷ raceway |", "|---|--:|--:|--:|"]
        for name, title in ways.items():
            seconds = result["seconds"][name]
            lines.append(f"| {title} | {len(seconds)} | {_spread(seconds)} | {statistics.median(seconds) / own:.1f} |")
        lines += ["", f"Load before: {result['load']}.", ""]
    if "boot" in result:
        kinds = {
            "appear": "eight ports appear at once, until the last is set",
            "again": "one run of the boot's request, nothing to do",
        }
        lines += ["| boot | runs | ms a node (min–max) |", "|---|--:|--:|"]
        for name, title in kinds.items():
            seconds = [1000 * one for one in result["boot"][name]]
            lines.append(f"| {title} | {len(seconds)} | {_spread(seconds, 0)} |")
        lines += ["", f"Load before: {result['boot_load']}."]
    return "\n".join([*lines, "", f"Ended {result['ended']}."])


def sweep(result: Mapping[str, Any]) -> str:
    """The table of schedules by ports and way, shortest first, and the goals."""
    lines = [
        "| ports | way | plan s (slowest of three) | rounds | rounds ÷ optimum | ÷ tournament |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    own = {row["ports"]: row for row in result["rows"] if row["way"] == "tournament"}
    for row in sorted(result["rows"], key=lambda row: (row["ports"], row["rounds"])):
        cells = (
            f"{row['ports']:,}",
            row["way"],
            f"{row['seconds']:.4f} ({row['slowest']:.4f})",
            f"{row['rounds']:,}",
            f"{row['rounds'] / _fewest(row['ports']):.2f}",
            f"{row['seconds'] / own[row['ports']]['seconds']:.0f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| goal | found |", "|---|--:|"]
    last = own.get(4096)
    if last is None:
        return "\n".join([*lines, "| 4,096 ports in < 2 s | not measured |"])
    found = f"{last['seconds']:.2f} s {'met' if last['slowest'] < 2 else '**missed**'}"
    best = "met" if all(row["rounds"] == _fewest(ports) for ports, row in own.items()) else "**missed**"
    return "\n".join(
        [
            *lines,
            f"| 4,096 ports in < 2 s | {found} |",
            f"| rounds optimal, n − 1 | {last['rounds']:,} {best} |",
        ]
    )


def _fewest(ports: int) -> int:
    """Return how few rounds can hold all pairs: n − 1, and one more where a port must sit out each."""
    return ports - 1 + ports % 2


def _spread(values: list[float], digits: int = 2) -> str:
    middle, least, most = (f"{one:,.{digits}f}" for one in (statistics.median(values), min(values), max(values)))
    return f"{middle} ({least}–{most})"


def versions(result: Mapping[str, Any]) -> str:
    """What took part, in one line."""
    return ", ".join(f"{name} {number}" for name, number in result["versions"].items())


def put(document: Path, name: str, text: str) -> None:
    """Replace what stands between a table's two marks."""
    begin, end = f"<!-- bench {name} -->", f"<!-- end of {name} -->"
    whole = document.read_text()
    if begin not in whole or end not in whole:
        raise RacewayError(str(document), f"no marks {begin} … {end}", act="put them where the table belongs")
    head, rest = whole.split(begin, 1)
    document.write_text(f"{head}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}")


def write(out: Path, document: Path) -> None:
    """Write every table whose results are in ``out``."""
    sizes = [json.loads(path.read_text()) for path in out.glob("converge-*.json")]
    if sizes:
        put(document, "converge", f"{converge(sizes)}\n\nVersions: {versions(sizes[-1])}.")
    others: dict[str, Callable[[Mapping[str, Any]], str]] = {
        "inventory": inventory,
        "pulumi": pulumi,
        "tcp": tcp,
        "fabric": fabric,
        "sweep": sweep,
    }
    for name, make in others.items():
        path = out / f"{name}.json"
        if path.exists():
            result = json.loads(path.read_text())
            put(document, name, f"{make(result)}\n\nVersions: {versions(result)}.")


def _started(result: Mapping[str, Any]) -> str:
    return f"Started {result['started']}, {result['cores']} cores for controller and nodes together."


def _median(rows: Rows, figure: str) -> float:
    return statistics.median(row[figure] for row in rows)
