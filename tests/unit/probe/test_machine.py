"""Sizes of recorded machines."""

from __future__ import annotations

import sys
from pathlib import Path

from raceway.host import Host, Ledger
from raceway.model.machine import parse
from raceway.probe.machine import probe

from ..builders import make_tree, recorded_host

ALL = parse({"cpus": 1, "memory_gib": 1, "accelerator_kind": "nvidia", "accelerator_count": 1, "rdma_ports": 1})


def test_a_gpu_node_is_counted_from_sysfs_alone() -> None:
    host = recorded_host("h100-node")
    facts = probe(host, ALL, Ledger(host))
    assert (facts.cpus, facts.memory_kib, facts.accelerators) == (224, 2113404140, {"nvidia": 8})
    assert len(facts.rdma_ports) == 8 and facts.rdma_ports[0] == "mlx5_0/1"
    assert facts.python == sys.version_info[:3] and host.calls == []


def test_a_virtual_function_is_not_a_second_card(tmp_path: Path) -> None:
    card = {"vendor": "0x10de\n", "class": "0x030200\n"}
    files = {f"/sys/bus/pci/devices/{n}/{name}": text for n in ("a", "b") for name, text in card.items()}
    host = Host(str(make_tree(tmp_path, {**files, "/sys/bus/pci/devices/b/physfn": "-> ../a"})))
    assert probe(host, ALL, Ledger(host)).accelerators == {"nvidia": 1}


def test_what_is_not_declared_is_not_looked_for() -> None:
    host = recorded_host("h100-node")
    facts = probe(host, parse({}), Ledger(host))
    assert (facts.accelerators, facts.rdma_ports) == ({}, ())
