"""The nccl role's variables: rules between them, and the declaration they make with the node's and the fabric's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.nccl import Declaration, Rail, parse
from raceway.model.qos import Qos
from raceway.roles import nccl, reads, seen

ROLES = Path(__file__).parents[3] / "roles"


def make_values(**changed: Any) -> dict[str, Any]:
    values = yaml.safe_load((ROLES / "nccl/defaults/main.yml").read_text(encoding="utf-8"))
    return {**values, "nccl_version": "2.27.5", **changed}


def make_declaration(**changed: Any) -> Declaration | None:
    return parse(nccl.desired(make_values(**changed), (), "vm")["nccl"]).declaration


def test_the_defaults_with_a_version_are_no_problem_and_make_the_models_defaults() -> None:
    assert nccl.rules(make_values()) == []
    assert make_declaration() == Declaration("none", "2.27.5", platform="vm")


def test_the_kind_is_the_nodes_and_the_numbers_are_the_fabrics() -> None:
    found = make_declaration(node_accelerator_kind="amd", roce_dscp=24, roce_ect="none", roce_priority=4)
    assert found == Declaration("amd", "2.27.5", qos=Qos(dscp=24, ect="none", priority=4), platform="vm")


def test_a_role_sees_the_variables_of_the_roles_it_reads_and_its_own_outrank_them() -> None:
    values = {"node": {"node_cpus": 8, "x": 1}, "nccl": {"x": 2}, "kernel": {"kernel_state": "present"}}
    assert reads("nccl") == ("node", "roce", "rdma") and reads("kernel") == ()
    assert seen("nccl", values) == {"node_cpus": 8, "x": 2}
    assert seen("kernel", values) is values["kernel"]


def test_words_become_what_the_model_has_for_them() -> None:
    changed = {"nccl_pxn": "disabled", "nccl_adaptive_routing": "enabled", "nccl_environment": {"NCCL_IB_TIMEOUT": 22}}
    found = make_declaration(nccl_rails=[{"rail": 0, "guid": "b83f:d203:0000:0001"}], **changed)
    assert found is not None
    assert (found.pxn, found.adaptive_routing, found.extra) == (False, True, {"NCCL_IB_TIMEOUT": "22"})
    assert found.rails == (Rail(0, "guid", "b83f:d203:0000:0001"),)


def test_an_absent_role_declares_nothing_and_has_no_problem() -> None:
    values = make_values(nccl_state="absent", nccl_version="", nccl_packages=[{"name": "rccl", "version": ""}])
    state = nccl.desired(values, (), "vm")
    assert (state["nccl"]["declaration"], state["nccl"]["packages"], state["package"]["packages"]) == (None, [], [])
    assert nccl.rules(values) == []


def test_packages_are_installed_by_name_and_their_versions_checked_by_the_noun() -> None:
    rows = [{"name": "libnccl2", "version": "2.27.5"}]
    state = nccl.desired(make_values(nccl_packages=rows), (), "vm")
    assert state["package"]["packages"] == [{"name": "libnccl2", "asked_by": ["nccl_packages"]}]
    assert state["nccl"]["packages"] == rows
    assert nccl.needs(make_values()) == []


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"nccl_version": ""}, '""'),
        ({"nccl_version": "latest"}, '"latest"'),
        ({"nccl_rails": [{"rail": 0}]}, "rail 0: none of them"),
        ({"nccl_rails": [{"rail": 0, "device": "a", "pci": "0000:00:00.0"}]}, "rail 0: pci and device"),
        ({"nccl_rails": [{"rail": 0, "pci": "1a:00.0"}]}, "rail 0: pci 1a:00.0"),
        ({"nccl_rails": [{"rail": 0, "guid": "0xb83fd20300000001"}]}, "rail 0: guid 0xb83fd20300000001"),
        ({"nccl_rails": [{"rail": 0, "device": "a"}, {"rail": 0, "device": "b"}]}, "rail 0 twice"),
        (
            {"nccl_rails": [{"rail": 0, "plane": 1, "device": "a"}, {"rail": 0, "plane": 1, "device": "b"}]},
            "rail 0 twice in plane 1",
        ),
        ({"nccl_rails": [{"rail": 0, "device": "a"}, {"rail": 1, "device": "a"}]}, "a port 1 twice"),
        ({"nccl_rails": [{"rail": n, "device": f"a{n}"} for n in range(33)]}, "33 rails"),
        (
            {"nccl_rails": [{"rail": 0, "device": "a", "gid_index": 3}, {"rail": 1, "device": "b"}]},
            "rail 0: 3, others choose",
        ),
        ({"nccl_qps_per_connection": 129}, "129"),
        ({"nccl_environment": {"NCCL_IB_DISABLE": True}}, "NCCL_IB_DISABLE: True"),
        ({"nccl_environment": {"NCCL_DEBUG": "WARN # x"}}, "a comment after a value"),
        ({"nccl_packages": [{"name": "libnccl2", "version": "2.26.2-1"}]}, "libnccl2 2.26.2-1, nccl_version is 2.27.5"),
    ],
)
def test_what_cannot_be_right_is_a_problem(changed: dict[str, Any], told: str) -> None:
    (problem,) = nccl.rules(make_values(**changed))
    assert told in problem.found and problem.allowed and problem.act
    assert problem.variable in changed


@pytest.mark.parametrize(
    "changed",
    [
        {"nccl_packages": [{"name": "libnccl2", "version": "2.27.5-1"}, {"name": "nccl-tests", "version": "2.17"}]},
        {"nccl_rails": [{"rail": 0, "device": "a", "gid_index": 3}, {"rail": 1, "device": "b", "gid_index": 3}]},
        {"nccl_rails": [{"rail": 0, "device": "a"}, {"rail": 1, "device": "a", "port": 2}]},
        {"nccl_rails": [{"rail": 0, "plane": 0, "device": "a"}, {"rail": 0, "plane": 1, "device": "b"}]},
    ],
)
def test_what_is_right_is_no_problem(changed: dict[str, Any]) -> None:
    assert nccl.rules(make_values(**changed)) == []


def test_devices_of_dpus_come_from_the_rdma_role_and_the_choice_of_failover_is_the_model_s() -> None:
    rows = [
        {"rail": 0, "pci": "0000:3B:00.0", "guid": "", "dpu_mode": "dpu"},
        {"rail": 1, "pci": "0000:5e:00.0", "guid": "", "dpu_mode": "nic"},
    ]
    found = make_declaration(rdma_devices=rows, nccl_port_failover="enabled", nccl_sharp_plugin="/opt/x.so")
    assert found is not None
    assert (found.dpu, found.port_failover, found.sharp_plugin) == (("0000:3b:00.0",), True, "/opt/x.so")
