"""The cluster the role makes: nothing left to do, faults seen and mended, nodes out and in again, etcd given back.

It cannot see a network of several segments, since routes between nodes lead through one, nor an upgrade: there is one
version of every image.
"""

from __future__ import annotations

import base64

import pytest

from .conftest import Cluster, eventually

ROUTES = "ip route show proto 204"
COPIES = {"folder": "/var/backups/etcd", "keep": 2, "on_calendar": "weekly"}
CONSENT = {"kubernetes_allow_destructive": True}
# What kubeadm, the kubelet and raceway leave on a node that is part of a cluster.
TRACES = "ls -d /etc/kubernetes/*.conf /etc/kubernetes/pki/* /etc/cni/net.d/* /etc/raceway/kube /var/lib/etcd/member"
INTERFACES = f"{ROUTES}; ip link show cni0; iptables -t nat -S POSTROUTING | grep raceway-pods"


def test_a_second_run_and_a_check_find_nothing_to_do(cluster: Cluster) -> None:
    for check in (False, True):
        again = cluster.playbook("site.yml", check=check)
        assert again.rc == 0 and "changed=0 failed=0" in again.text
        assert {row["verdict"] for row in again.nodes.values()} == {"as declared"}


def test_pods_of_every_node_reach_pods_of_every_other_by_their_own_addresses(cluster: Cluster) -> None:
    for name in cluster.names:
        others = {row["spec"]["podCIDR"] for row in cluster.get("nodes")["items"] if row["metadata"]["name"] != name}
        found = {line.split()[0] for line in cluster.read(name, ROUTES).splitlines()}
        assert found == others


def test_nodes_carry_what_the_inventory_says_of_them(cluster: Cluster) -> None:
    for row in cluster.get("nodes")["items"]:
        assert row["metadata"]["labels"]["raceway.dev/platform"] == "container"
        taints = {one["key"] for one in row["spec"].get("taints", [])}
        first = row["metadata"]["name"] == cluster.names[0]
        assert ("node-role.kubernetes.io/control-plane" in taints) == first


def tokens(cluster: Cluster) -> list[str]:
    """Return the tokens that would let a node in now, as the cluster keeps them."""
    kind = "type=bootstrap.kubernetes.io/token"
    rows = cluster.get("-n", "kube-system", "secrets", "--field-selector", kind)["items"]
    parts = [[base64.b64decode(row["data"][f"token-{part}"]).decode() for part in ("id", "secret")] for row in rows]
    return [".".join(pair) for pair in parts]


def kept(cluster: Cluster, node: str) -> str:
    """Return what a node keeps in its files and journal of what was done to it."""
    places = "/var/lib/raceway/ledger.json /etc/raceway /etc/kubernetes /run/raceway /root /tmp /var/tmp"
    return cluster.read(node, f"grep -rhsI . {places} --exclude-dir=pki || true; journalctl -o cat --no-pager")


@pytest.mark.parametrize(
    ("breaks", "seen"),
    [
        ("systemctl stop raceway-kube-routes.timer; ip route flush proto 204", "routes to pods"),
        ("systemctl stop kubelet", "kubelet.service"),
        ("echo '{}' > /etc/cni/net.d/10-raceway.conflist", "/etc/cni/net.d/10-raceway.conflist"),
        ("iptables -t nat -F POSTROUTING", "routes to pods"),
    ],
)
def test_what_breaks_on_a_node_is_named_by_verify_and_mended_by_site(cluster: Cluster, breaks: str, seen: str) -> None:
    worker = cluster.names[-1]
    cluster.read(worker, breaks)
    red = cluster.playbook("playbooks/verify.yml", "--limit", worker)
    assert red.rc != 0 and seen in red.text
    mended = cluster.playbook("site.yml", "--limit", worker)
    assert mended.rc == 0
    assert cluster.playbook("playbooks/verify.yml", "--limit", worker).rc == 0


def test_a_label_somebody_took_away_comes_back_through_credentials_of_minutes(cluster: Cluster) -> None:
    worker = cluster.names[-1]
    cluster.kubectl("label", "node", worker, "raceway.dev/platform-")
    done = cluster.playbook("site.yml", "--limit", worker, "-vvv")
    assert done.rc == 0 and done.nodes[worker]["applied"] == ["label the node: raceway.dev/platform"]
    assert "client-key-data" not in done.text and not [one for one in tokens(cluster) if one in done.text]
    assert cluster.get("node", worker)["metadata"]["labels"]["raceway.dev/platform"] == "container"


def test_a_node_that_is_taken_out_leaves_nothing_and_comes_in_again(cluster: Cluster) -> None:
    worker, rest = cluster.names[-1], cluster.names[:-1]
    out = cluster.playbook("playbooks/kubernetes_remove.yml", "--limit", worker)
    assert out.rc == 0, out.text[-3000:]
    assert [row["metadata"]["name"] for row in cluster.get("nodes")["items"]] == rest
    assert cluster.ssh(worker, f"{TRACES} 2>/dev/null").stdout == ""
    assert cluster.ssh(worker, f"({INTERFACES}) 2>/dev/null").stdout == ""
    told = cluster.playbook("site.yml", "--limit", worker, check=True)
    assert told.rc == 0 and any("kubeadm join" in step for step in told.nodes[worker]["planned"])
    back = cluster.playbook("site.yml", "--limit", worker, "-vvv")
    assert back.rc == 0 and back.nodes[worker]["applied"] == told.nodes[worker]["planned"]
    assert "client-key-data" not in back.text
    known = tokens(cluster)
    assert known and not [one for one in known if one in back.text or one in kept(cluster, worker)]
    assert cluster.read(worker, "ls -A /run/raceway/kube") == ""
    subnet = cluster.get("node", worker)["spec"]["podCIDR"]
    for name in rest:  # nobody ran anything there: the timer makes the route
        eventually(lambda name=name: subnet in cluster.read(name, ROUTES), f"{name} has a route to {worker}", 60)


def test_every_node_at_once_is_never_taken_out_by_mistake(cluster: Cluster) -> None:
    for words in ((), ("--limit", cluster.names[0])):
        done = cluster.playbook("playbooks/kubernetes_remove.yml", *words)
        assert done.rc != 0 and ("--limit NODE" in done.text or "first control-plane node" in done.text)
    assert len(cluster.get("nodes")["items"]) == len(cluster.names)


def test_a_copy_of_etcd_gives_back_the_objects_that_were_there(cluster: Cluster) -> None:
    first = cluster.names[0]
    made = cluster.playbook("site.yml", "--limit", first, values={"kubernetes_etcd_snapshot": COPIES})
    assert made.rc == 0, made.text[-2000:]
    cluster.kubectl("create", "configmap", "kept", "--from-literal=a=1")
    uid = cluster.get("configmap", "kept")["metadata"]["uid"]
    for _ in range(3):
        cluster.read(first, "systemctl start raceway-etcd-snapshot.service; sleep 1.1")
    copies = cluster.read(first, "ls -t /var/backups/etcd/*.db").split()
    assert len(copies) == COPIES["keep"]
    cluster.kubectl("delete", "configmap", "kept")
    cluster.kubectl("create", "configmap", "later", "--from-literal=a=1")
    values = {"kubernetes_etcd_restore": copies[0]}
    held = cluster.playbook("playbooks/etcd_restore.yml", values=values)
    assert held.rc != 0 and "no consent" in held.text
    done = cluster.playbook("playbooks/etcd_restore.yml", values={**values, **CONSENT})
    assert done.rc == 0, done.text[-3000:]
    eventually(lambda: cluster.get("configmap", "kept")["metadata"]["uid"] == uid, "the object is back")
    assert cluster.kubectl_run("get", "configmap", "later").returncode != 0
    cluster.kubectl("delete", "configmap", "kept")
    eventually(lambda: cluster.playbook("site.yml").rc == 0, "every node is as declared again", 180)
    cluster.read(first, "rm -rf /var/backups/etcd")
