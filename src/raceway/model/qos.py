"""The one declaration of RoCE quality of service: which DSCP, which priority, what is lossless, how links are shared.

Host settings, NCCL's traffic class and switch files are all derived from it, so they cannot disagree. It deliberately
holds no traffic class byte: a ToS byte given beside a DSCP is a second truth (openucx/ucx#10325).

    DSCP --(trust, map)--> priority --(ETS)--> traffic class; PFC pauses one priority; CNPs travel on another, strict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Tuple

PRIORITIES = range(8)  # IEEE 802.1Q: three bits
DSCPS = range(64)  # RFC 2474: six bits
# RFC 3168: the two low bits of the ToS byte. 3 is Congestion Experienced, which only a switch may write.
ECT = {"none": 0, "ect0": 2, "ect1": 1}
NAMES = ("dscp", "priority", "cnp_dscp", "cnp_priority", "lossless", "ect", "ecn", "share", "mtu", "cable_m")


@dataclass(frozen=True)
class Qos:
    """Numbers both ends of every link must agree on.

    ``dscp``/``priority``: RoCE data; ``cnp_dscp``/``cnp_priority``: congestion notifications; ``lossless``: further
    priorities that PFC pauses (storage, say); ``ect``: the ECN codepoint of sent packets; ``share``: percent of a link
    the data's class is guaranteed (ETS), the rest is for all others; ``mtu``: bytes of the Ethernet payload;
    ``cable_m``: metres, what headroom is computed from.
    """

    dscp: int = 26
    priority: int = 3
    cnp_dscp: int = 48
    cnp_priority: int = 6
    lossless: Tuple[int, ...] = ()
    ect: str = "ect0"
    ecn: bool = True
    share: int = 50
    mtu: int = 9000
    cable_m: int = 7

    @property
    def traffic_class(self) -> int:
        """Return the ToS byte of RoCE data, ``dscp << 2 | ECN`` (RFC 2474, RFC 3168).

        >>> Qos().traffic_class
        106
        """
        return self.dscp << 2 | ECT[self.ect]

    @property
    def paused(self) -> Tuple[int, ...]:
        """Return the priorities that PFC pauses: the data's, and those declared lossless besides."""
        return tuple(sorted({self.priority, *self.lossless}))

    @property
    def pfc(self) -> Tuple[bool, ...]:
        """Return the eight PFC bits."""
        return tuple(number in self.paused for number in PRIORITIES)


def parse(spec: Mapping[str, Any]) -> Qos:
    """Read the JSON form; keys that are not given keep their defaults."""
    values = {name: spec[name] for name in NAMES if name in spec}
    return Qos(**{**values, "lossless": tuple(values.get("lossless", ()))})


def to_spec(qos: Qos) -> Dict[str, Any]:
    """Return the JSON form that ``parse`` reads."""
    return {**{name: getattr(qos, name) for name in NAMES}, "lossless": list(qos.lossless)}


def problems(qos: Qos) -> List[Tuple[str, str, str, str]]:
    """Return (field, value found, values allowed, next act) of everything that cannot be right."""
    rows: List[Tuple[str, str, str, str]] = []
    for name in ("dscp", "cnp_dscp"):
        value = getattr(qos, name)
        if value not in DSCPS:
            rows.append((name, str(value), "0 to 63", _byte(value)))
    rows += [
        (name, str(getattr(qos, name)), "0 to 7", "priorities have three bits")
        for name in ("priority", "cnp_priority")
        if getattr(qos, name) not in PRIORITIES
    ]
    rows += _lossless(qos)
    if qos.ect not in ECT:
        act = "codepoint 3 means Congestion Experienced, which only a switch may write"
        rows.append(("ect", str(qos.ect), ", ".join(ECT), act))
    if qos.priority == qos.cnp_priority:
        act = "a paused priority would hold back the very packets that end congestion"
        rows.append(("cnp_priority", str(qos.cnp_priority), "another priority than the data's", act))
    if qos.dscp == qos.cnp_dscp:
        rows.append(("cnp_dscp", str(qos.cnp_dscp), "another DSCP than the data's", "48 is usual"))
    if not 1 <= qos.share <= 99:
        rows.append(("share", str(qos.share), "1 to 99 percent", "the rest of the link is for all other traffic"))
    if not 1280 <= qos.mtu <= 9978:
        rows.append(("mtu", str(qos.mtu), "1280 to 9978 bytes", "9000 carries a RoCE MTU of 4096"))
    if not 1 <= qos.cable_m <= 2000:
        rows.append(("cable_m", str(qos.cable_m), "1 to 2000 metres", "give the longest cable of these ports"))
    return rows


def _byte(value: int) -> str:
    """Return what somebody who gave a whole ToS byte for a DSCP should write."""
    if not 63 < value < 256:
        return "give the DSCP itself"
    told = f"a ToS byte of {value} is DSCP {value >> 2}"
    marked = ", and its ECN bits 11 mark every packet Congestion Experienced, which only a switch may do"
    return told + marked if value & 3 == 3 else told


def _lossless(qos: Qos) -> List[Tuple[str, str, str, str]]:
    rows = []
    for number in qos.lossless:
        if number not in PRIORITIES:
            rows.append(("lossless", str(number), "0 to 7", "priorities have three bits"))
        elif number == qos.cnp_priority:
            act = "a paused priority would hold back the very packets that end congestion"
            rows.append(("lossless", str(number), "another priority than the notifications'", act))
    if len(set(qos.lossless) | {qos.priority}) < 1 + len(qos.lossless):
        act = "the data's priority is lossless by itself; name each further one once"
        rows.append(("lossless", ", ".join(map(str, qos.lossless)), "other priorities than the data's", act))
    return rows
