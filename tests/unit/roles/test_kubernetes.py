"""The kubernetes role's variables as specs of its nouns, and what they ask of the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from raceway import roles
from raceway.model.containerd import parse as parse_containerd
from raceway.model.kube_binaries import parse as parse_binaries
from raceway.model.kube_host import parse as parse_host
from raceway.model.kube_images import parse as parse_images
from raceway.model.kubelet import parse as parse_kubelet
from raceway.roles import kubernetes

from .test_kubernetes_rules import ALIGNED, MEMORY, PROGRAMS, RUNTIME, SUM, make_values

ROOT = Path(__file__).parents[3] / "roles"


def make_desired(**given: Any) -> dict[str, Any]:
    return kubernetes.desired(make_values(**given), (), "bare_metal")


def desired_plane(**given: Any) -> dict[str, Any]:
    """Return the spec of the images of a control-plane node."""
    values = make_values(node_role="control_plane", node_name="n1", **given)
    return kubernetes.desired(values, (), "bare_metal")["kube_images"]  # type: ignore[no-any-return]


def needs(**given: Any) -> dict[str, str]:
    return {need.key: need.value for need in kubernetes.needs(make_values(**given))}


def test_programs_are_packages_of_the_declared_version_unless_one_of_their_own_is_given() -> None:
    made = parse_binaries(make_desired(packages={"kubelet": "1.35.4-1.1", "kubeadm": ""})["kube_binaries"])
    assert [(pin.name, pin.version) for pin in made.pins] == [("kubelet", "1.35.4-1.1"), ("kubeadm", "1.35.4")]
    assert made.programs == () and made.version == "1.35.4"


def test_packages_of_any_version_are_the_package_nouns_and_pinned_ones_are_not() -> None:
    state = make_desired(containerd_packages={"containerd": "2.1.4", "runc": ""})
    names = [row["name"] for row in state["package"]["packages"]]
    assert names == ["conntrack", "iproute2", "iptables", "runc"]
    assert ("containerd", "2.1.4") in [(pin.name, pin.version) for pin in parse_binaries(state["kube_binaries"]).pins]


def test_programs_by_their_sums_come_with_unit_files_that_start_them_from_where_they_are() -> None:
    state = make_desired(**PROGRAMS, **RUNTIME, binaries_folder="/opt/bin")
    made = parse_binaries(state["kube_binaries"])
    assert made.pins == () and {one.path for one in made.programs} >= {"/opt/bin/kubelet", "/opt/bin/containerd"}
    (kubelet,) = [one for one in made.programs if one.name == "kubelet"]
    assert (kubelet.origin, kubelet.sha256) == ("https://mirror.example/k8s/1.35.4/kubelet", SUM)
    assert "ExecStart=/opt/bin/kubelet $KUBELET_KUBECONFIG_ARGS" in parse_kubelet(state["kubelet"]).unit
    assert "ExecStart=/opt/bin/containerd\n" in parse_containerd(state["containerd"]).unit


def test_packages_bring_their_own_units() -> None:
    state = make_desired()
    assert parse_kubelet(state["kubelet"]).unit == "" and parse_containerd(state["containerd"]).unit == ""


def test_one_variable_gives_containerd_and_the_kubelet_the_same_cgroup_driver() -> None:
    for driver in ("systemd", "cgroupfs"):
        state = make_desired(cgroup_driver=driver)
        assert parse_containerd(state["containerd"]).cgroup_driver == driver
        assert parse_kubelet(state["kubelet"]).config["cgroupDriver"] == driver
        assert parse_host(state["kube_host"]).cgroup_driver == driver


def test_the_kubelet_divides_a_node_by_its_declared_topology() -> None:
    made = parse_kubelet(make_desired(**ALIGNED, **MEMORY, cpu_manager_options=["full-pcpus-only"])["kubelet"]).config
    assert made["cpuManagerPolicy"] == "static" and made["reservedSystemCPUs"] == "0-1"
    assert made["cpuManagerPolicyOptions"] == {"full-pcpus-only": "true"}
    assert (made["topologyManagerPolicy"], made["topologyManagerScope"]) == ("single-numa-node", "pod")
    assert made["reservedMemory"][0] == {"numaNode": 0, "limits": {"memory": "1148Mi"}}
    assert made["systemReserved"] == {"cpu": "500m", "memory": "1Gi"}


def test_swap_and_cgroup_v1_are_off_unless_they_are_taken_in() -> None:
    made = parse_kubelet(make_desired()["kubelet"]).config
    assert made["failSwapOn"] and made["failCgroupV1"] and made["memorySwap"] == {"swapBehavior": "NoSwap"}
    made = parse_kubelet(make_desired(swap="limited")["kubelet"]).config
    assert not made["failSwapOn"] and made["memorySwap"] == {"swapBehavior": "LimitedSwap"}
    assert not parse_kubelet(make_desired(cgroup_v1="accept")["kubelet"]).config["failCgroupV1"]


def test_fields_without_a_variable_reach_the_kubelet_as_they_are() -> None:
    made = parse_kubelet(make_desired(config_extra={"serializeImagePulls": False})["kubelet"]).config
    assert made["serializeImagePulls"] is False


def test_images_are_pulled_from_registries_and_only_looked_for_where_archives_bring_them() -> None:
    pulled = parse_images(desired_plane(images=["docker.io/team/train:1"]))
    assert pulled.needed == () and "docker.io/team/train:1" in pulled.pulls
    assert "registry.k8s.io/etcd:3.6.6-0" in pulled.pulls and "registry.k8s.io/kube-proxy:v1.35.4" in pulled.pulls
    kept = parse_images(desired_plane(images_source="archives", image_archives=["/srv/a.tar"]))
    assert kept.pulls == () and kept.archives == ("/srv/a.tar",) and "registry.k8s.io/pause:3.10.1" in kept.needed


def test_a_worker_needs_no_image_of_the_control_plane() -> None:
    made = kubernetes.cluster_images(make_values(node_role="worker"))
    assert made == ["registry.k8s.io/kube-proxy:v1.35.4", "registry.k8s.io/pause:3.10.1"]
    assert kubernetes.cluster_images(make_values(node_role="worker", proxy_mode="none")) == made[1:]


def test_the_kernel_is_asked_for_forwarding_modules_and_what_the_kubelet_sets_itself() -> None:
    found = needs()
    assert found["net.ipv4.ip_forward"] == "1" and found["net.bridge.bridge-nf-call-iptables"] == "1"
    assert {"overlay", "br_netfilter", "nf_conntrack"} <= set(found) and found["vm.overcommit_memory"] == "1"
    assert "vm.nr_hugepages" not in found


def test_huge_pages_are_a_setting_of_the_kernel_and_those_of_a_gigabyte_boot_arguments_in_their_order() -> None:
    values = {"node": {"node_platform": "bare_metal"}, "kubernetes": make_values(hugepages={"2Mi": 512, "1Gi": 4})}
    merged = roles.merged_needs(values, ["kubernetes"])
    words = [row.value for row in merged if row.kind == "cmdline"]
    assert words == ["hugepagesz=1G", "hugepages=4"]
    assert [row.value for row in merged if row.key == "vm.nr_hugepages"] == ["512"]


def test_the_machine_is_judged_by_what_other_roles_bring() -> None:
    values = make_values(tools=["iptables"], required_mounts=[], containerd_root="/data/containerd")
    made = parse_host(kubernetes.desired({**values, "kernel_state": "present"}, (), "vm")["kube_host"])
    assert made.kernel and made.platform == "vm" and made.folders == ("/data/containerd", "/var/lib/kubelet")
    assert made.programs["iptables"] == "iptables" and made.programs["conntrack"] == ""
    assert not parse_host(kubernetes.desired(values, (), "vm")["kube_host"]).kernel


def test_an_absent_role_declares_nothing_and_says_so_to_each_of_its_nouns() -> None:
    state = make_desired(state="absent")
    assert state["package"]["packages"] == [] and not parse_containerd(state["containerd"]).present
    assert not parse_kubelet(state["kubelet"]).present and not parse_host(state["kube_host"]).present
    assert parse_binaries(state["kube_binaries"]).version == "" and not parse_images(state["kube_images"]).present


def test_the_role_kernel_carries_out_what_the_role_asks() -> None:
    names = ("node", "kernel", "kubernetes")
    values = {name: yaml.safe_load((ROOT / name / "defaults/main.yml").read_text()) for name in names}
    state = roles.compile_host(values, names)
    settings = {row["key"]: row for row in state["kernel"]["nouns"]["sysctl"]["settings"]}
    assert settings["net.ipv4.ip_forward"]["asked_by"] == ["kubernetes"]
    assert state["kubernetes"]["nouns"]["kube_host"]["kernel"] is True
