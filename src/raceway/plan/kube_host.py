"""Judges whether a machine can carry pods; each thing that stands in the way is refused with what mends it.

It deliberately plans no step. What another part of the same run brings (a package, a kernel setting) is no refusal.
"""

from __future__ import annotations

from typing import List, Union

from ..facts.kube_host import Disk, KubeHostFacts
from ..model.kube_binaries import version_of
from ..model.kube_host import ACCEPT, LIMITED, MOST_SKEW_S, KubeHostDesired, cpu_list
from ..model.plan import Noop, Plan, Refusal, sort

Outcome = Union[Noop, Refusal]
CONTAINER = "container"
GIB = 2**30


def plan(desired: KubeHostDesired, facts: KubeHostFacts) -> Plan:
    """Return the verdicts; an absent role asks nothing of its machine."""
    if not desired.present:
        return Plan()
    rows: List[Outcome] = [_swap(desired, facts), _cgroup(desired, facts), _forward(desired, facts)]
    rows += [_conntrack(desired, facts), *_programs(desired, facts), _clock(desired, facts), *_skew(facts)]
    rows += [_disk(path, disk, desired) for path, disk in facts.disks.items()]
    return sort([*rows, *_topology(desired, facts)])


def _swap(desired: KubeHostDesired, facts: KubeHostFacts) -> Outcome:
    told = ", ".join(facts.swaps)
    if not facts.swaps:
        return Noop("swap", "none is in use")
    if desired.swap != LIMITED:
        act = "swapoff -a and take it out of /etc/fstab, or declare kubernetes_swap: limited"
        return Refusal("swap", f"{told} is in use, and the kubelet does not start with swap", act)
    if facts.cgroup != 2:
        act = "boot with systemd.unified_cgroup_hierarchy=1, or swapoff -a and declare kubernetes_swap: refuse"
        return Refusal("swap", f"{told} is in use, and swap of pods is limited by cgroup v2 only", act)
    return Noop("swap", f"{told}: pods may use their share, as declared")


def _cgroup(desired: KubeHostDesired, facts: KubeHostFacts) -> Outcome:
    if not facts.cgroup:
        return Refusal("cgroup", "no controllers are mounted at /sys/fs/cgroup", "mount them, or boot with systemd")
    if facts.cgroup == 1 and desired.cgroup_v1 != ACCEPT:
        act = "boot with systemd.unified_cgroup_hierarchy=1 (kernel_cmdline), or kubernetes_cgroup_v1: accept"
        return Refusal("cgroup", "this node has cgroup v1, on which the kubelet of 1.35 does not start by itself", act)
    inside = desired.platform == CONTAINER
    if desired.cgroup_driver == "systemd" and not facts.systemd:
        act = "declare kubernetes_cgroup_driver: cgroupfs"
        return Refusal("cgroup driver", "systemd is declared, and no systemd runs here", act)
    if desired.cgroup_driver == "systemd" and facts.cgroup == 1 and inside:
        act = "declare kubernetes_cgroup_driver: cgroupfs"
        return Refusal("cgroup driver", "on cgroup v1 a container's systemd does not own the controllers", act)
    if desired.cgroup_driver == "cgroupfs" and facts.systemd and not inside:
        act = "declare kubernetes_cgroup_driver: systemd"
        return Refusal("cgroup driver", "cgroupfs is declared, and systemd owns the tree: two owners", act)
    return Noop("cgroup", f"v{facts.cgroup}, made by {desired.cgroup_driver} as declared")


def _forward(desired: KubeHostDesired, facts: KubeHostFacts) -> Outcome:
    if facts.forward == "1":
        return Noop("net.ipv4.ip_forward", "1")
    if desired.kernel:
        return Noop("net.ipv4.ip_forward", f"{facts.forward or 'not there'}: the role kernel sets it")
    act = "enable the role kernel in raceway_roles, which sets it and keeps it"
    return Refusal("net.ipv4.ip_forward", f"is {facts.forward or 'not there'}: pods reach no other node", act)


def _conntrack(desired: KubeHostDesired, facts: KubeHostFacts) -> Outcome:
    if facts.conntrack:
        return Noop("nf_conntrack", "the kernel tracks connections")
    if desired.kernel and desired.platform != CONTAINER:
        return Noop("nf_conntrack", "the role kernel loads it")
    act = "load it (role kernel, kernel_modules: [{name: nf_conntrack}]), on a container's host where this is one"
    return Refusal("nf_conntrack", "the kernel tracks no connections, and kube-proxy cannot do without", act)


def _programs(desired: KubeHostDesired, facts: KubeHostFacts) -> List[Outcome]:
    rows: List[Outcome] = []
    for name in facts.missing:
        package = desired.programs.get(name, "")
        if package in facts.packages:
            rows.append(Noop(name, f"comes with the package {package}"))
            continue
        # kube-proxy calls the library of the kernel itself since 1.32 (kubeadm's preflight of that version).
        needed = name != "conntrack" or (version_of(desired.version) or (9, 0, 0)) < (1, 32, 0)
        reason = "is not there, and the kubelet or kube-proxy calls it" if needed else "is not there for people to look"
        act = f"add its package ({package or name}) to kubernetes_tools, or put it on the node"
        rows.append(Refusal(name, reason, act))
    return rows


def _clock(desired: KubeHostDesired, facts: KubeHostFacts) -> Outcome:
    if facts.clock is None:
        return Noop("clock", "the kernel does not say whether it is steered")
    if facts.clock:
        return Noop("clock", "is steered by a time service")
    if desired.platform == CONTAINER:
        return Noop("clock", "is not steered here: a container has its host's")
    act = "install and start chrony or systemd-timesyncd (role system), and wait for the first adjustment"
    return Refusal("clock", "no time service steers it: certificates and leases fail on a wrong clock", act)


def _skew(facts: KubeHostFacts) -> List[Outcome]:
    if facts.ahead_s is None:
        return [Noop("clock skew", "no API server answers yet that could be compared with")]
    if abs(facts.ahead_s) <= MOST_SKEW_S:
        return [Noop("clock skew", "the API server's clock shows the same")]
    way = "ahead of" if facts.ahead_s > 0 else "behind"
    reason = f"this clock is {abs(facts.ahead_s):.0f} s {way} the API server's, allowed are {MOST_SKEW_S:.0f} s"
    return [Refusal("clock skew", reason, "let both follow the same time servers (chronyc makestep), then run again")]


def _disk(path: str, disk: Disk, desired: KubeHostDesired) -> Outcome:
    if disk.files and not disk.files_free:
        act = "remove what has so many small files there, or move the folder to another disk"
        return Refusal(path, "its disk has no free inodes", act)
    if disk.used_percent < desired.full:
        return Noop(path, f"its disk is {disk.used_percent} % full, {disk.free / GIB:.0f} GiB are free")
    act = "make room (crictl rmi --prune), give it a larger disk, or raise kubernetes_image_gc_high"
    reason = (
        f"its disk is {disk.used_percent} % full ({disk.free / GIB:.1f} GiB free): images go from {desired.full} % on,"
    )
    return Refusal(path, f"{reason} and pods are evicted", act)


def _topology(desired: KubeHostDesired, facts: KubeHostFacts) -> List[Outcome]:
    rows: List[Outcome] = []
    absent = [cpu for cpu in cpu_list(desired.cpus) if facts.cpus and cpu not in facts.cpus]
    if absent:
        found = f"CPU {', '.join(map(str, absent))} of {desired.cpus} is not online; there are {len(facts.cpus)}"
        rows.append(Refusal("reserved CPUs", found, "correct kubernetes_reserved_cpus"))
    elif desired.cpus and facts.cpus and len(cpu_list(desired.cpus)) >= len(facts.cpus):
        rows.append(Refusal("reserved CPUs", f"{desired.cpus} is every CPU", "leave some to pods"))
    gone = [number for number in desired.numa if facts.numa and number not in facts.numa]
    lacking = [number for number in facts.numa if desired.numa and number not in desired.numa]
    if gone:
        found = f"NUMA node {', '.join(map(str, gone))} is not there; there are {', '.join(map(str, facts.numa))}"
        rows.append(Refusal("reserved memory", found, "correct kubernetes_reserved_memory"))
    if lacking:
        rows.append(Noop("reserved memory", f"NUMA node {', '.join(map(str, lacking))} reserves nothing, as declared"))
    return rows
