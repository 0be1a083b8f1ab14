"""Asks a card for its firmware settings: with mlxconfig where the vendor's tools are, else with mstconfig."""

from __future__ import annotations

from typing import Optional, Tuple

from ..facts.mlxconfig import Card, parse
from ..host import Host

TOOLS = ("mlxconfig", "mstconfig")
RESETS = {"mlxconfig": "mlxfwreset", "mstconfig": "mstfwreset"}
QUERY_TIMEOUT_S = 120.0  # a card of many settings takes tens of seconds over a slow bus
NO_TOOL = "neither mlxconfig nor mstconfig is installed"


def tool(host: Host) -> str:
    """Return the tool that is there, or the empty string."""
    return next((name for name in TOOLS if host.which(name)), "")


def query(host: Host, pci: str) -> Tuple[Optional[Card], str]:
    """Return what a card says of itself with all columns, and what is wrong with the answer."""
    name = tool(host)
    if not name:
        return None, NO_TOOL
    done = host.run([name, "-d", pci, "-e", "q"], QUERY_TIMEOUT_S)
    found = parse(done.out)
    problem = found.problem or (f"{name} ended with {done.rc}: {done.err.strip()}" if done.rc else "")
    return (found.cards[0] if found.cards else None), problem
