"""Reads where cards and accelerators stand on the PCI bus, and with one call of lspci how their bridges are set."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Iterable, Tuple

from ..facts.lspci import Bus, parse
from ..facts.rdma import BusFacts
from ..facts.rdma_bus import accelerators, build
from ..host import Host
from ..model.cmdline import tokens
from ..model.rdma import ACS_ARGUMENT

PCI = "/sys/bus/pci/devices"


def find_accelerators(host: Host) -> Dict[str, str]:
    """Return address → kind; a share of a card (a virtual function) is counted with its card."""
    kinds: Dict[str, Tuple[str, str]] = {}
    for name in host.listdir(PCI):
        if not host.exists(f"{PCI}/{name}/physfn"):
            kinds[name] = (host.read(f"{PCI}/{name}/vendor") or "", host.read(f"{PCI}/{name}/class") or "")
    return accelerators(kinds)


def probe(host: Host, cards: Iterable[str], gpus: Iterable[str]) -> BusFacts:
    """Return the bus as the planner looks at it."""
    links = {name: host.readlink(f"{PCI}/{name}") or "" for name in host.listdir(PCI)}
    given = tokens(host.read("/proc/cmdline") or "")
    return replace(build(read(host), links, cards, gpus), acs_argument=ACS_ARGUMENT in given)


def read(host: Host) -> Bus:
    """Return what lspci shows; where it failed, its own words as the problem."""
    done = host.run(["lspci", "-D", "-vvv"])
    return parse(done.out) if done.out.strip() else Bus(problem=(done.err.strip() or "lspci printed nothing"))
