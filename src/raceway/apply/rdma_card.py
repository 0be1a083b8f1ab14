"""Writes what belongs to a card and the bridges above it: firmware settings, its reset, read requests, ACS.

Registers are written with setpci under a mask, so that only the bits that are meant change, and read back with lspci.
"""

from __future__ import annotations

from typing import Any, Dict, Mapping

from ..facts.rdma import FunctionFacts
from ..model.plan import Step
from ..model.rdma import READ_REQUESTS
from ..plan.rdma_pcie import ACS_BITS, redirect_bits
from ..probe.rdma_bus import read
from ..probe.rdma_firmware import QUERY_TIMEOUT_S, RESETS, query
from ..probe.rdma_firmware import tool as config_tool
from .outcome import Applying, Refused
from .rdma_tool import tool

# A DOCA reset loads the driver anew; a card of many functions takes its time.
RESET_TIMEOUT_S = 300.0
READ_REQUEST_MASK = 0x7000  # bits 14:12 of Device Control
ACS_MASK = sum(ACS_BITS.values())


def write_firmware(run: Applying, step: Step) -> None:
    """Write the settings that differ with one call, and read each back as what the next boot will have."""
    _write(run, step.args["pci"], step.args["values"])


def firmware_back(run: Applying, args: Any) -> None:
    """Write what the card had before of one setting."""
    if args["original"] is not None:
        _write(run, args["pci"], {args["setting"]: args["original"]})


def _write(run: Applying, pci: str, values: Mapping[str, int]) -> None:
    name = config_tool(run.host)
    if not name:
        raise Refused("neither mlxconfig nor mstconfig is installed")
    words = [f"{setting}={number}" for setting, number in values.items()]
    tool(run, name, "-d", pci, "-y", "set", *words, timeout=QUERY_TIMEOUT_S)
    card, problem = query(run.host, pci)
    for setting, number in values.items():
        there = card.setting(setting) if card else None
        if there is None or there.number != number:
            shown = there.next if there else problem or "nothing"
            raise Refused(f"{name} accepted {setting}={number}, but the card shows {shown} afterwards")


def reset(run: Applying, step: Step) -> None:
    """Reset the card, and see that nothing of what was declared waits any more."""
    pci = step.args["pci"]
    tool(run, RESETS[config_tool(run.host) or "mstconfig"], "-d", pci, "-y", "reset", timeout=RESET_TIMEOUT_S)
    card, problem = query(run.host, pci)
    still = [name for name in step.args["names"] for one in [card.setting(name) if card else None] if not one]
    still += [one.name for one in (card.settings if card else ()) if one.name in step.args["names"] and one.pending]
    if still:
        raise Refused(f"{', '.join(still)} still wait after the reset {problem}".strip() + ": power-cycle the host")


def set_read_request(run: Applying, step: Step) -> None:
    """Set a function's read request size and read it back."""
    _read_request(run, step.args["pci"], step.args["bytes"])


def read_request_back(run: Applying, args: Any) -> None:
    """Set the size that was found."""
    _read_request(run, args["pci"], args["original"])


def _read_request(run: Applying, pci: str, size: int) -> None:
    code = READ_REQUESTS[size] << 12
    # CAP_EXP is found by its identifier: its place differs between cards.
    tool(run, "setpci", "-s", pci, f"CAP_EXP+08.w={code:04x}:{READ_REQUEST_MASK:04x}")
    found = _function(run, pci).read_request
    if found != size:
        raise Refused(f"setpci wrote {size} bytes, but {pci} asks for {found} afterwards")


def set_acs(run: Applying, step: Step) -> None:
    """Switch a bridge's redirection off and read it back."""
    _acs(run, step.args["bridge"], step.args["bits"])


def acs_back(run: Applying, args: Any) -> None:
    """Switch on again what was on."""
    _acs(run, args["bridge"], args["original"])


def _acs(run: Applying, bridge: str, bits: int) -> None:
    tool(run, "setpci", "-s", bridge, f"ECAP_ACS+06.w={bits:04x}:{ACS_MASK:04x}")
    found = redirect_bits(_function(run, bridge))
    if found != bits:
        raise Refused(f"setpci wrote {bits:#x}, but {bridge} shows the redirect bits {found:#x} afterwards")


def _function(run: Applying, address: str) -> FunctionFacts:
    shown: Dict[str, Any] = {one.address: one for one in read(run.host).devices}
    one = shown.get(address)
    return FunctionFacts(one.acs, one.acs_bits or (), one.read_request) if one else FunctionFacts()
