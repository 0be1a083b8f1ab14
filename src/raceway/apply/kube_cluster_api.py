"""What is asked of the API server while a node is made part of its cluster: addresses, labels, rights, readiness.

On a worker, labels and taints are set with a kubeconfig that came beside the request and lives for minutes. It
deliberately waits with limits and says what it waited for.
"""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Dict, List, Optional

from ..facts.kube_cluster import NodeObject
from ..host import Result
from ..model.kube_cluster import ADMIN, BOOK, LABELS, SUMS, TAINTS, parse_means, taint_rows
from ..model.plan import Step
from ..plan.dropin import BOOK as DROPIN
from ..plan.kube_cluster_network import conflist
from ..plan.kube_cluster_objects import OBJECTS, objects
from ..probe.kube_cluster import kubeconfig, nodes
from .file import write_file
from .kube_cluster_secret import kept_while, reason
from .outcome import Applying, Refused

ADDRESSES_S, ROUTES_S, READY_S, API_S = 60.0, 60.0, 180.0, 60.0
PAUSE_S = 0.5


def cni(run: Applying, step: Step) -> None:
    """Write the CNI's file with the addresses the cluster gave the node."""
    name = step.args["node"]
    node = _wait(lambda: _own(run, name, lambda one: bool(one.pod_subnet)), ADDRESSES_S)
    if node is None:
        raise Refused(f"the cluster gave {name} no addresses for pods within {ADDRESSES_S:.0f} s")
    args = {"path": step.args["path"], "content": conflist(node.pod_subnet, step.args["mtu"]), "mode": 0o644}
    write_file(
        run, Step(step.type, step.target, step.what, step.why, step.risk, step.undo, args={**args, "book": DROPIN})
    )


def make_routes(run: Applying, step: Step) -> None:
    """Run the program that makes routes, as the timer does."""
    program = step.args["script"]

    def attempt() -> Optional[Result]:
        done = run.host.run([program], 30.0)
        return done if done.rc == 0 else None

    if _wait(attempt, ROUTES_S) is None:
        raise Refused(reason(program, run.host.run([program], 30.0)))


def labels(run: Applying, step: Step) -> None:
    """Set and take away labels with one patch."""
    wanted: Dict[str, Optional[str]] = {**step.args["set"], **dict.fromkeys(step.args["remove"])}
    _patch(run, step.args["node"], {"metadata": {"labels": wanted}}, "merge")
    _remember(run, LABELS, step.args["own"])


def taints(run: Applying, step: Step) -> None:
    """Set the list of taints."""
    _patch(run, step.args["node"], {"spec": {"taints": taint_rows(tuple(step.args["taints"])) or None}}, "merge")
    _remember(run, TAINTS, step.args["own"])


def own(run: Applying, step: Step) -> None:
    """Remember which labels or taints are declared."""
    _remember(run, LABELS if step.args["kind"] == "labels" else TAINTS, step.args["own"])


def give_rights(run: Applying, step: Step) -> None:
    """Apply roles and bindings."""
    _apply(run, ["-f", "-"], objects())
    _note_sum(run, OBJECTS, step.args["sum"])


def manifest(run: Applying, step: Step) -> None:
    """Apply the declared network."""
    _apply(run, ["-f", step.args["path"]], "")
    _note_sum(run, step.args["path"], step.args["sum"])


def ready(run: Applying, step: Step) -> None:
    """Wait until the node takes pods."""
    name = step.args["node"]
    if _wait(lambda: _own(run, name, lambda one: bool(one.ready)), READY_S) is None:
        last = _own(run, name, lambda one: True)
        why = last.why_not if last else "the API server does not know it"
        raise Refused(f"{name} is not ready after {READY_S:.0f} s: {why or 'its kubelet has not been heard of'}")


def _patch(run: Applying, name: str, body: Dict[str, Any], kind: str) -> None:
    arguments = ["patch", "node", name, f"--type={kind}", "-p", json.dumps(body)]
    means = parse_means(run.secrets)
    if run.host.exists(ADMIN):
        done = _kubectl(run, ADMIN, arguments)
    elif means.kubeconfig:
        with kept_while(run.host, "converge.conf", means.kubeconfig) as path:
            done = _kubectl(run, path, arguments)
    else:
        raise Refused("a worker may not label or taint itself, and no credentials came along; run site.yml or the role")
    if done.rc:
        raise Refused(reason("kubectl patch node", done))


def _apply(run: Applying, arguments: List[str], text: str) -> None:
    done = _kubectl(run, kubeconfig(run.host), ["apply", "--server-side", "--force-conflicts", *arguments], text)
    if done.rc:
        raise Refused(reason("kubectl apply", done))


def _kubectl(run: Applying, path: str, arguments: List[str], text: str = "") -> Result:
    return run.host.run(["kubectl", "--kubeconfig", path, "--request-timeout", "30s", *arguments], API_S, stdin=text)


def _own(run: Applying, name: str, good: Callable[[NodeObject], bool]) -> Optional[NodeObject]:
    found, _ = nodes(run.host, kubeconfig(run.host))
    return next((one for one in found if one.name == name and good(one)), None)


def _wait(attempt: Callable[[], Any], limit_s: float) -> Any:
    """Return what an attempt gives that gives something, None once the time is over; one is made in any case."""
    end = time.monotonic() + limit_s
    while True:
        found = attempt()
        if found is not None or time.monotonic() >= end:
            return found
        time.sleep(PAUSE_S)


def _remember(run: Applying, note: str, value: Any) -> None:
    run.ledger.forget(BOOK, note)
    if value:
        run.ledger.remember(BOOK, note, value)


def _note_sum(run: Applying, name: str, digest: str) -> None:
    _remember(run, SUMS, {**(run.ledger.owned(BOOK).get(SUMS) or {}), name: digest})


HANDLERS = {
    "kube_cni": cni,
    "kube_routes": make_routes,
    "kube_labels": labels,
    "kube_taints": taints,
    "kube_own": own,
    "kube_objects": give_rights,
    "kube_manifest": manifest,
    "kube_ready": ready,
}
