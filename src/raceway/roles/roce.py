"""The roce role's variables: the ports and the one declaration of DSCP, priorities and shares.

It deliberately takes no traffic class byte and no PFC bitmap: both follow from the declaration.
"""

from __future__ import annotations

from typing import Any

from ..model import qos, selector
from ..model.needs import Merged, Need
from ..model.roce import SELECTORS
from ..model.roce_watch import LONGEST_S
from .problem import Problem

PACKAGES = {"dcb": "iproute2", "ethtool": "ethtool"}


def declaration(values: dict[str, Any]) -> qos.Qos:
    """Return the quality-of-service declaration that a host's variables make."""
    return qos.parse({name: values[f"roce_{name}"] for name in qos.NAMES})


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the numbers, and ports that are selected by nothing, twice, or by something else."""
    rows = [
        Problem(f"roce_{name}", found, allowed, act) for name, found, allowed, act in qos.problems(declaration(values))
    ]
    watch = values["roce_watch_s"]
    if not 0 <= watch <= LONGEST_S:
        act = "a second shows what always happens, ten show what happens in bursts"
        rows.append(Problem("roce_watch_s", str(watch), f"0 (no look) to {LONGEST_S} seconds", act))
    seen: set[str] = set()
    rails: set[int] = set()
    for port in values["roce_ports"]:
        given = selector.given(port, SELECTORS)
        if len(given) != 1:
            allowed = f"exactly one of {', '.join(SELECTORS)}"
            rows.append(Problem("roce_ports", f"{len(given)} of them", allowed, "select each port by one of them"))
            continue
        rows += _port(given[0], str(port[given[0]]), seen)
        if port.get("rail", 0) in rails:
            rows.append(Problem("roce_ports", f"rail {port.get('rail', 0)} twice", "a rail a port", "number the rails"))
        rails.add(port.get("rail", 0))
    return rows


def _port(by: str, value: str, seen: set[str]) -> list[Problem]:
    told = selector.wrong(by, value)
    if told:
        return [Problem("roce_ports", f"{by}: {value}", told, "copy it from `raceway facts` or sysfs")]
    if value.lower() in seen:
        return [Problem("roce_ports", f"{by}: {value} twice", "each once", "remove one of the two")]
    seen.add(value.lower())
    return []


def needs(values: dict[str, Any]) -> list[Need]:
    """Return nothing: what RDMA sends, no kernel setting sees."""
    del values
    return []


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of the tools and of the ports; an absent role declares no ports."""
    del merged
    present = values["roce_state"] == "present" and bool(values["roce_ports"])
    ports = values["roce_ports"] if present else []
    numbers = qos.to_spec(declaration(values))
    packages = sorted(set(PACKAGES.values())) if present else []
    return {
        "package": {
            "packages": [{"name": name, "asked_by": ["roce_ports"]} for name in packages],
            "platform": platform,
        },
        "roce": {
            "ports": ports,
            "qos": numbers,
            "persist": values["roce_persist"],
            "platform": platform,
            "buffer": values["roce_buffer"],
            "consent": values["roce_allow_disruptive"],
        },
        "roce_watch": {"ports": ports, "qos": numbers, "seconds": values["roce_watch_s"], "platform": platform},
    }
