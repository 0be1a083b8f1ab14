"""Kernel settings as declared, and the names of keys: one spelling inside, whatever form people write.

The inside form of a key is its path below /proc/sys (``net/ipv4/conf/eth0.100/rp_filter``): it is the only form in
which an interface name with dots is unambiguous. sysctl.d(5): when the first separator of a key is a slash, dots are
literal; when it is a dot, a slash inside stands for a dot of the name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Mapping, Optional, Tuple

# Families whose middle part is an interface name: PREFIX/<interface>/<parameter>.
INTERFACE_FAMILIES = ("net.ipv4.conf.", "net.ipv6.conf.", "net.ipv4.neigh.", "net.ipv6.neigh.", "net.mpls.conf.")

# Keys that circulate in tuning guides and exist in no Linux kernel, each with the knob that was meant.
FICTITIOUS: Dict[str, str] = {
    "net/rdma/rx_cqe": "RX ring size is `ethtool -G DEV rx N`, completion moderation is `ethtool -C DEV`, "
    "RX CQE compression is `ethtool --set-priv-flags DEV rx_cqe_compress on`",
    "net/rdma/tx_cqe": "TX ring size is `ethtool -G DEV tx N`, completion moderation is `ethtool -C DEV`",
    "net/core/rmem": "the upper bound is net.core.rmem_max, the default is net.core.rmem_default",
    "net/core/wmem": "the upper bound is net.core.wmem_max, the default is net.core.wmem_default",
    "net/ipv4/tcp_bbr": "BBR is chosen by net.ipv4.tcp_congestion_control = bbr",
    "net/ipv4/tcp_ecn_enable": "the key is net.ipv4.tcp_ecn (0, 1 or 2)",
    "vm/hugepages": "the key is vm.nr_hugepages, better a count per NUMA node (role memory_tiers)",
}
RDMA_HINT = "RDMA has no net.rdma.* settings: ring size and moderation are ethtool's, CQ depth is the application's"

# Keys that a container or another network namespace sees as its own (kernel/ipc namespaces, fs/mqueue).
NAMESPACED = frozenset(
    "kernel/" + name
    for name in (
        *("domainname", "hostname", "msgmax", "msgmnb", "msgmni"),
        *("sem", "shm_rmid_forced", "shmall", "shmmax", "shmmni"),
    )
)
# Keys below net/ that stay kernel-wide, so that another network namespace does not show them (or not writable).
KERNEL_WIDE_NET = (
    "net/core/",
    "net/ipv4/tcp_mem",
    "net/ipv4/udp_mem",
    "net/ipv4/tcp_max_orphans",
    "net/ipv4/inet_peer_",
    "net/ipv4/neigh/default/gc_",
    "net/ipv4/route/",
    "net/ipv6/neigh/default/gc_",
    "net/ipv6/route/",
    "net/bridge/",
    "net/netfilter/nf_conntrack_buckets",
    "net/rdma_ucm/",
    "net/iw_cm/",
    "net/smc/",
)
# Keys that appear only with a module: PREFIX → module. A plan that loads the module first may set them.
KEYS_OF_MODULES = (
    ("net/bridge/", "br_netfilter"),
    ("net/iw_cm/", "iw_cm"),
    ("net/netfilter/nf_conntrack_", "nf_conntrack"),
    ("net/rdma_ucm/", "rdma_ucm"),
    ("net/smc/", "smc"),
    ("sunrpc/", "sunrpc"),
    ("fs/nfs/", "nfs"),
)


@dataclass(frozen=True)
class Setting:
    """One declared key: its path below /proc/sys, the folded value, who asked for it and why."""

    path: str
    value: str
    asked_by: Tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class SysctlDesired:
    """What the ``sysctl`` noun is given. ``modules``: kernel modules the same plan loads first."""

    settings: Tuple[Setting, ...] = ()
    file: str = "/etc/sysctl.d/90-raceway.conf"
    platform: str = "bare_metal"
    modules: Tuple[str, ...] = ()


def parse(spec: Mapping[str, Any]) -> SysctlDesired:
    """Read the JSON form: ``{"settings": [{"key", "value", "asked_by", "why"}], "file", "platform", "modules"}``."""
    settings = tuple(
        Setting(path_of(row["key"]), fold(row["value"]), tuple(row.get("asked_by", ())), row.get("why", ""))
        for row in spec.get("settings", ())
    )
    default = SysctlDesired()
    return SysctlDesired(
        settings, spec.get("file", default.file), spec.get("platform", default.platform), tuple(spec.get("modules", ()))
    )


def path_of(key: str) -> str:
    """Return the path below /proc/sys of a key in either spelling.

    >>> path_of("net.ipv4.conf.eth0.100.200.rp_filter")
    'net/ipv4/conf/eth0.100.200/rp_filter'
    >>> path_of("net.ipv4.conf.bond0/354.rp_filter"), path_of("net/ipv4/conf/bond0.354/rp_filter")
    ('net/ipv4/conf/bond0.354/rp_filter', 'net/ipv4/conf/bond0.354/rp_filter')
    """
    key = key.strip().lstrip("-")
    slash, dot = key.find("/"), key.find(".")
    if slash != -1 and (dot == -1 or slash < dot):
        return key
    for family in INTERFACE_FAMILIES:
        if key.startswith(family) and key.count(".") > family.count("."):
            interface, parameter = key[len(family) :].rsplit(".", 1)
            return family.replace(".", "/") + interface.replace("/", ".") + "/" + parameter
    return key.translate(str.maketrans("./", "/."))


def key_of(path: str) -> str:
    """Return the spelling for people and files: dotted, or with slashes where a part of the path holds a dot."""
    return path if "." in path else path.replace("/", ".")


def fold(value: str) -> str:
    """Return the value with runs of blanks and tabs as one blank: the kernel prints lists with tabs.

    >>> fold("4096\\t131072\\t6291456")
    '4096 131072 6291456'
    """
    return " ".join(str(value).split())


def bad_value(value: str) -> Optional[str]:
    """Return why a value cannot stand in a sysctl file, or None. A ``#`` after a value is part of the value there."""
    for mark in ("#", ";", "\n"):
        if mark in value:
            return f"the value holds {mark!r}: a sysctl file has no comment after a value, the kernel gets all of it"
    return None if value.strip() else "the value is empty"


def knob_for(path: str) -> Optional[str]:
    """Return the right knob for a key that exists in no kernel, or None for a key not known to be fictitious."""
    if path in FICTITIOUS:
        return FICTITIOUS[path]
    return RDMA_HINT if path.startswith("net/rdma/") else None


def module_of(path: str) -> Optional[str]:
    """Return the module that brings a key, or None where it is part of every kernel.

    >>> module_of("net/bridge/bridge-nf-call-iptables")
    'br_netfilter'
    """
    return next((module for prefix, module in KEYS_OF_MODULES if path.startswith(prefix)), None)


def kernel_wide(path: str) -> bool:
    """Tell whether a key belongs to the whole kernel, so that a container cannot own it."""
    if path.startswith("net/"):
        return path.startswith(KERNEL_WIDE_NET)
    return path not in NAMESPACED and not path.startswith(("fs/mqueue/", "user/"))
