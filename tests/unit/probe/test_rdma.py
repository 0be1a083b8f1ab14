"""Reading the RDMA side: devices by what cannot move, and nothing asked that is not declared."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.host import Ledger
from raceway.model.rdma import RdmaDesired, parse
from raceway.probe.rdma import probe
from raceway.probe.rdma_carrier import probe as probe_carriers

from ..fake_rdma import FakeRdma

PCI, GUID = "0000:3b:00.0", "b83f:d203:0000:0001"


@pytest.fixture
def host(tmp_path: Path) -> FakeRdma:
    made = FakeRdma(tmp_path)
    made.add_card("mlx5_0", PCI, GUID, "ens1f0np0", above="0000:00:01.1")
    made.add_card("mlx5_1", "0000:3b:00.1", "b83f:d203:0000:0002", "ens1f1np1", above="0000:00:01.1")
    made.firmware = {PCI: {"LINK_TYPE_P1": [2, 2]}}
    return made


def test_an_empty_declaration_runs_no_tool(host: FakeRdma) -> None:
    assert probe(host, RdmaDesired(), Ledger(host)).devices == {} and host.calls == []


@pytest.mark.parametrize("row", [{"pci": PCI.upper()}, {"guid": GUID}], ids=["pci", "guid"])
def test_a_renamed_device_is_the_same_device(host: FakeRdma, row: dict[str, str]) -> None:
    desired = parse({"devices": [row]})
    before = probe(host, desired, Ledger(host)).devices
    host.run(["rdma", "dev", "set", "mlx5_0", "name", "rail0"])
    after = probe(host, desired, Ledger(host)).devices
    assert list(before) == list(after) and [one.name for one in after.values()] == ["rail0"]


def test_a_card_has_the_interfaces_of_all_its_functions(host: FakeRdma) -> None:
    facts = probe(host, parse({"devices": [{"pci": PCI}]}), Ledger(host))
    assert facts.devices[f"pci {PCI}"].netdevs == ("ens1f0np0", "ens1f1np1")
    assert len(facts.present) == 2 and host.calls == []


def test_firmware_is_asked_of_the_cards_that_declare_it(host: FakeRdma) -> None:
    rows = [{"pci": PCI, "link_type": "ethernet"}, {"rail": 1, "pci": "0000:3b:00.1"}]
    facts = probe(host, parse({"devices": rows}), Ledger(host))
    assert [line for line in host.calls if line.startswith("mlxconfig")] == [f"mlxconfig -d {PCI} -e q"]
    card = facts.devices[f"pci {PCI}"].firmware
    assert card is not None and card.settings[0].number == 2


def test_a_missing_tool_is_a_problem_and_no_empty_card(host: FakeRdma) -> None:
    del host.tools["mlxconfig"]
    found = probe(host, parse({"devices": [{"pci": PCI, "link_type": "ethernet"}]}), Ledger(host)).devices
    assert found[f"pci {PCI}"].firmware is None and "mstconfig" in found[f"pci {PCI}"].firmware_problem


def test_other_network_namespaces_are_found_by_their_holders(host: FakeRdma) -> None:
    for pid, namespace, name in ((1, 100, "systemd"), (7, 100, "sshd"), (8, 200, "pause"), (9, 200, "nginx")):
        host.link(f"/proc/{pid}/ns/net", f"net:[{namespace}]")
        host.put(f"/proc/{pid}/comm", name)
    host.put("/run/netns/rail0", "")
    facts = probe(host, parse({"netns": "exclusive"}), Ledger(host))
    assert facts.namespaces == ("pause (pid 8)", "ip netns rail0") and facts.netns == "shared"


def test_a_child_of_an_ipoib_interface_that_carries_a_session_lays_it_on_its_parent(host: FakeRdma) -> None:
    host.addresses = [{"ifname": "ib0.8001", "addr_info": [{"local": "10.0.0.11"}]}]
    host.sessions = "0 0 10.0.0.11:22 10.0.0.9:51234\n"
    host.put("/sys/class/net/ib0.8001/parent", "ib0")
    assert probe_carriers(host)[0]["ib0"] == ("the ssh connection from 10.0.0.9 (through ib0.8001)",)


def test_a_node_without_ss_does_not_know_what_carries_its_session(host: FakeRdma) -> None:
    del host.tools["ss"]
    found, problem = probe_carriers(host)
    assert found == {} and "ss: not found" in problem


def test_bridges_are_asked_for_only_where_an_accelerator_is(host: FakeRdma) -> None:
    probe(host, parse({"acs": "check", "devices": [{"pci": PCI}]}), Ledger(host))
    assert host.calls == []
    host.add_gpu("0000:3c:00.0", above="0000:00:01.1")
    host.bridges["0000:00:01.1"] = {"SrcValid"}
    facts = probe(host, parse({"acs": "check", "devices": [{"pci": PCI}]}), Ledger(host))
    assert facts.bus.functions["0000:00:01.1"].acs == "source" and facts.bus.accelerators == ("0000:3c:00.0",)
