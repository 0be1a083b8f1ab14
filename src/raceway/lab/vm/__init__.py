"""VM nodes of a lab: QEMU machines with a kernel of their own, reached by ssh like the container nodes.

``VmLab(name).up()`` makes them, ``.status()`` shows them, ``.down()`` removes everything it made and nothing else. It
deliberately needs neither KVM nor a bridge: pure emulation, loopback ports and unix sockets, so it runs in CI.
"""

from __future__ import annotations

from .lab import VmLab

__all__ = ["VmLab"]
