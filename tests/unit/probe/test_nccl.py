"""What the nccl probe reads of a node, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.facts.gid import Gid
from raceway.host import Ledger, Result
from raceway.model.nccl import parse
from raceway.probe.nccl import indexes, probe, read_ports

from ..builders import FakeHost, make_tree

CLASS = "/sys/class/infiniband"
MAPPED = "0000:0000:0000:0000:0000:ffff:0a00:000{}"


def make_host(root: Path, more: dict[str, str] | None = None, programs: Any = None) -> FakeHost:
    files: dict[str, str] = {}
    for number in (0, 2, 10):
        device = f"{CLASS}/mlx5_{number}"
        files[f"{device}/device"] = f"-> ../../../0000:{number:02x}:00.0"
        files[f"{device}/node_guid"] = f"b83f:d203:0000:{number:04x}\n"
        files[f"{device}/ports/1/link_layer"] = "Ethernet\n"
        files[f"{device}/ports/1/state"] = "4: ACTIVE\n" if number else "1: DOWN\n"
    gids = f"{CLASS}/mlx5_2/ports/1"
    for index in (3, 40):
        files[f"{gids}/gids/{index}"] = MAPPED.format(index % 10) + "\n"
        files[f"{gids}/gid_attrs/types/{index}"] = "RoCE v2\n"
    files[f"{gids}/gids/5"] = MAPPED.format(5)  # its kind cannot be read
    return FakeHost(make_tree(root, {**files, **(more or {})}), programs)


def make_desired(**declaration: Any) -> Any:
    return parse({"declaration": {"kind": "nvidia", **declaration}})


def test_ports_come_in_natural_order_with_address_guid_and_state(tmp_path: Path) -> None:
    ports = read_ports(make_host(tmp_path))
    assert [(port.label, port.pci, port.state) for port in ports] == [
        ("mlx5_0:1", "0000:00:00.0", "DOWN"),
        ("mlx5_2:1", "0000:02:00.0", "ACTIVE"),
        ("mlx5_10:1", "0000:0a:00.0", "ACTIVE"),
    ]
    assert ports[2].guid == "b83f:d203:0000:000a" and ports[0].gids == ()


def test_the_first_entries_of_a_table_are_read_and_a_pinned_one_wherever_it_stands(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    assert [gid.index for gid in read_ports(host)[1].gids or ()] == [3]
    pinned = indexes(make_desired(gid_index=40, rails=[{"rail": 0, "device": "a", "gid_index": 7}]).declaration)
    assert pinned == (7, 40)
    assert read_ports(host, pinned)[1].gids == (Gid(3, MAPPED.format(3), "v2"), Gid(40, MAPPED.format(0), "v2"))


def test_an_infiniband_port_has_no_table_worth_reading(tmp_path: Path) -> None:
    port = f"{CLASS}/mlx5_0/ports/1"
    make_tree(tmp_path, {f"{port}/link_layer": "InfiniBand\n", f"{port}/state": "2: INIT\n"})
    (found,) = read_ports(FakeHost(tmp_path))
    assert (found.link_layer, found.state, found.gids, found.pci) == ("InfiniBand", "INIT", None, "")


def test_a_node_without_rdma_has_no_ports(tmp_path: Path) -> None:
    assert read_ports(FakeHost(tmp_path)) == ()


def test_nothing_is_read_where_nothing_is_declared_and_nothing_is_ours(tmp_path: Path) -> None:
    host = make_host(tmp_path, {"/etc/nccl.conf": "NCCL_DEBUG=INFO\n"})
    facts = probe(host, parse({}), Ledger(host))
    assert (facts.ports, facts.files, host.calls) == ((), {}, [])


def test_files_that_count_and_the_topology_file_are_looked_at(tmp_path: Path) -> None:
    files = {"/etc/nccl.conf": "A=1\n", "/root/.nccl.conf": "B=2\n", "/etc/topo.xml": "<x/>"}
    host = make_host(tmp_path, files)
    facts = probe(host, make_desired(topology_file="/etc/topo.xml"), Ledger(host))
    assert facts.files == {"/etc/nccl.conf": "A=1\n", "/root/.nccl.conf": "B=2\n"} and facts.topology
    assert not probe(host, make_desired(topology_file="/etc/other.xml"), Ledger(host)).topology


def test_a_file_of_ours_is_known_after_its_declaration_went(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    Ledger(host).remember("dropin", "/etc/nccl.conf", {"content": None})
    Ledger(host).remember("dropin", "/etc/other.conf", {"content": None})
    assert list(probe(host, parse({}), Ledger(host)).owned) == ["/etc/nccl.conf"]


def test_versions_are_asked_for_pins_alone(tmp_path: Path) -> None:
    spec = {"packages": [{"name": "libnccl2", "version": "2.27.5"}, {"name": "any"}], "declaration": {"kind": "nvidia"}}
    status = "Package: libnccl2\nStatus: install ok installed\nVersion: 2.27.5-1\n"
    host = make_host(tmp_path / "apt", {"/var/lib/dpkg/status": status})
    facts = probe(host, parse(spec), Ledger(host))
    assert (facts.manager, facts.versions, host.calls) == ("apt", {"libnccl2": "2.27.5-1"}, [])
    rpm = make_host(tmp_path / "rpm", {"/usr/bin/dnf": ""}, {"rpm": Result(0, "libnccl2 2.26.2-1\n", "")})
    assert probe(rpm, parse(spec), Ledger(rpm)).versions == {"libnccl2": "2.26.2-1"}
    assert rpm.calls == ["rpm -q --qf %{NAME} %{VERSION}-%{RELEASE}\\n libnccl2"]
    bare = make_host(tmp_path / "bare")
    assert probe(bare, parse(spec), Ledger(bare)).versions == {}


def test_sharp_s_plugin_and_a_subnet_manager_are_looked_for_only_where_sharp_is_declared(tmp_path: Path) -> None:
    plugin = "/opt/hpcx-v2.22/nccl_rdma_sharp_plugin/lib/libnccl-net.so"
    programs = {"systemctl is-active opensm.service": "active\n"}
    host = make_host(tmp_path, {plugin: "", "/srv/libnccl-net-own.so": ""}, programs)
    facts = probe(host, make_desired(sharp=True, sharp_plugin="/srv/libnccl-net-own.so"), Ledger(host))
    assert facts.sharp_plugins == (plugin, "/srv/libnccl-net-own.so") and facts.opensm
    host.calls.clear()
    facts = probe(host, make_desired(), Ledger(host))
    assert facts.sharp_plugins == () and not facts.opensm and host.calls == []
