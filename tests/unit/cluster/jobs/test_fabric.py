"""Jobs over RDMA carry what the nodes' own file says: the manifest equals ``raceway nccl env HOST``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.cli.main import main
from raceway.cluster.config import JobConfig
from raceway.cluster.jobs.fabric import needs_fabric, with_fabric
from raceway.cluster.jobs.torchrun import TorchrunJobArgs, manifests
from raceway.components.program import workloads
from raceway.errors import RacewayError
from raceway.facts.nccl import RdmaPort
from raceway.model.machine import Machine
from raceway.model.nccl import Declaration, Rail

ROOT = Path(__file__).parents[4]
STACKS = ROOT / "pulumi" / "workloads"
DECLARED = Declaration("nvidia", "2.27.5", rails=(Rail(0, "pci", "0000:1a:00.0"),), sockets=("eth0",))
PORTS = (RdmaPort("mlx5_7", "0000:1a:00.0"),)


def make_job(hosts: tuple[str, ...] = (), **changed: Any) -> JobConfig:
    values = {"rdma_resource": "rdma/ib", "rdma_count": 1, **changed}
    return JobConfig(TorchrunJobArgs("fsdp", "team", "q", "r/x:1", 2, 8, **values), fabric_hosts=hosts)


def make_machine(name: str, **changed: Any) -> Machine:
    shape = {"accelerator_kind": "nvidia", "accelerator_count": 8, "rdma_ports": 8, "rdma_resource": "rdma/ib"}
    return Machine(name=name, **{**shape, **changed})


def env_of(manifest: dict[str, Any]) -> dict[str, str]:
    (container,) = manifest["spec"]["tasks"][0]["template"]["spec"]["containers"]
    return {row["name"]: row["value"] for row in container["env"]}


def test_the_manifest_of_a_stack_carries_exactly_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    settings = yaml.safe_load((STACKS / "Pulumi.example-production.yaml").read_text(encoding="utf-8"))["config"]
    settings = {key.partition(":")[2]: value for key, value in settings.items()}
    (job,) = workloads(settings, STACKS)
    found = {name: value for name, value in env_of(manifests(job.args)[-1]).items() if name.startswith("NCCL_")}

    place = STACKS / settings["ncclDevices"]
    words = ["nccl", "env", "gpu01", "-i", str(STACKS / settings["inventory"]), "--devices", str(place), "--json"]
    assert main(words) == 0
    printed = {row["name"]: row["value"] for row in json.loads(capsys.readouterr().out)["variables"]}

    assert found == printed
    assert found["NCCL_IB_TC"] == "106" and found["NCCL_IB_HCA"].startswith("=mlx5_0:1,")


def test_a_job_gets_the_environment_of_the_machines_that_fit_it() -> None:
    machines = [make_machine("a"), make_machine("b"), make_machine("svc", accelerator_count=0, accelerator_kind="none")]
    other = Declaration("amd", "2.27.5")
    (job,) = with_fabric([make_job()], machines, {"a": DECLARED, "b": DECLARED, "svc": other}, PORTS)
    assert job.args.nccl_env == {"NCCL_IB_HCA": "=mlx5_7:1", **dict(job.args.nccl_env)}
    assert job.args.nccl_env["NCCL_SOCKET_IFNAME"] == "=eth0"


def test_machines_that_declare_different_things_are_told_by_name_and_narrowing_helps() -> None:
    machines, declared = [make_machine("a"), make_machine("b")], {"a": DECLARED, "b": Declaration("nvidia", "2.20.5")}
    with pytest.raises(RacewayError, match="a and b declare different"):
        with_fabric([make_job()], machines, declared, PORTS)
    (job,) = with_fabric([make_job(hosts=("a",))], machines, declared, PORTS)
    assert job.args.nccl_env["NCCL_IB_HCA"] == "=mlx5_7:1"


def test_rails_without_the_devices_file_are_refused_with_the_key() -> None:
    with pytest.raises(RacewayError, match="raceway-workloads:ncclDevices: absent, and job fsdp uses RDMA"):
        with_fabric([make_job()], [make_machine("a")], {"a": DECLARED}, None)


def test_a_rail_that_is_not_in_the_file_is_refused_with_job_node_and_rail() -> None:
    with pytest.raises(RacewayError, match=r"job fsdp: a: rail 0: no RDMA device"):
        with_fabric([make_job()], [make_machine("a")], {"a": DECLARED}, ())


def test_a_host_that_is_no_machine_is_refused() -> None:
    with pytest.raises(RacewayError, match="fabricHosts: zz"):
        with_fabric([make_job(hosts=("zz",))], [make_machine("a")], {"a": DECLARED}, PORTS)


@pytest.mark.parametrize("changed", [{"rdma_resource": "", "rdma_count": 0}, {"nccl_env": {"NCCL_DEBUG": "WARN"}}])
def test_a_job_without_rdma_or_with_variables_of_its_own_is_left_alone(changed: dict[str, Any]) -> None:
    job = make_job(**changed)
    assert not needs_fabric([job])
    assert with_fabric([job], [make_machine("a")], {"a": DECLARED}, PORTS) == [job]


def test_a_cluster_that_declares_no_library_leaves_jobs_alone() -> None:
    job = make_job()
    assert with_fabric([job], [make_machine("a")], {}, None) == [job]
