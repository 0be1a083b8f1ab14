"""Looks twice at the counters of RoCE ports, a declared time apart: all ports at once, one wait for all.

It deliberately sends no traffic of its own: what a fabric does to the work that runs on it is what is wanted.
"""

from __future__ import annotations

import time
from typing import Dict, Tuple

from ..facts.dcb import Pfc, parse_pfc
from ..facts.ethtool_stats import parse as parse_statistics
from ..facts.roce_counters import Growth, Reading, growth, read
from ..host import Host, Ledger
from ..model.roce_watch import RoceWatchDesired
from .rdma_cm import INFINIBAND, devices_of
from .roce import interfaces


def probe(host: Host, desired: RoceWatchDesired, ledger: Ledger) -> Dict[str, Growth]:
    """Return label → what the port counted in between; ports that are not there are the ``roce`` noun's refusals."""
    del ledger
    if not desired.ports or desired.seconds <= 0:
        return {}
    present = interfaces(host)
    places = {port.label: present[port.label] for port in desired.ports if port.label in present}
    if not places:
        return {}
    devices = {label: devices_of(host, interface) for label, interface in places.items()}
    before = {label: _look(host, interface, devices[label]) for label, interface in places.items()}
    began = time.monotonic()
    time.sleep(desired.seconds)
    took = time.monotonic() - began
    after = {label: _look(host, interface, devices[label]) for label, interface in places.items()}
    return {label: growth(places[label], took, before[label], after[label]) for label in places}


def _look(host: Host, interface: str, devices: Tuple[str, ...]) -> Reading:
    files: Dict[str, str] = {}
    for device in devices:
        for folder in ("counters", "hw_counters"):
            place = f"{INFINIBAND}/{device}/ports/1/{folder}"
            files.update({name: host.read(f"{place}/{name}") or "" for name in host.listdir(place)})
    done = host.run(["dcb", "-s", "-j", "pfc", "show", "dev", interface])
    pfc = parse_pfc(done.out) if done.rc == 0 else Pfc()
    return read(parse_statistics(host.run(["ethtool", "-S", interface]).out), pfc, files)
