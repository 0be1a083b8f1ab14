"""What a moved counter means on this fabric, and what to do next; names of mlx5, bnxt_re and the InfiniBand standard.

    rdma/mlx5_0/1/np_cnp_sent +812      works: this node asked senders to slow down
    ethtool/ens1f0np0/rx_prio3_discards +4   bad: lossless traffic was dropped

Three words: ``bad`` (loss, errors), ``look`` (congestion, or a hint of a wrong setting), ``works`` (proof of traffic or
of a mechanism). It deliberately judges differences only, and says nothing of counters it has no rule for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

BAD, LOOK, WORKS = "bad", "look", "works"
ORDER = (BAD, LOOK, WORKS)


@dataclass(frozen=True)
class Finding:
    """One counter that moved and says something."""

    word: str
    counter: str
    change: int
    rate: float
    meaning: str
    act: str


@dataclass(frozen=True)
class Meaning:
    """``pattern`` is searched in the counter's name."""

    pattern: re.Pattern[str]
    word: str
    meaning: str
    act: str = ""


def _row(pattern: str, word: str, meaning: str, act: str = "") -> Meaning:
    return Meaning(re.compile(pattern), word, meaning, act)


# The first one that fits counts.
MEANINGS = (
    # Ethernet ports: priorities, pause, loss.
    _row(r"^ethtool/.*rx_prio\d_discards$", BAD, "frames of this priority were dropped for want of buffer",
         "compare PFC and headroom of both ends: raceway switch check"),
    _row(r"^ethtool/.*/(rx_discards_phy|rx_buffer_passed_thres_phy)$", BAD,
         "the port dropped frames: its buffer was full",
         "see which priority (rx_prioN_discards); check PFC and the PCIe link (pci/lspci.txt, LnkSta)"),
    _row(r"^ethtool/.*/(rx_out_of_buffer|rx_missed_errors|rx_no_buffer_count|rx_fifo_errors)$", BAD,
         "no receive descriptor was free: the host is too slow for what arrives over TCP or UDP",
         "raise the receive ring (interfaces/X/rings.txt), look at softnet and interrupts"),
    _row(r"^ethtool/.*(rx_global_pause|tx_global_pause|rx_pause_ctrl_phy|tx_pause_ctrl_phy)(_duration)?$", BAD,
         "the whole link was paused, all priorities together",
         "switch link pause off at both ends: it stops the control traffic that PFC keeps going"),
    _row(r"^ethtool/.*(rx_pfc_ena_frames_pri|rx_prio)\d(_pause|_pause_duration)?$", LOOK,
         "the neighbour paused this port: congestion further on in the fabric",
         "few are PFC at work; many, and few CNPs: ECN marks too late, check WRED thresholds and np/rp enable"),
    _row(r"^ethtool/.*(tx_pfc_ena_frames_pri|tx_prio)\d(_pause|_pause_duration)?$", LOOK,
         "this port paused its neighbour: the host cannot take what arrives",
         "check the PCIe link (LnkSta), MaxReadReq, ACS and the GPU's distance"),
    _row(r"^pfc/.*/requests\.", LOOK, "this port sent pause frames of that priority", "see tx_prioN_pause"),
    _row(r"^pfc/.*/indications\.", LOOK, "this port received pause frames of that priority", "see rx_prioN_pause"),
    _row(r"^ethtool/.*(rx_crc_errors_phy|rx_symbol_err_phy|rx_pcs_symbol_err_phy|rx_crc_errors|rx_frame_errors)$", BAD,
         "bits arrived wrong: cable, module or FEC", "compare FEC of both ends (fec.txt), read module.txt"),
    _row(r"^ethtool/.*(link_down_events_phy|carrier_changes)$", BAD, "the link went down in this time",
         "read kernel/dmesg.txt; change cable or module"),
    _row(r"^ethtool/.*outbound_pci_stalled|^ethtool/.*rx_pci_signal_integrity|^ethtool/.*tx_pci_signal_integrity", BAD,
         "the PCIe slot is the bottleneck or loses symbols", "check LnkSta and MaxReadReq in pci/lspci.txt"),
    _row(r"^ethtool/.*((rx|tx)_prio\d_bytes|(rx|tx)_bytes_pri\d)$", WORKS, "traffic of this priority passed",
         "RoCE belongs to the declared priority, 3 by default; in 0 nothing pauses for it"),
    # RDMA: congestion control.
    _row(r"^rdma/.*/np_ecn_marked_roce_packets$", WORKS, "packets arrived with the switch's congestion mark",
         "np_cnp_sent must move too"),
    _row(r"^rdma/.*/np_cnp_sent$", WORKS, "this node asked senders to slow down"),
    _row(r"^rdma/.*/rp_cnp_handled$", WORKS, "this node was asked to slow down and did"),
    _row(r"^rdma/.*/rp_cnp_ignored$", BAD, "this node was asked to slow down and did not",
         "enable the reaction point for the data's priority, and give CNPs the declared DSCP"),
    # RDMA: loss and retries.
    _row(r"^rdma/.*/(out_of_sequence|packet_seq_err|implied_nak_seq_err|rx_icrc_encapsulated)$", BAD,
         "packets were lost or overtook each other",
         "find the drop: rx_prioN_discards here, drops on the switch; with adaptive routing it is normal"),
    _row(r"^rdma/.*/(local_ack_timeout_err|roce_adp_retrans_to)$", BAD, "no acknowledgement came in time",
         "a path that drops or a peer that hangs: measure pairwise, compare MTUs"),
    _row(r"^rdma/.*/(rnr_nak_retry_err|duplicate_request|roce_adp_retrans|roce_slow_restart\w*)$", LOOK,
         "requests were sent again", "look for loss first; rnr: the receiver posts too few buffers"),
    _row(r"^rdma/.*/(req_cqe_error|resp_cqe_error|req_remote_access_errors|resp_remote_access_errors)$", LOOK,
         "a queue pair ended with an error", "the application's log says which"),
    # RDMA: link of the standard's port counters.
    _row(r"^rdma/.*/(link_downed|link_error_recovery)$", BAD, "the link went down or was trained again in this time",
         "change cable or module; compare with the switch's port"),
    _row(r"^rdma/.*/(symbol_error|port_rcv_errors|local_link_integrity_errors|excessive_buffer_overrun_errors)$", BAD,
         "bits arrived wrong", "more than 120 symbol errors an hour are a bad cable or module"),
    _row(r"^rdma/.*/(port_xmit_discards|port_xmit_constraint_errors|port_rcv_constraint_errors|VL15_dropped)$", BAD,
         "the port dropped packets", "congestion, a wrong partition key, or a subnet manager that is flooded"),
    _row(r"^rdma/.*/port_xmit_wait$", LOOK, "the port had data and no credits",
         "congestion further on; compare the ports of one rail: the odd one out names the place"),
    _row(r"^rdma/.*/(port_(xmit|rcv)_data|(rcvd|sent)_pkts|unicast_(xmit|rcv)_packets)$", WORKS,
         "RDMA traffic passed (port_*_data counts words of 4 bytes)"),
    # The node's TCP.
    _row(r"^node/softnet\.dropped$", BAD, "a CPU's receive queue was full", "raise net.core.netdev_max_backlog"),
    _row(r"^node/softnet\.time_squeeze$", LOOK, "a CPU had more packets than time",
         "spread interrupts, or raise net.core.netdev_budget"),
    _row(r"^node/TcpExt\.(ListenOverflows|ListenDrops)$", BAD, "connections were refused: the listen queue was full",
         "raise net.core.somaxconn, and the program's backlog; large jobs meet this while they start"),
    _row(r"^node/TcpExt\.(TCPTimeouts|TCPLostRetransmit)$", LOOK, "TCP waited for lost segments",
         "see retransmissions"),
    _row(r"^node/Tcp\.RetransSegs$|^tcp/.*/retrans$", LOOK, "TCP sent segments again",
         "few are normal; on a path with loss compare BBR and CUBIC"),
    _row(r"^node/TcpExt\.(PruneCalled|RcvPruned|TCPRcvCollapsed|TCPBacklogDrop|TCPRcvQDrop)$", LOOK,
         "a receiver ran out of buffer memory", "raise net.ipv4.tcp_rmem, or look at the program that does not read"),
    _row(r"^node/Udp\.(RcvbufErrors|InErrors|SndbufErrors)$", LOOK, "UDP datagrams were dropped",
         "raise net.core.rmem_max"),
    _row(r"^node/IpExt\.InCEPkts$", WORKS, "IP packets arrived with the switch's congestion mark"),
)  # fmt: skip


def findings(changes: Iterable[Mapping[str, Any]], seconds: float) -> list[Finding]:
    """Return what the moved counters say, bad things first. ``changes``: rows of a bundle's deltas."""
    found = []
    for row in changes:
        counter, change = str(row["counter"]), int(row["change"])
        rate = change / seconds if seconds > 0 else 0.0
        if change < 0:
            text = "it went back: the driver was loaded again, or the counters were cleared"
            found.append(Finding(LOOK, counter, change, rate, text, "take the evidence again; read kernel/dmesg.txt"))
            continue
        said = next((one for one in MEANINGS if one.pattern.search(counter)), None)
        if said:
            found.append(Finding(said.word, counter, change, rate, said.meaning, said.act))
    return sorted(found, key=lambda one: (ORDER.index(one.word), -abs(one.change), one.counter))


def unexplained(changes: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the moved counters no rule speaks of, the largest first."""
    rest = [
        row for row in changes if row["change"] > 0 and not any(one.pattern.search(row["counter"]) for one in MEANINGS)
    ]
    return sorted(rest, key=lambda row: (-row["change"], row["counter"]))
