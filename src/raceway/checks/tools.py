"""The command line of each measuring tool, and the one figure of what it printed.

    ib_write_bw -F --report_gbits -D 2 -s 65536 -q 4 -d mlx5_0 -i 1 -x 3 --tclass 106 -p 18800 10.0.0.2

The end that serves gets the same words without the partner. It deliberately trusts no exit status: what counts is a
result among the words, and no word of a failure.
"""

from __future__ import annotations

import re
from typing import List, Optional, Tuple

from ..facts import iperf3, perftest, rping, udaddy
from ..model.pairwise import Match, Slot

PINGS = 20  # messages that show a path; rping checks the content of each
LATENCY_ROUNDS = 1000  # perftest's own number
# Words of a client that came before its server listened: it may try again.
_TOO_EARLY = re.compile(
    r"couldn't connect|unable to connect|connection refused|unable to init the socket|failed to open connection"
    r"|server is busy|RDMA_CM_EVENT_REJECTED|failed to exchange data",
    re.IGNORECASE,
)


def command(slot: Slot, match: Match, own: str) -> Tuple[str, ...]:
    """Return the command line of this end; ``own``: the address of this node's port."""
    peer = match.peer if slot.sends else ""
    if slot.tool == "iperf3":
        if not peer:
            return ("iperf3", "-s", "-1", "-J", "-B", own, "-p", str(slot.port))
        return (
            "iperf3",
            "-c",
            peer,
            "-J",
            "-B",
            own,
            "-p",
            str(slot.port),
            "-t",
            str(slot.seconds),
            "-P",
            _streams(slot),
        )
    if slot.tool == "rping":
        ends = ("-c", "-I", own, "-a", peer) if peer else ("-s", "-a", own)
        return ("rping", *ends, "-p", str(slot.port), "-C", str(PINGS), "-v")
    if slot.tool == "udaddy":
        side = ("-s", peer, "-b", own) if peer else ("-b", own)
        return ("udaddy", *side)  # its port is fixed: 7174
    return tuple(_perftest(slot, peer))


def _streams(slot: Slot) -> str:
    return str(slot.queue_pairs)


def _perftest(slot: Slot, peer: str) -> List[str]:
    words = [slot.tool, "-F", "-d", slot.device, "-i", str(slot.ib_port), "-p", str(slot.port)]
    if slot.gid_index >= 0:
        words += ["-x", str(slot.gid_index)]
    if slot.traffic_class >= 0:
        words += ["--tclass", str(slot.traffic_class)]
    if slot.tool == "ib_write_bw":
        words += ["--report_gbits", "-D", str(slot.seconds), "-s", str(slot.message_bytes), "-q", str(slot.queue_pairs)]
    else:
        words += ["-n", str(LATENCY_ROUNDS), "-s", "2"]
    return words + ([peer] if peer else [])


def figure(slot: Slot, text: str) -> Tuple[Optional[float], str]:
    """Return what the client measured and what is wrong: Gb/s, microseconds one way, or messages that came back."""
    if slot.tool == "iperf3":
        found = iperf3.parse(text)
        return (None if found.problem else found.received_gbps), found.problem
    if slot.tool == "rping":
        pings = rping.parse(text)
        said = pings.problem or ("" if pings.pings == PINGS else f"{pings.pings} of {PINGS} messages came back")
        return (None if said else float(pings.pings)), said
    if slot.tool == "udaddy":
        facts = udaddy.parse(text)
        return (1.0 if facts.complete else None), facts.problem
    result = perftest.parse(text)
    values = [row.average_gbps for row in result.bandwidth] + [row.typical_us for row in result.latency]
    known = [value for value in values if value is not None]
    said = result.problem or ("" if known else "the tool printed no figure")
    return (None if said else known[-1]), said


def too_early(text: str) -> bool:
    """Tell whether a client failed because nobody listened yet."""
    return bool(_TOO_EARLY.search(text))
