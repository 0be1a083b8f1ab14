"""What vc-scheduler reads until the platform stack has laid out its ConfigMap, and where that ConfigMap stands.

It deliberately is the configuration raceway ships, rendered by ``raceway.cluster``, and no second one.
"""

from __future__ import annotations

from raceway.cluster.scheduler import render, training_conf

# Namespace, name, key: those of Volcano's own manifests.
CONFIG_MAP = ("volcano-system", "volcano-scheduler-configmap", "volcano-scheduler.conf")
BUILT_IN = render(training_conf())
