"""Container nodes on real podman: what a node can do and cannot, two labs side by side, a kill at any point.

It cannot see a cgroup v2 host when it runs on a v1 one, nor anything about a kernel of the node's own.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import Lab, processes, requirements
from raceway.lab.record import labs_dir

Name = Callable[[str], str]
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or bool(requirements.missing()),
    reason=f"needs root and {requirements.missing() or 'nothing more'}",
)
SEED = 3
KILLS = 6


def podman(*words: str) -> str:
    return subprocess.run(["podman", *words], capture_output=True, text=True, check=True, timeout=120).stdout


def ssh(lab: Lab, node: str, script: str) -> subprocess.CompletedProcess[str]:
    command = ["ssh", "-F", str(lab.ssh_config), "-o", "BatchMode=yes", node, script]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def everything(names: list[str]) -> dict[str, list[str]]:
    """All that could be left behind under these names, read past the code under test."""
    containers = json.loads(podman("ps", "--all", "--format", "json") or "[]") or []
    networks = json.loads(podman("network", "ls", "--format", "json") or "[]")
    found = {
        "containers": [name for one in containers for name in one["Names"]],
        "networks": [one["name"] for one in networks],
        "files": [path.name for path in labs_dir().iterdir()],
        "processes": [" ".join(words) for words in _command_lines()],
    }
    return {
        kind: sorted(item for item in items if any(name in item for name in names)) for kind, items in found.items()
    }


def _command_lines() -> Iterator[list[str]]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if path.parent.name != str(os.getpid()):
            yield words


@pytest.fixture(scope="module")
def lab(lab_name: Name) -> Iterator[Lab]:
    own = Lab(lab_name("-n"), show=True)
    try:
        own.up(2, cluster=False)
        yield own
    finally:
        own.down()


def test_a_node_is_booted_and_answers_to_its_known_key_at_the_first_contact(lab: Lab) -> None:
    status = lab.status()
    assert [(node.ssh, node.system) for node in status.nodes] == [(True, "running")] * 2
    options = ["-F", str(lab.ssh_config), "-o", "HostKeyAlias=somebody-else", "-o", "BatchMode=yes"]
    command = ["ssh", *options, status.nodes[0].name, "true"]
    other = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert other.returncode == 255
    assert "Host key verification failed" in other.stderr


def test_a_node_can_mount_run_units_and_set_its_own_network(lab: Lab) -> None:
    node = f"{lab.name}-1"
    for script in (
        "sysctl -w net.core.somaxconn=4097 net.ipv4.tcp_congestion_control=reno",
        "mount -t tmpfs none /mnt && umount /mnt",
        "systemd-run --wait -p PrivateTmp=yes -p PrivateDevices=yes -p MemoryMax=64M -p Nice=-5 true",
        "tc qdisc add dev eth0 root tbf rate 1gbit burst 1mb latency 1ms && tc qdisc del dev eth0 root",
        "python3 -c 'import apt'",
    ):
        result = ssh(lab, node, script)
        assert result.returncode == 0, f"{script}: {result.stdout}{result.stderr}"
    assert ssh(lab, f"{lab.name}-2", "sysctl -n net.core.somaxconn").stdout != "4097\n"


def test_a_node_changes_nothing_of_the_host_by_accident(lab: Lab) -> None:
    node = f"{lab.name}-1"
    before = Path("/proc/sys/vm/swappiness").read_text(), Path("/proc/sys/kernel/panic").read_text()
    for script in (
        "sysctl -w vm.swappiness=11",
        "sysctl -w kernel.panic=11",
        "echo 1 > /sys/fs/cgroup/devices/devices.allow",
    ):
        assert ssh(lab, node, script).returncode != 0, script
    assert (Path("/proc/sys/vm/swappiness").read_text(), Path("/proc/sys/kernel/panic").read_text()) == before
    assert "NoNewPrivs" in ssh(lab, node, "grep -E 'Seccomp:\t2|NoNewPrivs' /proc/self/status").stdout
    assert ssh(lab, node, "ls /dev/vda /dev/sda /dev/kmsg 2>/dev/null").stdout == ""


def test_two_nodes_do_not_share_a_cgroup_tree(lab: Lab) -> None:
    ssh(lab, f"{lab.name}-1", "systemd-run --unit=only-here sleep 30")
    listed = "find /sys/fs/cgroup -name 'only-here*'"
    assert "only-here" in ssh(lab, f"{lab.name}-1", listed).stdout
    assert ssh(lab, f"{lab.name}-2", listed).stdout == ""


def test_up_starts_a_stopped_node_again_with_what_was_on_it(lab: Lab) -> None:
    ssh(lab, f"{lab.name}-1", "echo kept > /root/kept; systemctl poweroff")
    end = time.monotonic() + 30
    while (state := lab.status().nodes[0].state) not in ("exited", "stopped"):  # ssh ends before the node does
        assert time.monotonic() < end, state
    assert not lab.status().ok
    lab.up(cluster=False)
    assert ssh(lab, f"{lab.name}-1", "cat /root/kept").stdout == "kept\n"


def test_fewer_nodes_are_asked_for_and_the_surplus_goes(lab_name: Name) -> None:
    lab = Lab(lab_name("-f"))
    try:
        lab.up(2, cluster=False)
        lab.up(1, cluster=False)
        assert [node.name for node in lab.status().nodes] == [f"{lab.name}-1"]
        assert everything([lab.name])["containers"] == [f"raceway-{lab.name}-{lab.name}-1"]
    finally:
        lab.down()


def test_a_second_lab_has_its_own_network_and_its_end_leaves_the_first_alone(lab: Lab, lab_name: Name) -> None:
    second = Lab(lab_name("-s"))
    before = everything([lab.name])
    try:
        second.up(1, cluster=False)
        first_record, second_record = lab.record, second.record
        assert first_record
        assert second_record
        assert first_record.subnet != second_record.subnet
    finally:
        second.down()
    assert not any(everything([second.name]).values())
    assert everything([lab.name]) == before
    assert lab.status().ok


def test_a_lab_of_the_same_name_in_another_state_folder_is_told_apart(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = str(lab.folder)
    monkeypatch.setenv("RACEWAY_STATE", str(tmp_path))
    twin = Lab(lab.name)
    with pytest.raises(RacewayError, match=owner):
        twin.up(1, cluster=False)
    twin.down()
    monkeypatch.undo()
    assert lab.status().ok


@pytest.mark.parametrize("seconds", [0.7, 1.5, 4.0])
def test_ctrl_c_ends_in_one_line_and_up_goes_on(lab_name: Name, seconds: float) -> None:
    lab = Lab(lab_name("-c"))
    command = [sys.executable, "-m", "raceway.cli.main", "lab", "up", "--name", lab.name, "--nodes", "2"]
    try:
        child = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )  # fmt: skip
        end = time.monotonic() + 60
        while not lab.folder.exists():  # a busy machine takes seconds to start Python, which ends in its own way
            assert child.poll() is None and time.monotonic() < end
            time.sleep(0.02)
        time.sleep(seconds)
        child.send_signal(signal.SIGINT)
        began = time.monotonic()
        told = child.communicate(timeout=60)[1]
        assert time.monotonic() - began < 10
        assert child.returncode == 130
        assert "Traceback" not in told
        assert told.splitlines()[-1] == "raceway lab: interrupted; run the same command again to go on"
        lab.up(2, cluster=False)
        assert lab.status().nodes[1].ok
    finally:
        lab.down()


def test_a_kill_at_any_moment_leaves_a_lab_that_up_completes_and_down_removes(lab_name: Name) -> None:
    lab = Lab(lab_name("-k"))
    chance = random.Random(SEED)
    command = [sys.executable, "-m", "raceway.cli.main", "lab", "up", "--name", lab.name, "--nodes", "2"]
    try:
        for turn in range(KILLS):
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.2, 8.0))
            child.send_signal(signal.SIGKILL)
            child.wait()
            if turn % 2:
                # Straight after the kill: `down` must also catch what podman is still making.
                lab.down()
                assert not any(everything([lab.name]).values()), f"seed {SEED}, turn {turn}"
        lab.up(2)
        assert lab.status().ok
    finally:
        gone: dict[str, Any] = lab.down()
    assert gone["containers"] == 2
    assert not any(everything([lab.name]).values())
    assert not processes.with_argument(str(lab.folder))
