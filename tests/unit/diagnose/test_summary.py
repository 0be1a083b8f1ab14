"""The page of a bundle: versions, meanings, captures, and at the end everything that is missing, by its reason."""

from __future__ import annotations

from pathlib import Path

from raceway.diagnose import summary
from raceway.diagnose.bundle import read
from raceway.evidence.manifest import CUT, MISSING, Row

from ..evidence.frames import make_pcap, make_roce
from .builders import make_bundle, make_change

ROWS = (
    Row("versions/kernel.txt", "uname -a", data=b"Linux gpu01 5.15.0-1063-nvidia x86_64\n"),
    Row("versions/packages-deb.txt", "dpkg-query -W", data=b"bash\t5.2\nlibibverbs1:amd64\t44.0-2\n"),
    Row("captures/ens1/roce.pcap", "tcpdump", data=make_pcap(make_roce(), make_roce(0x81, dscp=48, ecn=3))),
    Row("captures/ens1/cnp.pcap", "tcpdump", MISSING, "tcpdump: not found on this node"),
    Row("captures/ens1/pause.pcap", "tcpdump", MISSING, "tcpdump: not found on this node"),
    Row("kernel/dmesg.txt", "dmesg", CUT, "longer than the limit", b"x"),
)


def page(tmp_path: Path, *counters: str, removed: dict[str, int] | None = None) -> dict[str, object]:
    changes = [make_change(counter) for counter in counters]
    return summary.data(read(make_bundle(tmp_path / "b", *changes, rows=ROWS, removed=removed or {})))


def test_a_page_tells_versions_captures_and_what_was_removed(tmp_path: Path) -> None:
    text = "\n".join(summary.lines(page(tmp_path, "rdma/a/1/np_cnp_sent", removed={"password": 2})))
    assert text.startswith("gpu01, 2026-12-01T10:00:00Z, counters 10.0 s apart")
    assert "Linux gpu01 5.15.0-1063-nvidia" in text and "44.0-2" in text
    assert "captures/ens1/roce.pcap: 2 packets, 1 CNPs, 1 with ECN CE, DSCP 26: 1, 48: 1" in text
    assert "works  rdma/a/1/np_cnp_sent +5 (0.5/s)" in text
    assert "Removed on the node: 2 password" in text


def test_what_is_missing_is_one_line_for_each_reason(tmp_path: Path) -> None:
    shown = summary.lines(page(tmp_path))
    assert "  missing: tcpdump: not found on this node: captures/ens1/cnp.pcap, captures/ens1/pause.pcap" in shown
    assert "  cut: longer than the limit: kernel/dmesg.txt" in shown
    assert "  nothing that has a meaning here" in shown


def test_only_bad_news_and_damage_want_a_person(tmp_path: Path) -> None:
    assert not summary.bad(page(tmp_path, "rdma/a/1/port_xmit_wait", "node/Ip.InReceives"))
    assert summary.bad(page(tmp_path, "rdma/a/1/symbol_error"))
    assert summary.bad({**page(tmp_path), "damaged": ["a is not what the manifest says"]})


def test_a_long_list_is_shortened_and_says_how_to_see_all(tmp_path: Path) -> None:
    many = page(tmp_path, *(f"rdma/mlx5_{number}/1/port_xmit_wait" for number in range(40)))
    short, long = summary.lines(many), summary.lines(many, everything=True)
    assert "  … and 28 more; --all shows them" in short
    assert sum("port_xmit_wait" in line for line in long) == 40
