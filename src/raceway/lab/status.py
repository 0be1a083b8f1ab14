"""What a lab looks like now: every node, every program, the API behind them, as plain data.

It deliberately asks each thing itself (podman, ssh, healthz, the API) and does not believe a file about it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .nodes import NodeState


@dataclass(frozen=True)
class ProgramState:
    """One program of the control plane. ``state``: healthy, waiting, unhealthy or down; ``reason`` says why."""

    name: str
    state: str
    pid: int
    port: int
    restarts: int
    reason: str


@dataclass(frozen=True)
class Status:
    """A whole lab."""

    name: str
    folder: str
    exists: bool
    nodes: tuple[NodeState, ...] = ()
    programs: tuple[ProgramState, ...] = ()
    api_version: str = ""
    fake_nodes: int = 0
    kubeconfig: str = ""
    webhook_url: str = ""

    @property
    def ok(self) -> bool:
        """Is everything there that was made? Programs that wait for their CRDs are as they should be."""
        programs = all(program.state in ("healthy", "waiting") for program in self.programs)
        return self.exists and all(node.ok for node in self.nodes) and programs
