"""kubeadm's runs: init, join, upgrade, reset. Each is noted in the ledger before it begins and when it has ended well.

A run that was killed half way is found by that note, and its remains go before the next attempt. It deliberately
passes no secret as an argument: every user of a node may read the arguments of its processes.
"""

from __future__ import annotations

from ..facts.kube_cluster import parse_version
from ..model.kube_cluster import BEGUN, BOOK, ETCD_DATA, KUBELET, LABELS, MEMBER, SUMS, TAINTS, parse_means
from ..model.plan import Step
from ..plan.kube_cluster_config import join_documents, reset_documents
from ..plan.kube_cluster_network import PROTOCOL
from ..probe.kube_cluster import kubeconfig
from .kube_cluster_secret import kept_while, reason
from .outcome import Applying, Refused

INIT_S, JOIN_S, UPGRADE_S, RESET_S = 600.0, 600.0, 1200.0, 300.0
# The token of kubeadm init lives for a day and lets anybody in who has it.
TOKENS = ("--field-selector", "type=bootstrap.kubernetes.io/token")


def init(run: Applying, step: Step) -> None:
    """Make the cluster; afterwards no token is left that would let a node in."""
    _same_version(run, step)
    _begin(run, "kubeadm init")
    with kept_while(run.host, "init.yaml", step.args["config"]) as path:
        done = run.host.run(["kubeadm", "init", "--config", path], INIT_S)
    if done.rc:
        raise Refused(reason("kubeadm init", done))
    gone = run.host.run(
        ["kubectl", "--kubeconfig", kubeconfig(run.host), "-n", "kube-system", "delete", "secret", *TOKENS]
    )
    if gone.rc:
        raise Refused(reason("the token of kubeadm init is still there", gone))
    _ended(run, step)


def join(run: Applying, step: Step) -> None:
    """Join with the means that came beside the request."""
    desired, means = step.args["desired"], parse_means(run.secrets)
    if not (means.token and means.ca_hash):
        raise Refused("nothing came that lets the node in; run site.yml or the role, which ask the first node for it")
    if desired.control_plane and not means.certificate_key:
        raise Refused("the key of the control plane's certificates did not come along; run site.yml or the role")
    _same_version(run, step)
    _begin(run, "kubeadm join")
    with kept_while(run.host, "join.yaml", join_documents(desired, means)) as path:
        done = run.host.run(["kubeadm", "join", "--config", path], JOIN_S)
    if done.rc:
        raise Refused(reason("kubeadm join", done))
    _ended(run, step)


def upgrade(run: Applying, step: Step) -> None:
    """Bring the node's part of the control plane, or the kubelet's configuration, to the declared version."""
    _same_version(run, step)
    with kept_while(run.host, "upgrade.yaml", step.args["config"]) as path:
        verb = ["apply", "--yes"] if step.args["first"] else ["node"]
        done = run.host.run(["kubeadm", "upgrade", *verb, "--config", path], UPGRADE_S)
    if done.rc:
        raise Refused(reason(f"kubeadm upgrade {verb[0]}", done))
    run.ledger.forget(BOOK, MEMBER)
    run.ledger.remember(BOOK, MEMBER, step.args["version"])


def reset(run: Applying, step: Step) -> None:
    """Take the node out, with its interfaces, routes and rules; files have steps of their own."""
    del step
    with kept_while(run.host, "reset.yaml", reset_documents()) as path:
        done = run.host.run(["kubeadm", "reset", "--force", "--config", path], RESET_S)
    if done.rc:
        raise Refused(reason("kubeadm reset", done))
    run.host.run(["ip", "route", "flush", "proto", str(PROTOCOL)])
    run.host.run(["ip", "link", "delete", "cni0"])
    _without_masquerading(run)
    left = [path for path in (KUBELET, f"{ETCD_DATA}/member") if run.host.exists(path)]
    if left:
        raise Refused(f"{', '.join(left)} is still there after kubeadm reset")
    for note in (BEGUN, MEMBER, LABELS, TAINTS, SUMS):
        run.ledger.forget(BOOK, note)


def _without_masquerading(run: Applying) -> None:
    shown = run.host.run(["iptables", "-w", "-t", "nat", "-S", "POSTROUTING"]).out
    for line in shown.splitlines():
        if "raceway-pods" in line:
            run.host.run(["iptables", "-w", "-t", "nat", "-D", *line.split()[1:]])


def _begin(run: Applying, what: str) -> None:
    if not run.host.which("kubeadm"):
        raise Refused("kubeadm is not on the node: what installs it was refused, or has not run")
    run.ledger.remember(BOOK, BEGUN, what)


def _ended(run: Applying, step: Step) -> None:
    run.ledger.remember(BOOK, MEMBER, step.args["version"])
    run.ledger.forget(BOOK, BEGUN)


def _same_version(run: Applying, step: Step) -> None:
    """Refuse a kubeadm of another version: it would make what it knows, not what is declared."""
    done = run.host.run(["kubeadm", "version", "-o", "short"])
    found = parse_version(done.out)
    if done.rc == 0 and found != step.args["version"]:
        raise Refused(f"kubeadm is {found or done.out.strip()}, {step.args['version']} is declared")


HANDLERS = {"kube_init": init, "kube_join": join, "kube_upgrade": upgrade, "kube_reset": reset}
