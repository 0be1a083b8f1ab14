"""Declarations of a Kubernetes node that cannot be right: each is refused with what is allowed and what to do.

Every row is one mistake on top of a declaration that is fine, and gives exactly one problem.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.roles import kubernetes

DEFAULTS = yaml.safe_load((Path(__file__).parents[3] / "roles/kubernetes/defaults/main.yml").read_text())
SUM = "0" * 64
KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----"
PROGRAMS = {
    "source": "binaries",
    "binaries_from": "https://mirror.example/k8s/1.35.4",
    "binaries": {"kubeadm": SUM, "kubelet": SUM, "kubectl": SUM},
}
RUNTIME = {
    "containerd_source": "binaries",
    "containerd_binaries_from": "/srv/containerd",
    "containerd_binaries": {"containerd": SUM, "containerd-shim-runc-v2": SUM, "ctr": SUM, "runc": SUM},
}
STATIC = {"cpu_manager_policy": "static", "reserved_cpus": "0-1"}
# 1 GiB for the system, 1 GiB for Kubernetes and 100 MiB before eviction, on two NUMA nodes.
MEMORY = {
    "memory_manager_policy": "Static",
    "reserved_memory": [{"numa": 0, "limits": {"memory": "1148Mi"}}, {"numa": 1, "limits": {"memory": "1000Mi"}}],
}
ALIGNED = {**STATIC, "topology_manager_policy": "single-numa-node", "topology_manager_scope": "pod"}
MIRROR = {"containerd_registry_mirrors": {"docker.io": [{"address": "https://mirror.example"}]}}
NVIDIA = {"name": "nvidia", "binary": "/usr/bin/nvidia-container-runtime"}


def make_values(**given: Any) -> dict[str, Any]:
    return {
        **DEFAULTS,
        "kubernetes_node_role": "none",
        **{f"kubernetes_{name}": value for name, value in given.items()},
    }


@pytest.mark.parametrize(
    "given",
    [
        {},
        PROGRAMS,
        RUNTIME,
        STATIC,
        {**STATIC, **MEMORY},
        ALIGNED,
        {**ALIGNED, "cpu_manager_options": ["full-pcpus-only", "strict-cpu-reservation"]},
        {**MIRROR, "images_source": "mirror"},
        {"images_source": "archives", "image_archives": ["/srv/images.tar"]},
        {"containerd_runtimes": [{**NVIDIA, "default": True}]},
        {"hugepages": {"2Mi": 512, "1Gi": 4}},
        {"containerd_root": "/mnt/nvme/containerd", "required_mounts": ["/mnt/nvme"]},
        {"config_extra": {"serializeImagePulls": False, "maxParallelImagePulls": 4, "shutdownGracePeriod": "60s"}},
        {"version": "1.34.2"},
        {"swap": "limited"},
    ],
)
def test_what_can_be_right_has_no_problem(given: dict[str, Any]) -> None:
    assert kubernetes.rules(make_values(**given)) == []


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"version": "v1.35.4"}, "version", "'v1.35.4'"),
    ({"version": "1.35"}, "version", "'1.35'"),
    ({"version": "1.29.3"}, "version", "1.29.3"),
    ({"packages": {"kubelet": "1.34.1"}}, "packages", "kubelet 1.34.1, kubernetes_version is 1.35.4"),
    ({"packages": {"kubelet": "= 1.35.4"}}, "packages", "kubelet: '= 1.35.4'"),
    ({"repository": "pkgs.k8s.io", "repository_key": KEY}, "repository", "pkgs.k8s.io"),
    ({"repository": "https://pkgs.k8s.io/deb/"}, "repository_key", "no armoured key"),
    ({"repository_key": KEY}, "repository", "empty, with a key"),
    ({**PROGRAMS, "binaries_from": ""}, "binaries_from", "''"),
    ({**PROGRAMS, "binaries_from": "srv/programs"}, "binaries_from", "'srv/programs'"),
    ({**PROGRAMS, "binaries": {"kubelet": SUM}}, "binaries", "no kubeadm, kubectl"),
    ({**PROGRAMS, "binaries": {**PROGRAMS["binaries"], "kubelet": "abc"}}, "binaries", "kubelet: 'abc'"),  # type: ignore[dict-item]
    ({**PROGRAMS, "binaries": {**PROGRAMS["binaries"], "kubelets": SUM}}, "binaries", "'kubelets'"),  # type: ignore[dict-item]
    ({**PROGRAMS, "binaries_folder": "/usr"}, "binaries_folder", "/usr"),
    (
        {**RUNTIME, "containerd_binaries": {}},
        "containerd_binaries",
        "no containerd, containerd-shim-runc-v2, ctr, runc",
    ),
    ({"containerd_packages": {}}, "containerd_packages", "empty"),
    ({"containerd_root": "/"}, "containerd_root", "/"),
    ({"containerd_root": "containerd"}, "containerd_root", "containerd"),
    ({"containerd_cni_folder": "/opt/cni/../bin"}, "containerd_cni_folder", "/opt/cni/../bin"),
    ({"containerd_sandbox_image": "pause:3.10.1"}, "containerd_sandbox_image", "'pause:3.10.1'"),
    ({"image_repository": "https://mirror.example/"}, "image_repository", "'https://mirror.example/'"),
    ({"images": ["docker.io/team/train:latest"]}, "images", "docker.io/team/train:latest"),
    ({"images": ["docker.io/team/train"]}, "images", "'docker.io/team/train'"),
    ({"images_source": "archives"}, "image_archives", "empty, with images_source archives"),
    ({"image_archives": ["images.tar"]}, "image_archives", "images.tar"),
    ({"image_archives": ["/srv/images.tar.gz"]}, "image_archives", "/srv/images.tar.gz"),
    ({"image_archives": ["/srv/a.tar", "/srv/a.tar"]}, "image_archives", "/srv/a.tar twice"),
    ({"images_source": "mirror"}, "images_source", "mirror, and none is declared"),
    (
        {"containerd_registry_mirrors": {"https://docker.io": [{"address": "https://m.example"}]}},
        "containerd_registry_mirrors",
        "'https://docker.io'",
    ),
    (
        {"containerd_registry_mirrors": {"docker.io": [{"address": "m.example"}]}},
        "containerd_registry_mirrors",
        "docker.io: 'm.example'",
    ),
    (
        {"containerd_registry_mirrors": {"docker.io": "https://m.example"}},
        "containerd_registry_mirrors",
        "docker.io: 'https://m.example'",
    ),
    (
        {"containerd_registry_mirrors": {"docker.io": [{"address": "https://m.example", "insecure": True}]}},
        "containerd_registry_mirrors",
        "docker.io: insecure",
    ),
    (
        {"containerd_registry_mirrors": {"docker.io": [{"address": "https://m.example", "ca": "ca.pem"}]}},
        "containerd_registry_mirrors",
        "docker.io: ca ca.pem",
    ),
    (
        {
            "containerd_registry_mirrors": {
                "docker.io": [{"address": "https://m.example", "ca": "/etc/ca.pem", "skip_verify": True}]
            }
        },
        "containerd_registry_mirrors",
        "docker.io: ca and skip_verify",
    ),
    ({"containerd_runtimes": [NVIDIA, NVIDIA]}, "containerd_runtimes", "nvidia twice"),
    ({"containerd_runtimes": [{**NVIDIA, "name": "runc"}]}, "containerd_runtimes", "runc"),
    ({"containerd_runtimes": [{**NVIDIA, "name": "NVIDIA"}]}, "containerd_runtimes", "name 'NVIDIA'"),
    (
        {"containerd_runtimes": [{**NVIDIA, "binary": "nvidia-container-runtime"}]},
        "containerd_runtimes",
        "nvidia: nvidia-container-runtime",
    ),
    (
        {"containerd_runtimes": [{**NVIDIA, "default": True}, {"name": "a", "binary": "/a", "default": True}]},
        "containerd_runtimes",
        "default: nvidia, a",
    ),
    (
        {"containerd_runtimes": [{**NVIDIA, "options": {"BinaryName": "/x"}}]},
        "containerd_runtimes",
        "nvidia: options.BinaryName",
    ),
    ({"required_mounts": ["/mnt/nvme"]}, "required_mounts", "/mnt/nvme: no data of this role lies below"),
    ({"required_mounts": ["var/lib"]}, "required_mounts", "var/lib"),
    ({"reserved_cpus": "0,1-"}, "reserved_cpus", "'0,1-': '1-' is no CPU and no range of CPUs"),
    (
        {"cpu_manager_policy": "static", "system_reserved": {"memory": "1Gi"}, "kube_reserved": {}},
        "cpu_manager_policy",
        "static with no CPU reserved",
    ),
    ({"cpu_manager_options": ["full-pcpus-only"]}, "cpu_manager_options", "options of the policy none"),
    ({**STATIC, "cpu_manager_options": ["full-cores"]}, "cpu_manager_options", "full-cores"),
    (
        {**STATIC, "cpu_manager_options": ["align-by-socket"]},
        "cpu_manager_options",
        "align-by-socket without its feature gate",
    ),
    (
        {"topology_manager_policy": "single-numa-node"},
        "topology_manager_policy",
        "single-numa-node with the CPU manager off",
    ),
    ({"topology_manager_scope": "pod"}, "topology_manager_scope", "pod with the policy none"),
    ({"memory_manager_policy": "Static"}, "reserved_memory", "0 in all"),
    ({"reserved_memory": MEMORY["reserved_memory"]}, "reserved_memory", "reserved, with the policy None"),
    (
        {**MEMORY, "reserved_memory": [{"numa": 0, "limits": {"memory": "1Gi"}}]},
        "reserved_memory",
        "1Gi in all",
    ),
    (
        {**MEMORY, "eviction_hard": {"memory.available": "5%"}},
        "eviction_hard",
        "memory.available: 5%",
    ),
    ({"system_reserved": {"gpu": 1}}, "system_reserved", "'gpu'"),
    ({"kube_reserved": {"memory": "1 GB"}}, "kube_reserved", "memory: '1 GB'"),
    ({"eviction_hard": {"memory.available": "100Mi", "disk.free": "10%"}}, "eviction_hard", "'disk.free'"),
    ({"eviction_hard": {"memory.available": "105%"}}, "eviction_hard", "memory.available: '105%'"),
    ({"eviction_hard": {"nodefs.available": "10%"}}, "eviction_hard", "no memory.available"),
    ({"image_gc_high": 101}, "image_gc_high", "101"),
    ({"image_gc_low": 85}, "image_gc_low", "85"),
    ({"max_pods": 0}, "max_pods", "0"),
    ({"swap": "limited", "cgroup_v1": "accept"}, "swap", "limited, with cgroup v1 accepted"),
    ({"hugepages": {"4Mi": 1}}, "hugepages", "'4Mi'"),
    ({"hugepages": {"2Mi": "1Gi"}}, "hugepages", "2Mi: '1Gi'"),
    ({"config_extra": {"maxPods": 200}}, "config_extra", "maxPods"),
    ({"config_extra": {"MaxPods": 200}}, "config_extra", "'MaxPods'"),
    ({"config_extra": {"evictionsoft": {}}}, "config_extra", "'evictionsoft'"),
    ({"config_extra": {"serializeImagePulls": "false"}}, "config_extra", "serializeImagePulls: 'false'"),
    ({"config_extra": {"podPidsLimit": True}}, "config_extra", "podPidsLimit: True"),
]


@pytest.mark.parametrize(
    ("given", "variable", "found"), WRONG, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_cannot_be_right_is_named_with_what_is_allowed_and_what_to_do(
    given: dict[str, Any], variable: str, found: str
) -> None:
    (problem,) = kubernetes.rules(make_values(**given))
    assert (problem.variable, problem.found) == (f"kubernetes_{variable}", found)
    assert problem.allowed and problem.act and problem.severity == "error"


def test_there_are_more_than_thirty_mistakes_that_are_told() -> None:
    assert len({(variable, found) for _, variable, found in WRONG}) > 30


def test_the_message_for_a_field_that_a_variable_owns_names_the_variable() -> None:
    (problem,) = kubernetes.rules(make_values(config_extra={"cpuManagerPolicy": "static"}))
    assert problem.act == "declare kubernetes_cpu_manager_policy instead"


@pytest.mark.parametrize(
    ("name", "act"),
    [
        ("maxpods", "declare kubernetes_max_pods instead"),
        ("podspercore", "write podsPerCore"),
        ("pods", "correct the name: a kubelet takes no notice of a field it does not know"),
    ],
)
def test_a_misspelt_field_is_told_how_it_is_written_or_who_owns_it(name: str, act: str) -> None:
    (problem,) = kubernetes.rules(make_values(config_extra={name: 3}))
    assert problem.act == act


def test_the_sum_that_static_memory_needs_is_told_with_its_parts() -> None:
    (problem,) = kubernetes.rules(make_values(**{**MEMORY, "reserved_memory": []}))
    assert problem.allowed == "2148Mi: system + kube reserved + eviction"


def test_several_mistakes_are_told_at_once() -> None:
    wrong = kubernetes.rules(make_values(version="latest", max_pods=-1, image_archives=["x"], images=["y"]))
    assert [row.variable for row in wrong] == [
        "kubernetes_version",
        "kubernetes_images",
        "kubernetes_image_archives",
        "kubernetes_max_pods",
    ]


def test_an_absent_role_is_not_judged() -> None:
    assert kubernetes.rules(make_values(state="absent", version="latest")) == []
