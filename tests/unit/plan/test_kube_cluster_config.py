"""Every file and document of a node's part in a cluster, exactly: the goldens stand in tests/cases/kube_cluster/golden.

They were read line by line when written, and kubeadm 1.35.4 took each of its documents (``kubeadm config validate``).
"""

from __future__ import annotations

from typing import Any

import pytest

from raceway.model.kube_cluster import CONTROL_PLANE_TAINT, KubeClusterDesired, Means, parse
from raceway.plan import kube_cluster_config as config
from raceway.plan import kube_cluster_etcd as etcd
from raceway.plan import kube_cluster_network as network
from raceway.plan import kube_cluster_vip as vip
from raceway.plan.kube_cluster_objects import objects

from ..builders import CASES

GOLDEN = CASES / "kube_cluster/golden"
MEANS = Means("abcdef.0123456789abcdef", "sha256:" + "0" * 64, "f" * 64)


def make_desired(**given: Any) -> KubeClusterDesired:
    fine = {
        "present": True,
        "role": "control_plane",
        "first": True,
        "name": "node1.example",
        "cluster": "training",
        "version": "1.35.4",
        "endpoint": "10.0.0.10:6443",
        "advertise": "10.0.0.11",
        "pod_subnet": "10.244.0.0/16",
        "service_subnet": "10.96.0.0/12",
        "taints": [CONTROL_PLANE_TAINT],
        "virtual": {"address": "10.0.0.10", "interface": "eth0", "prefix": 24},
        "snapshot": {"folder": "/var/backups/etcd", "keep": 3, "calendar": "hourly"},
    }
    return parse({**fine, **given})


def worker(**given: Any) -> KubeClusterDesired:
    return make_desired(role="worker", first=False, name="node2", taints=["gpu=yes:NoSchedule"], **given)


EXTRA = {"controllerManager": {"extraArgs": [{"name": "node-monitor-period", "value": "2s"}]}}
LAB = make_desired(platform="container", never_pull=True, ignore=["SystemVerification"], init_extra=EXTRA, mtu=9000)
TEXTS = {
    "init.yaml.txt": config.init_documents(make_desired()),
    "init-lab.yaml.txt": config.init_documents(LAB),
    "init-no-proxy.yaml.txt": config.init_documents(make_desired(proxy_mode="none", cni="none", taints=[], virtual={})),
    "join-worker.yaml.txt": config.join_documents(worker(advertise=""), MEANS),
    "join-control-plane.yaml.txt": config.join_documents(make_desired(first=False), MEANS),
    "upgrade.yaml.txt": config.upgrade_documents(LAB),
    "reset.yaml.txt": config.reset_documents(),
    "means.yaml.txt": config.means_documents("1.35.4", "10.0.0.10:6443", "10.0.0.11", "f" * 64),
    "rights.yaml.txt": objects(),
    "keepalived.conf.txt": vip.conf(make_desired()),
    "keepalived-check.txt": vip.check(),
    "conflist.json.txt": network.conflist("10.244.3.0/24", 0),
    "conflist-jumbo-v6.json.txt": network.conflist("fd00:1:0:3::/64", 9000),
    "routes.txt": network.script(make_desired()),
    **{f"file{path.replace('/', '-')}.txt": text for path, (text, _) in network.files(make_desired()).items()},
    **{f"file{path.replace('/', '-')}.txt": text for path, (text, _) in etcd.files(make_desired()).items()},
}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_the_text_is_the_golden_one(name: str) -> None:
    assert TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_every_golden_file_is_compared() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


def test_what_is_not_declared_has_no_files() -> None:
    bare = make_desired(virtual={}, snapshot={}, cni="none")
    assert {**vip.files(bare), **network.files(bare), **etcd.files(bare)} == {}
    assert vip.files(worker()) == {} and etcd.files(worker()) == {}


def test_scripts_can_be_run_and_configurations_cannot() -> None:
    files = {**vip.files(LAB), **network.files(LAB), **etcd.files(LAB)}
    modes = {path: mode for path, (_, mode) in files.items()}
    assert all((mode == 0o755) == files[path][0].startswith("#!") for path, mode in modes.items())


def test_a_document_of_yaml_reads_back_as_what_it_was_made_of() -> None:
    import yaml

    from raceway.plan.kube_cluster_yaml import documents

    row = {"a": {"b": ["x", "1", 1, True, None, "yes", "a: b", "", [], {}], "c": {}}, "d": [{"e": "f", "g": [1, [2]]}]}
    assert list(yaml.safe_load_all(documents([row, row]))) == [row, row]


def test_arguments_that_are_added_stand_beside_ours_and_other_fields_take_their_place() -> None:
    made = config.cluster_configuration(make_desired(init_extra={**EXTRA, "featureGates": {"A": True}}))
    assert [one["name"] for one in made["controllerManager"]["extraArgs"]] == [
        "node-cidr-mask-size",
        "node-monitor-period",
    ]
    assert made["featureGates"] == {"A": True}


def test_an_api_server_has_all_names_it_is_reached_by_each_once() -> None:
    made = config.cluster_configuration(make_desired(endpoint="api.example:6443", cert_sans=["api.example", "x"]))
    assert made["apiServer"]["certSANs"] == ["api.example", "10.0.0.10", "10.0.0.11", "x"]
