"""The library's file: what is written is what the library reads, and the same for a node, a job and a reader."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.facts.nccl import NcclFacts, RdmaPort, parse_conf
from raceway.model.nccl import parse, parse_declaration
from raceway.plan.nccl import plan, text
from raceway.plan.nccl_environment import environment

PORTS = tuple(RdmaPort(f"mlx5_{n}", f"0000:{n:02x}:00.0") for n in range(12))
FULL = {
    "kind": "nvidia",
    "version": "2.27.5",
    "rails": [{"rail": n, "pci": f"0000:{n:02x}:00.0"} for n in (0, 1, 10, 2)],
    "sockets": ["eth0"],
    "cross_nic": "never",
    "qps_per_connection": 4,
    "adaptive_routing": True,
    "pxn": True,
    "net_plugin": "spcx",
    "topology_file": "/etc/topo.xml",
    "address_range": "10.0.0.0/8",
    "extra": {"NCCL_DEBUG": "WARN", "NCCL_ALGO": "^Tree"},
}


def test_what_is_written_is_what_the_library_reads() -> None:
    made = environment(parse_declaration(FULL), PORTS)
    assert parse_conf(text(made)) == made.values()
    assert list(made.values()) == [
        "NCCL_IB_HCA",
        "NCCL_SOCKET_IFNAME",
        "NCCL_IB_ADDR_FAMILY",
        "NCCL_IB_ROCE_VERSION_NUM",
        "NCCL_IB_ADDR_RANGE",
        "NCCL_IB_TC",
        "NCCL_IB_FIFO_TC",
        "NCCL_IB_QPS_PER_CONNECTION",
        "NCCL_IB_ADAPTIVE_ROUTING",
        "NCCL_CROSS_NIC",
        "NCCL_PXN_DISABLE",
        "NCCL_NET_PLUGIN",
        "NCCL_TOPO_FILE",
        "NCCL_ALGO",
        "NCCL_DEBUG",
    ]


def test_every_variable_has_its_reason_and_where_it_is_from() -> None:
    made = environment(parse_declaration(FULL), PORTS)
    assert all(one.why and one.source for one in made.variables)
    assert all(f"# {one.why} ({one.source})\n{one.name}={one.value}\n" in text(made) for one in made.variables)


def test_the_plan_of_a_written_file_is_empty() -> None:
    desired = parse({"declaration": FULL})
    first = plan(desired, NcclFacts(ports=PORTS, topology=True))
    (step,) = first.steps
    written = NcclFacts(PORTS, {"/etc/nccl.conf": step.after}, {"/etc/nccl.conf": {}}, topology=True)
    assert plan(desired, written).empty and not first.refusals


@pytest.mark.parametrize("wrong", [{"version": ""}, {"rails": [{"rail": 0, "pci": "0000:ff:00.0"}]}, {"kind": "tpu"}])
def test_a_refused_environment_is_none_at_all(wrong: dict[str, Any]) -> None:
    made = environment(parse_declaration({**FULL, **wrong}), PORTS)
    assert made.refusals and made.variables == ()
    assert not plan(parse({"declaration": {**FULL, **wrong}}), NcclFacts(PORTS, topology=True)).steps


def test_the_state_of_a_port_changes_no_variable() -> None:
    down = tuple(RdmaPort(port.device, port.pci, state="DOWN") for port in PORTS)
    up, other = (environment(parse_declaration(FULL), ports) for ports in (PORTS, down))
    assert up.variables == other.variables and len(other.notes) == len(up.notes) + 4


def test_a_list_longer_than_a_line_is_refused_and_not_cut() -> None:
    ports = tuple(RdmaPort("rocep" + "x" * 40 + str(n)) for n in range(30))
    made = environment(parse_declaration({"kind": "nvidia", "version": "2.27.5"}), ports)
    (refusal,) = made.refusals
    assert refusal.target == "NCCL_IB_HCA" and "the reader keeps 1023" in refusal.reason


def test_rdma_switched_off_for_every_job_is_told() -> None:
    made = environment(parse_declaration({**FULL, "extra": {"NCCL_IB_DISABLE": "1"}}), PORTS)
    assert any(note.target == "NCCL_IB_DISABLE" and "diagnosis" in note.reason for note in made.notes)


def test_huaweis_library_has_names_of_its_own_and_a_byte_without_ecn_bits() -> None:
    spec = {"kind": "ascend", "sockets": ["^virbr"], "qos": {"dscp": 24, "priority": 4}, "extra": {"HCCL_IF_IP": "::1"}}
    made = environment(parse_declaration(spec), PORTS)
    assert made.values() == {
        "HCCL_SOCKET_IFNAME": "^lo,docker,virbr",
        "HCCL_RDMA_TC": "96",
        "HCCL_RDMA_SL": "4",
        "HCCL_IF_IP": "::1",
    }


def test_amds_library_takes_the_variables_of_nvidias() -> None:
    ours, theirs = (environment(parse_declaration({**FULL, "kind": kind}), PORTS) for kind in ("nvidia", "amd"))
    assert ours == theirs


def test_tables_that_were_not_read_are_told_and_not_taken_for_right() -> None:
    made = environment(parse_declaration({**FULL, "gid_index": 3}), PORTS)
    assert made.values()["NCCL_IB_GID_INDEX"] == "3"
    assert sum("is not checked" in note.reason for note in made.notes) == 4
