"""The verdict on what RoCE ports counted while they were watched: red with its reason, or what was seen.

A verdict is about the fabric as it ran, so it plans no step: nothing on this node alone would mend it.
It deliberately calls no silence proof: where no RDMA traffic ran it says so, and only what must never grow is judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Mapping, Optional, Union

from ..facts.roce_counters import TRAFFIC, Growth
from ..model.plan import Noop, Plan, Refusal, sort
from ..model.qos import PRIORITIES, Qos
from ..model.roce_watch import RoceWatchDesired


@dataclass(frozen=True)
class Red:
    """One thing that is wrong: what grew, why that is wrong, and what to look at next."""

    seen: str
    why: str
    act: str


def plan(desired: RoceWatchDesired, facts: Mapping[str, Growth]) -> Plan:
    """Return a refusal for each thing that is wrong on a port, and what was seen where nothing is."""
    rows: List[Union[Noop, Refusal]] = []
    for label, grown in facts.items():
        reds = verdict(grown, desired.qos)
        rows += [Refusal(label, f"{grown.device}, in {grown.seconds:.1f} s: {r.seen}; {r.why}", r.act) for r in reds]
        if not reds:
            rows.append(Noop(label, f"{grown.device}, in {grown.seconds:.1f} s: {seen(grown, desired.qos)}"))
    return sort(rows)


def verdict(grown: Growth, qos: Qos) -> List[Red]:
    """Return everything that is wrong with what a port counted; empty: nothing is."""
    if grown.problem and not grown.grown:
        why = "what cannot be counted cannot be proven"
        act = "look at `ethtool -S` of the port, or set roce_watch_s: 0"
        return [Red(f"no counter could be read ({grown.problem})", why, act)]
    found = [*_losses(grown, qos), *_pauses(grown, qos), _outside(grown, qos), *_notifications(grown, qos)]
    return [one for one in found if one is not None]


def seen(grown: Growth, qos: Qos) -> str:
    """Return what a port without a red verdict did count, in words."""
    told = [] if _ran(grown) else ["no RDMA traffic ran, so congestion control is not shown"]
    told += [f"{name} counted backwards" for name in grown.reset[:1]]
    names = {"cnp_sent": "CNPs sent", "cnp_handled": "CNPs handled"}
    told += [f"{count} {names[name]}" for name in names for count in [grown.of(name)] if count]
    for priority in qos.paused:
        for name, word in (("rx_pause", "received"), ("tx_pause", "sent")):
            count = grown.of(name, priority)
            told += [f"{count} pause frames {word} on priority {priority}"] if count else []
    return "; ".join([*told, "no loss, no pause of other priorities"])


def _losses(grown: Growth, qos: Qos) -> List[Optional[Red]]:
    rows: List[Optional[Red]] = []
    act = "compare headroom and PFC at both ends: `raceway switch check`, roce_cable_m, roce_buffer"
    own = {priority: grown.of("rx_discards", priority) for priority in qos.paused}
    for priority, count in own.items():
        why = "a lossless priority must drop nothing"
        rows.append(_red(count, f"priority {priority} discarded {count} packets", why, act))
    if all(count is None for count in own.values()):
        # The driver does not say whose packets they were: on a port for RDMA they are taken for its.
        count = grown.of("discards")
        rows.append(_red(count, f"the port discarded {count} packets", "it has no room left for what it is sent", act))
    why = "packets were lost or overtaken on the way: RoCE sends all that followed once more"
    act = "look for discards and missing PFC along the path; with adaptive routing set roce_watch_s: 0"
    for name, word in (("out_of_sequence", "came out of sequence"), ("sequence_errors", "were reported missing")):
        count = grown.of(name)
        rows.append(_red(count, f"{count} packets {word}", why, act))
    return rows


def _pauses(grown: Growth, qos: Qos) -> List[Optional[Red]]:
    rows: List[Optional[Red]] = []
    act = "compare the PFC priorities with `raceway switch check`"
    for priority in PRIORITIES:
        if priority in qos.paused:
            continue
        count = grown.of("rx_pause", priority)
        why = "that priority is not declared lossless: its pauses spread congestion to all that share it"
        rows.append(_red(count, f"the neighbour paused priority {priority} {count} times", why, act))
        count = grown.of("tx_pause", priority)
        rows.append(_red(count, f"this port paused priority {priority} {count} times", why, act))
    for name, word in (("global_pause_rx", "received"), ("global_pause_tx", "sent")):
        count = grown.of(name)
        why = "link pause stops every priority at once, notifications too"
        rows.append(_red(count, f"{count} pauses of the whole link {word}", why, "set flow control off at both ends"))
    return rows


def _outside(grown: Growth, qos: Qos) -> Optional[Red]:
    """Judge whether RDMA traffic was in the lossless priority; only drivers that count bytes by priority say."""
    inside = [grown.of(name, qos.priority) for name in ("rx_bytes", "tx_bytes")]
    if not _ran(grown) or any(count is None for count in inside) or any(inside):
        return None
    why = f"the data travels in another priority than {qos.priority}, which nobody keeps lossless"
    act = f"have programs send ToS {qos.traffic_class} (NCCL_IB_TC, roce role's rdma_cm byte) and trust DSCP on the way"
    return Red(f"RDMA traffic ran, and priority {qos.priority} carried no byte", why, act)


def _notifications(grown: Growth, qos: Qos) -> List[Optional[Red]]:
    if not qos.ecn:
        return []
    rows: List[Optional[Red]] = []
    marked, sent = grown.of("ecn_marked"), grown.of("cnp_sent")
    if sent == 0:
        why = "senders are not told of congestion: the notification point is off"
        act = f"set roce_np/enable of priority {qos.priority}, or CNP in the firmware settings (mlxconfig)"
        rows.append(_red(marked, f"{marked} packets arrived marked and no CNP was sent", why, act))
    ignored = grown.of("cnp_ignored")
    why = "senders do not slow down: the reaction point is off, or for another priority"
    act = f"set roce_rp/enable of priority {qos.priority}, or ROCE_CC_PRIO_MASK in the firmware settings (mlxconfig)"
    rows.append(_red(ignored, f"{ignored} CNPs were ignored", why, act))
    return rows


def _red(count: Optional[int], what: str, why: str, act: str) -> Optional[Red]:
    return Red(what, why, act) if count else None


def _ran(grown: Growth) -> bool:
    return any(grown.of(name) for name in TRAFFIC)
