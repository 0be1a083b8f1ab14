"""Answers what one node of a cluster is asked on behalf of another: what lets it in, drain it, take it from the list.

Request (JSON)::

    {"mode": "kube", "act": "means", "ttl_min": 15, "control_plane": true}
    {"mode": "kube", "act": "drain", "node": "node3", "timeout_s": 300}

It deliberately plans nothing: these acts are asked for by tasks that say why, one after the other.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional

from ..apply import kube_cluster_acts as acts
from ..apply import kube_cluster_restore as restore
from ..apply.outcome import Refused
from ..errors import RacewayError
from ..host import Host

ACTS: Mapping[str, Callable[[Host, Mapping[str, Any]], Dict[str, Any]]] = {
    "means": acts.means,
    "drain": acts.drain,
    "uncordon": acts.uncordon,
    "delete": acts.delete,
    "look": restore.look,
    "stop": restore.stop,
    "restore": restore.restore,
    "reset": restore.reset,
}


def answer(request: Mapping[str, Any], host: Optional[Host] = None) -> Dict[str, Any]:
    """Carry out one act; RacewayError where it could not be done."""
    name = str(request.get("act"))
    if name not in ACTS:
        raise RacewayError("node request", f"act {name!r}", ", ".join(ACTS))
    try:
        return ACTS[name](host or Host(), request)
    except Refused as error:
        raise RacewayError(name, str(error), act="mend the cause and run again") from None
