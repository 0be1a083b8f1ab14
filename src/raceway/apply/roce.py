"""Sets one part of a port's RoCE settings and reads it back: a driver may answer yes and change nothing.

DCB is set with iproute2's ``dcb``, link pause with ethtool, the MTU with ip, DCQCN where the driver has files for it.
It deliberately uses ``replace`` for the DSCP map: ``add`` would leave two priorities for one code point.
"""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Sequence

from ..facts.roce import PortFacts
from ..model.plan import Step
from ..model.qos import parse as parse_qos
from ..model.roce import PARTS, fields_of
from ..probe.rdma_cm import write_tos
from ..probe.roce import NET, read_port
from .outcome import Applying, Refused

NOUN = "roce"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what each port had, before the first one changes."""
    run.ledger.remember_all(NOUN, {s.args["port"]: s.args["before"] for s in steps if s.type == NOUN})


def set_part(run: Applying, step: Step) -> None:
    """Bring one part of one port to the declared values and read it back."""
    device, values = step.args["device"], step.args["values"]
    _set(run, device, step.args["part"], values)
    _check(device, values, read_port(run.host, device, step.args["qos"]))


def restore(run: Applying, step: Step) -> None:
    """Give a port back every part as it was found, and forget it."""
    device, was = step.args["device"], step.args["before"]
    qos = parse_qos(was["qos"])  # the declaration in force when the port was taken over names the switches
    now = read_port(run.host, device, qos)
    known = {tuple(pair) for pair in was["dscp"] or ()}
    added = [f"{code}:{priority}" for code, priority in now.dscp or () if (code, priority) not in known]
    if added:
        _tool(run, "dcb", "app", "del", "dev", device, "dscp-prio", *added)
    for name in (*PARTS, "cm_tos"):
        values = _part(name, was)
        if values and values != _part(name, as_json(now)):
            _set(run, device, name, values)
            _check(device, values, read_port(run.host, device, qos))
    run.ledger.forget(NOUN, step.args["port"])


def forget(run: Applying, step: Step) -> None:
    """Drop the record of a port that is gone."""
    run.ledger.forget(NOUN, step.args["port"])


def _part(name: str, was: Mapping[str, Any]) -> Dict[str, Any]:
    """Return one part of a recorded original; empty where it could not be read then, or holds nothing to set."""
    values = {field: was[field] for field in fields_of(name)}
    return {} if any(value in (None, []) for value in values.values()) else values


def as_json(found: PortFacts) -> Dict[str, Any]:
    """Return a port's settings as the ledger gives them back: lists for tuples."""
    names = ("dscp", "pfc", "priority_class", "scheduling", "bandwidth", "dcqcn", "pause", "mtu", "cm_tos")
    plain: Dict[str, Any] = json.loads(json.dumps({name: getattr(found, name) for name in names}))
    return plain


def _set(run: Applying, device: str, name: str, values: Mapping[str, Any]) -> None:
    if name == "cm_tos":
        for rdma, tos in values["cm_tos"]:
            try:
                write_tos(run.host, rdma, tos)
            except OSError as error:
                raise Refused(f"the connection manager refused {tos} for {rdma}: {error.strerror}") from error
        return
    if name != "dcqcn":
        _tool(run, *_command(device, name, values))
        return
    for path, text in values["dcqcn"]:
        try:
            run.host.poke(f"{NET}/{device}/{path}", f"{text}\n")
        except OSError as error:
            raise Refused(f"the driver refused {text!r} in {path}: {error.strerror}") from error


def _command(device: str, name: str, values: Mapping[str, Any]) -> List[str]:
    """Return the one call that sets a part.

    >>> _command("roce0", "pfc", {"pfc": (False,) * 3 + (True,) + (False,) * 4})
    ['dcb', 'pfc', 'set', 'dev', 'roce0', 'prio-pfc', 'all:off', '3:on']
    """
    if name == "dscp":
        return ["dcb", "app", "replace", "dev", device, "dscp-prio", *(f"{c}:{p}" for c, p in values["dscp"])]
    if name == "pfc":
        on = [f"{number}:on" for number, bit in enumerate(values["pfc"]) if bit]
        return ["dcb", "pfc", "set", "dev", device, "prio-pfc", "all:off", *on]
    if name == "ets":
        rows = [("tc-tsa", "scheduling"), ("tc-bw", "bandwidth"), ("prio-tc", "priority_class")]
        words = [[key, *(f"{n}:{value}" for n, value in enumerate(values[field]))] for key, field in rows]
        return ["dcb", "ets", "set", "dev", device, *(word for row in words for word in row)]
    if name == "pause":
        receive, send = ("on" if bit else "off" for bit in values["pause"])
        return ["ethtool", "-A", device, "rx", receive, "tx", send]
    return ["ip", "link", "set", "dev", device, "mtu", str(values["mtu"])]


def _check(device: str, values: Mapping[str, Any], found: PortFacts) -> None:
    for field, value in values.items():
        seen = getattr(found, field)
        if field == "dscp":
            good = all(found.maps(code, priority) for code, priority in value)
        elif field == "dcqcn":
            good = all(found.switched(path, text) for path, text in value)
        else:
            good = json.dumps(seen) == json.dumps(value)  # a value from the ledger has lists for tuples
        if not good:
            raise Refused(f"the driver accepted it, but {device} shows {field} {seen!r} afterwards")


def _tool(run: Applying, *words: str) -> None:
    done = run.host.run(words)
    if done.rc:
        raise Refused(f"{' '.join(words)}: {(done.err or done.out).strip() or f'exit status {done.rc}'}")


HANDLERS = {NOUN: set_part, "roce_restore": restore, "roce_forget": forget}
