"""The rails role's variables: which ports or bonds are rails, their addresses, and the rules of ARP and routing.

It deliberately takes no MTU: a port's is the roce role's, and a bond gets the same (``roce_mtu``), since nothing else
sets a bond up.
"""

from __future__ import annotations

from typing import Any

from ..model import rails as model
from ..model import selector
from ..model.needs import MODULE, Merged, Need
from .problem import Problem
from .rails_rules import problems

READS = ("roce",)  # roles whose variables this one sees, where they are declared
SYSCTLS = ("arp_ignore", "arp_announce", "arp_filter")
PACKAGES = ("iproute2",)


def rules(values: dict[str, Any]) -> list[Problem]:
    """Return what is wrong with the rails of one host taken together."""
    if values["rails_state"] != "present":
        return []
    told = selector_problems(values)
    return told or problems(values)


def needs(values: dict[str, Any]) -> list[Need]:
    """Return the module that makes bonds, where one is declared; everything else is the interfaces' own."""
    if not values["rails_bonds"]:
        return []
    # Without this option the module makes a bond0 that nobody declared as soon as it is loaded.
    return [Need(MODULE, "bonding", "max_bonds=0", "rails_bonds", "a bond is made of it")]


def desired(values: dict[str, Any], merged: tuple[Merged, ...], platform: str) -> dict[str, dict[str, Any]]:
    """Return the specs of the tools and of the rails; an absent role declares none."""
    del merged
    present = values["rails_state"] == "present"
    ports, bonds = (values[f"rails_{name}"] if present else [] for name in ("ports", "bonds"))
    # The bond has to take what its members take: its own MTU would be set on all of them.
    mtu = values.get("roce_mtu", 0) if values.get("roce_ports") else 0
    return {
        "package": {
            "packages": [{"name": name, "asked_by": ["rails_ports"]} for name in PACKAGES] if ports or bonds else [],
            "platform": platform,
        },
        "rails": {
            "ports": ports,
            "bonds": [{**row, "mtu": mtu} for row in bonds],
            "policy": values["rails_policy_routing"],
            "table_base": values["rails_table_base"],
            "sysctls": {
                **{name: values[f"rails_{name}"] for name in SYSCTLS},
                "rp_filter": model.RP_FILTERS[values["rails_rp_filter"]],
            },
            "platform": platform,
        },
    }


def selector_problems(values: dict[str, Any]) -> list[Problem]:
    """Return ports that are selected by nothing, by two things, by another shape, or twice."""
    rows: list[Problem] = []
    seen: set[str] = set()
    named = [("rails_ports", port) for port in values["rails_ports"]]
    named += [("rails_bonds", port) for bond in values["rails_bonds"] for port in bond["members"]]
    for variable, port in named:
        given = selector.given(port, model.SELECTORS)
        if len(given) != 1:
            allowed = f"exactly one of {', '.join(model.SELECTORS)}"
            rows.append(Problem(variable, f"{len(given)} of them", allowed, "select each port by one of them"))
            continue
        value = str(port[given[0]])
        told = selector.wrong(given[0], value)
        if told:
            rows.append(Problem(variable, f"{given[0]}: {value}", told, "copy it from `raceway facts` or sysfs"))
        elif value.lower() in seen:
            rows.append(Problem(variable, f"{given[0]}: {value} twice", "each once", "remove one of the two"))
        seen.add(value.lower())
    return rows
