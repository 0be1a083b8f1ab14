"""Reads the package index anew after the repository changed; files are written by the shared handler."""

from __future__ import annotations

from ..model.plan import Step
from .outcome import Applying
from .package import UPDATE_TIMEOUT_S
from .rdma_tool import tool


def refresh(run: Applying, step: Step) -> None:
    """Run apt-get update; its own error line is the reason where a repository cannot be had."""
    del step
    tool(run, "apt-get", "-q", "update", timeout=UPDATE_TIMEOUT_S)


HANDLERS = {"rdma_stack": refresh}
