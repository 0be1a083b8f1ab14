"""What ``ethtool -m X`` reads from a transceiver or cable: who made it, how warm it is, light and current by lane.

    Vendor PN                                 : MMA1B00-C100D
    Laser tx bias current (Channel 1)         : 6.662 mA
    Rcvr signal avg optical power(Channel 2)  : 0.0000 mW / -inf dBm

It deliberately gives None for the monitors of a module that has none: passive copper prints 0.00 degrees and 0.0000 V,
and a module that answers at all is not without voltage. No light is 0.0 mW and None dBm, which has no number for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Optional, Tuple

from .reading import decimal
from .verdict import ended, known, problem

LANE = re.compile(r"\(Chan(?:nel)? ?(\d+)\)")
# SFF-8636 and CMIS print a channel, SFF-8472 (one lane) has names of its own.
BIAS = ("Laser tx bias current", "Laser bias current")
SENT = ("Transmit avg optical power", "Laser output power")
RECEIVED = ("Rcvr signal avg optical power", "Receiver signal OMA", "Receiver signal average optical power")
FLAG = re.compile(r"(alarm|warning|fault|loss of)", re.IGNORECASE)


@dataclass(frozen=True)
class Lane:
    """One lane as numbered by the tool. ``*_mw``: milliwatts of light, ``*_dbm`` the same; ``bias_ma``: milliampere."""

    number: int
    bias_ma: Optional[float] = None
    tx_mw: Optional[float] = None
    tx_dbm: Optional[float] = None
    rx_mw: Optional[float] = None
    rx_dbm: Optional[float] = None


@dataclass(frozen=True)
class Module:
    """What sits in one port. ``length_m``: metres of a cable; ``raised``: alarms, warnings and faults that are on."""

    identifier: Optional[str] = None
    connector: Optional[str] = None
    vendor: Optional[str] = None
    part: Optional[str] = None
    serial: Optional[str] = None
    revision: Optional[str] = None
    length_m: Optional[float] = None
    temperature_c: Optional[float] = None
    voltage_v: Optional[float] = None
    lanes: Tuple[Lane, ...] = ()
    raised: Tuple[str, ...] = ()
    problem: str = ""


def parse(text: str) -> Module:
    """Read the output of one interface."""
    values: Dict[str, str] = {}
    rest: List[str] = []
    shown, half = ended(text)
    for line in shown:
        # Names hold colons only in errors; the sign stands behind blanks that align it.
        name, sign, value = line.partition(" : ") if " : " in line else line.partition(":\t")
        if sign and line[:1].isspace():
            values.setdefault(" ".join(name.split()), value.strip())
        else:
            rest.append(line)
    read = "Identifier" in values
    voltage = _number(values.get("Module voltage"))
    monitored = bool(voltage)
    cut = [] if "Vendor SN" in values else ["Vendor SN"]
    return Module(
        identifier=_described(values.get("Identifier")),
        connector=_described(values.get("Connector")),
        vendor=known(values.get("Vendor name")),
        part=known(values.get("Vendor PN")),
        serial=known(values.get("Vendor SN")),
        revision=known(values.get("Vendor rev")),
        length_m=_length(values),
        temperature_c=_number(values.get("Module temperature")) if monitored else None,
        voltage_v=voltage if monitored else None,
        lanes=_lanes(values) if monitored else (),
        raised=tuple(name for name, value in values.items() if value == "On" and FLAG.search(name)),
        problem=problem("ethtool -m", read, rest if read else [*rest, *values], cut, half),
    )


def _described(text: Optional[str]) -> Optional[str]:
    found = re.fullmatch(r"0x[0-9a-fA-F]+ \((.*)\)", text or "")
    return found[1] if found else known(text)


def _number(text: Optional[str]) -> Optional[float]:
    return decimal((text or "").split()[0]) if text else None


def _length(values: Dict[str, str]) -> Optional[float]:
    keys = ("Length (Copper or Active cable)", "Length (Copper)", "Cable assembly length")
    found = (re.fullmatch(r"([0-9.,]+) ?m", values.get(key, "")) for key in keys)
    lengths = [decimal(one[1]) for one in found if one]
    # A length of 0 stands for "not a cable" in SFF-8636 and SFF-8472.
    return next((length for length in lengths if length), None)


def _lanes(values: Dict[str, str]) -> Tuple[Lane, ...]:
    found: Dict[int, Dict[str, Optional[float]]] = {}
    for name, value in values.items():
        lane = LANE.search(name)
        bare = LANE.sub("", name).strip()
        one = found.setdefault(int(lane[1]) if lane else 1, {})
        if bare in BIAS:
            one["bias_ma"] = _number(value)
        elif bare in SENT or bare in RECEIVED:
            side = "tx" if bare in SENT else "rx"
            watts, _, level = value.partition("/")
            one[f"{side}_mw"], one[f"{side}_dbm"] = _number(watts), _number(level.strip())
    return tuple(Lane(number, **one) for number, one in sorted(found.items()) if one)
