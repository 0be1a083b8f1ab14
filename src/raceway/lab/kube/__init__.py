"""Kubernetes nodes of a lab: privileged containers with containerd, and the images of a cluster made on this machine.

``KubeLab(name).up()`` makes the machines and puts programs and images beside them, ``.down()`` removes everything it
made and nothing else. It deliberately makes no cluster: that is the work of the role ``kubernetes``, here as on real
machines.
"""

from __future__ import annotations

from .lab import KubeLab

__all__ = ["KubeLab"]
