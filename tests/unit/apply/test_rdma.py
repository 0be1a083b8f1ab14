"""The RDMA side on a machine that answers as its tools do: made so, left alone, seen when broken, given back."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from raceway.node.program import run
from raceway.plan.rdma_boot import REQUEST, RULE
from raceway.plan.rdma_naming import RULES
from raceway.plan.rdma_netns import OPTIONS

from ..fake_rdma import FakeRdma

PCI, GUID = "0000:3b:00.0", "b83f:d203:0000:0001"
BRIDGE = "0000:00:01.1"
RDMA = "/sys/class/infiniband"
SPEC: dict[str, Any] = {
    "devices": [
        {"rail": 0, "pci": PCI, "name": "rail0", "link_type": "infiniband", "firmware": {"PCI_WR_ORDERING": 1}}
    ],
    "naming": "kernel",
    "netns": "exclusive",
    "memlock": ["containerd.service", "docker.service"],
    "ipoib": [{"rail": 0, "mode": "connected", "mtu": 65520}, {"rail": 0, "pkey": "0x8001"}],
    "acs": "clear",
    "read_request": 4096,
    "gpudirect": "auto",
    "subnet_manager": "managed",
}


@pytest.fixture
def host(tmp_path: Path) -> FakeRdma:
    made = FakeRdma(tmp_path)
    made.add_card("mlx5_0", PCI, GUID, "ib0", "InfiniBand", above=BRIDGE)
    made.add_gpu("0000:3c:00.0", above=BRIDGE)
    made.put("/sys/class/net/ib0/mode", "datagram")
    made.put("/sys/class/net/ib0/mtu", "2044")
    made.bridges[BRIDGE] = {"SrcValid", "ReqRedir", "CmpltRedir", "UpstreamFwd"}
    made.firmware[PCI] = {"LINK_TYPE_P1": [1, 1], "PCI_WR_ORDERING": [0, 0]}
    made.add_unit("containerd.service", 4711, "8388608")
    made.put("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun")
    made.put("/proc/kallsyms", "0000000000000000 T ib_register_peer_memory_client\t[ib_core]")
    made.put("/proc/sys/kernel/osrelease", "5.15.0-1064-nvidia")
    return made


def ask(host: FakeRdma, mode: str = "apply", allow: tuple[str, ...] = ("safe", "disruptive"), **changed: Any) -> Any:
    spec = {**SPEC, **changed}
    return run({"mode": mode, "explain": True, "roles": {"rdma": {"allow": allow, "nouns": {"rdma": spec}}}}, host)


def state(host: FakeRdma) -> dict[str, Any]:
    """What the machine is, apart from files that are ours."""
    return copy.deepcopy(
        {
            "names": host.listdir(RDMA),
            "netns": host.netns,
            "firmware": {pci: {name: pair[1] for name, pair in rows.items()} for pci, rows in host.firmware.items()},
            "read": host.read_request,
            "bridges": host.bridges,
            "nets": host.listdir("/sys/class/net"),
            "mode": [host.read(f"/sys/class/net/ib0/{leaf}") for leaf in ("mode", "mtu")],
            "peermem": host.exists("/sys/module/nvidia_peermem"),
        }
    )


def test_a_converge_makes_everything_so_and_a_second_one_changes_nothing(host: FakeRdma) -> None:
    checked = ask(host, "plan")
    first = ask(host)
    assert first["refused"] == first["remaining"] == [] and first["roles"]["rdma"]["refusals"] == []
    planned = [(step["type"], step["target"]) for step in checked["roles"]["rdma"]["steps"]]
    assert [(row["type"], row["target"]) for row in first["applied"]] == planned
    assert host.listdir(RDMA) == ["rail0"] and host.netns == "exclusive"
    assert host.read_request[PCI] == 4096 and host.bridges[BRIDGE] == {"SrcValid"}
    assert host.firmware[PCI]["PCI_WR_ORDERING"] == [0, 1]
    assert host.listdir("/sys/class/net") == ["ib0", "ib0.8001"]
    assert "unlimited" in (host.read("/proc/4711/limits") or "")
    assert "nvidia_peermem" in (host.read("/etc/modules-load.d/raceway-gpudirect.conf") or "")
    assert [row["target"] for row in first["reboots"]] == [f"pci {PCI}"]
    host.calls.clear()
    second = ask(host)
    assert second["applied"] == [] and second["roles"]["rdma"]["steps"] == []
    assert not [line for line in host.calls if line.startswith(("setpci", "prlimit", "modprobe")) or " set " in line]


def test_without_consent_nothing_that_work_may_notice_is_done_now_or_at_the_next_boot(host: FakeRdma) -> None:
    answer = ask(host, allow=("safe",))
    acts = {row["act"] for row in answer["roles"]["rdma"]["refusals"]}
    assert acts == {"set rdma_allow_disruptive: true to consent"}
    assert host.listdir(RDMA) == ["mlx5_0"] and host.read("/sys/class/net/ib0/mode") == "datagram\n"
    assert host.read(RULE) is None and host.read(REQUEST) is None
    assert host.netns == "exclusive" and host.read_request[PCI] == 4096


BREAKS: dict[str, tuple[Any, str]] = {
    "name": (lambda host: host.run(["rdma", "dev", "set", "rail0", "name", "mlx5_0"]), f"pci {PCI}"),
    "netns": (lambda host: host.run(["rdma", "system", "set", "netns", "shared"]), "netns"),
    "firmware": (lambda host: host.firmware[PCI].update(PCI_WR_ORDERING=[0, 0]), f"pci {PCI}"),
    "read request": (lambda host: host.read_request.update({PCI: 512}), f"pci {PCI}"),
    "acs": (lambda host: host.bridges[BRIDGE].add("ReqRedir"), BRIDGE),
    "memlock": (lambda host: host.add_unit("containerd.service", 4712, "65536"), "containerd.service"),
    "drop-in": (
        lambda host: host.remove("/etc/systemd/system/containerd.service.d/90-raceway-memlock.conf"),
        "/etc/systemd/system/containerd.service.d/90-raceway-memlock.conf",
    ),
    "ipoib": (lambda host: host.put("/sys/class/net/ib0/mtu", "2044"), "ipoib rail 0 port 1"),
    "child": (lambda host: host.poke("/sys/class/net/ib0/delete_child", "0x8001"), "ipoib rail 0 port 1 pkey 0x8001"),
    "peermem": (lambda host: host.run(["rmmod", "nvidia_peermem"]), "gpudirect"),
    "opensm": (lambda host: host.run(["systemctl", "start", "opensm.service"]), "opensm"),
    "naming rule": (lambda host: host.put(RULES, "# mine"), RULES),
    "option": (lambda host: host.remove(OPTIONS), OPTIONS),
    "boot rule": (lambda host: host.remove(RULE), RULE),
}


@pytest.mark.parametrize("what", BREAKS)
def test_verify_is_red_for_what_was_broken_and_names_it(host: FakeRdma, what: str) -> None:
    ask(host)
    assert ask(host, "verify")["roles"]["rdma"]["steps"] == []
    BREAKS[what][0](host)
    seen = ask(host, "verify")["roles"]["rdma"]
    assert [row["target"] for row in (*seen["steps"], *seen["refusals"])] == [BREAKS[what][1]]
    if what != "opensm":  # a foreign manager is refused and never stopped
        assert ask(host)["remaining"] == [] and ask(host, "verify")["roles"]["rdma"]["steps"] == []


def test_removal_gives_everything_back_as_it_was_found(host: FakeRdma) -> None:
    found = state(host)
    ask(host)
    assert state(host) != found
    answer = run({"mode": "apply", "roles": {"rdma": {"allow": ["safe", "disruptive"], "nouns": {"rdma": {}}}}}, host)
    assert answer["refused"] == answer["remaining"] == []
    assert state(host) == found
    left = [path for path in host.tree.rglob("*") if "raceway" in path.name or path.name.startswith("60-rdma")]
    # A process keeps the limit it has; the lock and the ledger are the program's own.
    assert [path.name for path in left if path.is_file() and path.name != "raceway.lock"] == []


@pytest.mark.parametrize(
    ("tool", "target", "told"),
    [
        ("rdma", "netns", "the kernel accepted exclusive, but shows shared"),
        ("mlxconfig", f"pci {PCI}", "mlxconfig accepted PCI_WR_ORDERING=1, but the card shows 0"),
        ("setpci", BRIDGE, "shows the redirect bits 0x1c afterwards"),
        ("prlimit", "containerd.service", "may lock 8388608 bytes afterwards"),
        ("modprobe", "gpudirect", "modprobe ended well, but"),
        ("ip", "ipoib rail 0 port 1", "the driver accepted mtu 2044"),
    ],
)
def test_a_tool_that_says_yes_and_does_nothing_is_found_out(host: FakeRdma, tool: str, target: str, told: str) -> None:
    host.broken = {tool}
    ipoib = [{"rail": 0, "mtu": 2044}] if tool == "ip" else SPEC["ipoib"]
    host.put("/sys/class/net/ib0/mtu", "4092")
    answer = ask(host, ipoib=ipoib)
    assert any(row["target"] == target and told in row["reason"] for row in answer["refused"]), answer["refused"]


def test_the_boots_run_sets_what_the_kernel_forgot_and_writes_no_file_or_firmware(host: FakeRdma) -> None:
    ask(host)
    request = json.loads(host.read(REQUEST) or "")
    host.run(["rdma", "dev", "set", "rail0", "name", "mlx5_0"])
    host.read_request[PCI], host.firmware[PCI]["PCI_WR_ORDERING"] = 512, [0, 0]
    host.bridges[BRIDGE].add("UpstreamFwd")
    host.remove(OPTIONS)
    answer = run(request, host)
    assert {row["type"] for row in answer["applied"]} == {"rdma_name", "rdma_read_request", "rdma_acs"}
    assert answer["remaining"] == answer["refused"] == [] and host.listdir(RDMA) == ["rail0"]
    assert host.read(OPTIONS) is None and host.firmware[PCI]["PCI_WR_ORDERING"] == [0, 0]


def test_a_card_is_reset_with_consent_and_nothing_waits_afterwards(host: FakeRdma) -> None:
    answer = ask(host, reset="card")
    assert "rdma_reset" in {row["type"] for row in answer["applied"]} and answer["remaining"] == []
    assert host.firmware[PCI]["PCI_WR_ORDERING"] == [1, 1]
    assert ask(host, reset="card")["applied"] == []


@pytest.mark.parametrize("carried", ["route", "bond", "ssh"])
def test_a_card_that_carries_the_way_to_this_node_is_not_reset_nor_written(host: FakeRdma, carried: str) -> None:
    top = "bond0" if carried == "bond" else "ib0"
    if carried == "ssh":
        host.addresses = [{"ifname": "ib0", "addr_info": [{"local": "10.0.0.11"}]}]
        host.sessions = "0 0 10.0.0.11:22 10.0.0.9:51234\n"
    else:
        host.routes = [{"dst": "default", "dev": top}]
    if carried == "bond":
        host.put("/sys/class/net/bond0/lower_ib0/x", "")
    answer = ask(host, reset="card", ipoib=[])
    (refusal,) = [row for row in answer["roles"]["rdma"]["refusals"] if row["target"] == f"pci {PCI}"]
    told = {"ssh": "ib0 carries the ssh connection from 10.0.0.9", "bond": "the default route (through bond0)"}
    assert told.get(carried, "ib0 carries the default route") in refusal["reason"] and "report" in refusal["act"]
    assert host.firmware[PCI]["PCI_WR_ORDERING"] == [0, 0]
    assert not [line for line in host.calls if line.startswith("mlxfwreset")]


def test_opensm_runs_where_it_is_declared_and_is_stopped_when_it_is_given_up(host: FakeRdma) -> None:
    asked = {"subnet_manager": "opensm", "opensm": {"sm_priority": "14"}, "partitions": ["Default=0x7fff:ALL=full;"]}
    assert ask(host, **asked)["remaining"] == []
    assert host.units["opensm.service"] == {"pid": 0, "active": True, "enabled": True}
    assert "sm_priority 14\n" in (host.read("/etc/opensm/opensm.conf") or "")
    assert ask(host, **asked)["applied"] == []
    host.run(["systemctl", "stop", "opensm.service"])
    assert [row["target"] for row in ask(host, "verify", **asked)["roles"]["rdma"]["steps"]] == ["opensm"]
    ask(host, subnet_manager="")
    assert not host.units["opensm.service"]["active"] and host.read("/etc/opensm/opensm.conf") is None


def test_a_setting_that_is_no_longer_declared_is_given_back_while_others_stay(host: FakeRdma) -> None:
    host.firmware[PCI].update(NUM_OF_VFS=[0, 0])
    device = {"rail": 0, "pci": PCI, "firmware": {"PCI_WR_ORDERING": 1}}
    ask(host, devices=[device], ipoib=[])
    ask(host, devices=[{**device, "firmware": {"PCI_WR_ORDERING": 1, "NUM_OF_VFS": 8}}], ipoib=[])
    assert [pair[1] for pair in host.firmware[PCI].values()] == [1, 1, 8]
    answer = ask(host, devices=[{**device, "firmware": {"NUM_OF_VFS": 8}}], ipoib=[])
    assert answer["remaining"] == [] and [pair[1] for pair in host.firmware[PCI].values()] == [1, 0, 8]
    assert ask(host, devices=[{**device, "firmware": {"NUM_OF_VFS": 8}}], ipoib=[])["applied"] == []
