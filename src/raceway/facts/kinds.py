"""Every kind of output that can be read: its parser, and the command that prints it.

    raceway facts parse dcb-pfc, raceway facts parse lspci, raceway facts parse ss-ti

It deliberately names modules and imports none: a command line loads only the parser it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Tuple

from .kinds_rdma import KINDS as RDMA


@dataclass(frozen=True)
class Kind:
    """One kind. ``module`` of this package holds ``function``, from a text to a frozen dataclass with ``problem``."""

    name: str
    command: str
    module: str
    function: str = "parse"


OWN: Tuple[Kind, ...] = (
    Kind("bonding", "cat /proc/net/bonding/X", "bonding"),
    Kind("dcb-app", "dcb -j app show dev X", "dcb", "parse_app"),
    Kind("dcb-apptrust", "dcb -j apptrust show dev X", "dcb", "parse_apptrust"),
    Kind("dcb-buffer", "dcb -j buffer show dev X", "dcb", "parse_buffer"),
    Kind("dcb-dcbx", "dcb -j dcbx show dev X", "dcb", "parse_dcbx"),
    Kind("dcb-ets", "dcb -j ets show dev X", "dcb", "parse_ets"),
    Kind("dcb-pfc", "dcb -s -j pfc show dev X", "dcb", "parse_pfc"),
    Kind("ethtool-a", "ethtool -a X", "ethtool_a"),
    Kind("ethtool-fec", "ethtool -I --show-fec X", "ethtool_fec"),
    Kind("ethtool-g", "ethtool -g X", "ethtool_g"),
    Kind("ethtool-i", "ethtool -i X", "ethtool_i"),
    Kind("ethtool-module", "ethtool -m X", "ethtool_module"),
    Kind("ethtool-stats", "ethtool -S X", "ethtool_stats"),
    Kind("ip-addr", "ip -j -d addr show", "ip_addr"),
    Kind("ip-route", "ip -N -j route show table all", "ip_route"),
    Kind("ip-rule", "ip -N -j rule show", "ip_rule"),
    Kind("iperf3", "iperf3 -c HOST -J", "iperf3"),
    Kind("lldp", "lldpctl -f json", "lldp"),
    Kind("lspci", "lspci -vvv (as root)", "lspci"),
    Kind("mlnx-qos", "mlnx_qos -i X", "mlnx_qos"),
    Kind("mlxconfig", "mlxconfig -d B -e q", "mlxconfig"),
    Kind("mlxlink", "mlxlink -d B -m -c", "mlxlink"),
    Kind("nvidia-csv", "nvidia-smi --query-gpu=index,… --format=csv", "nvidia_csv"),
    Kind("nvidia-nvlink", "nvidia-smi nvlink -s", "nvidia_nvlink"),
    Kind("nvidia-topo", "nvidia-smi topo -m", "nvidia_topo"),
    Kind("rping", "rping -c -a ADDRESS -v", "rping"),
    Kind("ss-ti", "ss -ti", "ss_ti"),
    Kind("tc-qdisc", "tc -j qdisc show", "tc_qdisc"),
    Kind("udaddy", "udaddy -s ADDRESS", "udaddy"),
)
# Of the kinds of kinds_rdma.py; one without an entry is its own command.
COMMANDS: Dict[str, str] = {
    "ibv-devinfo": "ibv_devinfo -v",
    "infiniband-sysfs": "grep -R . /sys/class/infiniband/",
    "nccl-log": "a job's log with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET",
    "nccl-tests": "all_reduce_perf and its sisters, text or the file of -J",
    "perftest": "ib_write_bw, ib_send_lat and their sisters",
    "rdma-dev": "rdma -j dev show",
    "rdma-link": "rdma -j link show",
    "rdma-statistic": "rdma -j statistic show",
    "rdma-system": "rdma -j system show",
    "show-gids": "show_gids",
}
KINDS: Dict[str, Kind] = {
    kind.name: kind
    for kind in sorted(
        (*OWN, *(Kind(name, COMMANDS.get(name, name), module) for name, module in RDMA.items())),
        key=lambda kind: kind.name,
    )
}
