"""The roce role's variables: the ports and the one declaration of DSCP, priorities and shares.

It deliberately takes no traffic class byte and no PFC bitmap: both follow from the declaration.
"""

from __future__ import annotations

from typing import Any

from ..model import qos
from ..model.needs import Merged, Need
from ..model.roce import SELECTORS
from ..model.roce_watch import LONGEST_S
from .problem import Problem
from .selected import selected

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
    seen: dict[str, set[str]] = {"selector": set(), "rail": set()}
    for port in values["roce_ports"]:
        row = {"rail": 0, **port}
        value, problems = selected("roce_ports", row, SELECTORS, "port")
        rows += problems
        if value is None:
            continue
        for what, text in (("selector", value.lower()), ("rail", str(row["rail"]))):
            if text in seen[what]:
                act = "remove one of the two" if what == "selector" else "number the rails"
                rows.append(Problem("roce_ports", f"{what} {text} twice", "each once", act))
            seen[what].add(text)
    return rows


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
