"""The captures' command lines and filters: limits in every one, no promiscuous mode, the frames the standards name."""

from __future__ import annotations

import pytest

from raceway.evidence.captures import CNP_OPCODE, FILTERS, PAUSE_ETHERTYPE, ROCE_PORT, WORDS, argv, most_bytes
from raceway.model.evidence import CAPTURES, Wanted


def test_the_numbers_are_those_of_the_standards() -> None:
    assert (ROCE_PORT, CNP_OPCODE, PAUSE_ETHERTYPE) == (4791, 0x81, 0x8808)


@pytest.mark.parametrize("kind", CAPTURES)
def test_every_capture_ends_by_time_and_by_count_and_keeps_headers_only(kind: str) -> None:
    words = argv(kind, "ens1", Wanted(capture_s=3, capture_packets=9, capture_snap_bytes=62))
    assert words[:4] == ("timeout", "--signal=INT", "--kill-after=2", "3")
    line = " ".join(words)
    assert " -c 9 " in line and " -s 62 " in line and " -i ens1 " in line
    assert " -p " in line and " -n " in line
    assert " -w - " in line, "a capture must not write a file on the node"
    assert words[-1] == FILTERS[kind]


def test_cnps_are_told_from_other_packets_by_their_opcode_over_both_protocols() -> None:
    assert "udp[8] = 0x81" in FILTERS["cnp"] and "ip6[48] = 0x81" in FILTERS["cnp"]
    assert FILTERS["pause"] == "ether proto 0x8808"


def test_the_largest_capture_is_known_before_it_is_made() -> None:
    assert most_bytes(Wanted(capture_packets=2, capture_snap_bytes=74)) == 24 + 2 * (16 + 74)


def test_the_words_for_wireshark_name_each_kind_with_its_number() -> None:
    for text in ("udp.dstport == 4791", "infiniband.bth.opcode == 129", "macc.opcode == 0x0101", "macc.cbfc.enbv.c3"):
        assert text in WORDS
