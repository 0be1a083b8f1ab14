"""Reads every cpufreq policy and whoever else writes governors at boot."""

from __future__ import annotations

from ..facts.governor import GovernorFacts, parse_policy
from ..host import Host, Ledger
from ..model.governor import POLICIES, GovernorDesired
from .bootwriter import tmpfiles, tuned


def probe(host: Host, desired: GovernorDesired, ledger: Ledger) -> GovernorFacts:
    """Return the facts the governor planner compares with ``desired``."""
    owned = ledger.owned("governor")
    policies = {}
    for path in host.glob(POLICIES) if desired.governor or owned else ():
        governor = host.read(f"{path}/scaling_governor")
        if governor is not None:
            offered = host.read(f"{path}/scaling_available_governors") or ""
            policies[path.rsplit("/", 1)[1]] = parse_policy(governor, offered)
    return GovernorFacts(
        policies=policies,
        own_file=host.read(desired.file),
        tmpfiles=tmpfiles(host) if desired.governor else (),
        tuned=tuned(host) if desired.governor else (),
        owned=owned,
    )
