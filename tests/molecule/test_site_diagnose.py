"""playbooks/diagnose.yml on lab nodes over ssh: a bundle without secrets, nodes as before, nothing left after a kill.

It cannot see captures (the lab's image has no tcpdump, which the manifest must say) nor RDMA; both are on the vm rung.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from .compare import differences

pytestmark = pytest.mark.molecule
BOOK = "playbooks/diagnose.yml"
SECRET = "correct-horse-battery"
PLANT = f"""
mkdir -p /etc/netplan
printf 'wifis:\\n  w0:\\n    password: {SECRET}\\n' > /etc/netplan/99-secret.yaml
printf 'NCCL_DEBUG=WARN\\n' > /etc/nccl.conf
"""
# Everything that runs on the node but the init system's own services and this reading.
RUNNING = "ps -eo pid=,ppid=,comm= | awk '$3 !~ /^(ps|awk|sh|bash|sshd|sshd-session|systemd.*|dbus-daemon|agetty)$/'"


def gather(site: Any, folder: Path, *words: str) -> tuple[Any, dict[str, Path]]:
    """Run the playbook; return how it ended and each node's bundle."""
    run = site.playbook(BOOK, "-e", f"diagnose_folder={folder}", "-e", "diagnose_interval_s=2", *words)
    found = {path.name.rpartition("-")[0]: path for path in folder.glob("*.tar.gz")}
    return run, found


def files_of(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {one.name.partition("/")[2]: tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]


def test_every_node_gives_a_bundle_and_is_as_it_was(site: Any, tmp_path: Path) -> None:
    site.forget()
    for node in site.nodes:
        site.ssh(node, PLANT)
    before = [site.snapshot(node) for node in site.nodes]

    run, found = gather(site, tmp_path / "bundles")

    assert run.rc == 0 and "counters moved: " in run.text
    assert sorted(found) == sorted(site.nodes)
    for node, was in zip(site.nodes, before, strict=True):
        assert differences(was, site.snapshot(node)) == []
        site.ssh(node, "rm -rf /etc/netplan/99-secret.yaml /etc/nccl.conf")


def test_a_bundle_holds_evidence_and_no_secret_and_names_what_is_missing(site: Any, tmp_path: Path) -> None:
    node = site.nodes[0]
    site.ssh(node, f"{PLANT}nohup ping -i 0.3 -w 30 127.0.0.1 >/dev/null 2>&1 &")
    try:
        run, found = gather(site, tmp_path / "bundles", "--limit", node)
    finally:
        site.ssh(node, "rm -rf /etc/netplan/99-secret.yaml /etc/nccl.conf")

    assert run.rc == 0
    files = files_of(found[node])
    assert next(iter(files)) == "manifest.json"
    assert not [path for path, data in files.items() if SECRET.encode() in data]
    assert b"<removed: password>" in files["system/etc/netplan/99-secret.yaml"]
    assert files["system/etc/nccl.conf"] == b"NCCL_DEBUG=WARN\n"
    assert b"net.ipv4.ip_forward" in files["system/sysctl.txt"]
    rows = {row["path"]: row for row in json.loads(files["manifest.json"])["items"]}
    assert rows["captures/eth0/roce.pcap"]["reason"] == "tcpdump: not found on this node"
    assert rows["gpu/nvidia-smi-q.txt"]["status"] == "missing"
    moved = [row["counter"] for row in json.loads(files["deltas.json"])["changes"]]
    assert "node/Icmp.OutMsgs" in moved, "the ping in between must have moved it"
    assert (found[node].stat().st_mode & 0o777) == 0o600


def test_a_bundle_is_read_without_its_node(site: Any, tmp_path: Path) -> None:
    _, found = gather(site, tmp_path / "bundles", "--limit", site.nodes[0])
    words = [sys.executable, "-m", "raceway.cli.main", "diagnose", "read", str(found[site.nodes[0]])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    print(done.stdout)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.startswith(f"{site.nodes[0]}, ")
    assert "missing: tcpdump: not found on this node" in done.stdout


def test_a_killed_controller_leaves_nothing_running_longer_than_the_declared_time(site: Any, tmp_path: Path) -> None:
    # Its worker has a session of its own: it and its ssh client live on and hold the connection, so the node cannot
    # know; the time it was given ends it. What the worker then still writes is whole.
    node = site.nodes[0]
    limits = ("-e", "diagnose_interval_s=12", "-e", "diagnose_limit_s=20")
    words = ("--limit", node, "-e", f"diagnose_folder={tmp_path}", *limits)
    process = site.start(BOOK, *words)
    until = time.monotonic() + 60
    while "python3" not in site.ssh(node, RUNNING) and time.monotonic() < until:
        time.sleep(0.3)
    time.sleep(1)  # well into the time between the two readings
    assert "python3" in site.ssh(node, RUNNING), "it never began, so its end proves nothing"

    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    until = time.monotonic() + 25
    while "python3" in site.ssh(node, RUNNING) and time.monotonic() < until:
        time.sleep(0.3)
    left = site.ssh(node, RUNNING)
    assert "python3" not in left, left
    for path in tmp_path.iterdir():
        with tarfile.open(path) as bundle:
            assert bundle.getnames()[0].endswith("manifest.json") and bundle.extractfile(bundle.getnames()[-1])
