"""SONiC's running configuration, as ConfigDB prints it.

    {"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3"}},
     "BUFFER_PG": {"Ethernet0|3-4": {"profile": "pg_lossless_100000_5m_profile"}},
     "QUEUE": {"Ethernet0,Ethernet4|3": {"scheduler": "[SCHEDULER|scheduler.1]"}}}

Keys may be lists and ranges, references may have the old form with brackets.
It deliberately takes numbers with blanks around them for what they are: not what was meant (sonic-buildimage#25626).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from raceway.errors import RacewayError
from raceway.switch.model import COLOURS, NOTHING, OFF, ON, Headroom, PortConfig, QueueConfig, Running
from raceway.switch.words import is_number, numbers, spread, switched

Row = Mapping[str, str]
_LIMITS = {"min": "{}_min_threshold", "max": "{}_max_threshold", "probability": "{}_drop_probability"}


def parse(text: str, file: str) -> Running:
    """Return what each port of PORT and PORT_QOS_MAP is given."""
    try:
        data = json.loads(text)
    except ValueError as error:
        raise RacewayError(file, f"no whole JSON: {error}", "the text of config_db.json", "fetch it again") from error
    if not isinstance(data, dict):
        raise RacewayError(file, f"JSON, but a {type(data).__name__}", "an object of ConfigDB tables", "fetch it again")
    database = _Database(data, file)
    names = [*database.table("PORT"), *database.by_port("PORT_QOS_MAP")]
    return {name: database.port(name) for name in dict.fromkeys(names) if name != "global"}


class _Database:
    """The tables, with their keys spread out to one port each."""

    def __init__(self, data: Mapping[str, Any], file: str) -> None:
        self._data, self._file = data, file
        self._tables: dict[str, Mapping[str, Row]] = {}
        self._spread: dict[str, dict[str, Row]] = {}

    def table(self, name: str) -> Mapping[str, Row]:
        """Return a table as it is, every value as text."""
        if name not in self._tables:
            self._tables[name] = self._read(name)
        return self._tables[name]

    def _read(self, name: str) -> Mapping[str, Row]:
        table = self._data.get(name, {})
        if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
            raise RacewayError(f"{self._file} {name}", "no table of rows", "key → {field: value}", "fetch it again")
        return {key: {field: str(value) for field, value in row.items()} for key, row in table.items()}

    def by_port(self, name: str) -> dict[str, Row]:
        """Return a table by ``port`` or ``port|number``, lists and ranges spread out."""
        if name not in self._spread:
            found: dict[str, Row] = {}
            for key, row in self.table(name).items():
                ports, bar, places = key.partition("|")
                for port in ports.split(","):
                    found.update({f"{port}{bar}{place}": row for place in (spread(places) if bar else [""])})
            self._spread[name] = found
        return self._spread[name]

    def port(self, name: str) -> PortConfig:
        """Return what one port is given."""
        maps = self.by_port("PORT_QOS_MAP")
        row = {**maps.get("global", {}), **maps.get(name, {})}
        trust = "dscp" if "dscp_to_tc_map" in row else "pcp" if "dot1p_to_tc_map" in row else NOTHING
        pfc = frozenset(numbers(row.get("pfc_enable", "")))
        dog = self.by_port("PFC_WD").get(name)
        watched = frozenset(numbers(row["pfcwd_sw_enable"])) if "pfcwd_sw_enable" in row else pfc
        return PortConfig(
            trust=trust,
            dscp=self._map("DSCP_TO_TC_MAP", row.get("dscp_to_tc_map"), lone=True),
            queue_of=self._map("TC_TO_QUEUE_MAP", row.get("tc_to_queue_map")),
            group_of=self._map("TC_TO_PRIORITY_GROUP_MAP", row.get("tc_to_pg_map")),
            paused_queue=self._map("MAP_PFC_PRIORITY_TO_QUEUE", row.get("pfc_to_queue_map")),
            pfc=pfc,
            headroom={number: text for number in range(8) if (text := self._headroom(name, number))},
            cable=self._cable(name),
            queues=self._queues(name),
            watchdog=watched if dog is not None else frozenset(),
            watchdog_ms=_number((dog or {}).get("detection_time")),
            mtu=_number(self.table("PORT").get(name, {}).get("mtu")),
        )

    def _map(self, table: str, name: str | None, lone: bool = False) -> Mapping[int, int] | None:
        """Return the map of this name. ``lone``: where a port names none, the only one there is, to be judged too."""
        rows = self.table(table)
        row = rows.get(_bare(name)) if name else next(iter(rows.values())) if lone and len(rows) == 1 else None
        if row is None:
            return None
        return {int(key): int(value) for key, value in row.items() if is_number(key) and is_number(value)}

    def _headroom(self, port: str, priority: int) -> str:
        row = self.by_port("BUFFER_PG").get(f"{port}|{priority}")
        if row is None:
            return NOTHING
        name = _bare(row.get("profile", ""))
        profile = self.table("BUFFER_PROFILE").get(name)
        if profile is None:
            # In the dynamic buffer model the profile is NULL and its size is not in this file: unknown.
            return "" if name in ("NULL", "") else f"{NOTHING}: profile {name} is not defined"
        size, xon, xoff = (profile.get(key, "0") for key in ("size", "xon", "xoff"))
        if all(map(is_number, (size, xon, xoff))):
            return str(Headroom(int(size), int(xon), int(xoff)))
        return f"size {size!r}, xon {xon!r}, xoff {xoff!r}"

    def _cable(self, port: str) -> str | None:
        lengths = [row[port] for row in self.table("CABLE_LENGTH").values() if port in row]
        return lengths[0].removesuffix("m") if lengths else None

    def _queues(self, port: str) -> dict[int, QueueConfig]:
        rows = {number: self.by_port("QUEUE").get(f"{port}|{number}", {}) for number in range(8)}
        schedulers = {
            number: self.table("SCHEDULER").get(_bare(row.get("scheduler", "")), {}) for number, row in rows.items()
        }
        total = sum(_weight(row) for row in schedulers.values())
        return {number: self._queue(rows[number], schedulers[number], total) for number in rows}

    def _queue(self, row: Row, scheduler: Row, total: int) -> QueueConfig:
        kind = scheduler.get("type")
        profile = self.table("WRED_PROFILE").get(_bare(row.get("wred_profile", "")), {})
        weight = _weight(scheduler)
        ecn = profile.get("ecn", "ecn_none")
        return QueueConfig(
            ecn={"ecn_all": ON, "ecn_none": OFF}.get(ecn, ecn),
            strict=None if kind is None else ON if kind == "STRICT" else OFF,
            share=f"{100 * weight / total:.4g}" if weight else None,
            wred=_wred(profile),
        )


def _wred(profile: Row) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for colour in COLOURS:
        found.update({f"{colour}.{key}": _number(profile.get(name.format(colour))) for key, name in _LIMITS.items()})
        found[f"{colour}.enabled"] = switched(profile.get(f"wred_{colour}_enable"))
    return found


def _weight(scheduler: Row) -> int:
    weight = scheduler.get("weight", "")
    return int(weight) if scheduler.get("type") in ("DWRR", "WRR") and is_number(weight) else 0


def _bare(reference: str) -> str:
    """Return the name in a reference: AZURE, or the older [DSCP_TO_TC_MAP|AZURE]."""
    return reference.strip("[]").rpartition("|")[2]


def _number(text: str | None) -> str | None:
    return text if text is None else str(int(text)) if is_number(text) else repr(text)
