"""Plans the kubelet: its settings, its unit, and a restart that says which of its pods would notice.

A restart alone leaves pods running. What they would notice are fields that give CPUs and memory away anew or that pods
are judged by at the kubelet's start; those need consent, all others do not. It deliberately never changes the owner of
the cgroups under running pods.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Tuple, Union

from ..facts.kubelet import KubeletFacts
from ..model.kubelet import (
    ARGUMENTS,
    CONFIG,
    DROP_IN,
    FOLDER,
    STATES,
    UNIT,
    UNIT_FILE,
    UNIT_LINES,
    KubeletDesired,
    body,
    fields,
)
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, sort
from .containerd import without_disk
from .containerd_config import drop_in
from .dropin import BOOK, render
from .kube_service import enable, give_back, up

Outcome = Union[Step, Noop, Refusal]
_FITS = "a pod that no longer fits is refused at the kubelet's start"
_ANEW = "CPUs and memory of running containers are given away anew"
# Field → what running pods would notice of a change. A field that is not here is read at a start and bothers no pod.
NOTICED: Dict[str, str] = {
    "cpuManagerPolicy": _ANEW,
    "cpuManagerPolicyOptions": _ANEW,
    "reservedSystemCPUs": _ANEW,
    "memoryManagerPolicy": _ANEW,
    "reservedMemory": _ANEW,
    "topologyManagerPolicy": _FITS,
    "topologyManagerScope": _FITS,
    "systemReserved": "less may be left for pods, and " + _FITS,
    "kubeReserved": "less may be left for pods, and " + _FITS,
    "evictionHard": "pods above a new threshold are evicted",
    "evictionSoft": "pods above a new threshold are evicted",
    "maxPods": _FITS,
    "podPidsLimit": "containers above a new limit cannot start processes",
    "memorySwap": "containers' swap limits are set anew",
    "failSwapOn": "the kubelet may not start",
}
# Policy → fields beside it after which its checkpoint is of no use (cpu and memory manager of Kubernetes 1.35).
CHECKPOINTED: Dict[str, Tuple[str, ...]] = {
    "cpuManagerPolicy": ("cpuManagerPolicyOptions", "reservedSystemCPUs"),
    "memoryManagerPolicy": ("reservedMemory", "systemReserved", "kubeReserved", "evictionHard"),
}
WHY = {
    UNIT_FILE: "the kubelet came without a unit",
    DROP_IN: "the kubelet starts with this node's settings, its disk mounted, and once there is a cluster for it",
    CONFIG: "what the node's topology and this declaration ask of the kubelet",
}


def plan(desired: KubeletDesired, facts: KubeletFacts) -> Plan:
    """Return what makes the kubelet so, or gives everything back where none is declared."""
    if not desired.present:
        return sort(_given_up(facts))
    refused = _impossible(desired, facts)
    if refused:
        return sort(refused)
    wanted = texts(desired)
    changed = changes(facts.files.get(CONFIG, ""), desired.config)
    stale = [path for path in wanted if facts.files.get(path, "") != wanted[path]]
    gone = [path for path in facts.owned if path not in wanted]
    reset = _checkpoints(desired, facts, changed)
    noticed = [name for name in changed if name in NOTICED]
    risk = DISRUPTIVE if facts.containers and facts.service.state.running and (noticed or reset) else SAFE
    rows: List[Outcome] = [_file(path, wanted, facts, risk) for path in [*wanted, *gone]]
    rows += [_forget(policy, desired, facts, risk) for policy in reset]
    rows.append(enable(UNIT, facts.service, "the node is part of its cluster after a boot"))
    rows.append(_up(_told(stale + gone, noticed, facts), bool(reset), desired, facts, risk))
    return sort(rows)


def texts(desired: KubeletDesired) -> Dict[str, str]:
    """Return path → text of the kubelet's files."""
    rows = {UNIT_FILE: desired.unit} if desired.unit else {}
    rows[DROP_IN] = drop_in(
        [*desired.folders, *desired.mounts], desired.mounts, desired.memlock, UNIT_LINES, (ARGUMENTS,)
    )
    rows[CONFIG] = render("kubernetes", body(desired.config).splitlines())
    return rows


def changes(found: str, wanted: Mapping[str, Any]) -> List[str]:
    """Return the fields whose value differs, or that are there on one side only."""
    now = fields(found)
    return sorted(name for name in {*now, *wanted} if now.get(name) != wanted.get(name))


def _impossible(desired: KubeletDesired, facts: KubeletFacts) -> List[Refusal]:
    if facts.service.problem:
        act = "run this where systemd is process 1"
        return [Refusal(UNIT, f"systemd does not answer: {facts.service.problem}", act)]
    if facts.service.state.file_state.startswith("masked"):
        return [Refusal(UNIT, "it is masked, which somebody decided on this node", f"systemctl unmask {UNIT}")]
    if facts.unmounted:
        return without_disk(facts.unmounted)
    now = fields(facts.files.get(CONFIG, "")).get("cgroupDriver") or facts.driver
    wanted = desired.config.get("cgroupDriver")
    if facts.containers and now and wanted and now != wanted:
        act = f"drain the node and end its {len(facts.containers)} containers (kubectl drain, crictl rmp -fa) first"
        return [Refusal(UNIT, f"pods run in cgroups of {now}, {wanted} is declared", act)]
    return []


def _checkpoints(desired: KubeletDesired, facts: KubeletFacts, changed: List[str]) -> List[str]:
    """Return the policies whose manager would not start on the checkpoint that is there."""
    rows = []
    for policy, path in STATES.items():
        wanted = str(desired.config.get(policy) or "none")
        found = facts.policies.get(path, wanted)
        moved = wanted.lower() != "none" and any(name in changed for name in CHECKPOINTED[policy])
        if path in facts.policies and (found.lower() != wanted.lower() or moved):
            rows.append(policy)
    return rows


def _forget(policy: str, desired: KubeletDesired, facts: KubeletFacts, risk: str) -> Step:
    path, wanted = STATES[policy], str(desired.config.get(policy) or "none")
    found = facts.policies[path]
    why = f"the kubelet does not start with {policy} {wanted} on what {found} wrote with other settings"
    what, undo = f"stop the kubelet and remove {path}", "none is needed: the kubelet writes it anew at its start"
    return Step("kubelet_checkpoint", path, what, why, risk, undo, found, wanted, {"path": path})


def _told(stale: List[str], noticed: List[str], facts: KubeletFacts) -> str:
    if noticed:
        return "; ".join(f"{name} changes: {NOTICED[name]}" for name in noticed)
    if stale:
        return f"it reads {', '.join(stale)} at its start only; pods run on"
    given = any(word.startswith("--config-dir") and word.endswith(FOLDER) for word in facts.arguments)
    return "" if given or not facts.arguments else f"it runs without --config-dir={FOLDER}; pods run on"


def _up(changed: str, reset: bool, desired: KubeletDesired, facts: KubeletFacts, risk: str) -> Outcome:
    if not facts.service.state.running and not facts.base:
        return Noop(UNIT, "does not run: kubeadm starts it when the node becomes part of a cluster")
    return up(UNIT, facts.service, changed or ("its checkpoint goes" if reset else ""), risk, desired.platform)


def _file(path: str, wanted: Mapping[str, str], facts: KubeletFacts, risk: str) -> Outcome:
    found, text = facts.files.get(path, ""), wanted.get(path, "")
    if found == text:
        return Noop(path, "holds what is declared")
    args: Dict[str, Any] = {"path": path, "book": BOOK}
    if not text:
        why, undo = "it is no longer declared", "declare it again"
        return Step("file_restore", path, f"give {path} back", why, risk, undo, found, "", args)
    args = {**args, "content": text, "mode": 0o644}
    undo = "what stood there before comes back" if found else "the file goes away"
    return Step("file", path, f"write {path}", WHY[path], risk, undo, found, text, args)


def _given_up(facts: KubeletFacts) -> List[Outcome]:
    if not facts.owned:
        return []
    risk = DISRUPTIVE if facts.containers else SAFE
    goes = UNIT_FILE in facts.owned
    steps = give_back(UNIT, facts.service, True, goes, risk)
    early = [step for step in steps if step.type == "kube_stop" or (goes and step.type == "kube_disable")]
    files = [_file(path, {}, facts, risk) for path in facts.owned]
    gone = [row for row in files if isinstance(row, Step)]
    return [*early, *gone, *(step for step in steps if step not in early)]
