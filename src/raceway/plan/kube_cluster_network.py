"""Pods' network of kind ``bridge``: the CNI's file, routes to the other nodes' pods, and what keeps them right.

Every node asks the API server, with its kubelet's own credentials, which pods are where, each half minute and in every
run: a node that joins or comes back elsewhere needs no run on the others. It deliberately is no overlay: nodes share
one network, and packets of pods cross it as they are.
"""

from __future__ import annotations

import json
from typing import Dict, List, Tuple, Union

from ..facts.kube_cluster import KubeClusterFacts, NodeObject
from ..model.kube_cluster import BRIDGE, KUBELET, KubeClusterDesired
from ..model.plan import SAFE, Noop, Step
from .dropin import HEADER

Outcome = Union[Step, Noop]
CONFLIST = "/etc/cni/net.d/10-raceway.conflist"
SCRIPT = "/etc/raceway/kube/routes"
SERVICE = "raceway-kube-routes.service"
TIMER = "raceway-kube-routes.timer"
FOLDER = "/etc/systemd/system/"
PROTOCOL = 204  # of our routes (rtnetlink(7) leaves 4 to 255 to users), so that no other route is ever touched
EVERY_S = 30
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ROWS = (
    '{range .items[*]}{.metadata.name}{" "}{.spec.podCIDR}{" "}'
    '{.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}'
)


def conflist(subnet: str, mtu: int) -> str:
    """Return the CNI configuration of a node whose pods live in ``subnet``; ``mtu`` 0 leaves it to the kernel.

    The plugin's own masquerading is off: it would hide a pod's address from the pods of other nodes too.
    """
    bridge = {
        "type": "bridge",
        "bridge": "cni0",
        "isGateway": True,
        "ipMasq": False,
        "hairpinMode": True,
        **({"mtu": mtu} if mtu else {}),
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": subnet}]],
            "routes": [{"dst": "::/0" if ":" in subnet else "0.0.0.0/0"}],
        },
    }
    ports = {"type": "portmap", "capabilities": {"portMappings": True}}
    return json.dumps({"cniVersion": "1.0.0", "name": "raceway", "plugins": [bridge, ports]}, indent=2) + "\n"


def script(desired: KubeClusterDesired) -> str:
    """Return the program that makes routes and masquerading as the API server says; it fails where that is silent."""
    rule = f'-s "$own" ! -d {desired.pod_subnet} -m comment --comment raceway-pods -j MASQUERADE'
    lines = (
        "#!/bin/sh",
        HEADER.format(role="kubernetes"),
        "# Routes to the pods of all other nodes, as the API server knows them; those that lead nowhere any more go.",
        "set -eu",
        f"PATH={PATH}",
        f"nodes=$(kubectl --kubeconfig {KUBELET} --request-timeout 10s get nodes -o jsonpath='{_ROWS}')",
        f"own=$(printf '%s\\n' \"$nodes\" | sed -n 's/^{_quoted(desired.name)} \\([^ ]*\\) .*/\\1/p')",
        f"others=$(printf '%s\\n' \"$nodes\" | sed '/^{_quoted(desired.name)} /d')",
        "printf '%s\\n' \"$others\" | while read -r _ subnet address _; do",
        f'  [ -z "$address" ] || ip route replace "$subnet" via "$address" proto {PROTOCOL}',
        "done",
        f"ip -o route show proto {PROTOCOL} | while read -r subnet _; do",
        f'  case "$others" in *" $subnet "*) ;; *) ip route del "$subnet" proto {PROTOCOL} ;; esac',
        "done",
        '[ -n "$own" ] || exit 0',
        f"iptables -w -t nat -C POSTROUTING {rule} 2>/dev/null || iptables -w -t nat -A POSTROUTING {rule}",
    )
    return "\n".join([*lines, ""])


def files(desired: KubeClusterDesired) -> Dict[str, Tuple[str, int]]:
    """Return path → text and mode of the files that do not depend on what the cluster gives."""
    if desired.cni != BRIDGE:
        return {}
    head = HEADER.format(role="kubernetes")
    service = (
        head,
        "[Unit]",
        "Description=Routes to the pods of other nodes (raceway)",
        "After=network-online.target kubelet.service",
        f"ConditionPathExists={KUBELET}",
        "StartLimitIntervalSec=0",
        "",
        "[Service]",
        "Type=oneshot",
        f"ExecStart={SCRIPT}",
        "TimeoutStartSec=30",
        "Restart=on-failure",
        "RestartSec=3",
    )
    timer = (
        head,
        "[Unit]",
        "Description=Routes to the pods of other nodes, again and again (raceway)",
        "",
        "[Timer]",
        "OnBootSec=1",
        "OnActiveSec=1",
        f"OnUnitInactiveSec={EVERY_S}",
        "AccuracySec=1",
        "",
        "[Install]",
        "WantedBy=timers.target",
    )
    return {
        SCRIPT: (script(desired), 0o755),
        FOLDER + SERVICE: ("\n".join([*service, ""]), 0o644),
        FOLDER + TIMER: ("\n".join([*timer, ""]), 0o644),
    }


def plan_network(desired: KubeClusterDesired, facts: KubeClusterFacts) -> List[Outcome]:
    """Return what gives pods their addresses and their way to the pods of other nodes."""
    if desired.cni != BRIDGE:
        return []
    return [_conflist(desired, facts), _routes(desired, facts)]


def _conflist(desired: KubeClusterDesired, facts: KubeClusterFacts) -> Outcome:
    found = facts.files.get(CONFLIST, "")
    subnet = facts.node.pod_subnet if facts.node else ""
    wanted = conflist(subnet, desired.mtu) if subnet else ""
    if wanted and wanted == found:
        return Noop(CONFLIST, f"gives pods addresses of {subnet}")
    if not wanted and facts.joined and found:
        return Noop(CONFLIST, "is there; the API server was not asked which addresses the node has")
    after = wanted or "addresses the cluster gives this node\n"
    args = {"path": CONFLIST, "mtu": desired.mtu, "node": desired.name}
    why = "the container runtime gives no pod an address without it, and the node is not ready"
    undo = "what stood there before comes back" if found else "the file goes away"
    return Step("kube_cni", CONFLIST, f"write {CONFLIST}", why, SAFE, undo, found, after, args)


def _routes(desired: KubeClusterDesired, facts: KubeClusterFacts) -> Outcome:
    target = "routes to pods"
    wanted = {one.pod_subnet: one.address for one in _reachable(facts.others)}
    found = {one.subnet: one.gateway for one in facts.routes}
    if facts.joined and (facts.node is None or (wanted == found and facts.masquerade)):
        reason = f"lead to {len(wanted)} other nodes" if facts.node else "the API server was not asked"
        return Noop(target, reason)
    told = [f"{subnet} via {gateway}" for subnet, gateway in sorted(wanted.items())]
    before = [f"{subnet} via {gateway}" for subnet, gateway in sorted(found.items())]
    if facts.masquerade:
        before.append("masquerading")
    after = "\n".join([*told, "masquerading"]) if facts.joined else "to every node of the cluster"
    why = "pods of other nodes are reached through the node they run on"
    undo = f"ip route flush proto {PROTOCOL}"
    args = {"script": SCRIPT}
    return Step("kube_routes", target, f"make {target}", why, SAFE, undo, "\n".join(before), after, args)


def _reachable(nodes: Tuple[NodeObject, ...]) -> List[NodeObject]:
    """Return nodes that have pods' addresses and one of their own; a node that just registers has neither."""
    return [one for one in nodes if one.pod_subnet and one.address]


def _quoted(name: str) -> str:
    """Return a name as sed takes it: of its characters only the dot means something else."""
    return name.replace(".", "\\.")
