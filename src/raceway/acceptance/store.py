"""The folder of one sweep on the controller: what was found, planned, measured and concluded.

    out/acceptance/20260301T101500Z/looks/gpu01.json    what each port is on its node
                                    sweep.json          ports and settings, from which all rounds follow
                                    nodes/gpu01/0.json  what a node answered to the first block
                                    fabric.json         verdict, findings, cells
                                    matrix.txt          every figure

A sweep that was interrupted can still be judged: what is not there was not measured. It deliberately keeps nothing in
Ansible's variables, since those of a node that cannot be reached any more are lost.
"""

from __future__ import annotations

import dataclasses
import json
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from raceway.errors import RacewayError

from . import cells as measured
from . import matrix, model, verdict
from .declared import Declared, together
from .model import LeftOut, Port, Settings, Sweep

SHAPE = "a folder that playbooks/acceptance.yml wrote"


def new(folder: str, now: float) -> Path:
    """Make the folder of a sweep that begins at ``now`` (seconds since 1970)."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    path = Path(folder).resolve() / stamp
    for number in range(1, 100):
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            path = path.with_name(f"{stamp}-{number}")
        else:
            return path
    raise RacewayError(str(path), "a hundred sweeps began in this second", act="wait a moment")


def keep_look(folder: Path, declared: Declared, found: Iterable[Mapping[str, Any]]) -> list[LeftOut]:
    """Write what a host declares and what was found there; return the ports that cannot take part."""
    rows = {row["rail"]: row for row in found}
    ports, out = [], list(declared.left_out)
    for port in declared.ports:
        row = rows.get(port.rail, {"problem": "its node said nothing of it"})
        if row.get("problem"):
            out.append(LeftOut(port.name, row["problem"], "repair it, or correct acceptance_ports"))
            continue
        known = {key: row[key] for key in ("interface", "device", "ib_port", "gid_index", "rate_gbps") if key in row}
        ports.append(dataclasses.replace(port, **known, tools=tuple(row["tools"])))
    data = {
        "settings": dataclasses.asdict(declared.settings),
        "ports": [dataclasses.asdict(port) for port in ports],
        "left_out": [dataclasses.asdict(one) for one in out],
    }
    _write(folder / "looks" / f"{safe(declared.host)}.json", data)
    return out


def plan(folder: Path, hosts: Iterable[str]) -> Sweep:
    """Return the sweep of the hosts that were looked at, and keep it; a host that said nothing is left out."""
    rows, silent = [], []
    for host in hosts:
        path = folder / "looks" / f"{safe(host)}.json"
        if not path.exists():
            act = "reach it, or take it out with --limit; its pairs are not measured"
            silent.append(LeftOut(host, "no answer from this node", act))
            continue
        data = read(path)
        ports = tuple(Port(**{**row, "tools": tuple(row["tools"])}) for row in data["ports"])
        settings = Settings(**{**data["settings"], "measures": tuple(data["settings"]["measures"])})
        rows.append(Declared(host, settings, ports, tuple(LeftOut(**row) for row in data["left_out"])))
    settings = together(rows)
    ports_of_all = [port for row in rows for port in row.ports]
    left_out = [*silent, *(one for row in rows for one in row.left_out)]
    sweep = model.build(settings, ports_of_all, left_out, folder.name)
    if not sweep.rails:
        found = "; ".join(f"{one.name}: {one.reason}" for one in sweep.left_out) or "no port"
        raise RacewayError("acceptance", f"no pair can be measured: {found}", "two ports of a rail, on two nodes")
    _write(folder / "sweep.json", model.to_json(sweep))
    return sweep


def load(folder: Path) -> Sweep:
    """Return the sweep of a folder."""
    path = folder / "sweep.json"
    if not path.exists():
        raise RacewayError(str(folder), "there is no sweep.json in it", SHAPE, "name the folder of one sweep")
    data = read(path)
    if not isinstance(data, dict) or data.get("format") != model.FORMAT:
        found = f"format {data.get('format') if isinstance(data, dict) else None!r}"
        raise RacewayError(str(path), found, f"format {model.FORMAT}", "read it with the raceway that made it")
    return model.from_json(data)


def keep_answer(folder: Path, host: str, first: int, rows: Any) -> None:
    """Write what a node answered to the block that begins with round ``first``."""
    _write(folder / "nodes" / safe(host) / f"{first}.json", rows)


def conclude(folder: Path) -> tuple[Sweep, list[measured.Cell], verdict.Verdict]:
    """Judge what there is, write verdict and matrix, and return them."""
    sweep = load(folder)
    answers = {host: _answers(folder / "nodes" / safe(host)) for host in sweep.hosts}
    found = measured.cells(sweep, answers)
    judged = verdict.judge(sweep, found)
    told = {**verdict.to_json(judged), "run": sweep.run, "settings": dataclasses.asdict(sweep.settings)}
    told["left_out"] = [dataclasses.asdict(one) for one in sweep.left_out]
    told["cells"] = [{**dataclasses.asdict(cell), "state": cell.state} for cell in found]
    _write(folder / "fabric.json", told)
    (folder / "matrix.txt").write_text(matrix.whole(sweep, found) + "\n", encoding="utf-8")
    return sweep, found, judged


def read(path: Path) -> Any:
    """Return a JSON file; RacewayError where it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RacewayError(str(path), f"no JSON: {error}", SHAPE, "run the sweep again") from error


def safe(host: str) -> str:
    """Return a host's name as the name of a file."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", host)


def _answers(folder: Path) -> list[Mapping[str, Any]]:
    return [row for path in sorted(folder.glob("*.json")) for row in read(path)]


def _write(path: Path, data: Any) -> None:
    """Put a file in place, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new_path = path.with_name(f".{path.name}.new")
    new_path.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    new_path.rename(path)
