"""The acceptance role's variables: the measuring tools of a node, its ports in the sweep, and what passes.

Measuring is no state of a node, so only the packages become desired state; playbooks/acceptance.yml reads the rest. It
deliberately accepts a port without an address: the sweep leaves it out, names it, and does not pass.
"""

from __future__ import annotations

from typing import Any

from ..addresses import is_address
from ..model.needs import Merged, Need
from ..model.package import bad_name
from ..model.pairwise import BANDWIDTH, TCP
from .problem import Problem

# Variable → smallest and largest value, with what the limits are for.
RANGES = {
    "acceptance_seconds": (1, 600, "a measurement is a sample"),
    "acceptance_message_bytes": (1, 8_388_608, "the largest message of perftest's own sweep"),
    "acceptance_queue_pairs": (1, 128, "4 spread over equal paths"),
    "acceptance_rounds": (0, 65_535, "0 is all rounds"),
    "acceptance_port_base": (1024, 64_536, "a thousand ports from there on must exist"),
    "acceptance_patience_s": (5, 600, "nodes of a block start within seconds of each other"),
}
MOST_RAIL = 199  # each rail has TCP ports of its own among the thousand


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return numbers out of range, measures that a transport has not, and ports that cannot be as declared."""
    rows = []
    for name, (least, most, why) in RANGES.items():
        if not least <= values[name] <= most:
            rows.append(Problem(name, str(values[name]), f"{least} to {most}", why))
    if not 0 < values["acceptance_fraction"] <= 1:
        found = f"{values['acceptance_fraction']:g}"
        rows.append(Problem("acceptance_fraction", found, "above 0, at most 1", "0.9 is nine tenths of line rate"))
    if values["acceptance_latency_us"] <= 0:
        found = f"{values['acceptance_latency_us']:g}"
        rows.append(Problem("acceptance_latency_us", found, "above 0", "give the most µs that pass"))
    if values["acceptance_line_rate_gbps"] < 0:
        found = f"{values['acceptance_line_rate_gbps']:g}"
        rows.append(Problem("acceptance_line_rate_gbps", found, "0 or more", "0 is not declared"))
    for name in values["acceptance_packages"]:
        if bad_name(name):
            rows.append(Problem("acceptance_packages", f'"{name}"', "a package's name", "correct it"))
    return [*rows, *_measures(values), *_ports(values)]


def needs(values: dict[str, Any]) -> list[Need]:
    """Return nothing: a fabric is measured as it is."""
    del values
    return []


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the spec of the packages; an absent role declares none."""
    del merged
    names = values["acceptance_packages"] if values["acceptance_state"] == "present" else []
    rows = [{"name": name, "asked_by": ["acceptance_packages"]} for name in names]
    return {"package": {"packages": rows, "platform": platform}}


def _measures(values: dict[str, Any]) -> list[Problem]:
    wanted = values["acceptance_measures"]
    if not wanted:
        return [Problem("acceptance_measures", "none", "bandwidth, latency, reach", "name what is to be measured")]
    if values["acceptance_transport"] == TCP and set(wanted) != {BANDWIDTH}:
        act = "declare acceptance_measures: [bandwidth]"
        return [Problem("acceptance_measures", f"{', '.join(wanted)} with tcp", BANDWIDTH, act)]
    return []


def _ports(values: dict[str, Any]) -> list[Problem]:
    rows = []
    seen: set[int] = set()
    addresses: set[str] = set()
    for row in values["acceptance_ports"]:
        rail, address, gbps = row["rail"], row.get("address", ""), row.get("gbps", 0)
        name = f"rail {rail}"
        if rail in seen or not 0 <= rail <= MOST_RAIL:
            found = f"{name} twice" if rail in seen else name
            rows.append(Problem("acceptance_ports", found, f"0 to {MOST_RAIL}, each once", "number the rails"))
        if not address:
            act = "declare it, or take the port out; the sweep leaves the port out and does not pass"
            rows.append(Problem("acceptance_ports", f"{name} has no address", "an IP address", act, "warning"))
        elif not is_address(address) or address in addresses:
            found = f"{name}: {address}" + (" twice" if address in addresses else "")
            rows.append(Problem("acceptance_ports", found, "an IP address of this port alone", "correct it"))
        if gbps < 0 or not (gbps or values["acceptance_line_rate_gbps"]):
            act = "declare gbps there, or acceptance_line_rate_gbps for all"
            rows.append(Problem("acceptance_ports", f"{name} has no line rate", "Gb/s above 0", act))
        seen.add(rail)
        addresses.add(address)
    return rows
