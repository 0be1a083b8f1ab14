"""The virtual address of the API: keepalived's configuration and the check that lets it move.

A node whose API server answers counts more, so the address leaves one whose does not; where none answers it stays with
whoever has it, which is what the first node needs while the cluster is being made. All nodes count alike otherwise, and
an address that has moved stays. It deliberately balances no load: clients keep a connection for hours, so it would not.
"""

from __future__ import annotations

from typing import Dict, Tuple

from ..model.kube_cluster import API_PORT, KubeClusterDesired
from .dropin import HEADER

CONF = "/etc/keepalived/keepalived.conf"
CHECK = "/etc/keepalived/raceway-api"
UNIT = "keepalived.service"
EVERY_S, LIMIT_S, FALL, RISE = 1, 2, 2, 2  # the address leaves a dead API server after 2 to 4 seconds
# A node begins as one whose API server does not answer: with a weight below zero it would begin as a good one, and take
# the address for the second until its first check has failed.
PRIORITY, MORE = 80, 20


def files(desired: KubeClusterDesired) -> Dict[str, Tuple[str, int]]:
    """Return path → text and mode; nothing where no virtual address is declared or the node has no control plane."""
    if not (desired.control_plane and desired.virtual.address):
        return {}
    return {CHECK: (check(), 0o755), CONF: (conf(desired), 0o644)}


def check() -> str:
    """Return the check: an answer that wants credentials is an answer."""
    url = f"https://127.0.0.1:{API_PORT}/readyz"
    lines = (
        "#!/bin/sh",
        HEADER.format(role="kubernetes"),
        f"code=$(curl -ks -o /dev/null -w '%{{http_code}}' --max-time {LIMIT_S} {url})",
        'case "$code" in 200 | 401 | 403) exit 0 ;; esac',
        "exit 1",
    )
    return "\n".join([*lines, ""])


def conf(desired: KubeClusterDesired) -> str:
    """Return keepalived.conf."""
    virtual = desired.virtual
    lines = (
        HEADER.format(role="kubernetes"),
        "global_defs {",
        f"  router_id {desired.name}",
        "  enable_script_security",
        "  script_user root",
        "}",
        "vrrp_script raceway_api {",
        f'  script "{CHECK}"',
        f"  interval {EVERY_S}",
        f"  timeout {LIMIT_S + 1}",
        f"  fall {FALL}",
        f"  rise {RISE}",
        f"  weight {MORE}",
        "  init_fail",
        "}",
        "vrrp_instance raceway_api {",
        "  state BACKUP",
        f"  interface {virtual.interface}",
        f"  virtual_router_id {virtual.router}",
        f"  priority {PRIORITY}",
        "  advert_int 1",
        "  virtual_ipaddress {",
        f"    {virtual.address}/{virtual.prefix} dev {virtual.interface}",
        "  }",
        "  track_script {",
        "    raceway_api",
        "  }",
        "}",
    )
    return "\n".join([*lines, ""])
