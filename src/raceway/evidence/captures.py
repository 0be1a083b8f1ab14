"""Packet captures: which frames, the command line with its limits, and the words Wireshark wants for them.

It deliberately never switches an interface to promiscuous mode, and keeps headers only: 74 bytes end behind the longest
header of RoCEv2 over IPv4 (14 + 20 + 8 + 12 + 16 + 4), and behind the base transport header over IPv6.
"""

from __future__ import annotations

from typing import Mapping, Tuple

from ..model.evidence import Wanted

ROCE_PORT = 4791  # UDP destination port of RoCEv2
CNP_OPCODE = 0x81  # base transport header, RoCEv2 annex A17 of the InfiniBand specification
PAUSE_ETHERTYPE = 0x8808  # MAC control, IEEE 802.3 annex 31B (pause) and 31D (PFC)

_UDP = f"udp dst port {ROCE_PORT}"
# The UDP payload begins at 8; libpcap knows udp[…] for IPv4 alone, so IPv6 is counted from its own header of 40 bytes.
_CNP = f"(ip and {_UDP} and udp[8] = {CNP_OPCODE:#x}) or (ip6 and {_UDP} and ip6[48] = {CNP_OPCODE:#x})"
# "vlan" moves all offsets behind it, so it stands last.
FILTERS: Mapping[str, str] = {
    "roce": f"({_UDP}) or (vlan and {_UDP})",
    "cnp": f"{_CNP} or (vlan and ip and {_UDP} and udp[8] = {CNP_OPCODE:#x})",
    "pause": f"ether proto {PAUSE_ETHERTYPE:#x}",
}

WORDS = f"""Captures of this bundle: captures/INTERFACE/KIND.pcap, made with these filters

  roce   {FILTERS["roce"]}
  cnp    {FILTERS["cnp"]}
  pause  {FILTERS["pause"]}

What a file can and cannot show
  An RDMA card handles RoCE, CNP and pause frames itself. An ordinary capture sees them on soft-RoCE, on a mirror port
  and on a router; on a card it is empty while traffic flows, and the counters are the proof. With
  diagnose_rdma_sniffer the capture is made on the RDMA device, where the driver and libpcap can do that.
  Pause frames (802.3x and PFC) end in the MAC of nearly every card.

Display filters for Wireshark and tshark (-Y)
  all RoCEv2                       udp.dstport == {ROCE_PORT}
  congestion notifications         infiniband.bth.opcode == {CNP_OPCODE}
  acknowledgements with a NAK      infiniband.aeth.syndrome >= 0x60 && infiniband.aeth.syndrome < 0x80
  receiver not ready               infiniband.aeth.syndrome >= 0x20 && infiniband.aeth.syndrome < 0x40
  marked by a switch (ECN CE)      udp.dstport == {ROCE_PORT} && ip.dsfield.ecn == 3
  RoCE outside DSCP 26             udp.dstport == {ROCE_PORT} && ip.dsfield.dscp != 26
  CNPs outside DSCP 48             infiniband.bth.opcode == {CNP_OPCODE} && ip.dsfield.dscp != 48
  PFC frames                       macc.opcode == 0x0101
  PFC that pauses priority 3       macc.cbfc.enbv.c3 == 1 && macc.cbfc.pause_time.c3 > 0
  pause of the whole link          macc.opcode == 0x0001
Where Wireshark shows plain UDP: Analyze, Decode As, UDP port {ROCE_PORT}, InfiniBand.
"""


def argv(kind: str, interface: str, wanted: Wanted) -> Tuple[str, ...]:
    """Return tcpdump's command line: pcap to standard output, each packet at once, ended by count or by time."""
    return (
        *("timeout", "--signal=INT", "--kill-after=2", str(wanted.capture_s)),
        *("tcpdump", "-i", interface, "-p", "-n", "-U", "-w", "-"),
        *("-s", str(wanted.capture_snap_bytes), "-c", str(wanted.capture_packets), FILTERS[kind]),
    )


def most_bytes(wanted: Wanted) -> int:
    """Return how large a capture can become: a header for the file and one for each packet."""
    return 24 + wanted.capture_packets * (16 + wanted.capture_snap_bytes)
