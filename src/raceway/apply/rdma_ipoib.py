"""Makes and removes IPoIB children, sets mode and MTU, and reads each back."""

from __future__ import annotations

from typing import Any, Mapping

from ..model.plan import Step
from ..probe.rdma_ipoib import NET
from .outcome import Applying, Refused
from .rdma_tool import tool


def make(run: Applying, step: Step) -> None:
    """Make the child where it is missing, then set what differs: mode first, since it brings an MTU of its own."""
    args = step.args
    if args["make"]:
        _poke(run, f"{NET}/{args['parent']}/create_child", args["pkey"])
        if not run.host.exists(f"{NET}/{args['name']}"):
            raise Refused(f"{args['parent']} accepted partition {args['pkey']}, but {args['name']} is not there")
    _set(run, args["name"], args["values"])


def back(run: Applying, args: Any) -> None:
    """Remove a child that was made here; give any other interface its mode and MTU back."""
    was = args["original"]
    if was["made"]:
        _poke(run, f"{NET}/{was['parent']}/delete_child", was["pkey"])
        return
    # A new mode brings its own MTU, so that one is looked at after it.
    for what in ("mode", "mtu"):
        now = (run.host.read(f"{NET}/{was['name']}/{what}") or "").strip()
        if was.get(what) and now != str(was[what]):
            _set(run, was["name"], {what: was[what]})


def _set(run: Applying, name: str, values: Mapping[str, Any]) -> None:
    for what in ("mode", "mtu"):
        if what not in values:
            continue
        wanted = str(values[what])
        if what == "mode":
            _poke(run, f"{NET}/{name}/mode", wanted)
        else:
            tool(run, "ip", "link", "set", "dev", name, "mtu", wanted)
        found = (run.host.read(f"{NET}/{name}/{what}") or "").strip()
        if found != wanted:
            raise Refused(f"the driver accepted {what} {wanted}, but {name} shows {found or 'nothing'} afterwards")


def _poke(run: Applying, path: str, text: str) -> None:
    try:
        run.host.poke(path, f"{text}\n")
    except OSError as error:
        raise Refused(f"the driver refused {text!r} in {path}: {error.strerror}") from error
