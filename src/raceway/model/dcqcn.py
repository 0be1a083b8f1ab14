"""Where DOCA and OFED drivers let DCQCN be set at run time, below ``/sys/class/net/PORT/ecn``.

Inbox drivers have no such files: there the firmware's own settings hold (mlxconfig). It deliberately holds no
algorithm parameters: their defaults are the vendor's, tuned together.
"""

from __future__ import annotations

from typing import Dict

from .qos import Qos


def files(qos: Qos) -> Dict[str, str]:
    """Return path below ``/sys/class/net/PORT`` → text. ``np`` is the receiver that sends CNPs, ``rp`` the sender."""
    switch = "1" if qos.ecn else "0"
    return {
        f"ecn/roce_np/enable/{qos.priority}": switch,
        f"ecn/roce_rp/enable/{qos.priority}": switch,
        "ecn/roce_np/cnp_dscp": str(qos.cnp_dscp),
        "ecn/roce_np/cnp_802p_prio": str(qos.cnp_priority),
    }
