"""The 60 settings of the baseline: 30 sysctls, 12 files, 6 units, 4 limits, 4 modules, 4 mounts.

Every tool's input and the oracle's expectation are made from these values. Only keys a network namespace owns, so that
container nodes neither share nor refuse them, and limits below what a container may be given. It deliberately holds no
tool's vocabulary.
"""

from __future__ import annotations

from typing import Any

SYSCTLS = {
    "net.core.somaxconn": "8192",
    "net.core.optmem_max": "262144",
    "net.core.txrehash": "0",
    "net.ipv4.tcp_mtu_probing": "1",
    "net.ipv4.tcp_max_syn_backlog": "8192",
    "net.ipv4.tcp_fin_timeout": "30",
    "net.ipv4.tcp_keepalive_time": "600",
    "net.ipv4.tcp_keepalive_intvl": "30",
    "net.ipv4.tcp_keepalive_probes": "6",
    "net.ipv4.tcp_slow_start_after_idle": "0",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_tw_reuse": "1",
    "net.ipv4.tcp_syn_retries": "4",
    "net.ipv4.tcp_synack_retries": "4",
    "net.ipv4.tcp_retries2": "12",
    "net.ipv4.tcp_orphan_retries": "2",
    "net.ipv4.tcp_rmem": "4096 131072 67108864",
    "net.ipv4.tcp_wmem": "4096 16384 67108864",
    "net.ipv4.tcp_notsent_lowat": "131072",
    "net.ipv4.tcp_fastopen": "3",
    "net.ipv4.tcp_rfc1337": "1",
    "net.ipv4.tcp_max_tw_buckets": "262144",
    "net.ipv4.tcp_min_rtt_wlen": "60",
    "net.ipv4.ip_local_port_range": "10240 65000",
    "net.ipv4.icmp_ratelimit": "500",
    "net.ipv4.igmp_max_memberships": "64",
    "net.ipv4.udp_rmem_min": "8192",
    "net.ipv4.udp_wmem_min": "8192",
    "net.ipv4.conf.default.rp_filter": "2",
    "net.ipv4.conf.all.log_martians": "1",
}
LINES = 24  # about 1 KB a file, as configuration files are
FILES = {
    f"/etc/b60/part-{number:02d}.conf": {
        "content": "".join(f"option_{number:02d}_{line:02d} = value {number * line}\n" for line in range(1, LINES + 1)),
        "mode": ("0644", "0640", "0600")[number % 3],
    }
    for number in range(1, 13)
}
# The units' files are there before (node.py puts them where a package would); the tools enable and start them.
UNITS = tuple(f"b60-{number}.service" for number in range(1, 7))
# Value as limits.conf takes it (memlock and stack in KiB) and as systemd does.
LIMITS = {
    "memlock": ("6144", "6291456"),
    "nofile": ("16384", "16384"),
    "nproc": ("16384", "16384"),
    "stack": ("8192", "8388608"),
}
# Part of the running kernel on the lab's machine; node.py lists them in modules.builtin as a kernel package does.
MODULES = ("loop", "nf_conntrack", "overlay", "vxlan")
MOUNTS = {f"/mnt/b60-{number}": f"size={number * 1024}k,mode=755" for number in range(1, 5)}

# One drifted setting of each kind; what each tool reports is mapped to these names.
DRIFT = {
    "sysctl": "net.ipv4.tcp_fin_timeout",
    "file": "/etc/b60/part-07.conf",
    "unit": "b60-3.service",
    "limit": "nproc",
    "module": "overlay",
    "mount": "/mnt/b60-2",
}


def as_json() -> dict[str, Any]:
    """Return all of it for scripts that run on a node."""
    return {
        "sysctls": SYSCTLS,
        "files": FILES,
        "units": list(UNITS),
        "limits": {item: list(values) for item, values in LIMITS.items()},
        "modules": list(MODULES),
        "mounts": MOUNTS,
        "drift": DRIFT,
    }


def count() -> int:
    """Return how many settings there are: 60."""
    return sum(map(len, (SYSCTLS, FILES, UNITS, LIMITS, MODULES, MOUNTS)))
