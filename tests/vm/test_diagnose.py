"""Evidence of real RDMA traffic: counters that moved, and captures in which tcpdump itself finds RoCE packets.

Soft-RoCE passes through the kernel, so an ordinary capture sees it; on a card it would not (docs/diagnose.md). It
cannot see CNPs or pause frames: nothing marks or pauses here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .conftest import ROOT, Vms

pytestmark = pytest.mark.vm
BIN = Path(sys.executable).parent
ADDRESSES = {"first": "10.79.0.1", "second": "10.79.0.2"}
UP = """
ip link set roce0 mtu 9000 up; ip addr replace {}/24 dev roce0
modprobe rdma_rxe; rdma link show rxe0/1 >/dev/null 2>&1 || rdma link add rxe0 type rxe netdev roce0
"""
DOWN = "rdma link delete rxe0; ip addr flush dev roce0; ip link set roce0 mtu 1500 down; modprobe -r rdma_rxe"
TRAFFIC = "-d rxe0 -x 1 -F -s 4096 -D 40"


@pytest.fixture(scope="module")
def bundle(vms: Vms, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, bytes]]:
    """The first node's bundle, gathered while RDMA traffic passes; by path."""
    folder = tmp_path_factory.mktemp("diagnose")
    for node, address in ((vms.first, ADDRESSES["first"]), (vms.second, ADDRESSES["second"])):
        vms.read(node, UP.format(address))
    run = "systemd-run --quiet --collect --unit=evidence ib_write_bw"
    vms.read(vms.second, f"{run} {TRAFFIC}; sleep 2")
    vms.read(vms.first, f"{run} {TRAFFIC} {ADDRESSES['second']}; sleep 4")
    try:
        env = {**os.environ, "RACEWAY_LAB": vms.lab.name, "NO_COLOR": "1", "PATH": f"{BIN}:{os.environ['PATH']}"}
        values = {"diagnose_folder": str(folder), "diagnose_interval_s": 8, "diagnose_capture_packets": 300}
        command = [str(BIN / "ansible-playbook"), "-i", "inventories/vmlab", "playbooks/diagnose.yml"]
        command += ["--limit", vms.first, "-e", json.dumps(values)]
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        (path,) = folder.glob("*.tar.gz")
        with tarfile.open(path) as tar:
            found = {one.name.partition("/")[2]: tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]
        yield {**found, "": str(path).encode()}
    finally:
        for node in (vms.first, vms.second):
            vms.ssh(node, f"systemctl stop evidence; {DOWN}")


def test_counters_of_the_rdma_port_moved(bundle: dict[str, bytes]) -> None:
    changes = {row["counter"]: row["change"] for row in json.loads(bundle["deltas.json"])["changes"]}
    assert changes["rdma/rxe0/1/sent_pkts"] > 0
    assert changes["rdma/rxe0/1/rcvd_pkts"] > 0


def test_the_capture_holds_roce_packets_by_tcpdumps_own_reading(vms: Vms, bundle: dict[str, bytes]) -> None:
    manifest = {row["path"]: row for row in json.loads(bundle["manifest.json"])["items"]}
    row = manifest["captures/roce0/roce.pcap"]
    assert row["status"] == "ok" and row["packets"] == row["roce"] == 300
    encoded = bundle["captures/roce0/roce.pcap"].hex()
    script = (
        f"printf {encoded} | perl -pe 's/(..)/chr(hex($1))/ge' > /run/evidence.pcap; tcpdump -nr /run/evidence.pcap"
    )
    shown = vms.read(vms.first, f"{script} 2>/dev/null; rm /run/evidence.pcap").splitlines()
    assert len(shown) == 300
    assert all("10.79.0." in line and ".4791: " in line for line in shown)


def test_a_capture_of_what_does_not_pass_is_empty_and_whole(bundle: dict[str, bytes]) -> None:
    manifest = {row["path"]: row for row in json.loads(bundle["manifest.json"])["items"]}
    for kind in ("cnp", "pause"):
        row = manifest[f"captures/roce0/{kind}.pcap"]
        assert (row["status"], row["packets"]) == ("ok", 0), row


def test_the_node_is_as_it_was_and_the_page_says_that_traffic_passed(vms: Vms, bundle: dict[str, bytes]) -> None:
    left = vms.read(vms.first, "pgrep -x tcpdump || true; cat /sys/class/net/roce0/flags; ls /tmp")
    assert "tcpdump" not in left
    assert int(left.split()[0], 16) & 0x100 == 0, "the interface is in promiscuous mode"
    words = [sys.executable, "-m", "raceway.cli.main", "diagnose", "read", bundle[""].decode()]
    page = subprocess.run(words, capture_output=True, text=True, timeout=60)
    print(page.stdout)
    assert "works  rdma/rxe0/1/sent_pkts +" in page.stdout
    assert "captures/roce0/roce.pcap: 300 packets" in page.stdout
