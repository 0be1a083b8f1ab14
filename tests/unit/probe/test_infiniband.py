"""What the InfiniBand probe reads of a tree."""

from __future__ import annotations

from pathlib import Path

from raceway.probe.infiniband import probe, read_tree

from ..builders import FakeHost, make_tree, recorded_host

CLASS = "/sys/class/infiniband"
PORT = f"{CLASS}/mlx5_0/ports/1"
ZERO = "0000:0000:0000:0000:0000:0000:0000:0000\n"
FILES = {
    f"{CLASS}/mlx5_0/node_guid": "946d:ae03:0073:1800\n",
    f"{CLASS}/mlx5_0/device": "->../../../devices/pci0000:5d/0000:5e:00.0",
    "/sys/devices/pci0000:5d/0000:5e:00.0/numa_node": "0\n",
    "/sys/devices/pci0000:5d/0000:5e:00.0/net/ens1f0np0/mtu": "9000\n",
    f"{PORT}/link_layer": "Ethernet\n",
    f"{PORT}/state": "4: ACTIVE\n",
    f"{PORT}/phys_state": "5: LinkUp\n",
    f"{PORT}/rate": "400 Gb/sec (4X NDR)\n",
    f"{PORT}/gids/0": "fe80:0000:0000:0000:966d:aeff:fe73:1800\n",
    f"{PORT}/gids/3": "0000:0000:0000:0000:0000:ffff:c0a8:0101\n",
    f"{PORT}/gids/4": ZERO,
    f"{PORT}/gid_attrs/types/0": "RoCE v2\n",
    f"{PORT}/gid_attrs/types/3": "RoCE v2\n",
    f"{PORT}/gid_attrs/ndevs/0": "ens1f0np0\n",
    f"{PORT}/gid_attrs/ndevs/3": "ens1f0np0\n",
    f"{PORT}/gid_attrs/types/4": "never to be read\n",
    f"{PORT}/counters/port_xmit_data": "17\n",
    f"{PORT}/hw_counters/out_of_sequence": "N/A (no PMA)\n",
}


def make_host(folder: Path, **less: str) -> FakeHost:
    return FakeHost(make_tree(folder, FILES | less))


def test_a_roce_port_is_read_with_its_card_interface_and_best_gid(tmp_path: Path) -> None:
    facts = probe(make_host(tmp_path))
    (device,) = facts.devices
    assert (device.node_guid, device.pci, device.numa_node) == ("946dae0300731800", "0000:5e:00.0", 0)
    assert device.netdevs == ("ens1f0np0",) and not device.virtual_function and not facts.problem
    port = device.ports[0]
    assert port.up and (port.rate_gbps, port.netdev) == (400, "ens1f0np0")
    assert port.best_gid and port.best_gid.index == 3 and len(port.gids) == 2


def test_counters_are_read_only_where_asked_for_and_one_without_a_number_is_none(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    assert probe(host).ports[0].counters == {}
    assert probe(host, counters=True).ports[0].counters == {"out_of_sequence": None, "port_xmit_data": 17}


def test_attributes_of_unused_gids_are_not_read(tmp_path: Path) -> None:
    assert not [path for path in read_tree(make_host(tmp_path)) if path.endswith("/4")]


def test_a_virtual_function_is_told_and_a_software_device_has_no_card(tmp_path: Path) -> None:
    facts = probe(
        make_host(
            tmp_path,
            **{
                "/sys/devices/pci0000:5d/0000:5e:00.0/physfn": "->../0000:5e:00.1",
                f"{CLASS}/rxe0/ports/1/state": "4: ACTIVE\n",
            },
        )
    )
    assert [(device.name, device.pci, device.virtual_function) for device in facts.devices] == [
        ("mlx5_0", "0000:5e:00.0", True),
        ("rxe0", "", False),
    ]


def test_a_machine_without_rdma_has_no_device_and_one_without_sysfs_is_not_known(tmp_path: Path) -> None:
    none = probe(FakeHost(make_tree(tmp_path / "none", {"/sys/class/net/lo/mtu": "65536\n"})))
    assert none.devices == () and not none.problem
    blind = probe(FakeHost(make_tree(tmp_path / "blind", {"/etc/hostname": "n\n"})))
    assert blind.devices == () and "/sys is not mounted" in blind.problem


def test_the_ports_of_a_recorded_machine_are_found() -> None:
    host = recorded_host("h100-node")
    assert [port.name for port in probe(host).ports] == [
        f"{name}/1" for name in sorted(host.listdir(CLASS), key=lambda name: int(name.rsplit("_", 1)[1]))
    ]
