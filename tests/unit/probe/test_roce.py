"""Finding ports by what cannot move, and reading them without taking silence for a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.host import Ledger
from raceway.model.qos import Qos
from raceway.model.roce import Port, RoceDesired
from raceway.probe.roce import interfaces, pci_function, probe, read_port

from ..fake_dcb import FakeDcb
from ..fake_mlnx_qos import FakeMlnxQos

MAC = "b8:3f:d2:00:00:01"
PCI = "0000:3b:00.0"


@pytest.fixture
def host(tmp_path: Path) -> FakeDcb:
    made = FakeDcb(tmp_path)
    made.add("ens1f0np0", PCI, MAC)
    return made


def test_a_port_is_found_by_pci_mac_and_the_guid_of_its_rdma_device(host: FakeDcb) -> None:
    (host.folder / "sys/devices" / PCI / "infiniband/mlx5_0").mkdir(parents=True)
    device = host.folder / "sys/class/infiniband/mlx5_0"
    device.mkdir(parents=True)
    (device / "node_guid").write_text("b83f:d203:0000:0001\n")
    wanted = {f"pci {PCI}", f"mac {MAC}", "guid b83f:d203:0000:0001"}
    assert interfaces(host) == dict.fromkeys(wanted, "ens1f0np0")


def test_a_virtio_port_is_found_by_the_pci_function_its_device_lies_on(host: FakeDcb) -> None:
    place = host.folder / "sys/devices/pci0000:00/0000:00:09.0/virtio3/net/eth7"
    place.mkdir(parents=True)
    (place / "device").symlink_to("../../../virtio3")
    for leaf, text in {"type": "1", "address": "52:54:00:00:00:09", "uevent": "INTERFACE=eth7"}.items():
        (place / leaf).write_text(f"{text}\n")
    (host.folder / "sys/class/net/eth7").symlink_to("../../devices/pci0000:00/0000:00:09.0/virtio3/net/eth7")
    found = interfaces(host)
    assert [label for label, name in found.items() if name == "eth7"] == ["mac 52:54:00:00:00:09", "pci 0000:00:09.0"]


def test_a_virtio_port_that_lies_on_no_pci_function_has_none_to_be_selected_by(host: FakeDcb) -> None:
    place = host.folder / "sys/devices/platform/a003e00.virtio_mmio/virtio0/net/eth8"
    place.mkdir(parents=True)
    (place / "device").symlink_to("../../../virtio0")
    (host.folder / "sys/class/net/eth8").symlink_to("../../devices/platform/a003e00.virtio_mmio/virtio0/net/eth8")
    assert pci_function(host, "eth8") == ""


def test_a_vlan_that_shares_its_port_s_address_is_no_port(host: FakeDcb) -> None:
    vlan = host.folder / "sys/class/net/a.100"  # sorts before the port
    vlan.mkdir()
    for leaf, text in {"type": "1", "address": MAC, "uevent": "DEVTYPE=vlan\nINTERFACE=a.100"}.items():
        (vlan / leaf).write_text(f"{text}\n")
    assert interfaces(host)[f"mac {MAC}"] == "ens1f0np0"


def test_an_address_that_two_ports_have_selects_neither(host: FakeDcb) -> None:
    host.add("ens2f0np0", "0000:5e:00.0", MAC)
    assert interfaces(host) == {f"pci {PCI}": "ens1f0np0", "pci 0000:5e:00.0": "ens2f0np0"}


def test_a_fresh_port_is_read_as_it_is(host: FakeDcb) -> None:
    found = read_port(host, "ens1f0np0", Qos())
    assert (found.driver, found.up, found.classes, found.mtu, found.max_mtu) == ("mlx5_core", True, 8, 1500, 9978)
    assert (found.dscp, found.pause, found.speed_mbps, found.buffer) == ((), (True, True), 400000, 262016)
    assert found.scheduling == ("vendor",) * 8 and found.problem == ""


def test_a_port_without_dcb_tells_the_tool_s_own_words(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    found = read_port(host, "ens1f0np0", Qos())
    assert "Operation not supported" in found.problem
    assert (found.pfc, found.dscp, found.buffer) == (None, None, None)


def test_a_port_that_only_the_vendor_s_tool_can_read_is_read_by_it(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcb"] = False
    host.mlnx["ens1f0np0"] = FakeMlnxQos()
    found = read_port(host, "ens1f0np0", Qos())
    assert (found.backend, found.problem, found.cable_m, found.dscp) == ("mlnx_qos", "", 7, ())
    assert found.scheduling == ("vendor",) * 8 and "Operation not supported" in found.chosen


def test_the_vendor_s_tool_is_not_started_for_a_port_that_netlink_reads(host: FakeDcb) -> None:
    host.mlnx["ens1f0np0"] = FakeMlnxQos()
    assert read_port(host, "ens1f0np0", Qos()).backend == "dcb"
    assert not [call for call in host.calls if call.startswith("mlnx_qos")]


def test_neighbours_are_asked_of_an_agent_that_runs_and_of_nobody_else(host: FakeDcb) -> None:
    desired = RoceDesired((Port("pci", PCI),))
    probe(host, desired, Ledger(host))
    assert "lldpctl -f json" not in host.calls
    (host.folder / "run").mkdir()
    (host.folder / "run/lldpd.socket").touch()
    host.lldp = '{"lldp": {"interface": {"ens1f0np0": {"chassis": {"leaf1": {}}, "port": {"mfs": "1518"}}}}}'
    facts = probe(host, desired, Ledger(host))
    (neighbour,) = facts.ports[f"pci {PCI}"].neighbours
    assert (neighbour.name, neighbour.max_frame, facts.unheard) == ("leaf1", 1518, "")
    host.lldp = ""
    assert probe(host, desired, Ledger(host)).unheard == "printed nothing"


def test_a_boot_looks_at_its_own_ports_alone(host: FakeDcb) -> None:
    host.add("ens2f0np0", "0000:5e:00.0", "b8:3f:d2:00:00:02")
    ledger = Ledger(host)
    ledger.remember("roce", "pci 0000:5e:00.0", {})
    facts = probe(host, RoceDesired((Port("pci", PCI),), boot=True), ledger)
    assert list(facts.ports) == [f"pci {PCI}"] and facts.owned == {}


@pytest.mark.parametrize("device", ["ens2f0np0", "mlx5_1"], ids=["interface", "RDMA device"])
def test_a_device_that_appears_asks_for_its_own_port(host: FakeDcb, device: str) -> None:
    other = Port("pci", "0000:5e:00.0", 1)
    host.add("ens2f0np0", other.value, "b8:3f:d2:00:00:02")
    host.add_rdma("ens2f0np0", "mlx5_1")
    desired = RoceDesired((Port("pci", PCI), other), boot=True, only=device)
    assert list(probe(host, desired, Ledger(host)).ports) == [other.label]


def test_firmware_that_speaks_dcbx_is_noticed(host: FakeDcb) -> None:
    host.ports["ens1f0np0"]["dcbx"] = ["lld_managed", "ieee"]
    assert read_port(host, "ens1f0np0", Qos()).firmware_dcbx


def test_a_port_that_is_not_there_is_told_with_those_that_are(host: FakeDcb) -> None:
    facts = probe(host, RoceDesired((Port("pci", "0000:99:00.0"),)), Ledger(host))
    assert facts.ports == {} and facts.present == (f"ens1f0np0 (mac {MAC}, pci {PCI})",)


def test_nothing_is_asked_where_nothing_is_declared(host: FakeDcb) -> None:
    probe(host, RoceDesired(), Ledger(host))
    assert host.calls == []
