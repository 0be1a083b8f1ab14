"""The variables of Huawei's HCCL, which has names of its own and drives RoCE ports of the accelerators themselves.

Those ports are no RDMA devices of the node, so there is no list of them and nothing to look at. It deliberately sets
three variables, the ones the CANN documentation explains and the declaration decides.
"""

from __future__ import annotations

from typing import List

from ..model.nccl import Declaration
from .nccl_rows import Variable, row, sockets

CANN = "CANN environment variables, {}"


def ascend(declaration: Declaration) -> List[Variable]:
    """Return HCCL's variables: host interface, ToS byte and priority."""
    qos = declaration.qos
    # HCCL takes multiples of four alone: the two ECN bits are the port's own business.
    why = f"DSCP {qos.dscp} times 4, the low bits are fixed"
    return [
        *sockets("HCCL_SOCKET_IFNAME", declaration.sockets, CANN.format("HCCL_SOCKET_IFNAME")),
        row("HCCL_RDMA_TC", str(qos.dscp << 2), why, CANN.format("HCCL_RDMA_TC")),
        row("HCCL_RDMA_SL", str(qos.priority), "the priority that PFC pauses", CANN.format("HCCL_RDMA_SL")),
    ]
