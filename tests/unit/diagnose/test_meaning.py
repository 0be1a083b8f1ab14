"""What moved counters mean: each rule by a counter of a real driver, resets, and what no rule speaks of."""

from __future__ import annotations

import pytest

from raceway.diagnose.meaning import BAD, LOOK, MEANINGS, WORKS, findings, unexplained

from .builders import make_change

SAYS = {
    "ethtool/ens1/rx_prio3_discards": (BAD, "want of buffer"),
    "ethtool/ens1/rx_discards_phy": (BAD, "buffer was full"),
    "ethtool/ens1/rx_out_of_buffer": (BAD, "no receive descriptor"),
    "ethtool/ens1/rx_global_pause": (BAD, "whole link"),
    "ethtool/ens1/rx_prio3_pause": (LOOK, "neighbour paused this port"),
    "ethtool/ens1/rx_pfc_ena_frames_pri3": (LOOK, "neighbour paused this port"),
    "ethtool/ens1/tx_prio3_pause_duration": (LOOK, "paused its neighbour"),
    "ethtool/ens1/tx_prio3_bytes": (WORKS, "of this priority passed"),
    "ethtool/ens1/rx_crc_errors_phy": (BAD, "arrived wrong"),
    "ethtool/ens1/link_down_events_phy": (BAD, "link went down"),
    "pfc/ens1/requests.3": (LOOK, "sent pause"),
    "rdma/mlx5_0/1/np_cnp_sent": (WORKS, "slow down"),
    "rdma/mlx5_0/1/rp_cnp_handled": (WORKS, "did"),
    "rdma/mlx5_0/1/rp_cnp_ignored": (BAD, "did not"),
    "rdma/mlx5_0/1/np_ecn_marked_roce_packets": (WORKS, "congestion mark"),
    "rdma/mlx5_0/1/out_of_sequence": (BAD, "lost or overtook"),
    "rdma/mlx5_0/1/local_ack_timeout_err": (BAD, "no acknowledgement"),
    "rdma/mlx5_0/1/rnr_nak_retry_err": (LOOK, "sent again"),
    "rdma/mlx5_0/1/link_downed": (BAD, "went down"),
    "rdma/mlx5_0/1/symbol_error": (BAD, "arrived wrong"),
    "rdma/mlx5_0/1/port_xmit_discards": (BAD, "dropped"),
    "rdma/mlx5_0/1/port_xmit_wait": (LOOK, "no credits"),
    "rdma/mlx5_0/1/port_xmit_data": (WORKS, "RDMA traffic passed"),
    "rdma/rxe0/1/sent_pkts": (WORKS, "RDMA traffic passed"),
    "node/softnet.dropped": (BAD, "queue was full"),
    "node/TcpExt.ListenOverflows": (BAD, "listen queue"),
    "node/Tcp.RetransSegs": (LOOK, "again"),
    "tcp/10.0.0.1:22>10.0.0.2:5000/retrans": (LOOK, "again"),
}


@pytest.mark.parametrize(("counter", "expected"), SAYS.items(), ids=SAYS)
def test_a_counter_says_what_it_means(counter: str, expected: tuple[str, str]) -> None:
    (found,) = findings([make_change(counter, 20)], 10)
    assert found.word == expected[0] and expected[1] in found.meaning
    assert (found.change, found.rate) == (20, 2.0)


def test_everything_bad_or_odd_has_a_next_act() -> None:
    assert MEANINGS
    assert [one.pattern.pattern for one in MEANINGS if one.word != WORKS and not one.act] == []


def test_bad_things_come_first_and_the_largest_of_them() -> None:
    names = ("rdma/a/1/port_xmit_data", "rdma/a/1/port_xmit_wait", "rdma/a/1/symbol_error", "rdma/a/1/link_downed")
    changes = [make_change(name, 10**number) for number, name in enumerate(names)]
    assert [one.word for one in findings(changes, 1)] == [BAD, BAD, LOOK, WORKS]
    assert findings(changes, 1)[0].counter == "rdma/a/1/link_downed"


def test_a_counter_that_went_back_is_a_reset_and_no_traffic() -> None:
    (found,) = findings([make_change("rdma/a/1/port_xmit_data", -90)], 10)
    assert found.word == LOOK and "went back" in found.meaning


def test_a_counter_without_a_rule_is_shown_and_not_judged() -> None:
    changes = [make_change("node/Ip.InReceives", 5), make_change("node/Ip.InDelivers", 9)]
    assert findings(changes, 10) == []
    assert [row["counter"] for row in unexplained(changes)] == ["node/Ip.InDelivers", "node/Ip.InReceives"]
