"""RDMA ports as people hand them over: a JSON list of what a node's sysfs shows, for ``raceway nccl env`` and for jobs.

    [{"device": "mlx5_0", "pci": "0000:18:00.0", "link_layer": "Ethernet", "state": "ACTIVE"}]

It deliberately opens nothing, and refuses a key it does not know: a misspelt one would silently be the default.
"""

from __future__ import annotations

import json
from typing import Any

from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort, parse_gid

SHAPE = 'a list of {"device", "pci", "guid", "port", "link_layer", "state"}'
_PLAIN = {"device": str, "pci": str, "guid": str, "port": int, "link_layer": str, "state": str}


def parse(place: str, text: str) -> tuple[RdmaPort, ...]:
    """Return the ports of a file's text; ``place`` is its name in messages."""
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise RacewayError(place, f"no JSON: {error}", SHAPE, "correct the file") from error
    if not isinstance(rows, list):
        raise RacewayError(place, f"a {type(rows).__name__}", SHAPE, "write a list")
    return tuple(_port(f"{place}: entry {number}", row) for number, row in enumerate(rows, 1))


def _port(place: str, row: Any) -> RdmaPort:
    if not isinstance(row, dict) or "device" not in row:
        raise RacewayError(place, "no device", SHAPE, "name the device")
    for key, value in row.items():
        kind = _PLAIN.get(key)
        if key != "gids" and (kind is None or not isinstance(value, kind) or isinstance(value, bool)):
            found = f"{key}: {value!r}"
            raise RacewayError(place, found, SHAPE, "correct the key" if kind is None else f"write a {kind.__name__}")
    plain = {key: value.lower() if key in ("pci", "guid") else value for key, value in row.items() if key != "gids"}
    return RdmaPort(**plain, gids=_gids(place, row["gids"]) if "gids" in row else None)


def _gids(place: str, rows: Any) -> Any:
    try:
        found = [parse_gid(int(row["index"]), str(row["address"]), str(row["kind"])) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        allowed = '"gids": a list of {"index", "address", "kind"}'
        raise RacewayError(f"{place}: gids", f"{type(error).__name__}: {error}", allowed, "correct it") from error
    return tuple(gid for gid in found if gid)
