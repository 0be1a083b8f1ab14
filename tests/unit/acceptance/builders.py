"""A sweep whose nodes answer from a function: figures by sender and receiver, without any node.

It deliberately goes the way of the playbook: requests of each host, rows as a node returns them, cells.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from raceway.acceptance import model, work
from raceway.acceptance.cells import Cell, cells
from raceway.acceptance.model import LeftOut, Port, Settings, Sweep
from raceway.model.pairwise import PROGRAMS

LINE = 400.0
GOOD = {"bandwidth": 390.0, "latency": 2.0, "reach": 20.0}
Figure = Callable[[str, str, str], float | None]


def make_ports(count: int, rails: int = 1, tools: tuple[str, ...] = PROGRAMS) -> list[Port]:
    return [
        Port(f"gpu{n:02d}", rail, f"10.0.{rail}.{n}", LINE, device="mlx5_0", gid_index=3, rate_gbps=LINE, tools=tools)
        for rail in range(rails)
        for n in range(1, count + 1)
    ]


def make_sweep(count: int, rails: int = 1, left_out: tuple[LeftOut, ...] = (), **changed: Any) -> Sweep:
    return model.build(Settings(**changed), make_ports(count, rails), list(left_out), "run")


def answers(sweep: Sweep, figure: Figure, silent: Collection[str] = ()) -> dict[str, list[dict[str, Any]]]:
    """Return what every node says. ``figure``: measure, sender, receiver → value; None is a failed measurement."""
    names = {port.address: port.host for port in sweep.ports}
    rows: dict[str, list[dict[str, Any]]] = {}
    for host in sweep.hosts:
        if host in silent:
            continue
        rows[host] = []
        for lane in work.block(sweep, host, 0, sweep.rounds)["lanes"]:
            for match in lane["matches"]:
                for slot in match["slots"]:
                    value = figure(slot["measure"], host, names[match["peer"]]) if slot["sends"] else None
                    said = "Completion with error" if slot["sends"] and value is None else ""
                    kept = {key: slot[key] for key in ("measure", "tool", "sends")}
                    rows[host].append(
                        {"rail": lane["rail"], "round": match["round"], **kept, "value": value, "problem": said}
                    )
    return rows


def measured(sweep: Sweep, figure: Figure, silent: Collection[str] = ()) -> list[Cell]:
    """Return the cells of a sweep whose nodes answer so."""
    return cells(sweep, answers(sweep, figure, silent))


def good(measure: str, _sender: str, _receiver: str) -> float:
    """Everybody is well."""
    return GOOD[measure]


def slow(is_slow: Callable[[str, str], bool], value: float = 40.0) -> Figure:
    """Return a figure function in which some directed pairs have this bandwidth, all else is well."""
    return lambda m, sender, receiver: value if m == "bandwidth" and is_slow(sender, receiver) else GOOD[m]
