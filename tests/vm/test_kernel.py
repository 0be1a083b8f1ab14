"""Role kernel on a kernel of its own: in force at once, kept over the one reboot it asks for, given back when absent.

One converge, one reboot, one removal. It cannot see a CPU clock (a VM has no cpufreq) or real hardware queues: data0 is
an emulated NIC with one queue a CPU. What a node has is read with the kernel's own tools over plain ssh.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, Vms, raceway

pytestmark = pytest.mark.vm
MANAGED, PORT = "enp0s3", "data0"
ARGUMENT = "numa_balancing=disable"
VALUES: dict[str, Any] = {
    "raceway_roles": ["kernel"],
    "kernel_allow_disruptive": True,
    "kernel_qdisc_interfaces": [PORT],
    "kernel_sysctl": {"kernel.panic": 30, f"net.ipv4.conf.{PORT}.rp_filter": 1},
    "kernel_modules": [{"name": "zram", "options": "num_devices=2"}],
    "kernel_cmdline": [ARGUMENT],
}
# A port that is up at every boot, as a network configuration makes it; no address, so nothing talks on it.
SETUP = f"""
cat > /etc/systemd/network/30-{PORT}.network <<'N'
[Match]
Name={PORT}
[Network]
LinkLocalAddressing=no
IPv6AcceptRA=no
ConfigureWithoutCarrier=yes
N
networkctl reload
networkctl up {PORT}
"""
KEYS = {
    "net.ipv4.tcp_congestion_control": "bbr",
    "net.core.default_qdisc": "fq",
    "net.core.rmem_max": "268435456",
    "net.ipv4.tcp_rmem": "4096 131072 268435456",
    "net.core.somaxconn": "8192",
    "net.ipv4.neigh.default.gc_thresh3": "16384",
    "kernel.panic": "30",
    f"net.ipv4.conf.{PORT}.rp_filter": "1",
}
LIMITS = ("DefaultLimitMEMLOCK", "DefaultLimitNOFILE")
PROCESS_LIMITS = "grep -E 'Max (locked memory|open files)' /proc/self/limits"
FILES = "find /etc /run/systemd -xdev -name '*raceway*' -not -name '*raceway-lab*' | sort"


@dataclass
class Node:
    """The first VM as this file sees it."""

    vms: Vms
    found: dict[str, Any] = field(default_factory=dict)

    def site(self, **changed: Any) -> Run:
        """Run site.yml with the declaration."""
        return self.vms.playbook("site.yml", self.vms.first, {**VALUES, **changed})

    def verify(self) -> Run:
        """Run the read-only playbook with the same declaration."""
        return self.vms.playbook("playbooks/verify.yml", self.vms.first, VALUES)

    def part(self, run: Run) -> dict[str, Any]:
        """Return the node's part of a report."""
        found: dict[str, Any] = run.nodes[self.vms.first]
        return found

    def read(self, script: str) -> str:
        """Run a script on the node; return what it printed."""
        return self.vms.read(self.vms.first, script)

    def fresh(self, script: str) -> str:
        """Run a script on the node over a connection, and in a session, that is opened for it."""
        return self.vms.read(self.vms.first, script, fresh=True)

    def state(self) -> dict[str, Any]:
        """Return what is in force, by the words of the kernel, systemd and a session that was opened just now."""
        sysctl = self.read(f"sysctl -n {' '.join(KEYS)}").splitlines()
        show = self.fresh(f"systemctl show -p {','.join(LIMITS)} | sort; {PROCESS_LIMITS}").splitlines()
        service = self.read(f'systemd-run --quiet --wait --pipe sh -c "{PROCESS_LIMITS}"')
        return {
            **dict(zip(KEYS, (" ".join(line.split()) for line in sysctl), strict=True)),
            "manager": show[: len(LIMITS)],
            "session": [" ".join(line.split()[3:5]) for line in show[len(LIMITS) :]],
            "service": [" ".join(line.split()[3:5]) for line in service.splitlines()],
            "huge pages": self.read("cat /sys/kernel/mm/transparent_hugepage/enabled").split("[")[1].split("]")[0],
            "queues": {name: self.queue(name) for name in (MANAGED, PORT)},
        }

    def queue(self, interface: str) -> list[str]:
        """Return the kinds of an interface's root and of what hangs below it, as tc shows them."""
        rows = json.loads(self.read(f"tc -j qdisc show dev {interface}"))
        return [row["kind"] for row in sorted(rows, key=lambda row: (not row.get("root"), row.get("parent", "")))]


DECLARED: dict[str, Any] = {
    **KEYS,
    "manager": ["DefaultLimitMEMLOCK=infinity", "DefaultLimitNOFILE=1048576"],
    "huge pages": "madvise",
    "queues": {MANAGED: ["fq"], PORT: ["mq", "fq", "fq"]},
}


def in_force(node: Node) -> None:
    """Everything of the declaration that needs no reboot is what the node shows."""
    state = node.state()
    assert {key: state[key] for key in DECLARED} == DECLARED
    # Open files first: the order of /proc/self/limits.
    for who in ("session", "service"):
        assert state[who] == ["1048576 1048576", "unlimited unlimited"], who
    assert "bbr" in node.fresh("ss -tinH 'sport = :22'")
    loaded = {line.split()[0] for line in node.read("lsmod").splitlines()}
    assert {"tcp_bbr", "sch_fq", "zram"} <= loaded
    assert node.read("cd /sys/block; ls -d zram*").split() == ["zram0", "zram1"]


@pytest.fixture(scope="module")
def node(vms: Vms) -> Iterator[Node]:
    vms.worn_out(vms.first)
    vms.read(vms.first, SETUP)
    made = Node(vms)
    made.found = made.state()
    assert not any(made.found[key] == DECLARED[key] for key in ("queues", "huge pages", "manager", *KEYS))
    yield made


def test_site_puts_everything_in_force_but_the_command_line_which_waits_for_one_reboot(node: Node) -> None:
    run = node.site()
    assert run.rc == 0
    in_force(node)
    assert list(node.part(run)["reboots"]) == [ARGUMENT]
    assert ARGUMENT not in node.read("cat /proc/cmdline")
    assert ARGUMENT in node.read("cat /boot/grub/grub.cfg")


def test_a_second_look_finds_nothing_to_do_and_says_what_cannot_be_done(node: Node, tmp_path: Path) -> None:
    report = tmp_path / "plan.json"
    # systemd's own modprobe.d file says numdummies=0 and is read after raceway.conf.
    modules = [*VALUES["kernel_modules"], {"name": "dummy", "options": "numdummies=2"}]
    values = {**VALUES, "kernel_modules": modules, "raceway_report": str(report)}
    assert node.vms.playbook("playbooks/plan.yml", node.vms.first, values).rc == 0
    plan = json.loads(report.read_text())["nodes"][node.vms.first]["roles"]["kernel"]
    assert plan["steps"] == []
    assert [row["target"] for row in plan["refusals"]] == ["dummy"]
    assert "systemd.conf:" in plan["refusals"][0]["reason"]
    reasons = {row["target"]: row["reason"] for row in plan["noops"]}
    assert reasons["cpu governor"] == "this virtual machine has no cpufreq: its host decides about clocks"


def test_a_tuned_profile_and_a_later_line_are_red_in_verify_and_named(node: Node) -> None:
    profile, late = "/etc/tuned/lab/tuned.conf", "/etc/sysctl.d/99-late.conf"
    assert node.verify().rc == 0
    node.read(
        "mkdir -p /etc/tuned/lab; echo lab > /etc/tuned/active_profile\n"
        "echo reapply_sysctl=0 > /etc/tuned/tuned-main.conf\n"
        f"printf '[sysctl]\\nnet.core.somaxconn=2048\\n[vm]\\ntransparent_hugepages=always\\n' > {profile}\n"
        f"printf '# somebody\\nkernel.panic = 0\\n' > {late}; echo net.core.rmem_max=212992 > /etc/sysctl.conf"
    )
    verdict = node.verify()
    assert verdict.rc != 0
    for told in (
        f"{profile}:2 sets 2048",
        f"{profile}:4 (vm.transparent_hugepages = always)",
        f"{late}:2 sets 0",
        "/etc/sysctl.conf:1 sets 212992",
    ):
        assert told in verdict.text
    # The planted line is no invention: what reads the files at boot puts it in force.
    node.read("systemctl restart systemd-sysctl")
    assert node.read("sysctl -n kernel.panic").strip() == "0"
    node.read(f"rm -r /etc/tuned {late} /etc/sysctl.conf; systemctl restart systemd-sysctl")
    assert node.verify().rc == 0


def test_all_of_it_is_there_by_itself_after_the_one_reboot(node: Node) -> None:
    raceway("lab", "vm", "--name", node.vms.lab.name, node.vms.first, "reboot")
    in_force(node)
    assert ARGUMENT in node.read("cat /proc/cmdline").split()
    assert node.read("cat /proc/sys/kernel/numa_balancing").strip() == "0"
    assert node.read("systemctl --failed --no-legend --plain") == ""
    again = node.site()
    assert again.rc == 0 and "changed=0" in again.text
    assert (node.part(again)["applied"], node.part(again)["reboots"]) == ([], {})


def test_removal_gives_everything_back_and_the_next_boot_has_nothing_of_it(node: Node) -> None:
    run = node.site(kernel_state="absent")
    assert run.rc == 0
    # A service keeps the limits it was started with, and hands them on to its sessions: sshd is one.
    node.read("systemctl restart ssh")
    assert node.state() == node.found
    assert list(node.part(run)["reboots"]) == [ARGUMENT]
    assert ARGUMENT not in node.read(
        "cat /boot/grub/grub.cfg; head -c 4096 /dev/disk/by-id/virtio-labcmd | tr -d '\\0'"
    )
    assert node.read(FILES) == ""
    again = node.site(kernel_state="absent")
    assert again.rc == 0 and "changed=0" in again.text
