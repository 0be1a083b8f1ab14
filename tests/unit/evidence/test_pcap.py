"""What a capture holds, from frames built by hand: both byte orders, VLAN, IPv6, cut files, other links."""

from __future__ import annotations

import pytest

from raceway.evidence.pcap import Capture, read

from .frames import BIG, LITTLE, NANO, make_pause, make_pcap, make_roce, make_roce6


@pytest.mark.parametrize("magic", [LITTLE, BIG, NANO], ids=["little", "big", "nanoseconds"])
def test_packets_opcodes_and_marks_are_counted_in_any_byte_order(magic: bytes) -> None:
    found = read(make_pcap(make_roce(), make_roce(ecn=3), make_roce(0x81, dscp=48), make_pause(), magic=magic))
    assert found == Capture(
        packets=4,
        roce=3,
        cnps=1,
        pauses=1,
        marked=1,
        dscps=((26, 2), (48, 1)),
        opcodes=((0x0A, 2), (0x81, 1)),
    )


def test_a_vlan_tag_and_ipv6_are_looked_through() -> None:
    found = read(make_pcap(make_roce(0x81, vlan=True), make_roce6(0x81, dscp=48, ecn=3)))
    assert (found.roce, found.cnps, found.marked, found.dscps) == (2, 2, 1, ((26, 1), (48, 1)))


def test_udp_of_another_port_is_no_roce() -> None:
    assert read(make_pcap(make_roce(port=53))) == Capture(packets=1)


def test_a_cut_file_gives_its_whole_packets_and_says_so() -> None:
    data = make_pcap(make_roce(), make_roce())
    for length in range(len(data) - 60, len(data)):
        found = read(data[:length])
        assert found.packets == 1 and found.problem == "the last packet is cut off"


def test_frames_shorter_than_their_headers_are_counted_and_not_read() -> None:
    whole = make_roce()
    frames = [whole[:length] for length in range(len(whole))]
    found = read(make_pcap(*frames))
    assert found.packets == len(frames) and found.problem == ""
    assert found.roce == sum(len(frame) > 14 + 20 + 8 for frame in frames)


def test_what_is_no_ethernet_capture_is_told() -> None:
    assert read(b"").problem == "printed nothing"
    assert read(b"tcpdump: permission denied").problem == "this is no capture file"
    assert read(make_pcap(make_roce(), link=113)).problem == "the frames are not Ethernet"
    assert read(make_pcap()) == Capture()
