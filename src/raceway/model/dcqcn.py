"""Where DOCA and OFED drivers let DCQCN be set at run time, below ``/sys/class/net/PORT/ecn``.

Inbox drivers have no such files: there the firmware's own settings hold (mlxconfig). It deliberately holds no
algorithm parameters: their defaults are the vendor's, tuned together.
"""

from __future__ import annotations

from typing import Dict

from .qos import PRIORITIES, Qos

NOTIFY = "ecn/roce_np/enable"  # one switch for the whole port, shown as eight files (ROCm/mori#658)
REACT = "ecn/roce_rp/enable"


def files(qos: Qos) -> Dict[str, str]:
    """Return path below ``/sys/class/net/PORT`` → text. ``np`` is the receiver that sends CNPs, ``rp`` the sender.

    To switch notifications off, all eight files of the one switch are cleared.
    """
    notify = {f"{NOTIFY}/{qos.priority}": "1"} if qos.ecn else {f"{NOTIFY}/{number}": "0" for number in PRIORITIES}
    return {
        **notify,
        f"{REACT}/{qos.priority}": "1" if qos.ecn else "0",
        "ecn/roce_np/cnp_dscp": str(qos.cnp_dscp),
        "ecn/roce_np/cnp_802p_prio": str(qos.cnp_priority),
    }
