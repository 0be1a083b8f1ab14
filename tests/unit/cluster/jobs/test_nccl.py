"""A job's environment is what the nodes' file holds: one function makes both."""

from __future__ import annotations

import pytest

from raceway.cluster.jobs.nccl import nccl_env
from raceway.cluster.jobs.torchrun import TorchrunJobArgs, environment
from raceway.errors import RacewayError
from raceway.facts.nccl import NcclFacts, RdmaPort, parse_conf
from raceway.model.nccl import parse
from raceway.plan.nccl import plan

SPEC = {
    "declaration": {
        "kind": "nvidia",
        "version": "2.27.5",
        "rails": [{"rail": 0, "pci": "0000:1a:00.0"}, {"rail": 1, "pci": "0000:3b:00.0"}],
        "sockets": ["eth0"],
        "extra": {"NCCL_DEBUG": "WARN"},
    }
}
DESIRED = parse(SPEC)
PORTS = (RdmaPort("mlx5_10", "0000:1a:00.0"), RdmaPort("mlx5_2", "0000:3b:00.0"))


def test_a_job_and_a_node_get_the_same_variables_in_the_same_order() -> None:
    assert DESIRED.declaration is not None
    (step,) = plan(DESIRED, NcclFacts(ports=PORTS)).steps
    job = nccl_env(DESIRED.declaration, {"a": PORTS, "b": PORTS})
    assert list(job.items()) == list(parse_conf(step.after).items())
    assert job["NCCL_IB_HCA"] == "=mlx5_10:1,mlx5_2:1"


def test_the_torchrun_template_takes_them_as_they_are() -> None:
    assert DESIRED.declaration is not None
    made = nccl_env(DESIRED.declaration, {"a": PORTS})
    args = TorchrunJobArgs(
        "fsdp", "team", "q", "r/x:1", 2, 8, rdma_resource="rdma/a", rdma_count=2, nccl_env=made
    )  # without RDMA the template switches it off
    assert made.items() <= environment(args).items()


def test_a_node_without_a_rail_is_named_with_its_reason() -> None:
    assert DESIRED.declaration is not None
    with pytest.raises(RacewayError, match=r"b: rail 1: no RDMA device with the PCI address 0000:3b:00.0"):
        nccl_env(DESIRED.declaration, {"a": PORTS, "b": PORTS[:1]})


def test_nodes_whose_devices_have_other_names_cannot_share_an_environment() -> None:
    assert DESIRED.declaration is not None
    other = (RdmaPort("rocep26s0", "0000:1a:00.0"), PORTS[1])
    with pytest.raises(RacewayError, match=r"b: NCCL_IB_HCA is =rocep26s0:1,mlx5_2:1, on a it is =mlx5_10:1"):
        nccl_env(DESIRED.declaration, {"a": PORTS, "b": other})


def test_a_job_without_nodes_has_no_environment() -> None:
    assert DESIRED.declaration is not None
    assert nccl_env(DESIRED.declaration, {}) == {}
