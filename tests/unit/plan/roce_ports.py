"""RoCE ports as planners see them: one nobody has touched, and one that is set as declared."""

from __future__ import annotations

import dataclasses

from raceway.facts.roce import PortFacts
from raceway.model.qos import Qos
from raceway.model.roce import Port, wanted

PORT = Port("pci", "0000:3b:00.0")
OTHER = Port("mac", "b8:3f:d2:00:00:02", 1)
FRESH = PortFacts(
    device="ens1f0np0",
    driver="mlx5_core",
    up=True,
    classes=8,
    pfc_classes=8,
    dscp=(),
    pfc=(False,) * 8,
    priority_class=(1, 0, 2, 3, 4, 5, 6, 7),
    scheduling=("vendor",) * 8,
    bandwidth=(0,) * 8,
    pause=(True, True),
    mtu=1500,
    max_mtu=9978,
    buffer=262016,
    speed_mbps=400000,
)


def make_set(found: PortFacts = FRESH, qos: Qos | None = None) -> PortFacts:
    """A port that is set as declared."""
    goal = wanted(qos or Qos())
    fields = ("pfc", "priority_class", "scheduling", "bandwidth", "dcqcn", "pause", "mtu")
    return dataclasses.replace(found, dscp=goal.dscp, **{name: getattr(goal, name) for name in fields})
