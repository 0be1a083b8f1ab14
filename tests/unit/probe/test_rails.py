"""Reading what the node's interfaces, routes and rules are, and who owns them, without taking silence for a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.facts.rails import RailsFacts
from raceway.facts.rails_owner import Owner
from raceway.host import Ledger, Result
from raceway.model.rails import Bond, Port, Rail, RailsDesired
from raceway.probe.rails import labels, probe

from ..fake_rails import FakeRails

ONE, TWO = Port("pci", "0000:3b:00.0"), Port("mac", "b8:3f:d2:00:00:02")
DESIRED = RailsDesired((Rail(0, (ONE,)), Rail(1, (TWO,))), sysctls={"arp_ignore": 1})


@pytest.fixture
def host(tmp_path: Path) -> FakeRails:
    made = FakeRails(tmp_path)
    made.add("ens1f0np0", "0000:3b:00.0", "b8:3f:d2:00:00:01", "10.1.0.11/24", functions=4)
    made.add("ens1f1np1", "0000:3b:00.1", "b8:3f:d2:00:00:02")
    return made


def read(host: FakeRails, desired: RailsDesired = DESIRED) -> RailsFacts:
    return probe(host, desired, Ledger(host))


def test_ports_are_found_with_their_hardware_settings_and_what_they_carry(host: FakeRails) -> None:
    found = read(host)
    assert dict(found.ports) == {ONE.label: "ens1f0np0", TWO.label: "ens1f1np1"}
    assert found.hardware["ens1f0np0"].functions == 4 and found.hardware["ens1f0np0"].card == "0000:3b:00"
    assert found.sysctls["ens1f1np1"]["arp_ignore"] == 0 and found.sysctls["all"]["arp_ignore"] == 0
    assert found.carried == {"mgmt0": ("the default route",)} and found.networkd and found.problem == ""
    assert found.holders()["10.1.0.11"] == "ens1f0np0"


def test_a_member_of_a_bond_is_known_by_the_address_it_had(host: FakeRails) -> None:
    host.make_bond("pair0", {"mode": "active-backup"})
    host.run(["ip", "link", "set", "dev", "ens1f1np1", "down"])
    host.run(["ip", "link", "set", "dev", "ens1f1np1", "master", "pair0"])
    for name in ("ens1f1np1", "pair0"):
        (host.folder / f"sys/class/net/{name}/address").write_text("b8:3f:d2:00:00:01\n")
    found = labels(host)
    assert found[TWO.label] == "ens1f1np1" and "mac b8:3f:d2:00:00:01" not in found


def test_a_virtio_port_is_known_by_the_function_its_device_lies_on(host: FakeRails) -> None:
    place = host.folder / "sys/devices/pci0000:00/0000:00:09.0/virtio3/net/eth7"
    place.mkdir(parents=True)
    (place / "device").symlink_to("../../../virtio3")
    for leaf, text in {"type": "1", "address": "52:54:00:00:00:09", "uevent": "INTERFACE=eth7"}.items():
        (place / leaf).write_text(f"{text}\n")
    (host.folder / "sys/class/net/eth7").symlink_to("../../devices/pci0000:00/0000:00:09.0/virtio3/net/eth7")
    assert labels(host)["pci 0000:00:09.0"] == "eth7"


def test_a_bond_of_that_name_is_looked_at_whoever_made_it(host: FakeRails) -> None:
    host.make_bond("pair0", {"mode": "active-backup"})
    found = read(host, RailsDesired((Rail(0, (ONE, TWO), bond=Bond("pair0")),)))
    assert found.links["pair0"].kind == "bond" and found.owned_bonds == ()


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"run/NetworkManager/devices/3": "[device]\nmanaged=true\n"}, Owner("NetworkManager")),
        (
            {"etc/network/interfaces.d/fabric": "iface ens1f0np0 inet static\n"},
            Owner("ifupdown", "/etc/network/interfaces.d/fabric"),
        ),
        (
            {
                "run/systemd/netif/links/3": "ADMIN_STATE=configured\nNETWORK_FILE=/etc/systemd/network/a.network\n",
                "etc/systemd/network/a.network": "[Match]\nName=en*\n",
            },
            Owner("systemd-networkd", "/etc/systemd/network/a.network", "configured", True),
        ),
        ({"run/systemd/netif/links/3": "ADMIN_STATE=unmanaged\n"}, Owner(state="unmanaged")),
        ({}, Owner()),
    ],
    ids=["NetworkManager", "ifupdown", "networkd", "unmanaged", "nobody"],
)
def test_the_owner_of_a_port_is_who_says_so(host: FakeRails, files: dict[str, str], wanted: Owner) -> None:
    for path, text in files.items():
        (host.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (host.folder / path).write_text(text)
    assert read(host).owners["ens1f0np0"] == wanted


@pytest.mark.parametrize("silent", ["addr", "route", "rule"])
def test_a_tool_that_does_not_answer_is_a_problem_and_never_an_empty_node(
    host: FakeRails, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = host.run

    def run(argv: list[str], timeout: float = 60.0, stdin: str = "") -> Result:
        return Result(1, "", "Cannot talk to rtnetlink") if silent in argv else answer(argv, timeout, stdin)

    monkeypatch.setattr(host, "run", run)
    assert "Cannot talk to rtnetlink" in read(host).problem


def test_nothing_declared_and_nothing_set_up_starts_no_program(host: FakeRails) -> None:
    assert read(host, RailsDesired()) == RailsFacts() and host.calls == []
    assert read(host, RailsDesired(DESIRED.rails, platform="container")) == RailsFacts() and host.calls == []


def test_files_of_rails_are_found_and_others_are_not(host: FakeRails) -> None:
    folder = host.folder / "etc/systemd/network"
    folder.mkdir(parents=True)
    (folder / "05-raceway-rail0.network").write_text("[Network]\nAddress=10.1.0.9/24\n")
    (folder / "10-mgmt.network").write_text("[Match]\nName=mgmt0\n")
    found = read(host, RailsDesired())
    assert list(found.files) == ["/etc/systemd/network/05-raceway-rail0.network"]
