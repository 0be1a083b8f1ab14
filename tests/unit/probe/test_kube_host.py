"""What a machine is, read from its files; and that a whole run judges it without changing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from raceway.host import Ledger
from raceway.model.kube_host import parse
from raceway.node.program import run
from raceway.probe.kube_host import probe

from ..builders import FakeHost, make_tree, snapshot
from ..requests import make_request

SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n/dev/vda3               partition\t2097148\t\t0\t\t-2\n"
FILES = {
    "/proc/swaps": SWAPS,
    "/proc/sys/net/ipv4/ip_forward": "1\n",
    "/proc/sys/net/netfilter/nf_conntrack_max": "262144\n",
    "/sys/fs/cgroup/cgroup.controllers": "cpu memory\n",
    "/sys/devices/system/cpu/online": "0-3,8\n",
    "/sys/devices/system/node/node0/cpulist": "0-3\n",
    "/sys/devices/system/node/node1/cpulist": "8\n",
    "/sys/devices/system/node/possible": "0-1\n",
    "/run/systemd/system/x": "",
    "/var/lib/dpkg/status": "",
}
SPEC: dict[str, Any] = {
    "present": True,
    "programs": {"iptables": "iptables", "conntrack": ""},
    "folders": ["/var/lib/x"],
    "full": 101,
}


def make_host(root: Path, **change: str) -> FakeHost:
    return FakeHost(make_tree(root, {**FILES, **change}), {"mount": ""})


def test_a_machine_is_read(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    facts = probe(host, parse(SPEC), Ledger(host))
    assert facts.swaps == ("/dev/vda3",) and facts.cgroup == 2 and facts.systemd and facts.conntrack
    assert facts.cpus == (0, 1, 2, 3, 8) and facts.numa == (0, 1) and facts.forward == "1"
    assert facts.missing == ("iptables", "conntrack") and facts.packages == ("iptables",)
    disk = facts.disks["/var/lib/x"]
    assert disk.total > disk.free > 0, "the folder is not there yet: its disk is that of the one above"


def test_cgroup_v1_and_none_at_all_are_told_apart(tmp_path: Path) -> None:
    host = make_host(tmp_path, **{"/sys/fs/cgroup/memory/tasks": ""})
    (tmp_path / "sys/fs/cgroup/cgroup.controllers").unlink()
    assert probe(host, parse(SPEC), Ledger(host)).cgroup == 1
    (tmp_path / "sys/fs/cgroup/memory/tasks").unlink()
    (tmp_path / "sys/fs/cgroup/memory").rmdir()
    assert probe(host, parse(SPEC), Ledger(host)).cgroup == 0


def test_an_absent_role_looks_at_nothing(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    assert probe(host, parse({}), Ledger(host)).swaps == () and host.calls == []


def test_a_run_judges_and_changes_nothing(tmp_path: Path) -> None:
    host = make_host(tmp_path)
    before = snapshot(tmp_path)
    answer = run(make_request("apply", kube_host=SPEC), host)
    targets = [row["target"] for row in answer["roles"]["system"]["refusals"]]
    assert targets == ["swap", "conntrack"] and snapshot(tmp_path) == before and not answer["applied"]
