"""Role roce on a port with real DCB netlink: set, kept over reboot, flap and driver reload, drift seen red, given back.

The port is a data NIC with the test module's DCB put on it (attach mode). It cannot see a pause frame or a scheduler:
the module models settings. What a node has is read with ``dcb`` over plain ssh.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .conftest import ROOT, Vms, raceway

pytestmark = pytest.mark.vm
BIN = Path(sys.executable).parent
PORT = "data0"
KNOBS = f"/sys/kernel/debug/dcbtest/{PORT}"
ATTACH = "dcbtest.lower= dcbtest.ports=0 dcbtest.attach=data0"
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
modprobe -r dcbtest; modprobe dcbtest lower= ports=0 attach=data0
"""


@dataclass
class Run:
    """How a playbook ended: exit code, text, and the JSON report by node."""

    rc: int
    text: str
    nodes: dict[str, Any] = field(default_factory=dict)


@dataclass
class Roce:
    """The two VMs as one test sees them: run a playbook with the declaration, read a port."""

    vms: Vms
    report: Path
    pci: str

    def playbook(self, book: str, *words: str, **changed: Any) -> Run:
        """Run a playbook on the first node with the roles node and roce."""
        port = {"pci": self.pci, "rail": 0}
        values = {"raceway_roles": ["node", "roce"], "roce_ports": [port], "roce_allow_disruptive": True, **changed}
        self.report.unlink(missing_ok=True)
        env = {**os.environ, "RACEWAY_LAB": self.vms.lab.name, "RACEWAY_REPORT": str(self.report), "NO_COLOR": "1"}
        env["PATH"] = f"{BIN}:{env['PATH']}"
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/vmlab", book, "--limit", self.vms.first]
        command += ["-e", json.dumps(values), *words]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
        print(done.stdout[-4000:], done.stderr[-2000:])
        nodes = json.loads(self.report.read_text())["nodes"] if self.report.exists() else {}
        return Run(done.returncode, done.stdout + done.stderr, nodes)

    def node(self, run: Run) -> dict[str, Any]:
        """Return the first node's part of a report."""
        found: dict[str, Any] = run.nodes[self.vms.first]
        return found

    def shown(self) -> dict[str, Any]:
        """Return the port's settings by the kernel's own words."""
        script = " && ".join(f"dcb -j {what} show dev {PORT} && echo ---" for what in ("pfc", "ets", "app"))
        pfc, ets, app = (json.loads(part) for part in self.vms.read(self.vms.first, script).split("---\n")[:3])
        pause = self.vms.read(self.vms.first, f"ethtool -a {PORT}")
        mtu = self.vms.read(self.vms.first, f"cat /sys/class/net/{PORT}/mtu")
        return {
            "pfc": pfc["prio_pfc"],
            "classes": ets["prio_tc"],
            "bandwidth": ets["tc_bw"],
            "dscp": sorted(pair[:2] for pair in app.get("dscp_prio", [])),
            "pause": [line.split()[1] for line in pause.splitlines() if line.startswith(("RX:", "TX:"))],
            "mtu": int(mtu),
        }

    def writes(self) -> int:
        """Return how many set calls the port's driver has seen."""
        return int(self.vms.read(self.vms.first, f"cat {KNOBS}/writes"))


DECLARED = {
    "pfc": [number == 3 for number in range(8)],
    "classes": [0, 0, 0, 1, 0, 0, 2, 0],
    "bandwidth": [50, 50, 0, 0, 0, 0, 0, 0],
    "dscp": [[26, 3], [48, 6]],
    "pause": ["off", "off"],
    "mtu": 9000,
}


@pytest.fixture(scope="module")
def roce(vms: Vms, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Roce]:
    vms.read(vms.first, SET_SCRIPT)
    pci = vms.read(vms.first, f"basename $(readlink /sys/class/net/{PORT}/device)").strip()
    yield Roce(vms, tmp_path_factory.mktemp("roce") / "run.json", pci)
    vms.read(vms.first, "rm /etc/default/grub.d/dcbtest.cfg; update-grub")
    raceway("lab", "vm", "--name", vms.lab.name, vms.first, "reboot")


@pytest.fixture(scope="module")
def found(roce: Roce) -> dict[str, Any]:
    """What the port had before anything was done to it."""
    return roce.shown()


def holds(roce: Roce, seconds: float = 60) -> None:
    """Wait until the port is as declared; without any playbook it must become so by itself."""
    until, seen = time.monotonic() + seconds, {}
    while seen != DECLARED and time.monotonic() < until:
        seen = roce.shown()
    assert seen == DECLARED


def test_site_sets_the_port_as_check_mode_said_and_a_second_run_writes_nothing(
    roce: Roce, found: dict[str, Any]
) -> None:
    checked = roce.playbook("site.yml", "--check", "--diff")
    assert checked.rc == 0 and roce.shown() == found != DECLARED

    first = roce.playbook("site.yml")
    assert first.rc == 0 and roce.node(first)["applied"] == roce.node(checked)["planned"] != []
    assert roce.shown() == DECLARED

    before = roce.writes()
    second = roce.playbook("site.yml")
    assert "changed=0" in second.text and roce.node(second)["applied"] == []
    assert roce.writes() == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (f"dcb pfc set dev {PORT} prio-pfc 4:on", "pfc"),
        (f"dcb app add dev {PORT} dscp-prio 26:0", "dscp"),
        (f"ethtool -A {PORT} rx on tx on", "pause"),
        ("rm /etc/udev/rules.d/90-raceway-roce.rules", "90-raceway-roce.rules"),
    ],
    ids=["pfc", "dscp", "pause", "rule"],
)
def test_verify_is_red_for_a_foreign_change_which_site_then_repairs(roce: Roce, change: str, told: str) -> None:
    roce.vms.read(roce.vms.first, change)
    verdict = roce.playbook("playbooks/verify.yml")
    assert verdict.rc != 0 and told in " ".join(verdict.text.split())
    assert roce.playbook("site.yml").rc == 0
    assert roce.shown() == DECLARED and roce.playbook("playbooks/verify.yml").rc == 0


def test_the_port_is_as_declared_after_a_link_flap(roce: Roce) -> None:
    roce.vms.read(roce.vms.first, f"ip link set {PORT} down; sleep 1; ip link set {PORT} up")
    assert roce.shown() == DECLARED


def test_the_port_is_set_again_by_itself_after_its_driver_was_reloaded(roce: Roce) -> None:
    roce.vms.read(roce.vms.first, RELOAD)
    holds(roce)


def test_the_port_is_set_by_itself_after_a_reboot(roce: Roce) -> None:
    raceway("lab", "vm", "--name", roce.vms.lab.name, roce.vms.first, "reboot")
    holds(roce)
    journal = roce.vms.read(roce.vms.first, "journalctl -b -u raceway-roce.service --no-pager")
    assert "set pfc of data0" in journal
    again = roce.playbook("site.yml")
    assert again.rc == 0 and roce.node(again)["applied"] == []


def test_a_driver_that_ignores_a_setting_is_refused_by_what_it_shows(roce: Roce) -> None:
    roce.vms.read(roce.vms.first, f"dcb pfc set dev {PORT} prio-pfc all:off; echo 0x8 > {KNOBS}/ignore")
    run = roce.playbook("site.yml")
    roce.vms.read(roce.vms.first, f"echo 0 > {KNOBS}/ignore")
    assert run.rc != 0 and "the driver accepted it, but data0 shows pfc" in " ".join(run.text.split())
    assert roce.playbook("site.yml").rc == 0


def test_a_port_without_dcb_is_refused_and_left_alone(roce: Roce) -> None:
    other = roce.vms.read(roce.vms.first, "basename $(readlink /sys/class/net/data1/device)").strip()
    ports = [{"pci": roce.pci, "rail": 0}, {"pci": other, "rail": 1}]
    mtu = roce.vms.read(roce.vms.first, "cat /sys/class/net/data1/mtu")
    run = roce.playbook("site.yml", roce_ports=ports)
    assert run.rc != 0
    assert "Operation not supported" in roce.node(run)["refusals"][f"pci {other}"]
    assert roce.vms.read(roce.vms.first, "cat /sys/class/net/data1/mtu") == mtu and roce.shown() == DECLARED


def test_removal_gives_the_port_back_and_leaves_no_file(roce: Roce, found: dict[str, Any]) -> None:
    assert roce.playbook("site.yml", roce_state="absent").rc == 0
    assert roce.shown() == found
    left = "find /etc/raceway /etc/udev/rules.d /etc/systemd/system -name '*roce*' -o -path '/etc/raceway/boot/*'"
    assert roce.vms.ssh(roce.vms.first, left).stdout == ""
