"""Two readings of a node's counters, made one list each, and what moved between them.

    ethtool/ens1f0np0/rx_prio3_pause   rdma/mlx5_0/1/np_cnp_sent   node/TcpExt.ListenOverflows

It deliberately compares nothing with a limit: what a difference means depends on the fabric, and is told where the
bundle is read. A counter that went back (a driver was loaded again) is told as such and never as a huge difference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, List, Mapping, Tuple

from ..facts import dcb, ethtool_stats, infiniband_sysfs, proc_net, rdma_statistic, ss_ti

Counters = Dict[str, int]
INFINIBAND = "infiniband.txt"
_OF_INTERFACE = re.compile(r"(ethtool|dcb-pfc)/([^/]+)\.txt$")


@dataclass(frozen=True)
class Delta:
    """One counter that moved. ``change`` is negative where it went back."""

    counter: str
    before: int
    after: int

    @property
    def change(self) -> int:
        """The difference."""
        return self.after - self.before


def flat(texts: Mapping[str, str]) -> Tuple[Counters, List[str]]:
    """Return the counters of one reading, and what could not be read. ``texts``: path below counters/WHEN → text."""
    counters: Counters = {}
    problems: List[str] = []
    for path, text in sorted(texts.items()):
        found, problem = _of(path, text)
        counters.update(found)
        if problem:
            problems.append(f"{path}: {problem}")
    return counters, problems


def deltas(before: Counters, after: Counters) -> List[Delta]:
    """Return every counter that moved, by name; one that is in a single reading only has not moved."""
    both = sorted(name for name in before if name in after)
    return [Delta(name, before[name], after[name]) for name in both if before[name] != after[name]]


def _of(path: str, text: str) -> Tuple[Counters, str]:
    interface = _OF_INTERFACE.search(path)
    if interface and interface[1] == "ethtool":
        stats = ethtool_stats.parse(text)
        return {f"ethtool/{interface[2]}/{name}": value for name, value in stats.counters.items()}, stats.problem
    if interface:
        return _pfc(interface[2], text)
    name = path.rpartition("/")[2]
    if name == INFINIBAND:
        return _infiniband(text)
    if name.startswith("rdma-statistic"):
        read = rdma_statistic.parse(text)
        rows = ((port.name, key, value) for port in read.ports for key, value in port.values.items())
        return {f"rdma/{port}/{key}": value for port, key, value in rows if value is not None}, read.problem
    if name.startswith("ss-ti"):
        return _sockets(text)
    made = proc_net.parse_softnet(text) if name == "softnet_stat" else proc_net.parse_pairs(text)
    group = "softnet." if name == "softnet_stat" else ""
    return {f"node/{group}{key}": value for key, value in made.counters.items()}, made.problem


def _infiniband(text: str) -> Tuple[Counters, str]:
    facts = infiniband_sysfs.parse(text)
    rows = ((port.name, key, value) for port in facts.ports for key, value in port.counters.items())
    return {f"rdma/{port}/{key}": value for port, key, value in rows if value is not None}, facts.problem


def _pfc(interface: str, text: str) -> Tuple[Counters, str]:
    """Return pause frames sent (requests) and received (indications) of each priority."""
    pfc = dcb.parse_pfc(text)
    counters: Counters = {}
    for name in ("requests", "indications"):
        for priority, value in enumerate(getattr(pfc, name) or ()):
            counters[f"pfc/{interface}/{name}.{priority}"] = value
    return counters, pfc.problem


def _sockets(text: str) -> Tuple[Counters, str]:
    found = ss_ti.parse(text)
    counters = {f"tcp/{one.local}>{one.peer}/retrans": one.retrans_total for one in found.sockets}
    return {name: value for name, value in counters.items() if value is not None}, found.problem
