"""The inventory as the typed source of truth: load it as Ansible would, check all of it, tell each value's origin.

``load`` reads, ``check`` reports every mistake at once, ``desired`` says what a host shall become and why,
``machines`` gives what the cluster layout is made from. It deliberately contacts no node and reads no facts.
"""

from __future__ import annotations

from raceway.inventory.check import check
from raceway.inventory.desired import Desired, compile_vars, desired
from raceway.inventory.findings import Finding
from raceway.inventory.load import load
from raceway.inventory.machines import machines
from raceway.inventory.origin import Origin
from raceway.inventory.source import Inventory

__all__ = [
    "Desired",
    "Finding",
    "Inventory",
    "Origin",
    "check",
    "compile_vars",
    "desired",
    "load",
    "machines",
]
