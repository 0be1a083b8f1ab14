"""What ``ethtool -a X`` says of link pause, as text or with ``--json``. Link pause must be off where PFC is on.

    Pause parameters for eth2:
    Autonegotiate:	off
    RX:		on

It deliberately keeps what was negotiated apart from what was asked for: only the first is what the link does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from .reading import joined, switch
from .verdict import ended, fields, problem, split_json

HEAD = "Pause parameters for "
NAMES = {"Autonegotiate": "autonegotiate", "RX": "rx", "TX": "tx"}
NEGOTIATED = {"RX negotiated": "rx_negotiated", "TX negotiated": "tx_negotiated"}


@dataclass(frozen=True)
class Pause:
    """One interface. ``*_negotiated``: printed by newer tools where autonegotiation is on, else None."""

    interface: str = ""
    autonegotiate: Optional[bool] = None
    rx: Optional[bool] = None
    tx: Optional[bool] = None
    rx_negotiated: Optional[bool] = None
    tx_negotiated: Optional[bool] = None
    problem: str = ""


def parse(text: str) -> Pause:
    """Read the output of one interface."""
    rows, before, wrong = split_json(text)
    if rows is not None:
        return _from_json(rows[0] if rows else {}, before, wrong)
    shown, half = ended(text)
    heads = [line for line in shown if line.startswith(HEAD)]
    both = {**NAMES, **NEGOTIATED}
    # Without the heading it is not ethtool's: "RX: on" may be anyone's.
    values = fields(line for line in shown if heads and line.split(":")[0].strip() in both)
    found: Dict[str, Any] = {both[name]: switch(word) for name, word in values.items()}
    left = [line for line in shown if line not in heads and line.split(":")[0].strip() not in values]
    cut = [name for name, key in NAMES.items() if found.get(key) is None]
    interface = heads[0][len(HEAD) :].rstrip(":") if heads else ""
    return Pause(interface, **found, problem=problem("ethtool -a", bool(heads), left, cut, half))


def _from_json(row: Dict[str, Any], before: List[str], wrong: str) -> Pause:
    negotiated = row.get("negotiated")
    settled = negotiated if isinstance(negotiated, dict) else {}
    cut = [key for key in NAMES.values() if not isinstance(row.get(key), bool)]
    return Pause(
        interface=str(row.get("ifname", "")),
        autonegotiate=switch(row.get("autonegotiate")),
        rx=switch(row.get("rx")),
        tx=switch(row.get("tx")),
        rx_negotiated=switch(settled.get("rx")),
        tx_negotiated=switch(settled.get("tx")),
        problem=joined(wrong, problem("ethtool -a", True, before, () if wrong else cut)),
    )
