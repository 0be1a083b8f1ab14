"""Role rails on real interfaces: two rails in one subnet, kept over reboot and driver reload, drift seen red, a bond
that goes on when a cable is pulled under traffic, everything given back.

All data NICs of both machines hang on one switch, which is the hard case: without the ARP rules each port answers for
the other's address. It cannot see LACP (the lab's switch does not speak it) or a RoCE LAG (there is no such card). The
second machine is set up by plain ip, and what the first one has is read with ip over plain ssh.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from .conftest import Run, Vms, raceway

pytestmark = pytest.mark.vm
MANAGED_PCI = "0000:00:03.0"
PEER, OWN = "10.201.0.2", ("10.201.0.1", "10.201.0.11")
LONGEST_GAP_S = 2.0  # miimon looks every 100 ms, the switch learns with the first frame; emulation costs the rest
PING_S = 0.05
SETTINGS = ("arp_ignore", "arp_announce", "arp_filter", "rp_filter")
NO_DCB = "modprobe -r dcbtest; udevadm settle"
FILES = "find /etc -xdev -name '*raceway-rail*' | sort"
RELOAD = """
driver=$(basename $(readlink /sys/class/net/data0/device/driver))
modprobe -r $driver; test ! -e /sys/class/net/data0; modprobe $driver; udevadm settle
"""
FOREIGN = """
ip rule del from 10.201.0.1 lookup 1000
ip addr del 10.201.0.11/24 dev data1
sysctl -qw net.ipv4.conf.data0.arp_ignore=0
rm /etc/systemd/network/05-raceway-rail1.network
"""


@dataclass
class Rails:
    """The first VM as this file sees it, with the places of its two data NICs."""

    vms: Vms
    pci: tuple[str, str]

    def run(self, book: str, *words: str, **changed: Any) -> Run:
        """Run a playbook with two rails, or with what is given instead."""
        ports = [{"rail": rail, "pci": pci, "addresses": [self.address(rail)]} for rail, pci in enumerate(self.pci)]
        values = {"raceway_roles": ["node", "rails"], "rails_ports": ports, "rails_allow_disruptive": True}
        return self.vms.playbook(book, self.vms.first, {**values, **changed}, *words)

    def address(self, rail: int) -> str:
        """Return what is declared for a rail: extra variables are every host's, and no two may have one address."""
        return f"{{{{ '{OWN[rail]}' if inventory_hostname == '{self.vms.first}' else '10.209.0.{rail + 1}' }}}}/24"

    def part(self, run: Run) -> dict[str, Any]:
        """Return the first node's part of a report."""
        found: dict[str, Any] = run.nodes[self.vms.first]
        return found

    def read(self, script: str) -> str:
        """Run a script on the first node; return what it printed."""
        return self.vms.read(self.vms.first, script)

    def shown(self) -> dict[str, Any]:
        """Return what the kernel has: addresses, rules, own tables, settings, and files of rails."""
        keys = [f"net.ipv4.conf.data{number}.{key}" for number in (0, 1) for key in SETTINGS]
        # One call: a login takes an emulated machine longer than everything that is asked here.
        script = ("ip -j addr show", "ip -j rule show", f"sysctl -n {' '.join(keys)}", FILES)
        texts = self.read("; echo ---; ".join(script)).split("---\n")
        links, rules = json.loads(texts[0]), json.loads(texts[1])
        return {
            "addresses": {
                link["ifname"]: sorted(one["local"] for one in link["addr_info"] if one["scope"] == "global")
                for link in links
                if link["ifname"].startswith(("data", "pair"))
            },
            "up": sorted(link["ifname"] for link in links if "UP" in link["flags"] and link["ifname"] != "lo"),
            "rules": sorted((row["src"], row["table"]) for row in rules if row["src"] != "all"),
            "settings": texts[2].split(),
            "files": texts[3].split(),
        }

    def leaves_by(self, source: str) -> str:
        """Return the interface that a packet of this source takes to the second machine."""
        (row,) = json.loads(self.read(f"ip -j route get {PEER} from {source}"))
        return str(row["dev"])


def bond(rails: Rails) -> dict[str, Any]:
    """Both NICs as one rail; they are on different cards, so no RDMA device is to come of it."""
    members = [{"pci": pci} for pci in rails.pci]
    row = {"name": "pair0", "rail": 0, "mode": "active-backup", "members": members, "roce_lag": False}
    return {"rails_ports": [], "rails_bonds": [{**row, "addresses": [rails.address(0)]}]}


def right(shown: dict[str, Any]) -> bool:
    """Whether two rails are as declared, by the kernel's own words."""
    return (
        shown["addresses"] == {"data0": [OWN[0]], "data1": [OWN[1]]}
        and shown["rules"] == [(OWN[0], "1000"), (OWN[1], "1001")]
        and shown["settings"] == ["1", "2", "0", "2"] * 2
        and {"data0", "data1"} <= set(shown["up"])
    )


def becomes_right(rails: Rails, seconds: float = 30) -> None:
    """Without any playbook the rails must become as declared."""
    until, seen = time.monotonic() + seconds, rails.shown()
    while not right(seen) and time.monotonic() < until:
        seen = rails.shown()
    assert right(seen), seen
    assert [rails.leaves_by(source) for source in OWN] == ["data0", "data1"]


@pytest.fixture(scope="module")
def rails(vms: Vms) -> Iterator[Rails]:
    # The test module takes whatever comes in by the port it lies over; here the ports themselves are to talk.
    for node in (vms.first, vms.second):
        vms.read(node, NO_DCB)
    vms.read(vms.second, f"ip link set data0 up; ip addr add {PEER}/24 dev data0")
    pci = [vms.read(vms.first, f"basename $(readlink /sys/class/net/data{n}/device)").strip() for n in (0, 1)]
    yield Rails(vms, (pci[0], pci[1]))
    vms.read(vms.second, f"ip addr del {PEER}/24 dev data0; ip link set data0 down")
    for node in (vms.first, vms.second):
        vms.read(node, "modprobe dcbtest; udevadm settle")


@pytest.fixture(scope="module")
def found(rails: Rails) -> dict[str, Any]:
    """What the node had before anything was done to it."""
    return rails.shown()


def test_two_rails_are_set_up_as_check_mode_said_and_a_second_run_changes_nothing(
    rails: Rails, found: dict[str, Any]
) -> None:
    checked = rails.run("site.yml", "--check", "--diff")
    assert checked.rc == 0 and rails.shown() == found
    first = rails.run("site.yml")
    assert first.rc == 0 and rails.part(first)["applied"] == rails.part(checked)["planned"] != []
    becomes_right(rails, 0)
    second = rails.run("site.yml")
    assert "changed=0" in second.text and rails.part(second)["applied"] == []


def test_each_port_answers_for_its_own_address_alone(rails: Rails) -> None:
    macs = rails.read("cat /sys/class/net/data0/address /sys/class/net/data1/address").split()
    for address, mac in zip(OWN, macs, strict=True):
        script = (
            f"ip neigh flush dev data0; ping -c 2 -W 2 -I data0 {address} >&2; ip -j neigh show {address} dev data0"
        )
        (row,) = json.loads(rails.vms.read(rails.vms.second, script))
        assert row["lladdr"] == mac, f"{address} is answered by another port"


def test_verify_is_red_for_foreign_changes_which_site_then_repairs(rails: Rails) -> None:
    rails.read(FOREIGN)
    verdict = rails.run("playbooks/verify.yml")
    assert verdict.rc != 0
    for told in ("rule from 10.201.0.1/32", "10.201.0.11/24 on data1", "arp_ignore 1", "05-raceway-rail1.network"):
        assert told in verdict.text
    assert rails.run("site.yml").rc == 0
    becomes_right(rails, 0)


def test_the_port_of_the_management_network_is_refused_and_the_rails_stay(rails: Rails) -> None:
    before = rails.shown()
    ports: list[dict[str, Any]] = [{"rail": 7, "pci": MANAGED_PCI, "addresses": []}]
    ports += [{"rail": n, "pci": pci, "addresses": [rails.address(n)]} for n, pci in enumerate(rails.pci)]
    run = rails.run("site.yml", rails_ports=ports)
    reason = rails.part(run)["refusals"][f"pci {MANAGED_PCI}"]
    assert run.rc != 0 and "carries the default route" in reason and "ssh connection" in reason
    assert rails.shown() == before


def test_rails_come_back_by_themselves_after_a_reload_of_the_driver_and_after_a_reboot(rails: Rails) -> None:
    rails.read(RELOAD)
    becomes_right(rails)
    raceway("lab", "vm", "--name", rails.vms.lab.name, rails.vms.first, "reboot")
    rails.read(NO_DCB)
    becomes_right(rails)


def test_a_bond_goes_on_within_two_seconds_when_the_cable_of_its_sender_is_pulled(rails: Rails) -> None:
    assert rails.run("site.yml", **bond(rails)).rc == 0
    shown = rails.shown()
    assert shown["addresses"] == {"data0": [], "data1": [], "pair0": [OWN[0]]}
    sender = rails.read("cat /sys/class/net/pair0/bonding/active_slave").strip()
    ping = f"ping -D -O -i {PING_S} -w 12 {PEER} > /tmp/pings 2>&1 || true"  # no answer at all is seen below
    rails.read(f"({ping}; touch /tmp/pings.done) < /dev/null > /dev/null 2>&1 &")
    time.sleep(3)
    raceway("lab", "vm", "--name", rails.vms.lab.name, rails.vms.first, "link", sender, "down")
    text = rails.read("until [ -e /tmp/pings.done ]; do sleep 0.2; done; cat /tmp/pings; rm /tmp/pings*")
    now = rails.read("cat /sys/class/net/pair0/bonding/active_slave").strip()
    healthy = rails.run("playbooks/verify.yml", **bond(rails))
    raceway("lab", "vm", "--name", rails.vms.lab.name, rails.vms.first, "link", sender, "up")
    stamps = [float(line[1 : line.index("]")]) for line in text.splitlines() if "bytes from" in line]
    gap = max(later - earlier for earlier, later in itertools.pairwise(stamps))
    print(f"{len(stamps)} answers, the longest gap was {gap:.2f} s, {sender} -> {now}")
    assert {sender, now} == {"data0", "data1"} and healthy.rc == 0
    assert stamps[-1] - stamps[0] > 9 and gap < LONGEST_GAP_S


def test_removal_gives_the_ports_back_and_leaves_no_file(rails: Rails, found: dict[str, Any]) -> None:
    run = rails.run("site.yml", rails_state="absent", rails_ports=[])
    assert run.rc == 0
    assert rails.shown() == found
    left = rails.read("ip route show table all | grep -E 'table 100[01]' || true; ls /proc/net/bonding || true")
    assert "table" not in left and "pair0" not in left
