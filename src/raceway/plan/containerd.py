"""Plans the container runtime: its files, then its service, which is restarted only for what it reads at its start.

Mirrors are read at each pull and need no restart. A restart leaves containers running, but breaks what is attached to
them, so with pods on the node it needs consent. It deliberately moves no data: another root, or another owner of the
cgroups, under running pods is refused.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Union

from ..facts.containerd import ContainerdFacts, parse_root, parse_systemd_cgroup
from ..facts.rdma_memlock import UNLIMITED
from ..model.containerd import CONFIG, CRICTL, DROP_IN, SYSTEMD, UNIT, UNIT_FILE, ContainerdDesired
from ..model.kube_binaries import version_of
from ..model.plan import DISRUPTIVE, SAFE, Noop, Plan, Refusal, Step, sort
from .containerd_config import texts
from .dropin import BOOK
from .kube_service import enable, give_back, up

Outcome = Union[Step, Noop, Refusal]
AT_START = (UNIT_FILE, DROP_IN, CONFIG)  # read once; crictl's file and mirrors are read at each use
STACKED = ("overlay", "nfs", "nfs4", "fuseblk", "9p")  # overlayfs takes none of these as its upper layer
WHY = {
    UNIT_FILE: "containerd's programs came without a unit",
    DROP_IN: "containerd starts with its disk mounted and no limit of locked memory",
    CONFIG: "the declared runtime, sandbox image, cgroups and mirrors",
    CRICTL: "crictl asks the runtime that the kubelet uses",
}


def plan(desired: ContainerdDesired, facts: ContainerdFacts) -> Plan:
    """Return what makes the runtime so, or gives everything back where none is declared."""
    if not desired.present:
        return sort(_given_up(facts))
    refused = _impossible(desired, facts)
    if refused:
        return sort(refused)
    there = [one for one in desired.runtimes if one.binary in facts.programs]
    rows: List[Outcome] = [
        Refusal(f"runtime {one.name}", f"{one.binary} is not there", "install it, or take the runtime out")
        for one in desired.runtimes
        if one not in there
    ]
    wanted = texts(desired, there)
    stale = [
        path for path in AT_START if path in {**wanted, **dict.fromkeys(facts.owned)} and _differs(path, wanted, facts)
    ]
    risk = DISRUPTIVE if facts.containers and facts.service.state.running else SAFE
    for path in [*wanted, *(path for path in facts.owned if path not in wanted)]:
        rows.append(_file(path, wanted, facts, risk if path in AT_START else SAFE))
    rows.append(enable(UNIT, facts.service, "pods need it after a boot"))
    changed = f"it reads {', '.join(stale)} at its start only" if stale else _locked(desired, facts)
    rows.append(up(UNIT, facts.service, changed, risk, desired.platform))
    return sort([*rows, *_told(desired, facts)])


def _impossible(desired: ContainerdDesired, facts: ContainerdFacts) -> List[Refusal]:
    if facts.service.problem:
        act = "run this where systemd is process 1"
        return [Refusal(UNIT, f"systemd does not answer: {facts.service.problem}", act)]
    if facts.service.state.file_state.startswith("masked"):
        act = f"systemctl unmask {UNIT}, or declare kubernetes_containerd_source: none and another runtime"
        return [Refusal(UNIT, "it is masked, which somebody decided on this node", act)]
    rows = without_disk(facts.unmounted)
    if desired.snapshotter == "overlayfs" and facts.filesystem in STACKED:
        reason = f"{desired.root} lies on {facts.filesystem}, on which overlayfs cannot be stacked"
        act = "mount a disk or volume there, or declare kubernetes_containerd_snapshotter: native"
        rows.append(Refusal(UNIT, reason, act))
    if facts.version and facts.version < (2, 0) and (version_of(desired.kubernetes) or (0, 0, 0)) >= (1, 36, 0):
        reason = f"containerd {facts.version[0]}.{facts.version[1]} cannot tell its cgroup driver (CRI RuntimeConfig)"
        rows.append(Refusal(UNIT, f"{reason}, which Kubernetes asks from 1.36 on", "install containerd 2.0 or newer"))
    return [*rows, *_under_pods(desired, facts)]


def without_disk(unmounted: Sequence[str]) -> List[Refusal]:
    """Return why nothing is done to a service whose disk is not there: a restart would leave it down."""
    act = "mount it (role system, system_mounts) and run again, or correct kubernetes_required_mounts"
    return [Refusal(point, "nothing is mounted there, and pods' data belongs on it", act) for point in unmounted]


def _under_pods(desired: ContainerdDesired, facts: ContainerdFacts) -> List[Refusal]:
    if not facts.containers:
        return []
    now, rows = facts.files.get(CONFIG, ""), []
    act = f"drain the node and end its {len(facts.containers)} containers (kubectl drain, crictl rmp -fa) first"
    root = parse_root(now)
    if root and root != desired.root:
        rows.append(Refusal(UNIT, f"pods run from {root}, {desired.root} is declared", act))
    systemd = parse_systemd_cgroup(now)
    if systemd is not None and systemd != (desired.cgroup_driver == SYSTEMD):
        has = "systemd" if systemd else "cgroupfs"
        rows.append(Refusal(UNIT, f"pods run in cgroups of {has}, {desired.cgroup_driver} is declared", act))
    return rows


def _differs(path: str, wanted: Dict[str, str], facts: ContainerdFacts) -> bool:
    return facts.files.get(path, "") != wanted.get(path, "")


def _file(path: str, wanted: Dict[str, str], facts: ContainerdFacts, risk: str) -> Outcome:
    found, text = facts.files.get(path, ""), wanted.get(path, "")
    if found == text:
        return Noop(path, "holds what is declared")
    why = WHY.get(path, "images are looked for in the declared places")
    args: Dict[str, Any] = {"path": path, "book": BOOK}
    if not text:
        return Step(
            "file_restore", path, f"give {path} back", "it is no longer declared", risk, "declare it", found, "", args
        )
    args = {**args, "content": text, "mode": 0o644}
    undo = "what stood there before comes back" if found else "the file goes away"
    return Step("file", path, f"write {path}", why, risk, undo, found, text, args)


def _locked(desired: ContainerdDesired, facts: ContainerdFacts) -> str:
    """Return why the running process has to be started anew for its limit, which a container's host decides."""
    if not desired.memlock or not facts.memlock or facts.memlock == UNLIMITED or desired.platform == "container":
        return ""
    return f"its process may lock {facts.memlock} bytes, and so may every container"


def _told(desired: ContainerdDesired, facts: ContainerdFacts) -> List[Noop]:
    rows = []
    if desired.cdi and facts.version and facts.version < (1, 7):
        rows.append(
            Noop(
                "cdi", f"containerd {facts.version[0]}.{facts.version[1]} has none: it takes the setting and leaves it"
            )
        )
    if desired.memlock and facts.memlock not in ("", UNLIMITED) and desired.platform == "container":
        rows.append(Noop("memlock", f"containerd may lock {facts.memlock} bytes here: a container's host decides"))
    return rows


def _given_up(facts: ContainerdFacts) -> List[Outcome]:
    if not facts.owned and UNIT not in facts.service.enabled and UNIT not in facts.service.active and not facts.images:
        return []
    risk = DISRUPTIVE if facts.containers else SAFE
    goes = UNIT_FILE in facts.owned
    steps = give_back(UNIT, facts.service, any(path in AT_START for path in facts.owned), goes, risk)
    early = [step for step in steps if step.type == "kube_stop" or (goes and step.type == "kube_disable")]
    files = [_file(path, {}, facts, risk) for path in facts.owned]
    gone = [row for row in files if isinstance(row, Step)]
    return [*_images(facts, risk), *early, *gone, *(step for step in steps if step not in early), *_folders(facts)]


def _folders(facts: ContainerdFacts) -> List[Step]:
    if not facts.folders:
        return []
    what, why = f"remove {', '.join(facts.folders)} where empty", "containerd made them at its start"
    return [Step("containerd_folders", UNIT, what, why, SAFE, "declare it again", args={"paths": facts.folders})]


def _images(facts: ContainerdFacts, risk: str) -> List[Step]:
    """Remove images that raceway brought while there still is a runtime that knows them."""
    if not facts.images or not facts.service.state.running:
        return []
    told = f"{len(facts.images)} image{'' if len(facts.images) == 1 else 's'}"
    why, undo, args = "they are no longer declared", "declare them again", {"names": list(facts.images)}
    return [Step("kube_image_remove", "images", f"remove {told} that raceway brought", why, risk, undo, args=args)]
