"""Which parser reads which output of RDMA tools: kind → module of this package with a ``parse(text)``.

    raceway facts parse ibstat, raceway facts parse rdma-link, raceway facts parse nccl-tests

It deliberately names modules and imports none: a node or a command line loads only the parser it needs.
"""

from __future__ import annotations

from typing import Dict

KINDS: Dict[str, str] = {
    "ibdev2netdev": "ibdev2netdev",
    "ibstat": "ibstat",
    "ibv-devinfo": "ibv_devinfo",
    "infiniband-sysfs": "infiniband_sysfs",
    "nccl-log": "nccl_log",
    "nccl-tests": "nccl_tests",
    "perftest": "perftest",
    "rdma-dev": "rdma_dev",
    "rdma-link": "rdma_link",
    "rdma-statistic": "rdma_statistic",
    "rdma-system": "rdma_system",
    "show-gids": "show_gids",
}
