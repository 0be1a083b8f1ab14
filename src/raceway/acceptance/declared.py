"""From the variables of hosts to ports and settings of a sweep.

Ports are those of ``acceptance_ports``; where none are declared and the host has the role ``rails``, its rails with
their first address. RDMA traffic carries the traffic class of ``roce_*`` where the host has that role. It deliberately
allows one value of each setting for the whole sweep: pairs measured in different ways cannot be compared.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory.specs import load_specs
from raceway.inventory.validate import check_value
from raceway.model import qos
from raceway.model.pairwise import RDMA
from raceway.roles import acceptance

from .model import LeftOut, Port, Settings

ROLE, RAILS, ROCE = "acceptance", "rails", "roce"
READ = (ROLE, RAILS, ROCE)
_SAME = [one.name for one in dataclasses.fields(Settings) if one.name not in ("measures", "traffic_class")]


@dataclass(frozen=True)
class Declared:
    """What one host declares."""

    host: str
    settings: Settings
    ports: tuple[Port, ...]
    left_out: tuple[LeftOut, ...]


def variables() -> tuple[str, ...]:
    """Return the names of all variables that count."""
    specs = load_specs(None)
    return ("raceway_roles", *(name for role in READ if role in specs for name in specs[role].options))


def from_given(given: Mapping[str, Any], host: str) -> Declared:
    """Return what a host's task variables declare; one RacewayError with all that is wrong in them."""
    roles, wrong = {}, []
    specs = load_specs(None)
    for role in READ:
        roles[role] = dict(specs[role].defaults) if role in specs else {}
        for name, option in specs[role].options.items() if role in specs else ():
            if name in given:
                roles[role][name], problems = check_value(option, given[name], untyped=True)
                wrong += [f"{one.path}: {one.found} (allowed: {one.allowed or one.act})" for one in problems]
    enabled = given.get("raceway_roles") or []
    if not wrong:
        rows = acceptance.rules(_with_rails(roles, enabled))
        wrong = [f"{one.variable}: {one.found} (allowed: {one.allowed})" for one in rows if one.severity == "error"]
    if wrong:
        raise RacewayError(host, "; ".join(wrong), act="correct the variables of this host")
    return declared(host, roles, enabled)


def declared(host: str, roles: Mapping[str, Mapping[str, Any]], enabled: Iterable[str]) -> Declared:
    """Return what a host declares. ``roles``: role → its variables, checked and with defaults."""
    values = _with_rails(roles, enabled)
    plain = {name: values[f"acceptance_{name}"] for name in _SAME}
    measures = tuple(dict.fromkeys(values["acceptance_measures"]))
    settings = Settings(
        **plain, measures=measures, traffic_class=_traffic_class(roles, set(enabled), plain["transport"])
    )
    ports, out = [], []
    for row in values["acceptance_ports"]:
        rate = float(row.get("gbps") or values["acceptance_line_rate_gbps"])
        port = Port(host, int(row["rail"]), str(row.get("address") or ""), rate)
        if port.address and rate > 0:
            ports.append(port)
        else:
            what = "line rate" if port.address else "address"
            out.append(LeftOut(port.name, f"it is declared without {what}", f"declare its {what} in acceptance_ports"))
    return Declared(host, settings, tuple(ports), tuple(out))


def together(rows: Sequence[Declared]) -> Settings:
    """Return the settings of a sweep; RacewayError where two hosts with ports declare different ones."""
    taking = [row for row in rows if row.ports or row.left_out]
    if not taking:
        act = "declare acceptance_ports, or rails_ports, on the nodes that shall be measured"
        raise RacewayError(
            "acceptance_ports", "no host of this run declares a port", "a port on two hosts or more", act
        )
    first = taking[0]
    for row in taking[1:]:
        for name, value in vars(first.settings).items():
            other = getattr(row.settings, name)
            if other != value:
                variable = "roce_dscp" if name == "traffic_class" else f"acceptance_{name}"
                found = f"{first.host} has {_shown(value)}, {row.host} has {_shown(other)}"
                raise RacewayError(variable, found, "one value for the whole sweep", "declare it once, for all")
    return first.settings


def _with_rails(roles: Mapping[str, Mapping[str, Any]], enabled: Iterable[str]) -> dict[str, Any]:
    """Return the variables of the role, with the rails' ports where it declares none."""
    values, rails = dict(roles[ROLE]), roles.get(RAILS, {})
    if values["acceptance_ports"] or RAILS not in enabled or rails.get("rails_state") != "present":
        return values
    rows = [*(rails.get("rails_ports") or ()), *(rails.get("rails_bonds") or ())]
    values["acceptance_ports"] = [
        {"rail": row["rail"], "address": str((row.get("addresses") or [""])[0]).partition("/")[0]} for row in rows
    ]
    return values


def _traffic_class(roles: Mapping[str, Mapping[str, Any]], enabled: set[str], transport: str) -> int:
    if transport != RDMA or ROCE not in enabled or roles.get(ROCE, {}).get("roce_state") != "present":
        return -1
    given = {name: roles[ROCE][f"roce_{name}"] for name in qos.NAMES if f"roce_{name}" in roles[ROCE]}
    return qos.parse(given).traffic_class


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
