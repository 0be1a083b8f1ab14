"""What is gathered: a list of files and of commands that only read, for the interfaces and devices a node has.

    sysctl -a                  -> system/sysctl.txt
    /etc/nccl.conf             -> ours/etc/nccl.conf
    ethtool -S ens1f0np0       -> counters/before/ethtool/ens1f0np0.txt

It deliberately asks every node for everything: what a node does not have is in the manifest with the reason, since a
tool that is not there is an answer too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Tuple

from ..model.evidence import KIB, Wanted
from . import captures

SLOW_S = 45.0  # firmware tools and nvidia-smi on a machine in trouble
USUAL_S = 15.0
OURS = (
    *("/etc/sysctl.d/*raceway*", "/etc/modules-load.d/*raceway*", "/etc/modprobe.d/*raceway*"),
    *("/etc/tmpfiles.d/*raceway*", "/etc/security/limits.d/*raceway*", "/etc/default/grub.d/*raceway*"),
    *("/etc/systemd/system/*raceway*", "/etc/systemd/system/*.d/*raceway*", "/etc/systemd/system.conf.d/*raceway*"),
    *("/etc/udev/rules.d/*raceway*", "/etc/systemd/network/*raceway*", "/etc/raceway/boot/*"),
)
LEDGER = "/var/lib/raceway/ledger.json"
SYSTEM = (
    *("/etc/nccl.conf", "/etc/rccl.conf", "/root/.nccl.conf", "/etc/os-release", "/etc/sysctl.conf", "/etc/sysctl.d/*"),
    *("/etc/network/interfaces", "/etc/network/interfaces.d/*", "/etc/netplan/*", "/etc/systemd/network/*"),
    *("/etc/NetworkManager/NetworkManager.conf", "/etc/NetworkManager/system-connections/*"),
    *("/etc/sysconfig/network-scripts/ifcfg-*", "/etc/modprobe.d/*", "/etc/modules-load.d/*", "/etc/udev/rules.d/*"),
    *("/etc/rdma/*.conf", "/etc/rdma/modules/*", "/etc/infiniband/*.conf", "/etc/opensm/*", "/etc/libibverbs.d/*"),
    *("/etc/security/limits.conf", "/etc/security/limits.d/*", "/etc/default/grub", "/etc/default/grub.d/*"),
)  # fmt: skip
PROC = ("/proc/cmdline", "/proc/interrupts", "/proc/driver/nvidia/version", "/sys/module/*/version")
COUNTED = ("/proc/net/netstat", "/proc/net/snmp", "/proc/net/softnet_stat")
COMMANDS = {
    "system/sysctl.txt": ("sysctl", "-a"),
    "system/lsmod.txt": ("lsmod",),
    "system/units-failed.txt": ("systemctl", "list-units", "--failed", "--no-pager", "--plain"),
    "system/journal-raceway.txt": ("journalctl", "-u", "raceway*", "-n", "500", "--no-pager", "-o", "short-iso"),
    "network/addresses.json": ("ip", "-j", "-s", "-d", "address"),
    "network/routes.txt": ("ip", "route", "show", "table", "all"),
    "network/rules.txt": ("ip", "rule"),
    "network/neighbours.txt": ("ip", "-s", "neigh"),
    "network/qdiscs.txt": ("tc", "-s", "qdisc", "show"),
    "rdma/link.json": ("rdma", "-j", "link", "show"),
    "rdma/dev.json": ("rdma", "-j", "-d", "dev", "show"),
    "rdma/system.json": ("rdma", "-j", "system", "show"),
    "rdma/ibstat.txt": ("ibstat",),
    "rdma/ibv_devinfo.txt": ("ibv_devinfo", "-v"),
    "rdma/show_gids.txt": ("show_gids",),
    "versions/kernel.txt": ("uname", "-a"),
    "versions/ofed.txt": ("ofed_info", "-s"),
    "versions/cuda.txt": ("nvcc", "--version"),
    "versions/libraries.txt": ("ldconfig", "-p"),
}
PACKAGES = {
    "versions/packages-deb.txt": ("dpkg-query", "-W"),
    "versions/packages-rpm.txt": ("rpm", "-qa"),
}
SLOW = {
    "pci/lspci.txt": ("lspci", "-vvv"),
    "gpu/nvidia-smi-q.txt": ("nvidia-smi", "-q"),
    "gpu/topology.txt": ("nvidia-smi", "topo", "-m"),
    "gpu/nvlink.txt": ("nvidia-smi", "nvlink", "-s"),
}
OF_INTERFACE = {
    "link": ("ethtool", "{}"),
    "driver": ("ethtool", "-i", "{}"),
    "pause": ("ethtool", "-a", "{}"),
    "rings": ("ethtool", "-g", "{}"),
    "features": ("ethtool", "-k", "{}"),
    "channels": ("ethtool", "-l", "{}"),
    "coalescing": ("ethtool", "-c", "{}"),
    "fec": ("ethtool", "-I", "--show-fec", "{}"),
    "module": ("ethtool", "-m", "{}"),
    "private-flags": ("ethtool", "--show-priv-flags", "{}"),
    "mlnx_qos": ("mlnx_qos", "-i", "{}"),
    **{f"dcb-{what}": ("dcb", "-j", what, "show", "dev", "{}") for what in ("pfc", "ets", "app", "buffer", "dcbx")},
}
# By PCI address; both tools read here and write nothing.
OF_FUNCTION = {"mlxconfig": ("mlxconfig", "-d", "{}", "-e", "q"), "mlxlink": ("mlxlink", "-d", "{}", "-m", "-c")}
COUNTERS = {
    "rdma-statistic.json": ("rdma", "-j", "statistic", "show"),
    "ss-ti.txt": ("ss", "-tin"),
}


@dataclass(frozen=True)
class Ports:
    """What a node has: interfaces, RDMA devices, and the PCI addresses of NVIDIA's cards among these."""

    interfaces: Tuple[str, ...] = ()
    rdma: Tuple[str, ...] = ()
    functions: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One thing to gather: either ``argv``, or ``files`` (patterns), which come below ``path``.

    ``limit``: bytes. ``tail``: of what is longer, the end is kept. ``form``: text, json, ledger or pcap.
    """

    path: str
    argv: Tuple[str, ...] = ()
    files: Tuple[str, ...] = ()
    limit: int = 0
    tail: bool = False
    form: str = "text"
    timeout_s: float = USUAL_S


def once(ports: Ports, wanted: Wanted) -> Iterator[Item]:
    """Yield what is read once, in the order of its worth: what comes last is left out of a bundle that is too large."""
    most = wanted.file_bytes
    yield Item("ours", files=OURS, limit=most)
    yield Item("ours", files=(LEDGER,), limit=most, form="ledger")
    dmesg = ("dmesg",)
    yield Item("kernel/dmesg.txt", dmesg, limit=wanted.dmesg_bytes, tail=True)
    yield Item("system", files=SYSTEM, limit=256 * KIB)
    yield Item("system", files=PROC, limit=256 * KIB)
    for interface in ports.interfaces:
        for name, words in OF_INTERFACE.items():
            yield Item(f"interfaces/{interface}/{name}.txt", _filled(words, interface), limit=most)
    for path, words in COMMANDS.items():
        yield Item(path, words, limit=most)
    for function in ports.functions:
        for name, words in OF_FUNCTION.items():
            yield Item(f"firmware/{function}/{name}.txt", _filled(words, function), limit=most, timeout_s=SLOW_S)
    for path, words in SLOW.items():
        yield Item(path, words, limit=most, timeout_s=SLOW_S)
    for path, words in PACKAGES.items():
        yield Item(path, words, limit=most, timeout_s=SLOW_S)


def counted(when: str, ports: Ports, wanted: Wanted) -> Iterator[Item]:
    """Yield what is read twice; ``when`` is ``before`` or ``after``. RDMA counters are read from sysfs beside this."""
    base, most = f"counters/{when}", wanted.file_bytes
    yield Item(base, files=COUNTED, limit=most)
    for name, words in COUNTERS.items():
        yield Item(f"{base}/{name}", words, limit=most)
    for interface in ports.interfaces:
        yield Item(f"{base}/ethtool/{interface}.txt", ("ethtool", "-S", interface), limit=most)
        yield Item(f"{base}/dcb-pfc/{interface}.txt", ("dcb", "-s", "-j", "pfc", "show", "dev", interface), limit=most)


def captured(ports: Ports, wanted: Wanted) -> Iterator[Item]:
    """Yield the captures, all of which run at the same time."""
    for interface in ports.rdma if wanted.rdma_sniffer else ports.interfaces:
        for kind in wanted.captures:
            words = captures.argv(kind, interface, wanted)
            most = captures.most_bytes(wanted)
            yield Item(
                f"captures/{interface}/{kind}.pcap", words, limit=most, form="pcap", timeout_s=wanted.capture_s + 5
            )


def _filled(words: Tuple[str, ...], name: str) -> Tuple[str, ...]:
    return tuple(name if word == "{}" else word for word in words)
