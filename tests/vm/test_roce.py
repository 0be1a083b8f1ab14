"""Role roce on ports with real DCB netlink: set, kept over reboot, flap and driver reload, drift seen red, given back.

The first port is a data NIC with the test module's DCB put on it (attach mode), selected by PCI address; the second is
a port of the module's own, selected by MAC address. It cannot see a pause frame or a scheduler: the module models
settings and fakes counters. What a node has is read with ``dcb`` over plain ssh.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import pytest

from .conftest import Run, Vms, raceway

pytestmark = pytest.mark.vm
PORT, OWN = "data0", "roce0"
DEBUG = "/sys/kernel/debug/dcbtest"
KNOBS = f"{DEBUG}/{PORT}"
ATTACH = "dcbtest.lower= dcbtest.ports=1 dcbtest.attach=data0"
RELOAD = f"""
driver=$(basename $(readlink /sys/class/net/{PORT}/device/driver))
modprobe -r $driver
test ! -e /sys/class/net/{PORT}
modprobe $driver
udevadm settle
"""
SET_SCRIPT = f"""
echo 'GRUB_CMDLINE_LINUX="{ATTACH}"' > /etc/default/grub.d/dcbtest.cfg
update-grub
modprobe -r dcbtest; modprobe dcbtest lower= ports=1 attach=data0
udevadm settle
"""
BOOT_FILES = "find /etc/raceway /etc/udev/rules.d /etc/systemd/system -name '*roce*' -o -path '/etc/raceway/boot/*'"
# Counts a counter up ten times a second, as a fabric would that goes wrong for as long as somebody looks.
COUNT = "n=0; while :; do n=$((n+1)); for f in {}; do echo $n > $f; done; sleep .1; done"


@dataclass
class Roce:
    """The two VMs as one test sees them: run a playbook with the declaration, read a port."""

    vms: Vms
    pci: str
    mac: str

    def playbook(self, book: str, *words: str, **changed: Any) -> Run:
        """Run a playbook on the first node with the roles node and roce."""
        ports = [{"pci": self.pci, "rail": 0}, {"mac": self.mac, "rail": 1}]
        values = {"raceway_roles": ["node", "roce"], "roce_ports": ports, "roce_allow_disruptive": True, **changed}
        return self.vms.playbook(book, self.vms.first, values, *words)

    def read(self, script: str) -> str:
        """Run a script on the first node that must succeed."""
        return self.vms.read(self.vms.first, script)

    def node(self, run: Run) -> dict[str, Any]:
        """Return the first node's part of a report."""
        found: dict[str, Any] = run.nodes[self.vms.first]
        return found

    def shown(self, port: str = PORT) -> dict[str, Any]:
        """Return a port's settings by the kernel's own words; nothing of a port that is not there."""
        asked = " && ".join(f"dcb -j {what} show dev {port} && echo ---" for what in ("pfc", "ets", "app"))
        rest = f"ethtool -a {port} && echo --- && cat /sys/class/net/{port}/mtu"
        done = self.vms.ssh(self.vms.first, f"{asked} && {rest}")
        if done.returncode:
            return {}
        pfc, ets, app, pause, mtu = done.stdout.split("---\n")
        return {
            "pfc": json.loads(pfc)["prio_pfc"],
            "classes": json.loads(ets)["prio_tc"],
            "bandwidth": json.loads(ets)["tc_bw"],
            "dscp": sorted(pair[:2] for pair in json.loads(app).get("dscp_prio", [])),
            "pause": [line.split()[1] for line in pause.splitlines() if line.startswith(("RX:", "TX:"))],
            "mtu": int(mtu),
        }

    def writes(self) -> int:
        """Return how many set calls the drivers of both ports have seen."""
        return sum(int(text) for text in self.read(f"cat {KNOBS}/writes {DEBUG}/{OWN}/writes").split())


DECLARED = {
    "pfc": [number == 3 for number in range(8)],
    "classes": [0, 0, 0, 1, 0, 0, 2, 0],
    "bandwidth": [50, 50, 0, 0, 0, 0, 0, 0],
    "dscp": [[26, 3], [48, 6]],
    "pause": ["off", "off"],
    "mtu": 9000,
}


@pytest.fixture(scope="module")
def roce(vms: Vms) -> Roce:
    vms.worn_out(vms.first)
    vms.read(vms.first, SET_SCRIPT)
    pci = vms.read(vms.first, f"basename $(readlink /sys/class/net/{PORT}/device)").strip()
    return Roce(vms, pci, vms.read(vms.first, f"cat /sys/class/net/{OWN}/address").strip())


@pytest.fixture(scope="module")
def found(roce: Roce) -> dict[str, dict[str, Any]]:
    """What the ports had before anything was done to them."""
    return {port: roce.shown(port) for port in (PORT, OWN)}


def holds(roce: Roce, *ports: str, seconds: float = 90) -> None:
    """Wait until the ports are as declared; without any playbook they must become so by themselves."""
    until = time.monotonic() + seconds
    seen: dict[str, dict[str, Any]] = {}
    while seen != dict.fromkeys(ports, DECLARED) and time.monotonic() < until:
        seen = {port: roce.shown(port) for port in ports}
    journal = roce.vms.ssh(roce.vms.first, "journalctl -b -u 'raceway-roce@*' --no-pager | tail -n 40").stdout
    assert seen == dict.fromkeys(ports, DECLARED), journal


def test_without_consent_neither_a_port_that_is_up_nor_a_boot_is_set(
    roce: Roce, found: dict[str, dict[str, Any]]
) -> None:
    roce.read(f"ip link set {PORT} up")
    run = roce.playbook("site.yml", roce_allow_disruptive=False)
    assert run.rc != 0
    assert "roce_allow_disruptive" in run.text
    assert roce.shown() == found[PORT]
    # The other port is down: nothing on it can be disturbed, so it is set, and by every boot.
    assert roce.shown(OWN) == DECLARED
    rule = roce.read("cat /etc/udev/rules.d/90-raceway-roce.rules")
    assert roce.mac in rule
    assert roce.pci not in rule


def test_site_sets_the_ports_as_check_mode_said_and_a_second_run_writes_nothing(
    roce: Roce, found: dict[str, dict[str, Any]]
) -> None:
    checked = roce.playbook("site.yml", "--check", "--diff")
    assert checked.rc == 0
    assert roce.shown() == found[PORT] != DECLARED

    first = roce.playbook("site.yml")
    assert first.rc == 0
    assert roce.node(first)["applied"] == roce.node(checked)["planned"] != []
    assert roce.shown() == roce.shown(OWN) == DECLARED

    before = roce.writes()
    second = roce.playbook("site.yml")
    assert "changed=0" in second.text
    assert roce.node(second)["applied"] == []
    assert roce.writes() == before


def test_verify_is_red_for_foreign_changes_which_site_then_repairs(roce: Roce) -> None:
    roce.read(
        f"dcb pfc set dev {PORT} prio-pfc 4:on; dcb app add dev {PORT} dscp-prio 26:0; ethtool -A {OWN} rx on tx on\n"
        "rm /etc/udev/rules.d/90-raceway-roce.rules"
    )
    verdict = roce.playbook("playbooks/verify.yml")
    assert verdict.rc != 0
    missing = [told for told in ("pfc [", "dscp [", "pause [", "90-raceway-roce.rules") if told not in verdict.text]
    assert missing == [], verdict.text
    assert roce.playbook("site.yml").rc == 0
    assert roce.shown() == roce.shown(OWN) == DECLARED
    assert roce.playbook("playbooks/verify.yml").rc == 0


def test_verify_watches_counters_and_is_red_while_what_must_not_happen_does(roce: Roce) -> None:
    wrong = f"{KNOBS}/pfc_indications4 {KNOBS}/pfc_requests3 {DEBUG}/{OWN}/rx_discards_phy"
    roce.read(f"systemd-run --quiet --collect --unit=wrong sh -c '{COUNT.format(wrong)}'")
    verdict = roce.playbook("playbooks/verify.yml")
    roce.read("systemctl stop wrong")
    assert verdict.rc != 0
    assert "data0, in 1." in verdict.text
    assert "the neighbour paused priority 4" in verdict.text
    assert "roce0, in 1." in verdict.text
    assert "the port discarded" in verdict.text
    # Pauses of the lossless priority are what PFC is for; what is long past is not held against anybody.
    fine = f"{KNOBS}/pfc_requests3 {KNOBS}/pfc_indications3"
    roce.read(f"systemd-run --quiet --collect --unit=fine sh -c '{COUNT.format(fine)}'")
    verdict = roce.playbook("playbooks/verify.yml")
    roce.read("systemctl stop fine")
    assert verdict.rc == 0


def test_the_port_is_as_declared_after_a_link_flap(roce: Roce) -> None:
    roce.read(f"ip link set {PORT} down; sleep 1; ip link set {PORT} up")
    assert roce.shown() == DECLARED


def test_the_port_is_set_again_by_itself_after_its_driver_was_reloaded(roce: Roce) -> None:
    roce.read(RELOAD)
    holds(roce, PORT)


def test_both_ports_are_set_by_themselves_after_a_reboot(roce: Roce) -> None:
    raceway("lab", "vm", "--name", roce.vms.lab.name, roce.vms.first, "reboot")
    holds(roce, PORT, OWN)
    journal = roce.read("journalctl -b -u 'raceway-roce@*' --no-pager")
    assert "set pfc of data0" in journal
    assert "set pfc of roce0" in journal
    again = roce.playbook("site.yml")
    assert again.rc == 0
    assert roce.node(again)["applied"] == []


def test_a_driver_that_ignores_a_setting_is_refused_by_what_it_shows(roce: Roce) -> None:
    roce.read(f"dcb pfc set dev {PORT} prio-pfc all:off; echo 0x8 > {KNOBS}/ignore")
    run = roce.playbook("site.yml")
    roce.read(f"echo 0 > {KNOBS}/ignore")
    assert run.rc != 0
    assert "the driver accepted it, but data0 shows pfc" in run.text


def test_receive_buffers_are_divided_where_it_is_declared(roce: Roce) -> None:
    # A link that has never been up has no speed to size a buffer by.
    roce.read(f"for port in {PORT} {OWN}; do ip link set $port up; done; sleep 1")
    assert roce.playbook("site.yml", roce_buffer="headroom").rc == 0
    buffer = json.loads(roce.read(f"dcb -j buffer show dev {OWN}"))
    assert buffer["prio_buffer"] == [0, 0, 0, 1, 0, 0, 0, 0]
    # The module's port says 400 Gb/s: 150,928 bytes on their way along 7 metres, by the formula of mlx5.
    assert buffer["buffer_size"][1] > 150928
    assert sum(buffer["buffer_size"]) <= buffer["total_size"]


def test_a_port_without_dcb_and_one_with_too_small_a_buffer_are_refused_and_left_alone(roce: Roce) -> None:
    other = roce.read("basename $(readlink /sys/class/net/data1/device)").strip()
    ports = [{"pci": roce.pci, "rail": 0}, {"pci": other, "rail": 1}, {"mac": roce.mac, "rail": 2}]
    mtu, before = roce.read("cat /sys/class/net/data1/mtu"), roce.shown(OWN)
    run = roce.playbook("site.yml", roce_ports=ports, roce_lossless=[4])
    assert run.rc != 0
    refusals = roce.node(run)["refusals"]
    assert "Operation not supported; there is no mlnx_qos either" in refusals[f"pci {other}"]
    told = "roce0 has 262144 bytes of receive buffer, PFC on 2 priorities (priority 3 and priority 4) needs 301856"
    assert told in refusals[f"mac {roce.mac}"]
    assert roce.read("cat /sys/class/net/data1/mtu") == mtu
    assert roce.shown(OWN) == before
    assert roce.shown()["pfc"] == [number in (3, 4) for number in range(8)]


def test_removal_gives_the_ports_back_and_leaves_no_file(roce: Roce, found: dict[str, dict[str, Any]]) -> None:
    assert roce.playbook("site.yml", roce_state="absent").rc == 0
    assert {port: roce.shown(port) for port in (PORT, OWN)} == found
    assert roce.vms.ssh(roce.vms.first, BOOT_FILES).stdout == ""
