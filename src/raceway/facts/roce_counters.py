"""What a RoCE port has counted, by one set of names whatever the driver calls it, and how much more between two looks.

From ``ethtool -S``, ``dcb -s pfc show`` and the files of the RDMA device's ``hw_counters`` and ``counters``::

    rx_prio3_pause: 12                  (mlx5; bnxt_en says rx_pfc_ena_frames_pri3)
    {"requests":[0,0,0,9,0,0,0,0],"indications":[0,0,0,12,0,0,0,0]}
    np_cnp_sent 4711

It deliberately judges nothing and fills no gaps: a counter that a driver does not have is absent, and one that went
backwards (its driver was reloaded) gives no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Iterable, Mapping, Optional, Tuple

from .dcb import Pfc
from .ethtool_stats import PRIORITY_NAMES, Statistics
from .reading import number

# Ours → what drivers call it, the first that is there counts.
PORT_NAMES: Mapping[str, Tuple[str, ...]] = {
    "discards": ("rx_discards_phy", "rx_discard_frames", "rx_total_discard_pkts"),
    "global_pause_rx": ("rx_global_pause",),
    "global_pause_tx": ("tx_global_pause",),
}
# Of the RDMA device: mlx5, then bnxt_re, then soft-RoCE.
DEVICE_NAMES: Mapping[str, Tuple[str, ...]] = {
    "ecn_marked": ("np_ecn_marked_roce_packets", "rx_ecn_marked_pkts"),
    "cnp_sent": ("np_cnp_sent", "tx_cnp_pkts"),
    "cnp_handled": ("rp_cnp_handled", "rx_cnp_pkts"),
    "cnp_ignored": ("rp_cnp_ignored",),
    "out_of_sequence": ("out_of_sequence", "out_of_seq_request"),
    "sequence_errors": ("packet_seq_err", "seq_err_naks_rcvd", "rcvd_seq_err"),
    "sent": ("port_xmit_data", "tx_roce_only_bytes", "sent_pkts"),
    "received": ("port_rcv_data", "rx_roce_only_bytes", "rcvd_pkts"),
}
TRAFFIC = ("sent", "received")


@dataclass(frozen=True)
class Reading:
    """One look at one port. Keys are those of the tables above; of a priority ``rx_pause 3``, ``rx_bytes 3`` and so."""

    counters: Mapping[str, int] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Growth:
    """What one port counted between two looks ``seconds`` apart; ``reset``: counters that went backwards."""

    device: str
    seconds: float
    grown: Mapping[str, int] = field(default_factory=dict)
    reset: Tuple[str, ...] = ()
    problem: str = ""

    def of(self, name: str, priority: Optional[int] = None) -> Optional[int]:
        """Return how much a counter grew, None where the port has none such."""
        return self.grown.get(name if priority is None else f"{name} {priority}")


def read(statistics: Statistics, pfc: Pfc, device: Mapping[str, str]) -> Reading:
    """Return one look; ``device``: texts of the RDMA device's counter files by name.

    Pause frames of a driver that has no names for them are those of DCB, which every driver with PFC counts.
    """
    seen: Dict[str, int] = {}
    for name, names in PORT_NAMES.items():
        _take(seen, name, (statistics.counters.get(own) for own in names))
    for name, names in DEVICE_NAMES.items():
        _take(seen, name, (number(device.get(own)) for own in names))
    for priority in range(8):
        for name in PRIORITY_NAMES:
            _take(seen, f"{name} {priority}", [statistics.of_priority(name, priority)])
    for name, row in (("tx_pause", pfc.requests), ("rx_pause", pfc.indications)):
        for priority, count in enumerate(row or ()):
            seen.setdefault(f"{name} {priority}", count)
    return Reading(seen, "" if seen else statistics.problem or pfc.problem or "there are no counters")


def growth(device: str, seconds: float, before: Reading, after: Reading) -> Growth:
    """Return what was counted between two looks."""
    both = {name: after.counters[name] - count for name, count in before.counters.items() if name in after.counters}
    grown = {name: more for name, more in both.items() if more >= 0}
    reset = tuple(sorted(set(both) - set(grown)))
    return Growth(device, seconds, grown, reset, before.problem or after.problem)


def _take(seen: Dict[str, int], name: str, found: Iterable[Optional[int]]) -> None:
    value = next((count for count in found if count is not None), None)
    if value is not None:
        seen[name] = value
