"""The switches of an inventory: members of the group ``switches``, declared by the hosts that hang on them.

A switch speaks for the hosts its ports name, and for those with RoCE whose ``node_leaf`` or ``node_spine`` is its name.
They must agree on every ``roce_*`` value; what a host does not declare has the default of the declaration itself.
It deliberately checks no variable of another role: ``raceway inventory check`` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from raceway.errors import RacewayError
from raceway.inventory.origin import natural
from raceway.inventory.source import Inventory
from raceway.inventory.templates import resolver_of
from raceway.model.qos import Qos
from raceway.switch import headroom, limits
from raceway.switch.model import PLATFORMS, Headroom, Port, Switch

GROUP = "switches"
DEFAULTS = Qos()
MTU = {"eos": 9214}  # bytes; what each platform can do at most, 9216 elsewhere
_ROW = ("speed_gbps", "cable_m", "size", "xon", "xoff")


class Values:
    """The variables of one host of the inventory, filled in, with their places for messages."""

    def __init__(self, inventory: Inventory, host: str) -> None:
        self._inventory, self.host = inventory, host
        self._all = inventory.variables(host)

    def get(self, name: str, default: Any) -> Any:
        """Return a value, templates filled in; the default where it is not declared."""
        if name not in self._all:
            return default
        got = resolver_of(self._inventory).resolve(self.host, self._all, self._all[name])
        if got.error or got.sealed:
            raise RacewayError(self.place(name), got.error or "sealed in a vault", act="give a value that can be read")
        return default if got.omitted else got.value

    def number(self, name: str, default: int) -> int:
        """Return a whole number."""
        return number(self.place(name), self.get(name, default))

    def speaks(self) -> bool:
        """Return whether a host has RoCE: its list of roles says so; without a list, any variable of the role does."""
        roles = self.get("raceway_roles", None)
        declares = "roce" in roles if isinstance(roles, list) else any(name.startswith("roce_") for name in self._all)
        return declares and self.get("roce_state", "present") != "absent"

    def place(self, name: str) -> str:
        """Return ``host name (file:line)``."""
        origins = self._inventory.origins(self.host, name)
        return f"{self.host} {name}" + (f" ({origins[0][1]})" if origins else "")


def number(place: str, value: Any) -> int:
    """Return a whole number, or raise with its place."""
    found = limits.whole_number(value)
    if found is None:
        raise RacewayError(place, repr(value), "a whole number", "correct the value")
    return found


def choose(inventory: Inventory, platform: str, name: str = "") -> Switch:
    """Return the one switch that is meant: by its name, or because no other is of this platform."""
    known = sorted(inventory.groups.get(GROUP, ()), key=natural)
    if not known:
        raise RacewayError(f"group {GROUP}", "no such group, or empty", "one member for each switch", "add the group")
    if name and name not in known:
        raise RacewayError(f"--switch {name}", f"not in the group {GROUP}", ", ".join(known))
    fitting = [one for one in known if Values(inventory, one).get("switch_platform", platform) == platform]
    if name and name not in fitting:
        found = Values(inventory, name).get("switch_platform", "")
        raise RacewayError(f"--platform {platform}", f"{name} is declared as {found}", ", ".join(PLATFORMS))
    if not name and len(fitting) != 1:
        raise RacewayError(
            f"--platform {platform}",
            f"{len(fitting)} switches of this platform",
            ", ".join(fitting) or "a platform some switch has as switch_platform",
            "say which with --switch NAME",
        )
    return declared(inventory, name or fitting[0], platform)


def declared(inventory: Inventory, name: str, platform: str) -> Switch:
    """Return the declaration of one switch; raises RacewayError for values that cannot be read or do not agree."""
    values = Values(inventory, name)
    rows = _rows(values, "switch_ports")
    hosts = _hosts(inventory, name, rows)
    qos = agreed(inventory, name, hosts)
    mtu = values.number("switch_mtu", MTU.get(platform, 9216))
    cables = {host: qos_of(Values(inventory, host)).cable_m for host in hosts}
    return Switch(
        name=name,
        platform=platform,
        qos=qos,
        ports=tuple(_port(values, row, at, cables) for at, row in enumerate(rows)),
        wred=limits.merge_wred(values.place("switch_wred"), limits.STOCK_WRED, values.get("switch_wred", {})),
        headroom={**headroom.table(platform, mtu), **_headroom(values)},
        mtu=mtu,
        watchdog_ms=values.number("switch_watchdog_ms", 200),
        hosts=hosts,
    )


def _rows(values: Values, name: str) -> list[Mapping[str, Any]]:
    rows = values.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise RacewayError(values.place(name), repr(rows), "a list of mappings", "correct the value")
    return rows


def _port(values: Values, row: Mapping[str, Any], at: int, cables: Mapping[str, int]) -> Port:
    place = f"{values.place('switch_ports')}[{at}]"
    unknown = set(row) - {"name", "speed_gbps", "cable_m", "host"}
    if unknown or not row.get("name") or "speed_gbps" not in row:
        allowed = "name and speed_gbps, and perhaps cable_m and host"
        raise RacewayError(place, ", ".join(map(str, row)) or "empty", allowed, "correct the keys")
    speed = number(f"{place}.speed_gbps", row["speed_gbps"]) * 1000
    host = str(row.get("host") or "")
    metres = number(f"{place}.cable_m", row.get("cable_m", cables.get(host, DEFAULTS.cable_m)))
    return Port(str(row["name"]), speed, metres, host)


def _headroom(values: Values) -> dict[tuple[int, int], Headroom]:
    found: dict[tuple[int, int], Headroom] = {}
    for at, row in enumerate(_rows(values, "switch_headroom")):
        place = f"{values.place('switch_headroom')}[{at}]"
        if set(row) != set(_ROW):
            raise RacewayError(place, ", ".join(map(str, row)), ", ".join(_ROW), "give each key once")
        speed, metres, size, xon, xoff = (number(f"{place}.{key}", row[key]) for key in _ROW)
        if not 0 < xoff <= size or not 0 <= xon <= size:
            raise RacewayError(place, f"size {size}, xon {xon}, xoff {xoff}", "0 < xoff ≤ size and 0 ≤ xon ≤ size")
        found[speed * 1000, metres] = Headroom(size, xon, xoff)
    return found


def _hosts(inventory: Inventory, name: str, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    nodes = [host for host in inventory.nodes if host not in inventory.groups[GROUP]]
    found = {str(row["host"]) for row in rows if row.get("host")}
    missing = sorted(found - set(nodes), key=natural)
    if missing:
        raise RacewayError(f"{name} switch_ports", f"host {missing[0]}", "a host of the inventory", "correct the name")
    for host in nodes:
        values = Values(inventory, host)
        if name in (values.get("node_leaf", ""), values.get("node_spine", "")) and values.speaks():
            found.add(host)
    if not found:
        act = "name hosts in switch_ports, or set node_leaf of hosts with RoCE to the name of the switch"
        raise RacewayError(name, "no host with RoCE hangs on it, so nobody declares what it shall do", act=act)
    return tuple(sorted(found, key=natural))


def agreed(inventory: Inventory, name: str, hosts: Iterable[str]) -> Qos:
    """Return the one declaration of these hosts; two that differ in anything are told by name."""
    first: tuple[str, Qos] | None = None
    for host in hosts:
        one = qos_of(Values(inventory, host))
        first = first or (host, one)
        for field in fields(Qos):
            ours, theirs = getattr(first[1], field.name), getattr(one, field.name)
            # Cables differ from port to port; what a host says of its own counts for its own port.
            if ours != theirs and field.name != "cable_m":
                raise RacewayError(
                    f"{name}: roce_{field.name}",
                    f"{first[0]} declares {ours}, {host} declares {theirs}",
                    "one value for all hosts of a switch",
                    "declare it in a group that holds both",
                )
    return first[1] if first else DEFAULTS


def qos_of(values: Values) -> Qos:
    """Return what one host declares; the rules of the declaration itself are applied when a file is made."""
    numbers = {
        name: values.number(f"roce_{name}", getattr(DEFAULTS, name))
        for name in ("dscp", "priority", "cnp_dscp", "cnp_priority", "share", "mtu", "cable_m")
    }
    ecn = values.get("roce_ecn", DEFAULTS.ecn)
    if not isinstance(ecn, bool):
        raise RacewayError(values.place("roce_ecn"), repr(ecn), "true or false", "correct the value")
    lossless = values.get("roce_lossless", [])
    # A bool is an int to Python; a number with an origin is one of a class of its own.
    if not isinstance(lossless, list) or any(isinstance(n, bool) or not isinstance(n, int) for n in lossless):
        raise RacewayError(values.place("roce_lossless"), repr(lossless), "a list of priorities", "correct the value")
    return Qos(
        **numbers,
        lossless=tuple(int(number) for number in lossless),
        ecn=ecn,
        ect=str(values.get("roce_ect", DEFAULTS.ect)),
    )
