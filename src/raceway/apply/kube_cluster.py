"""Carries out a node's part in a cluster: files and services first, then kubeadm, then what the API server is asked.

It deliberately goes no further on a node whose init or join was refused: the steps after it would wait for nothing.
"""

from __future__ import annotations

from typing import Callable, Dict, Sequence

from ..model.kube_cluster import BEGUN, BOOK, KUBELET
from ..model.plan import Step
from . import file, kube_cluster_api, kube_cluster_kubeadm, kube_service
from .outcome import Applying, Refused

Handler = Callable[[Applying, Step], None]


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record files and services before the first change."""
    file.prepare(run, [step for step in steps if step.type == "file"])
    kube_service.remember(run, steps)


def _after_kubeadm(handler: Handler) -> Handler:
    def guarded(run: Applying, step: Step) -> None:
        begun = run.ledger.owned(BOOK).get(BEGUN)
        if begun:
            raise Refused(f"not done, because {begun} did not end well")
        if not run.host.exists(KUBELET):
            raise Refused("not done, because the node is in no cluster")
        handler(run, step)

    return guarded


HANDLERS: Dict[str, Handler] = {
    **kube_service.HANDLERS,
    **kube_cluster_kubeadm.HANDLERS,
    **{kind: _after_kubeadm(handler) for kind, handler in kube_cluster_api.HANDLERS.items()},
}
