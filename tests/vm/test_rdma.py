"""Role rdma on soft RoCE and a kernel of its own: named, namespace mode set, modules at boot, drift red, given back.

Soft RoCE has no card, so firmware, bus and IPoIB are seen on fixtures alone. What a node has is read with ``rdma`` and
from /sys over plain ssh.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from .conftest import Run, Vms, raceway

pytestmark = pytest.mark.vm
PORT, NAME = "roce0", "rail0"
ADD = f"ip link set {PORT} up; modprobe rdma_rxe; rdma link add rxe0 type rxe netdev {PORT}"
RULE = "/etc/udev/rules.d/60-rdma-persistent-naming.rules"
FILES = "find /etc -xdev -path '*rdma*' -not -path '/etc/rdma*' -newer /etc/machine-id | sort"

# udev handles no event until it is told to, and the units of earlier ones have ended.
HOLD = """
udevadm settle; udevadm control --stop-exec-queue
while systemctl list-units --plain --no-legend --state=activating 'raceway-rdma@*' | grep -q .; do sleep 0.2; done
"""


@dataclass
class Node:
    """The first VM as this file sees it; ``guid`` is its soft device's."""

    vms: Vms
    guid: str = ""

    def run(self, book: str = "site.yml", *words: str, **changed: Any) -> Run:
        """Run a playbook with the declaration."""
        values = {
            "raceway_roles": ["node", "kernel", "rdma"],
            "rdma_allow_disruptive": True,
            "rdma_devices": [{"rail": 0, "guid": self.guid, "name": NAME}],
            "rdma_modules": ["ib_uverbs", "rdma_ucm", "rdma_rxe"],
            "rdma_netns_mode": "exclusive",
            "rdma_memlock_units": ["ssh.service", "containerd.service"],
        }
        return self.vms.playbook(book, self.vms.first, {**values, **changed}, *words)

    def part(self, run: Run) -> dict[str, Any]:
        """Return the node's part of a report."""
        found: dict[str, Any] = run.nodes[self.vms.first]
        return found

    def read(self, script: str) -> str:
        """Run a script on the node; return what it printed."""
        return self.vms.read(self.vms.first, script)

    def names(self) -> list[str]:
        """Return the RDMA devices by the kernel's own words."""
        return [row["ifname"] for row in json.loads(self.read("rdma -j dev show"))]

    def mode(self) -> str:
        """Return the namespace mode in force."""
        # Without -j: iproute2 6.15 prints words there all the same.
        words = self.read("rdma system show").split()
        return words[words.index("netns") + 1]


@pytest.fixture(scope="module")
def node(vms: Vms) -> Iterator[Node]:
    vms.worn_out(vms.first)
    made = Node(vms)
    made.read(ADD)
    made.guid = made.read("cat /sys/class/infiniband/rxe0/node_guid").strip()
    assert made.names() == ["rxe0"] and made.mode() == "shared"
    yield made


def test_site_makes_it_so_as_check_mode_said_and_a_second_run_changes_nothing(node: Node) -> None:
    checked = node.run("site.yml", "--check", "--diff")
    assert checked.rc == 0 and node.names() == ["rxe0"]

    first = node.run()
    assert first.rc == 0 and node.part(first)["applied"] == node.part(checked)["planned"] != []
    assert node.names() == [NAME]
    assert "options ib_core netns_mode=0" in node.read("cat /etc/modprobe.d/raceway-rdma.conf")
    # Services with a network of their own may keep the kernel from changing the mode before the next boot.
    assert node.mode() == "exclusive" or "netns" in node.part(first)["reboots"]
    ssh = "cat /proc/$(systemctl show -p MainPID --value ssh.service)/limits | grep 'locked memory'"
    assert node.read(ssh).split()[3:5] == ["unlimited", "unlimited"]
    assert node.read("ibv_devinfo -d rail0 | grep transport").strip()

    second = node.run()
    assert second.rc == 0 and "changed=0" in second.text and node.part(second)["applied"] == []


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (f"rdma dev set {NAME} name rxe7", "rxe7"),
        (f"echo '# mine' > {RULE}", RULE),
        ("rm -r /etc/systemd/system/ssh.service.d; systemctl daemon-reload", "90-raceway-memlock.conf"),
    ],
    ids=["name", "rule", "drop-in"],
)
def test_verify_is_red_for_a_foreign_change_which_site_then_repairs(node: Node, change: str, told: str) -> None:
    # Held back is the unit that udev starts for a renamed device: it would put the name right before verify looks.
    node.read(f"{HOLD}\n{change}")
    verdict, repair, names = node.run("playbooks/verify.yml"), node.run(), node.names()
    node.read("udevadm control --start-exec-queue; udevadm settle")
    assert verdict.rc != 0 and told in verdict.text
    assert repair.rc == 0 and names == [NAME]


def test_after_a_boot_modules_mode_and_name_are_there_without_a_playbook(node: Node) -> None:
    raceway("lab", "vm", "--name", node.vms.lab.name, node.vms.first, "reboot")
    loaded = {line.split()[0] for line in node.read("lsmod").splitlines()}
    assert {"ib_core", "ib_uverbs", "rdma_ucm", "rdma_rxe"} <= loaded
    assert node.mode() == "exclusive"
    assert node.read("cat /sys/module/ib_core/parameters/netns_mode").strip() == "N"
    # Soft RoCE is made by hand at each boot; its name comes from the rule that knows it by its GUID.
    node.read(ADD)
    until = time.monotonic() + 60
    while node.names() != [NAME] and time.monotonic() < until:
        time.sleep(1)
    assert node.names() == [NAME], node.read("journalctl -b -u 'raceway-rdma@*' --no-pager")
    again = node.run()
    assert again.rc == 0 and node.part(again)["applied"] == [] and node.part(again)["reboots"] == {}
    assert node.run("playbooks/verify.yml").rc == 0


def test_a_device_that_is_gone_is_refused_by_its_guid_with_what_is_there(node: Node) -> None:
    other = [{"rail": 0, "guid": node.guid, "name": NAME}, {"rail": 1, "guid": "dead:beef:0000:0001"}]
    run = node.run(rdma_devices=other)
    assert run.rc != 0 and f"{NAME} (" in node.part(run)["refusals"]["guid dead:beef:0000:0001"]
    assert node.names() == [NAME]


def test_removal_gives_the_name_back_and_leaves_no_file(node: Node) -> None:
    assert node.run(rdma_state="absent").rc == 0
    assert node.names() == ["rxe0"]
    assert node.read(FILES) == ""
    assert "changed=0" in node.run(rdma_state="absent").text
