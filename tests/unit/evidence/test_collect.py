"""Gathering on a recorded tree: what is there, what is missing with its reason, what moved, and no secret left."""

from __future__ import annotations

import base64
import io
import json
import signal
import tarfile
from pathlib import Path
from typing import Any

import pytest

from raceway.evidence import collect as module
from raceway.evidence.collect import Gathering, collect
from raceway.host import Host
from raceway.host.bounded import CUT, DENIED, DONE, LATE, Job, Output
from raceway.model.evidence import Wanted

from .frames import make_pcap, make_roce

FILES = {
    "etc/nccl.conf": "NCCL_IB_TC=106\n",
    "etc/netplan/50.yaml": "wifis:\n  w0:\n    password: hunter2\n",
    "etc/sysctl.d/90-raceway.conf": "vm.swappiness = 10\n",
    "var/lib/raceway/ledger.json": '{"file": {"/etc/x": {"content": "open\\nsesame"}}}',
    "proc/net/netstat": "TcpExt: ListenDrops\nTcpExt: 2\n",
    "proc/net/softnet_stat": "0000000a 00000001 00000000\n",
    "sys/class/infiniband/rxe0/parent": "data0\n",
    "sys/class/infiniband/rxe0/ports/1/state": "4: ACTIVE\n",
    "sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts": "5\n",
}
PROGRAMS: dict[str, Output] = {
    "sysctl -a": Output(DONE, 0, b"vm.swappiness = 10\nnet.ipv4.tcp_fastopen_key = 1-2-3-4\n"),
    "dmesg": Output(CUT, 0, b"the end of the log\n"),
    "rdma -j link show": Output(DONE, 1, b"", "Failed to open NETLINK_RDMA socket\n"),
    "nvidia-smi -q": Output(LATE, -9),
    "lspci -vvv": Output(DENIED, 126, err="/usr/bin/lspci: Permission denied"),
    "ethtool -S data0": Output(DONE, 0, b"NIC statistics:\n     rx_prio3_pause: 5\n"),
    "roce": Output(DONE, 124, make_pcap(make_roce(), make_roce())),
    "cnp": Output(DONE, 1, b"", "tcpdump: data0: You don't have permission to capture\n"),
}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "sys/class/net/data0").mkdir(parents=True)
    moving = iter([b"7", b"9"])

    def faked(_host: Host, jobs: list[Job], *_rest: Any) -> list[Output]:
        return [output(job) for job in jobs]

    def output(job: Job) -> Output:
        line = " ".join(job.argv)
        if line == "rdma -j statistic show":
            return Output(DONE, 0, b'[{"ifname":"rxe0","port":1,"rcvd_pkts":' + next(moving) + b"}]")
        kind = "cnp" if "udp[8]" in line else "roce" if "4791" in line else line
        return PROGRAMS.get(kind, Output("missing", 127, err=f"{job.argv[0]}: not found on this node"))

    monkeypatch.setattr(module, "run_all", faked)
    monkeypatch.setattr(module, "gone", lambda: False)
    return tmp_path


def gathered(tree: Path, **changed: Any) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return the manifest's rows by path, and the files."""
    wanted = {"interval_s": 0, "about": {"host": "gpu01"}, **changed}
    answer = collect({"mode": "evidence", "evidence": wanted}, Host(str(tree)))["evidence"]
    with tarfile.open(fileobj=io.BytesIO(base64.b64decode(answer["archive"]))) as tar:
        files = {one.name.removeprefix("gpu01/"): tar.extractfile(one).read() for one in tar}  # type: ignore[union-attr]
    manifest = json.loads(files["manifest.json"])
    assert answer["items"] + answer["absent"] == len(manifest["items"])
    return {**manifest, "rows": {row["path"]: row for row in manifest["items"]}}, files


def test_files_and_outputs_are_in_the_bundle_without_their_secrets(tree: Path) -> None:
    manifest, files = gathered(tree)
    assert files["system/etc/nccl.conf"] == b"NCCL_IB_TC=106\n"
    assert files["ours/etc/sysctl.d/90-raceway.conf"] == b"vm.swappiness = 10\n"
    assert b"<removed: password>" in files["system/etc/netplan/50.yaml"]
    assert b"<removed: key>" in files["system/sysctl.txt"]
    assert not [path for path, data in files.items() if b"hunter2" in data or b"sesame" in data]
    assert manifest["removed"] == {"key": 1, "password": 1}


def test_whatever_is_not_there_has_a_row_with_its_reason(tree: Path) -> None:
    rows = gathered(tree)[0]["rows"]
    assert rows["rdma/ibstat.txt"]["reason"] == "ibstat: not found on this node"
    assert (rows["rdma/link.json"]["status"], rows["gpu/nvidia-smi-q.txt"]["status"]) == ("failed", "late")
    assert "Failed to open NETLINK_RDMA socket" in rows["rdma/link.json"]["reason"]
    assert rows["pci/lspci.txt"]["status"] == "denied"
    assert rows["system/etc/rccl.conf"] == {
        "path": "system/etc/rccl.conf",
        "source": "/etc/rccl.conf",
        "status": "missing",
        "reason": "nothing is there",
    }
    assert rows["kernel/dmesg.txt"]["status"] == "cut"


def test_what_moved_between_the_readings_is_computed_on_the_node(tree: Path) -> None:
    manifest, files = gathered(tree)
    deltas = json.loads(files["deltas.json"])
    assert deltas["changes"] == [{"counter": "rdma/rxe0/1/rcvd_pkts", "before": 7, "after": 9, "change": 2}]
    assert manifest["moved"] == 1
    assert b"/sys/class/infiniband/rxe0/ports/1/hw_counters/sent_pkts:5" in files["counters/before/infiniband.txt"]


def test_a_capture_that_time_ended_is_whole_and_one_that_was_refused_says_so(tree: Path) -> None:
    manifest, files = gathered(tree)
    row = manifest["rows"]["captures/data0/roce.pcap"]
    assert (row["status"], row["packets"], row["roce"]) == ("ok", 2, 2)
    assert files["captures/data0/roce.pcap"] == make_pcap(make_roce(), make_roce())
    assert "permission to capture" in manifest["rows"]["captures/data0/cnp.pcap"]["reason"]
    assert manifest["rows"]["captures/data0/pause.pcap"]["status"] == "missing"
    assert b"infiniband.bth.opcode == 129" in files["captures/FILTERS.txt"]


def test_a_bundle_with_hidden_addresses_has_no_capture_and_says_why(tree: Path) -> None:
    manifest, files = gathered(tree, hide_addresses=True)
    assert not [path for path in files if path.endswith(".pcap")]
    assert manifest["rows"]["captures"]["status"] == "not asked"
    assert "hide_addresses" in manifest["rows"]["captures"]["reason"]


def test_an_interface_that_was_asked_for_and_is_not_there_is_told(tree: Path) -> None:
    rows = gathered(tree, interfaces=["data0", "data9"])[0]["rows"]
    assert rows["interfaces/data9"]["reason"] == "there is no such interface"


def test_handlers_of_signals_are_given_back(tree: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    gathered(tree)
    assert signal.getsignal(signal.SIGTERM) is before


def test_waiting_ends_when_nobody_waits_for_the_answer(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gone", lambda: True)
    with pytest.raises(BrokenPipeError, match="nobody waits"):
        Gathering(Host(str(tree)), Wanted(interval_s=30)).rows()
