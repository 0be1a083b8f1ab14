"""The PCI bus between NICs and accelerators: read requests of a useful size, and no detour of peer traffic by ACS.

ACS is looked at on every bridge above a declared card or an accelerator, of any vendor. Redirection is the fault;
SrcValid alone is none. What cannot be read is unknown, which is not right. Both settings are lost at a reset or boot:
the boot unit sets them again, or the kernel's command line does for ACS.
"""

from __future__ import annotations

from typing import Dict, List, Optional

from ..facts.lspci import REDIRECTS
from ..facts.rdma import DeviceFacts, FunctionFacts, RdmaFacts
from ..model.plan import SAFE, Noop, Reboot, Refusal, Step
from ..model.rdma import ACS_ARGUMENT, BOOT, CHECK, CLEAR, LEAVE, Device, RdmaDesired
from .rdma_part import Outcome, Part, found, part

ACS_TARGET = "acs"
# Bits of the ACS control register (PCIe base specification, 7.7.11.3).
ACS_BITS: Dict[str, int] = {"ReqRedir": 0x04, "CmpltRedir": 0x08, "UpstreamFwd": 0x10}


def pcie(desired: RdmaDesired, facts: RdmaFacts) -> Part:
    """Return the plan of read requests and of ACS."""
    rows: List[Outcome] = []
    waits = facts.bus.problem and "pciutils" in facts.missing_packages
    if (desired.read_request or desired.acs != LEAVE) and waits:
        rows.append(Noop("pci", "the bus is looked at once pciutils is installed"))
    else:
        rows += [_read_request(one, shown, desired, facts) for one, shown in found(desired, facts) if _asks(desired)]
        rows += _acs(desired, facts)
    keys = [f"read_request {device.label}" for device in desired.devices if _asks(desired)]
    # A bridge stays ours as long as ACS is switched off here, also while its card is out.
    keys += [key for key in facts.owned if key.startswith("acs ") and desired.acs == CLEAR]
    return part(rows, keys)


def _asks(desired: RdmaDesired) -> bool:
    return desired.read_request != 0


def _read_request(device: Device, shown: DeviceFacts, desired: RdmaDesired, facts: RdmaFacts) -> Outcome:
    if not shown.pci:
        return Noop(device.label, f"{shown.name} is a software device: it makes no PCI requests")
    if shown.virtual_function:
        return Noop(device.label, f"{shown.name} is a virtual function: its card's request size holds")
    size = facts.bus.functions.get(shown.pci, FunctionFacts()).read_request
    wanted = desired.read_request
    if size == wanted:
        return Noop(device.label, f"{shown.name} asks for {wanted} bytes at a time")
    if size is None:
        seen = facts.bus.problem or "lspci does not show it"
        reason = f"the read request size of {shown.pci} cannot be seen: {seen}"
        return Refusal(device.label, reason, "install pciutils and run as root (become: true)")
    args = {"key": f"read_request {device.label}", "before": size, "pci": shown.pci, "bytes": wanted}
    what = f"let {shown.name} ({shown.pci}) ask for {wanted} bytes at a time"
    why = "small read requests keep a fast port from filling its link; the setting is lost at every boot"
    undo = f"set it back to {size}"
    return Step("rdma_read_request", device.label, what, why, SAFE, undo, str(size), str(wanted), args)


def bridges(facts: RdmaFacts) -> List[str]:
    """Return the bridges above all cards and accelerators looked at, from the root down, each once."""
    return list(dict.fromkeys(bridge for above in facts.bus.above.values() for bridge in above))


def _acs(desired: RdmaDesired, facts: RdmaFacts) -> List[Outcome]:
    if desired.acs == LEAVE:
        return []
    if desired.platform == "vm" and desired.acs != CHECK:
        act = "set rdma_acs to check or leave; a passed-through card uses ATS (ATS_ENABLED of its firmware)"
        return [Refusal(ACS_TARGET, "in a virtual machine ACS belongs to its host, which isolates with it", act)]
    if not facts.bus.accelerators:
        return [Noop(ACS_TARGET, "no accelerator is here, so no peer traffic either")]
    known = {bridge: facts.bus.functions.get(bridge, FunctionFacts()).acs for bridge in bridges(facts)}
    unknown = [bridge for bridge, acs in known.items() if acs == "unknown"]
    if unknown or (facts.bus.problem and not known):
        seen = facts.bus.problem or "no capabilities are shown"
        reason = f"ACS of {', '.join(unknown) or 'the bridges'} cannot be seen: {seen}"
        return [Refusal(ACS_TARGET, reason, "install pciutils and run as root; an unknown bridge may redirect")]
    redirecting = [bridge for bridge, acs in known.items() if acs == "redirect"]
    if not redirecting:
        return [Noop(ACS_TARGET, _fine(known))]
    if desired.acs == CLEAR:
        return [_off(bridge, facts.bus.functions[bridge]) for bridge in redirecting]
    return [_redirects(redirecting, desired, facts)]


def _redirects(redirecting: List[str], desired: RdmaDesired, facts: RdmaFacts) -> Outcome:
    reason = f"peer traffic is sent up to the root by {', '.join(redirecting)}: GPU and NIC do not talk directly"
    if desired.acs == BOOT and not facts.bus.acs_argument:
        return Reboot(ACS_TARGET, f"{reason}; {ACS_ARGUMENT} stops it from the next boot on")
    act = "set rdma_acs to clear or boot, or switch ACS off in the machine's firmware setup"
    if desired.acs == BOOT:
        act = f"the kernel was started with {ACS_ARGUMENT} and redirects all the same: set rdma_acs to clear"
    return Refusal(ACS_TARGET, reason, act)


def _fine(known: Dict[str, str]) -> str:
    source = [bridge for bridge, acs in known.items() if acs == "source"]
    told = f"; {', '.join(source)} check the sender (SrcValid), which redirects nothing" if source else ""
    return f"no bridge above cards and accelerators redirects peer traffic{told}"


def _off(bridge: str, function: FunctionFacts) -> Step:
    on = redirect_bits(function)
    names = [name for name in REDIRECTS if name in function.acs_bits]
    args = {"key": f"acs {bridge}", "before": on, "bridge": bridge, "bits": 0}
    what = f"switch {', '.join(names)} of bridge {bridge} off"
    why = "peer traffic between GPU and NIC goes up to the root and back; the setting is lost at every boot"
    undo = f"switch {', '.join(names)} on again"
    return Step("rdma_acs", bridge, what, why, SAFE, undo, ", ".join(names), "none", args)


def redirect_bits(function: Optional[FunctionFacts]) -> int:
    """Return the redirecting bits that are on, as the register has them.

    >>> redirect_bits(FunctionFacts("redirect", ("SrcValid", "ReqRedir", "UpstreamFwd")))
    20
    """
    return sum(bit for name, bit in ACS_BITS.items() if function and name in function.acs_bits)
