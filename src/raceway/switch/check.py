"""Compare a running configuration with the declaration: each difference is one finding, whoever it touches.

Both sides are put into one vocabulary of fields, then compared as text. Unknown is never equal.
It deliberately derives nothing backwards: the CNP's DSCP is an input that must lead to the CNP's queue, because an
inverse map may have several answers (sonic-net/sonic-mgmt#25347).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from raceway.inventory.findings import SHOWN_HOSTS
from raceway.inventory.origin import natural
from raceway.model.qos import DSCPS, Qos
from raceway.switch.model import (
    COLOURS,
    DERIVED,
    NOTHING,
    OFF,
    ON,
    UNMAPPED,
    Port,
    PortConfig,
    QueueConfig,
    Running,
    Switch,
)
from raceway.switch.render.eos import headroom as eos_headroom

Fields = Mapping[str, "str | None"]
UNKNOWN = "unknown (the configuration does not say)"
# Where a field's parent is wrong and the field itself is not there, it says nothing of its own.
PARENTS = {
    "dscp.data": "trust",
    "dscp.cnp": "trust",
    "dscp.others": "trust",
    "headroom": "pfc",
    "cable": "pfc",
    "pfc.ways": "pfc",
    "watchdog.ms": "watchdog",
}
ACTS = {
    "port": "the port may have another name on the switch; correct switch_ports, or configure the port",
    "trust": "let the ports trust DSCP; without it every packet takes the default class",
    "dscp.data": "map the data's DSCP to its class, or change roce_dscp and roce_priority",
    "dscp.cnp": "map the CNP's DSCP to its class, or change roce_cnp_dscp and roce_cnp_priority",
    "dscp.others": "map these DSCPs elsewhere; other traffic in a lossless class is paused and pauses with it",
    "queue.data": "give the data's class the queue of the same number",
    "queue.cnp": "give the CNP's class the queue of the same number",
    "pfc": "pause exactly the data's priority; both ends of a link must agree",
    "pfc.ways": "let PFC work in both directions",
    "pfc.queue": "let a pause of the data's priority stop the data's queue",
    "pfc.group": "put the data's class into the priority group that has the headroom",
    "headroom": "reserve headroom for the data's priority; without it PFC is on and packets are still lost",
    "cable": "set the cable length the headroom is computed from",
    "ecn": "mark instead of dropping in the data's queue; DCQCN slows down by nothing else",
    "wred": "set the declared threshold, or declare this one in switch_wred",
    "share": "give the data's queue its declared part of the link, or change roce_share",
    "cnp.strict": "serve the CNP's queue strictly first; a late notification ends no congestion",
    "mtu": "set the declared MTU, or change switch_mtu",
    "watchdog": "turn the PFC watchdog on; a host that pauses for ever otherwise stops the fabric",
    "watchdog.ms": "set the declared time, or change switch_watchdog_ms",
}


@dataclass(frozen=True)
class Mismatch:
    """One field that differs, on these ports, which these hosts depend on."""

    field: str
    found: str
    declared: str
    act: str
    ports: tuple[str, ...]
    hosts: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain data; every port and host is named."""
        return {
            "field": self.field,
            "switch": self.found,
            "declared": self.declared,
            "next": self.act,
            "ports": list(self.ports),
            "hosts": list(self.hosts),
        }


def shortened(names: tuple[str, ...]) -> str:
    """Return the first names and how many more there are.

    >>> shortened(("a", "b", "c", "d", "e"))
    'a, b, c and 2 more'
    """
    rest = len(names) - SHOWN_HOSTS
    return ", ".join(names) if rest < 1 else f"{', '.join(names[:SHOWN_HOSTS])} and {rest} more"


def check(switch: Switch, running: Running) -> list[Mismatch]:
    """Return every mismatch of the declared ports; ports that are not declared are nobody's claim."""
    rows: dict[tuple[str, str, str], list[Port]] = {}
    for port in switch.ports:
        for field, found, wanted in _differences(switch, port, running.get(port.name)):
            rows.setdefault((field, found, wanted), []).append(port)
    return [
        Mismatch(field, found, wanted, ACTS.get(field) or ACTS[field.partition(".")[0]], *_touched(switch, ports))
        for (field, found, wanted), ports in rows.items()
    ]


def _touched(switch: Switch, ports: Iterable[Port]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the ports, and who depends on them: a link into the fabric carries all hosts of the switch."""
    hosts: dict[str, None] = {}
    for port in ports:
        hosts.update(dict.fromkeys((port.host,) if port.host else switch.hosts))
    return tuple(sorted((port.name for port in ports), key=natural)), tuple(sorted(hosts, key=natural))


def _differences(switch: Switch, port: Port, config: PortConfig | None) -> Iterator[tuple[str, str, str]]:
    if config is None:
        yield "port", "not in the configuration", "there"
        return
    wanted = declared(switch, port)
    found = seen(config, switch)
    wrong = [field for field in wanted if found[field] is None or found[field] != wanted[field]]
    for field in wrong:
        parent = "ecn" if field.startswith("wred.") else PARENTS.get(field)
        if parent not in wrong or found[field] not in (None, NOTHING):
            yield field, found[field] or UNKNOWN, wanted[field]


def declared(switch: Switch, port: Port) -> dict[str, str]:
    """Return what a port shall be, only the fields that this platform configures."""
    qos = switch.qos
    rows = {
        "trust": "dscp",
        "dscp.data": f"{qos.dscp} to {qos.priority}",
        "dscp.cnp": f"{qos.cnp_dscp} to {qos.cnp_priority}",
        "dscp.others": NOTHING,
        "queue.data": str(qos.priority),
        "queue.cnp": str(qos.cnp_priority),
        "pfc": str(qos.priority),
        "headroom": _headroom(switch, port),
        "ecn": ON if qos.ecn else OFF,
        "share": str(qos.share),
        "cnp.strict": ON,
        "mtu": str(switch.mtu),
        "watchdog": ON if switch.watchdog_ms else OFF,
    }
    if switch.watchdog_ms:
        rows["watchdog.ms"] = str(switch.watchdog_ms)
    if switch.platform == "cumulus":
        rows["pfc.ways"] = "rx and tx"
    if switch.platform == "sonic":
        rows["pfc.queue"] = rows["pfc.group"] = str(qos.priority)
    if switch.platform in ("cumulus", "sonic"):
        rows["cable"] = str(port.cable_m)
    if qos.ecn:
        rows.update(_wred(switch))
    return rows


def _headroom(switch: Switch, port: Port) -> str:
    if switch.platform == "cumulus":
        return DERIVED
    return str(eos_headroom(switch)) if switch.platform == "eos" else str(switch.row(port))


def _wred(switch: Switch) -> Iterator[tuple[str, str]]:
    sonic = switch.platform == "sonic"
    for colour in COLOURS if sonic else COLOURS[:1]:
        one = switch.wred[colour]
        yield f"wred.{colour}.min", str(one.minimum)
        yield f"wred.{colour}.max", str(one.maximum)
        yield f"wred.{colour}.probability", str(one.probability)
        if sonic:
            yield f"wred.{colour}.enabled", ON if one.enabled else OFF


def seen(config: PortConfig, switch: Switch) -> Fields:
    """Return what a configuration says in the same fields; None where it does not say."""
    qos = switch.qos
    data = config.queues.get(qos.priority, QueueConfig())
    cnp = config.queues.get(qos.cnp_priority, QueueConfig())
    watched = config.watchdog
    return {
        "trust": config.trust,
        "dscp.data": _led(config.dscp, qos.dscp),
        "dscp.cnp": _led(config.dscp, qos.cnp_dscp),
        "dscp.others": _others(config.dscp, qos),
        "queue.data": _to(config.queue_of, qos.priority),
        "queue.cnp": _to(config.queue_of, qos.cnp_priority),
        "pfc": None if config.pfc is None else _listed(config.pfc),
        "pfc.ways": config.pfc_ways,
        "pfc.queue": _to(config.paused_queue, qos.priority),
        "pfc.group": _to(config.group_of, qos.priority),
        "headroom": config.headroom.get(qos.priority),
        "cable": config.cable,
        "ecn": data.ecn,
        "share": data.share,
        "cnp.strict": cnp.strict,
        "mtu": config.mtu,
        "watchdog": None if watched is None else ON if qos.priority in watched else OFF,
        "watchdog.ms": config.watchdog_ms,
        **{f"wred.{colour}.{key}": data.wred.get(f"{colour}.{key}") for colour in COLOURS for key in _WRED_KEYS},
    }


_WRED_KEYS = ("min", "max", "probability", "enabled")


def _to(table: Mapping[int, int] | None, key: int) -> str | None:
    return None if table is None else str(table.get(key, UNMAPPED))


def _led(table: Mapping[int, int] | None, dscp: int) -> str | None:
    return None if table is None else f"{dscp} to {table.get(dscp, UNMAPPED)}"


def _others(table: Mapping[int, int] | None, qos: Qos) -> str | None:
    """The DSCPs that share the lossless class without being the data's."""
    if table is None:
        return None
    own = (qos.dscp, qos.cnp_dscp)
    return _listed(dscp for dscp in DSCPS if dscp not in own and table.get(dscp) == qos.priority)


def _listed(values: Iterable[int]) -> str:
    return ",".join(map(str, sorted(values))) or NOTHING
