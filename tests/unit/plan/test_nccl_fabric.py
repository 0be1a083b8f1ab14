"""Adaptive routing, SHARP, port failover and DPUs: what they set, and what does not fit the ports or one another."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.facts.nccl import INFINIBAND, NcclFacts, RdmaPort
from raceway.model.nccl import NcclDesired, parse_declaration
from raceway.plan.nccl import plan
from raceway.plan.nccl_environment import Environment, environment

ROCE = (RdmaPort("mlx5_0", "0000:3b:00.0"), RdmaPort("mlx5_1", "0000:3b:00.1"), RdmaPort("mlx5_2", "0000:5e:00.0"))
IB = tuple(RdmaPort(one.device, one.pci, link_layer=INFINIBAND) for one in ROCE)
PLUGIN = "/opt/hpcx/nccl_rdma_sharp_plugin/lib/libnccl-net.so"


def make(ports: tuple[RdmaPort, ...] = ROCE, rails: tuple[int, ...] = (0, 1, 2), **given: Any) -> Environment:
    rows = [{"rail": number, "device": f"mlx5_{number}"} for number in rails]
    return environment(parse_declaration({"kind": "nvidia", "version": "2.30.7", "rails": rows, **given}), ports)


def targets(rows: tuple[Any, ...]) -> list[str]:
    return [row.target for row in rows]


def test_nothing_declared_sets_none_of_it() -> None:
    names = set(make().values()) | set(make(IB).values())
    assert not names & {"NCCL_IB_ADAPTIVE_ROUTING", "NCCL_COLLNET_ENABLE", "NCCL_IB_RESILIENCY_PORT_FAILOVER"}


@pytest.mark.parametrize(("declared", "value"), [(True, "1"), (False, "0")])
def test_a_port_s_failover_and_recovery_are_set_together(declared: bool, value: str) -> None:
    made = make(port_failover=declared).values()
    assert made["NCCL_IB_RESILIENCY_PORT_FAILOVER"] == made["NCCL_IB_RESILIENCY_PORT_RECOVERY"] == value


def test_failover_needs_a_library_that_has_it_and_another_port_of_the_card() -> None:
    old = make(port_failover=True, version="2.27.5")
    assert targets(old.refusals) == ["port_failover"] and "2.30" in old.refusals[0].act and old.values() == {}
    lonely = make(port_failover=True, rails=(0, 2))
    assert "port_failover" in targets(lonely.notes) and not lonely.refusals
    assert "port_failover" not in targets(make(port_failover=True).notes)


def test_adaptive_routing_on_ethernet_is_a_doubt_without_spectrum_x_and_needed_with_it() -> None:
    assert "adaptive_routing" in targets(make(adaptive_routing=True).notes)
    assert "adaptive_routing" not in targets(make(adaptive_routing=True, net_plugin="spcx").notes)
    assert "adaptive_routing" not in targets(make(IB, adaptive_routing=True).notes)
    assert targets(make(adaptive_routing=False, net_plugin="spcx").refusals) == ["adaptive_routing"]


@pytest.mark.parametrize("name", ["NCCL_SHARP_DISABLE", "NCCL_IBEXT_DISABLE"])
def test_what_switches_sharp_s_plugin_off_contradicts_it(name: str) -> None:
    assert targets(make(IB, sharp=True, extra={name: "1"}).refusals) == [name]
    assert not make(IB, sharp=True, extra={name: "0"}).refusals and not make(IB, extra={name: "1"}).refusals


def test_a_plugin_without_sharp_and_a_relative_path_are_refused() -> None:
    assert targets(make(IB, sharp_plugin=PLUGIN).refusals) == ["sharp_plugin"]
    assert "is relative" in make(IB, sharp=True, sharp_plugin="lib/x.so").refusals[0].reason


def node(declared: dict[str, Any], **facts: Any) -> Any:
    given = {"kind": "nvidia", "version": "2.30.7", "rails": [{"rail": 0, "device": "mlx5_0"}], **declared}
    return plan(NcclDesired(parse_declaration(given)), NcclFacts(ports=IB, **facts))


def test_a_declared_plugin_that_is_not_on_the_node_is_refused_with_those_that_are() -> None:
    made = node({"sharp": True, "sharp_plugin": PLUGIN}, sharp_plugins=("/usr/lib/libnccl-net.so",))
    assert targets(made.refusals) == ["sharp_plugin"] and not made.steps
    assert made.refusals[0].reason == f"{PLUGIN} is not there; found: /usr/lib/libnccl-net.so"
    assert not node({"sharp": True, "sharp_plugin": PLUGIN}, sharp_plugins=(PLUGIN,)).refusals


def test_without_a_declared_plugin_its_absence_is_a_warning_since_jobs_may_bring_it() -> None:
    (told,) = [row.reason for row in node({"sharp": True}).noops if row.target == "sharp"]
    assert told.startswith("warning: no plugin on the node")
    (told,) = [row.reason for row in node({"sharp": True}, sharp_plugins=(PLUGIN,)).noops if row.target == "sharp"]
    assert told == f"{PLUGIN} is there"


def test_the_port_of_a_subnet_manager_joins_no_tree() -> None:
    assert targets(node({"sharp": True}, opensm=True).refusals) == ["sharp"]
    assert not node({}, opensm=True).refusals


def test_a_dpu_s_own_switch_is_told_where_traffic_classes_count_on_the_host() -> None:
    (told,) = [row.reason for row in make(dpu=["0000:3b:00.0"]).notes if row.target == "dpu_mode"]
    assert told.startswith("warning: mlx5_0: in DPU mode")
    assert "dpu_mode" not in targets(make(IB, dpu=["0000:3b:00.0"]).notes)
    assert "dpu_mode" not in targets(make(dpu=["0000:99:00.0"]).notes)
