"""What ``ss -ti`` says of TCP sockets: which congestion control is really in use, round-trip time, window, losses.

    ESTAB 0      0         10.213.0.1:55376  10.213.0.15:ssh
             bbr wscale:11,10 rto:212 rtt:8.98/10.832 mss:1448 cwnd:459 pacing_rate 62.5Gbps retrans:0/4 minrtt:0.008

It deliberately takes the algorithm from the socket and not from sysctl: sockets opened before a change, and programs
that choose for themselves, have another. ss leaves out what is 0, so a missing ``retrans`` is 0 in a whole line, and
None in a line that was cut off or is not there (listening sockets).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .reading import decimal, number
from .verdict import ended, problem

STATES = re.compile("ESTAB|SYN-SENT|SYN-RECV|FIN-WAIT-[12]|TIME-WAIT|UNCONN|CLOSE-WAIT|LAST-ACK|LISTEN|CLOSING")
# Words without a colon that stand before the algorithm's name or anywhere.
FLAGS = frozenset(("ts", "sack", "ecn", "ecnseen", "fastopen", "app_limited", "fallback_mode"))
# Words whose value is the next word.
PAIRS = frozenset(("send", "pacing_rate", "delivery_rate"))
RATE = re.compile(r"([0-9.]+)([KMGT]?)bps/?([0-9.]+[KMGT]?bps)?$")
SCALE = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


@dataclass(frozen=True)
class Socket:
    """One socket. ``rtt_ms``: smoothed, with its deviation; ``cwnd``: segments; rates in bit/s.

    ``retrans``: segments in flight again now; ``retrans_total``: since the socket was opened.
    """

    local: str
    peer: str
    state: str = ""
    algorithm: Optional[str] = None
    rtt_ms: Optional[float] = None
    rtt_deviation_ms: Optional[float] = None
    min_rtt_ms: Optional[float] = None
    cwnd: Optional[int] = None
    mss: Optional[int] = None
    retrans: Optional[int] = None
    retrans_total: Optional[int] = None
    lost: Optional[int] = None
    pacing_bps: Optional[float] = None
    delivery_bps: Optional[float] = None


@dataclass(frozen=True)
class Sockets:
    """All sockets in the order of the tool."""

    sockets: Tuple[Socket, ...] = ()
    problem: str = ""


def parse(text: str) -> Sockets:
    """Read the whole output, with or without its heading and its column of states."""
    found: List[Tuple[List[str], List[str]]] = []
    rest: List[str] = []
    headed = False
    shown, half = ended(text)
    for line in shown:
        words = line.split()
        columns = _columns(words)
        if words[0] in ("State", "Netid", "Recv-Q"):
            headed = True
        elif columns and not line[:1].isspace():
            found.append((columns[:3], columns[3:]))
        elif found and line[:1].isspace():
            found[-1][1].extend(words)
        else:
            rest.append(line)
    sockets = [
        _socket(columns, info, whole=not half or place < len(found) - 1) for place, (columns, info) in enumerate(found)
    ]
    return Sockets(tuple(sockets), problem("ss -ti", bool(sockets) or headed, rest, half=half))


def _columns(words: List[str]) -> List[str]:
    """Return state, local, peer and what follows on the line; empty where the line is none of a socket."""
    rest = words[1:] if words[0] in ("tcp", "mptcp") else words
    if rest and not STATES.fullmatch(rest[0]):
        rest = ["", *rest]
    if len(rest) < 5 or number(rest[1]) is None or number(rest[2]) is None or ":" not in rest[3]:
        return []
    return [rest[0], rest[3], rest[4], *rest[5:]]


def _socket(columns: List[str], info: List[str], whole: bool) -> Socket:
    state, local, peer = columns
    if not any(word.startswith(("rto:", "rtt:")) for word in info):
        return Socket(local, peer, state)
    values = _values(info)
    rtt, _, deviation = values.get("rtt", "").partition("/")
    again, _, total = values.get("retrans", "0/0" if whole else "").partition("/")
    return Socket(
        local=local,
        peer=peer,
        state=state,
        algorithm=_algorithm(info),
        rtt_ms=decimal(rtt),
        rtt_deviation_ms=decimal(deviation),
        min_rtt_ms=decimal(values.get("minrtt")),
        cwnd=number(values.get("cwnd")),
        mss=number(values.get("mss")),
        retrans=number(again),
        retrans_total=number(total),
        lost=number(values.get("lost", "0" if whole else "")),
        pacing_bps=_rate(values.get("pacing_rate")),
        delivery_bps=_rate(values.get("delivery_rate")),
    )


def _values(info: List[str]) -> Dict[str, str]:
    found: Dict[str, str] = {}
    for place, word in enumerate(info):
        name, sign, value = word.partition(":")
        if sign:
            found.setdefault(name, value)
        elif word in PAIRS and place + 1 < len(info):
            found.setdefault(word, info[place + 1])
    return found


def _algorithm(info: List[str]) -> Optional[str]:
    """Return the one bare word before wscale and rto that is no flag."""
    for word in info:
        if word.startswith(("wscale:", "rto:", "rtt:")):
            break
        if ":" not in word and word not in FLAGS and re.fullmatch(r"[a-z][a-z0-9_-]*", word):
            return word
    return None


def _rate(text: Optional[str]) -> Optional[float]:
    found = RATE.match(text or "")
    amount = decimal(found[1]) if found else None
    return amount * SCALE[found[2]] if found and amount is not None else None
