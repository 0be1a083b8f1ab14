"""SONiC's config_db.json: the tables that make a port lossless for RoCE, to be merged by ``config load``.

The stock map sends only DSCP 3 and 4 to lossless classes and 26 to a lossy one (sonic-buildimage, qos_config.j2), so
all 64 DSCPs are written. It deliberately leaves BUFFER_POOL alone: pool sizes belong to the hardware model.
"""

from __future__ import annotations

import json
from typing import Any

from raceway.model.qos import PRIORITIES
from raceway.switch.model import COLOURS, Port, Switch

MAP = "AZURE"  # SONiC's own name for the one map of each kind; another name would leave the stock map in force
LOSSLESS = "AZURE_LOSSLESS"
_REST, _DATA, _CNP = "scheduler.0", "scheduler.1", "scheduler.2"
Table = dict[str, dict[str, str]]


def render(switch: Switch) -> str:
    """Return the tables as JSON, every value a string as ConfigDB wants it."""
    tables: dict[str, Any] = {**_maps(switch), **_queues(switch), **_buffers(switch), **_watchdog(switch)}
    tables["PORT"] = {port.name: {"mtu": str(switch.mtu)} for port in switch.ports}
    return json.dumps(tables, indent=2) + "\n"


def _maps(switch: Switch) -> dict[str, Table]:
    qos = switch.qos
    by_dscp = {dscp: number for number, members in switch.classes.items() for dscp in members}
    same = {str(number): str(number) for number in PRIORITIES}
    attached = {
        "dscp_to_tc_map": MAP,
        "tc_to_queue_map": MAP,
        "tc_to_pg_map": MAP,
        "pfc_to_queue_map": MAP,
        "pfc_enable": str(qos.priority),
    }
    if switch.watchdog_ms:
        attached["pfcwd_sw_enable"] = str(qos.priority)
    return {
        "DSCP_TO_TC_MAP": {MAP: {str(dscp): str(by_dscp[dscp]) for dscp in sorted(by_dscp)}},
        "TC_TO_PRIORITY_GROUP_MAP": {MAP: same},
        "TC_TO_QUEUE_MAP": {MAP: same},
        "MAP_PFC_PRIORITY_TO_QUEUE": {MAP: same},
        "PORT_QOS_MAP": {port.name: dict(attached) for port in switch.ports},
    }


def _queues(switch: Switch) -> dict[str, Table]:
    qos = switch.qos
    data = {"scheduler": _DATA}
    tables: dict[str, Table] = {
        "SCHEDULER": {
            _REST: {"type": "DWRR", "weight": str(100 - qos.share)},
            _DATA: {"type": "DWRR", "weight": str(qos.share)},
            _CNP: {"type": "STRICT"},
        }
    }
    if qos.ecn:
        tables["WRED_PROFILE"] = {LOSSLESS: _profile(switch)}
        data["wred_profile"] = LOSSLESS
    rows = {switch.rest: {"scheduler": _REST}, qos.priority: data, qos.cnp_priority: {"scheduler": _CNP}}
    tables["QUEUE"] = {f"{port.name}|{queue}": rows[queue] for port in switch.ports for queue in sorted(rows)}
    return tables


def _profile(switch: Switch) -> dict[str, str]:
    profile = {"ecn": "ecn_all"}
    for colour in COLOURS:
        one = switch.wred[colour]
        profile[f"wred_{colour}_enable"] = str(one.enabled).lower()
        profile[f"{colour}_min_threshold"] = str(one.minimum)
        profile[f"{colour}_max_threshold"] = str(one.maximum)
        profile[f"{colour}_drop_probability"] = str(one.probability)
    return profile


def _buffers(switch: Switch) -> dict[str, Table]:
    profiles: Table = {}
    for port in switch.ports:
        row = switch.row(port)
        sizes = {"size": str(row.size), "xon": str(row.xon), "xoff": str(row.xoff)}
        profiles[_profile_of(port)] = {"pool": "ingress_lossless_pool", **sizes, "dynamic_th": "0"}
    return {
        "CABLE_LENGTH": {MAP: {port.name: f"{port.cable_m}m" for port in switch.ports}},
        "BUFFER_PROFILE": profiles,
        "BUFFER_PG": {f"{port.name}|{switch.qos.priority}": {"profile": _profile_of(port)} for port in switch.ports},
    }


def _profile_of(port: Port) -> str:
    # The name buffermgrd would give it (sonic-swss), so that it finds ours instead of making another.
    return f"pg_lossless_{port.speed}_{port.cable_m}m_profile"


def _watchdog(switch: Switch) -> dict[str, Table]:
    if not switch.watchdog_ms:
        return {}
    time = str(switch.watchdog_ms)
    row = {"action": "drop", "detection_time": time, "restoration_time": time}
    return {"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": time}, **{port.name: dict(row) for port in switch.ports}}}
