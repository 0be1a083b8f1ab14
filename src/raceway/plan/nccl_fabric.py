"""What the fabric does besides carrying packets, and what that means for the library.

Adaptive routing sprays packets over paths, SHARP reduces in switches, port failover moves to a NIC's other port, and a
DPU's own switch lies between a host and its port. It deliberately switches none of these on: they are declared, and
checked against each other and against what the node has.
"""

from __future__ import annotations

from typing import List, Sequence, Tuple

from ..facts.nccl import NcclFacts
from ..model.nccl import SINCE_FAILOVER, Declaration
from ..model.plan import Noop, Refusal
from .nccl_rails import Chosen, Told
from .nccl_rows import Variable, row

GUIDE = "NCCL user guide, env.rst"
SPECTRUM_X = "spcx"
# Both switch the plugin off that SHARP is.
SHARP_OFF = ("NCCL_SHARP_DISABLE", "NCCL_IBEXT_DISABLE")
FAILOVER = ("NCCL_IB_RESILIENCY_PORT_FAILOVER", "NCCL_IB_RESILIENCY_PORT_RECOVERY")


def rows(declaration: Declaration) -> List[Variable]:
    """Return the variables of adaptive routing, SHARP and port failover, where they are declared."""
    found = []
    if declaration.adaptive_routing is not None:
        why = "declared: the fabric " + ("reorders packets" if declaration.adaptive_routing else "keeps their order")
        found.append(row("NCCL_IB_ADAPTIVE_ROUTING", str(int(declaration.adaptive_routing)), why, GUIDE))
    if declaration.sharp:
        why = "switches reduce (SHARP); needs its plugin in the library path and sharp_am beside the subnet manager"
        found.append(row("NCCL_COLLNET_ENABLE", "1", why, "nccl-rdma-sharp-plugins"))
    if declaration.port_failover is not None:
        ways = ("connections move to the NIC's other port when one fails", "and move back when it is there again")
        off = "declared: a port that fails ends the job"
        value = str(int(declaration.port_failover))
        source = "NCCL 2.30.7, p2p_resiliency; not in its guide"
        told = [f"declared: {way}" if declaration.port_failover else off for way in ways]
        found += [row(name, value, why, source) for name, why in zip(FAILOVER, told)]
    return found


def checks(declaration: Declaration, chosen: Sequence[Chosen], roce: bool, infiniband: bool) -> List[Told]:
    """Return what does not fit the kind of fabric, or one another; ``roce`` and ``infiniband``: all ports are that."""
    return [
        *_paths(declaration, roce, infiniband),
        *_sharp(declaration, roce),
        *_failover(declaration, chosen),
        *_dpus(declaration, chosen, roce),
    ]


def _paths(declaration: Declaration, roce: bool, infiniband: bool) -> List[Told]:
    found: List[Told] = []
    plugin = declaration.net_plugin
    if infiniband and plugin == SPECTRUM_X:
        found.append(Refusal("net_plugin", f"{plugin} is for Spectrum-X, the ports are InfiniBand", "take it out"))
    if plugin == SPECTRUM_X and declaration.adaptive_routing is False:
        act = "enable it, or take the plugin out"
        reason = f"disabled with {plugin}: on Spectrum-X switches packets take any path"
        found.append(Refusal("adaptive_routing", reason, act))
    if roce and declaration.adaptive_routing and plugin != SPECTRUM_X:
        reason = "warning: on Ethernet only switches and NICs of Spectrum-X spray packets; others lose by the setting"
        found.append(Noop("adaptive_routing", reason))
    return found


def _sharp(declaration: Declaration, roce: bool) -> List[Told]:
    found: List[Told] = []
    if roce and declaration.sharp:
        act = "take sharp out: trees of SHARP live in InfiniBand switches, under a subnet manager"
        found.append(Refusal("sharp", "declared on Ethernet ports", act))
    if declaration.sharp and declaration.net_plugin == "none":
        act = "name the plugin, or take one out"
        found.append(Refusal("net_plugin", "none with sharp: SHARP is a plugin", act))
    for name in SHARP_OFF if declaration.sharp else ():
        if declaration.extra.get(name, "0") != "0":
            reason = f"{declaration.extra[name]} switches off the plugin that SHARP is, and sharp is declared"
            found.append(Refusal(name, reason, f"take {name} out of nccl_environment, or sharp"))
    if declaration.sharp_plugin and not declaration.sharp:
        found.append(Refusal("sharp_plugin", "declared without sharp", "declare nccl_sharp: true, or take it out"))
    return found


def _failover(declaration: Declaration, chosen: Sequence[Chosen]) -> List[Told]:
    if not declaration.port_failover:
        return []
    if not declaration.since(SINCE_FAILOVER):
        reason = f"enabled, NCCL {declaration.version} has no such thing"
        act = f"use {'.'.join(map(str, SINCE_FAILOVER[:2]))} or newer, or bond the ports (rails_bonds)"
        return [Refusal("port_failover", reason, act)]
    if chosen and not _two_ports(chosen):
        reason = "warning: no two declared ports are of one card, so there is none to move to"
        return [Noop("port_failover", reason)]
    return []


def _two_ports(chosen: Sequence[Chosen]) -> bool:
    cards = [one.port.card or one.port.device for one in chosen]
    return len(cards) > len(set(cards))


def _dpus(declaration: Declaration, chosen: Sequence[Chosen], roce: bool) -> List[Told]:
    behind = [one.port.device for one in chosen if {one.port.pci, one.port.guid} & set(declaration.dpu)]
    if not behind or not roce:
        return []
    reason = (
        f"{', '.join(behind)}: in DPU mode the DPU's own switch lies before the port, so DSCP, PFC and ECN that "
        f"NCCL_IB_TC counts on are to be set on the DPU; what is set on the host stays on the host"
    )
    return [Noop("dpu_mode", f"warning: {reason}")]


def on_node(declaration: Declaration, facts: NcclFacts) -> Tuple[List[Refusal], List[Noop]]:
    """Return what a node says to SHARP: its plugin, and whether it can take part at all."""
    if not declaration.sharp:
        return [], []
    refused = []
    if facts.opensm:
        act = "run the subnet manager on a machine that does not train, or take sharp out"
        refused.append(Refusal("sharp", "opensm runs here, and the port of a subnet manager joins no tree", act))
    path, found = declaration.sharp_plugin, facts.sharp_plugins
    if path and path not in found:
        act = "install HPC-X or nccl-rdma-sharp-plugins, or correct the path"
        refused.append(Refusal("sharp_plugin", f"{path} is not there; found: {', '.join(found) or 'none'}", act))
    if path:
        return refused, []
    there = (
        f"{found[0]} is there" if found else "warning: no plugin on the node; without one in its image a job runs on"
    )
    return refused, [Noop("sharp", there if found else f"{there} without SHARP, and says so in its log alone")]
