"""Three control-plane nodes behind one virtual address: one is lost, and nobody who asks the API has to know.

It cannot see a network that keeps multicast from VRRP, nor a load balancer in keepalived's place.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from raceway.lab.kube import KubeLab
from raceway.tools import ensure

from .conftest import Cluster, Machines, eventually

PLANES = 3
BACK_WITHIN_S = 15.0  # 2 to 4 s until the check has failed, 3 s of VRRP, and etcd's election beside it
COPIES = {"kubernetes_etcd_snapshot": {"folder": "/var/backups/etcd"}}


@pytest.fixture(scope="module")
def planes(lab_name: str) -> Iterator[Cluster]:
    """A lab of its own, of control-plane nodes alone."""
    lab = KubeLab(f"{lab_name}-ha", show=True)
    try:
        lab.up(PLANES, PLANES)
        machines = Machines(lab)
        done = machines.playbook("site.yml", values=COPIES)
        assert done.rc == 0, done.text[-3000:]
        yield Cluster(lab, ensure(["kubectl"])["kubectl"], lab.fetch_kubeconfig())
    finally:
        lab.down()


def holder(planes: Cluster) -> str:
    """Return the node that has the virtual address."""
    known = planes.lab.record
    assert known
    address = known.subnet.rpartition(".")[0] + ".10"
    has = [name for name in planes.names if f" {address}/" in planes.ssh(name, "ip -4 addr show eth0").stdout]
    assert len(has) == 1
    return has[0]


def members(planes: Cluster) -> set[str]:
    """Return the nodes on which etcd runs, by their static pods."""
    return {pod["spec"]["nodeName"] for pod in planes.get("-n", "kube-system", "pods", "-l", "component=etcd")["items"]}


def test_every_node_carries_etcd_and_one_has_the_address(planes: Cluster) -> None:
    assert members(planes) == set(planes.names) and holder(planes)
    again = planes.playbook("site.yml", values=COPIES)
    assert again.rc == 0 and "changed=0 failed=0" in again.text


def test_the_address_leaves_an_api_server_that_does_not_answer_and_stays_where_it_went(planes: Cluster) -> None:
    first = holder(planes)
    planes.read(first, "mv /etc/kubernetes/manifests/kube-apiserver.yaml /root/")
    other = eventually(lambda: next(iter({holder(planes)} - {first}), ""), "another node has the address", 60)
    planes.read(first, "mv /root/kube-apiserver.yaml /etc/kubernetes/manifests/")
    eventually(lambda: planes.playbook("playbooks/verify.yml", values=COPIES).rc == 0, "all is as declared", 120)
    assert holder(planes) == other


def test_a_lost_control_plane_node_costs_seconds_and_no_object(planes: Cluster) -> None:
    planes.kubectl("create", "configmap", "kept", "--from-literal=a=1")
    lost = holder(planes)
    planes.off(lost)
    began = time.monotonic()
    try:
        words = ("--request-timeout=2s", "get", "configmap", "kept")
        eventually(lambda: planes.kubectl_run(*words, timeout=20).returncode == 0, "the API answers", 60, 0.1)
        took = time.monotonic() - began
        print(f"the API answered again after {took:.1f} s")
        assert took < BACK_WITHIN_S
        planes.kubectl("create", "configmap", "while-one-is-lost", "--from-literal=a=1")
    finally:
        planes.on(lost)
    eventually(lambda: planes.playbook("playbooks/verify.yml", values=COPIES).rc == 0, "all is as declared", 180)
    assert planes.get("configmap", "while-one-is-lost") and planes.get("configmap", "kept")


def test_a_copy_restores_every_control_plane_node(planes: Cluster) -> None:
    first = planes.names[0]
    planes.kubectl("create", "configmap", "restored", "--from-literal=a=1")
    planes.read(first, "systemctl start raceway-etcd-snapshot.service")
    (copy,) = planes.read(first, "ls -t /var/backups/etcd/*.db | head -1").split()
    planes.kubectl("delete", "configmap", "restored")
    values = {**COPIES, "kubernetes_etcd_restore": copy, "kubernetes_allow_destructive": True}
    done = planes.playbook("playbooks/etcd_restore.yml", values=values)
    assert done.rc == 0, done.text[-3000:]
    assert planes.get("configmap", "restored") and members(planes) == set(planes.names)
    eventually(lambda: planes.playbook("site.yml", values=COPIES).rc == 0, "all is as declared", 180)


def test_a_control_plane_node_is_taken_out_with_consent_alone(planes: Cluster) -> None:
    last = planes.names[-1]
    held = planes.playbook("playbooks/kubernetes_remove.yml", "--limit", last)
    assert held.rc != 0 and "kubernetes_allow_destructive: true" in held.text
    values = {"kubernetes_allow_destructive": True}
    out = planes.playbook("playbooks/kubernetes_remove.yml", "--limit", last, values=values)
    assert out.rc == 0, out.text[-3000:]
    assert members(planes) == set(planes.names[:-1])
