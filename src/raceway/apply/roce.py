"""Sets one part of a port's RoCE settings and reads it back: a driver may answer yes and change nothing.

Programs are called as ``roce_commands`` says, DCQCN is written where the driver has files for it, the connection
manager's byte where it is loaded. It deliberately believes no exit status: what the port shows afterwards counts.
"""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Sequence

from ..facts.roce import PortFacts
from ..model.plan import Step
from ..model.qos import parse as parse_qos
from ..model.roce import PARTS, fields_of
from ..plan.roce_goal import reached
from ..probe.rdma_cm import write_tos
from ..probe.roce import BUFFERS, NET, read_port
from .outcome import Applying, Refused
from .roce_commands import calls, unmap

NOUN = "roce"
# Given back only where raceway has set them, each from a ledger section of its own: to set one ends the driver's own.
BY_HAND = {"buffer": BUFFERS, "cable": "roce_cable"}


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what each port had, before the first one changes."""
    ours = [step.args for step in steps if step.type == NOUN]
    run.ledger.remember_all(NOUN, {args["port"]: args["before"] for args in ours})
    for part, book in BY_HAND.items():
        rows = {args["port"]: _fields(part, args["before"]) for args in ours if args["part"] == part}
        if rows:
            run.ledger.remember_all(book, rows)


def set_part(run: Applying, step: Step) -> None:
    """Bring one part of one port to the declared values and read it back."""
    args = step.args
    _set(run, args["backend"], args["device"], args["part"], args["values"])
    _check(args["values"], read_port(run.host, args["device"], args["qos"]))


def restore(run: Applying, step: Step) -> None:
    """Give a port back every part as it was found, and forget it."""
    device, was = step.args["device"], step.args["before"]
    qos = parse_qos(was["qos"])  # the declaration in force when the port was taken over names the switches
    now = read_port(run.host, device, qos)
    known = {tuple(pair) for pair in was["dscp"] or ()}
    added = [pair for pair in now.dscp or () if pair not in known]
    for call in unmap(now.backend, device, added, bool(known)) if added else ():
        _tool(run, *call)
    for name in PARTS:
        owned = run.ledger.owned(BY_HAND[name]).get(step.args["port"], {}) if name in BY_HAND else was
        values = _owed(name, owned, now)
        if values:
            _set(run, now.backend, device, name, values)
            _check(values, read_port(run.host, device, qos))
    forget(run, step)


def forget(run: Applying, step: Step) -> None:
    """Drop the record of a port that is gone or has been given back."""
    for book in (*BY_HAND.values(), NOUN):
        run.ledger.forget(book, step.args["port"])


def _fields(part: str, values: Mapping[str, Any]) -> Dict[str, Any]:
    return {field: values.get(field) for field in fields_of(part)}


def _owed(name: str, was: Mapping[str, Any], now: PortFacts) -> Dict[str, Any]:
    """Return what of one part is to be given back; nothing where it could not be read then or is so already."""
    values = _fields(name, was)
    if name == "dscp":
        values = {"dscp": [pair for pair in values["dscp"] or () if not now.maps(*pair)]}
    unknown = any(value in (None, []) for value in values.values())
    return {} if unknown or reached(values, now) else values


def _set(run: Applying, backend: str, device: str, name: str, values: Mapping[str, Any]) -> None:
    if name == "cm_tos":
        for rdma, tos in values["cm_tos"]:
            try:
                write_tos(run.host, rdma, tos)
            except OSError as error:
                raise Refused(f"the connection manager refused {tos} for {rdma}: {error.strerror}") from error
        return
    if name != "dcqcn":
        for call in calls(backend, device, name, values):
            _tool(run, *call)
        return
    for path, text in values["dcqcn"]:
        try:
            run.host.poke(f"{NET}/{device}/{path}", f"{text}\n")
        except OSError as error:
            raise Refused(f"the driver refused {text!r} in {path}: {error.strerror}") from error


def _check(values: Mapping[str, Any], found: PortFacts) -> None:
    for field, value in values.items():
        if not reached({field: value}, found):
            shown = json.dumps(getattr(found, field))
            raise Refused(f"the driver accepted it, but {found.device} shows {field} {shown} afterwards")


def _tool(run: Applying, *words: str) -> None:
    done = run.host.run(words)
    if done.rc:
        raise Refused(f"{' '.join(words)}: {(done.err or done.out).strip() or f'exit status {done.rc}'}")


HANDLERS = {NOUN: set_part, "roce_restore": restore, "roce_forget": forget}
