"""A lab on one machine: container or VM nodes reached by ssh, and a real Kubernetes API with fake nodes beside it.

``Lab(name).up()`` makes it, ``.status()`` shows it, ``.down()`` removes everything it made and nothing else. It
deliberately does not touch the host's own podman, ssh or Kubernetes configuration: all it keeps lies in its folder.
"""

from __future__ import annotations

from .lab import Lab

__all__ = ["Lab"]
