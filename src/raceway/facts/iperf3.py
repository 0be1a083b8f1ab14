"""What ``iperf3 -J`` measured: the rate at the receiver, and what the sender had to send again.

    {"start":{"version":"iperf 3.12"},"intervals":[],"end":{
      "sum_sent":{"seconds":5.0,"bytes":5896536064,"bits_per_second":9.43e9,"retransmits":12},
      "sum_received":{"seconds":5.0,"bytes":5893832704,"bits_per_second":9.42e9}},"error":"the server is busy"}

It deliberately takes the receiver's figure: what the sender handed to its kernel need not have arrived. iperf3 exits 0
with an ``error`` in some versions, and prints ``bits_per_second`` 0 where nothing was measured; neither is a rate.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional

from .reading import decimal, is_json, joined, not_output_of, number, quote

TOOL = "iperf3 -J"


@dataclass(frozen=True)
class Iperf3:
    """One test. Rates in Gb/s (10^9 bits); ``seconds``: measured, not asked for; None: not measured or not told."""

    received_gbps: Optional[float] = None
    sent_gbps: Optional[float] = None
    seconds: Optional[float] = None
    retransmits: Optional[int] = None
    congestion: str = ""
    version: str = ""
    problem: str = ""


def parse(text: str) -> Iperf3:
    """Return what was measured; a test without a rate always has a problem."""
    start = text.find("{")
    if start < 0 or not is_json(text[start:]):
        return Iperf3(problem=not_output_of(TOOL, text))
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return Iperf3(problem="the JSON is cut off or damaged, so the test has no result")
    if not ({"start", "end", "error"} & set(data)):
        return Iperf3(problem=not_output_of(TOOL, text))
    end = _dict(data, "end")
    received, sent = _dict(end, "sum_received"), _dict(end, "sum_sent")
    rate = _rate(received)
    error = quote(str(data["error"])) if data.get("error") else ""
    return Iperf3(
        rate,
        _rate(sent),
        decimal(received.get("seconds")),
        number(sent.get("retransmits")),
        str(end.get("sender_tcp_congestion") or ""),
        str(_dict(data, "start").get("version") or ""),
        joined(error, "" if rate is not None else "the test ended without a result"),
    )


def _rate(row: Mapping[str, Any]) -> Optional[float]:
    """Return Gb/s; a row of no bytes at all was not measured (the server prints such rows for the other side)."""
    bits = decimal(row.get("bits_per_second"))
    return None if bits is None or not row.get("bytes") else bits / 1e9


def _dict(row: Mapping[str, Any], key: str) -> Dict[str, Any]:
    found = row.get(key)
    return found if isinstance(found, dict) else {}
