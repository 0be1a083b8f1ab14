"""The calls that set one part of a port: DCB by the port's backend, link pause by ethtool, the MTU by ip.

    dcb pfc set dev ens1f0np0 prio-pfc all:off 3:on
    mlnx_qos -i ens1f0np0 --pfc 0,0,0,1,0,0,0,0

It deliberately uses ``replace`` for the DSCP map of ``dcb``: ``add`` would leave two priorities for one code point.
"""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping

from ..facts.roce_backend import MLNX_QOS

Call = List[str]


def calls(backend: str, device: str, name: str, values: Mapping[str, Any]) -> List[Call]:
    """Return the calls that set a part, in order; a part of DCB by the backend.

    >>> calls("mlnx_qos", "ens1", "dscp", {"dscp": ((26, 3),)})
    [['mlnx_qos', '-i', 'ens1', '--trust', 'dscp'], ['mlnx_qos', '-i', 'ens1', '--dscp2prio', 'set,26,3']]
    """
    if name == "pause":
        receive, send = ("on" if bit else "off" for bit in values["pause"])
        return [["ethtool", "-A", device, "rx", receive, "tx", send]]
    if name == "mtu":
        return [["ip", "link", "set", "dev", device, "mtu", str(values["mtu"])]]
    return _mlnx_qos(device, name, values) if backend == MLNX_QOS else [_dcb(device, name, values)]


def unmap(backend: str, device: str, pairs: Iterable[Any], trusted: bool) -> List[Call]:
    """Return the calls that take DSCP entries out again; ``trusted``: the port had a map of its own before."""
    if backend != MLNX_QOS:
        words = [f"{code}:{priority}" for code, priority in pairs]
        return [["dcb", "app", "del", "dev", device, "dscp-prio", *words]] if words else []
    # Its map has a priority for every code point: what was there is set again, or the map is no longer looked at.
    return [] if trusted else [["mlnx_qos", "-i", device, "--trust", "pcp"]]


def _dcb(device: str, name: str, values: Mapping[str, Any]) -> Call:
    if name == "dscp":
        return ["dcb", "app", "replace", "dev", device, "dscp-prio", *(f"{c}:{p}" for c, p in values["dscp"])]
    if name == "pfc":
        on = [f"{number}:on" for number, bit in enumerate(values["pfc"]) if bit]
        return ["dcb", "pfc", "set", "dev", device, "prio-pfc", "all:off", *on]
    if name == "buffer":
        rows = [("prio-buffer", "priority_buffer"), ("buffer-size", "buffer_sizes")]
        return ["dcb", "buffer", "set", "dev", device, *_rows(rows, values)]
    rows = [("tc-tsa", "scheduling"), ("tc-bw", "bandwidth"), ("prio-tc", "priority_class")]
    return ["dcb", "ets", "set", "dev", device, *_rows(rows, values)]


def _rows(rows: List[Any], values: Mapping[str, Any]) -> List[str]:
    words = [[key, *(f"{n}:{value}" for n, value in enumerate(values[field]))] for key, field in rows]
    return [word for row in words for word in row]


def _mlnx_qos(device: str, name: str, values: Mapping[str, Any]) -> List[Call]:
    head = ["mlnx_qos", "-i", device]
    if name == "dscp":
        # Trust and map cannot be set in one call, and each call takes one code point.
        entries = [[*head, "--dscp2prio", f"set,{code},{priority}"] for code, priority in values["dscp"]]
        return [[*head, "--trust", "dscp"], *entries]
    if name == "pfc":
        return [[*head, "--pfc", _commas(int(bit) for bit in values["pfc"])]]
    if name == "cable":
        return [[*head, "--cable_len", str(values["cable_m"])]]
    if name == "buffer":
        sizes, priorities = _commas(values["buffer_sizes"]), _commas(values["priority_buffer"])
        return [[*head, "--prio2buffer", priorities, "--buffer_size", sizes]]
    words = ["--prio_tc", _commas(values["priority_class"]), "--tsa", _commas(values["scheduling"])]
    return [[*head, *words, "--tcbw", _commas(values["bandwidth"])]]


def _commas(values: Iterable[Any]) -> str:
    return ",".join(str(value) for value in values)
