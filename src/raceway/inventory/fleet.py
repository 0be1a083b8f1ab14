"""Rules between hosts: no two machines share an address, a serial or a name; leafs hang below one spine.

A rack below two leafs is fine (rails do that); a leaf below two spines cannot be drawn as the tree that
Kubernetes' HyperNodes are. It deliberately looks at every host, not only at ``nodes``: a jump host's address
cannot be a node's as well.
"""

from __future__ import annotations

import functools
import ipaddress
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from raceway.addresses import is_address
from raceway.inventory.clusters import Clusters
from raceway.inventory.evaluate import Evaluator, HostValues
from raceway.inventory.findings import ERROR, WARNING, Collector, Finding
from raceway.inventory.origin import Origin, natural
from raceway.inventory.source import NODES, Inventory

SSH_PORT = 22
_DECLARED = ("node_address", "node_serial", "node_leaf", "node_spine")
_LOCAL = ("local", "ansible.builtin.local")


class Fleet:
    """Gathers what must be unique while the hosts go by, and reports once all have been seen."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator
        self._addresses: dict[str, dict[str, str]] = defaultdict(dict)  # address → host → variable that says so
        self._serials: dict[str, dict[str, str]] = defaultdict(dict)
        self._spines: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        self._clusters = Clusters(self._origin)

    def see(self, state: HostValues, variables: Mapping[str, Any]) -> None:
        """Note one host, by its evaluated node variables where they are, else by what is written."""
        host = state.host
        self._clusters.see(state)
        declared = state.roles.get("node", {})
        words = {name: self._text(host, name, declared, variables) for name in _DECLARED}
        for address, name in self._addresses_of(host, words["node_address"], variables):
            self._addresses[address].setdefault(host, name)
        for address, name in _rails(state.roles.get("rails", {})):
            self._addresses[address].setdefault(host, name)
        if words["node_serial"]:
            self._serials[words["node_serial"].casefold()][host] = "node_serial"
        leaf, spine = words["node_leaf"], words["node_spine"]
        if leaf and spine:
            self._spines[leaf][spine].append(host)

    def report(self, findings: Collector, only: frozenset[str] | None = None) -> None:
        """Add every broken rule that touches a host of ``only`` (None: any host)."""
        inventory = self._evaluator.inventory
        rows = [
            *self._twice(self._addresses, "the same address", "give each machine its own"),
            *self._twice(self._serials, "the same serial", "a serial names one machine; correct one of them"),
            *self._two_spines(),
            *self._clusters.report(),
            *same_names(inventory.hosts),
            *like_groups(inventory),
        ]
        for finding in rows:
            if only is None or only & set(finding.hosts):
                findings.add(finding)

    def _addresses_of(self, host: str, declared: str, variables: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
        if declared:
            yield _normal(declared), "node_address"
        if self._text(host, "ansible_connection", {}, variables) in _LOCAL:
            return
        reached = self._text(host, "ansible_host", {}, variables) or host
        port = self._text(host, "ansible_port", {}, variables) or str(SSH_PORT)
        # Several nodes behind one forwarding address differ by port: that is no clash.
        suffix = "" if port == str(SSH_PORT) else f" port {port}"
        yield _normal(reached) + suffix, "ansible_host" if "ansible_host" in variables else "inventory name"

    def _text(self, host: str, name: str, known: Mapping[str, Any], variables: Mapping[str, Any]) -> str:
        if name not in variables:
            return ""
        value = known[name] if name in known else self._evaluator.look_up(host, name, variables)
        return "" if value is None or isinstance(value, (bool, list, dict)) else str(value).strip()

    def _twice(self, seen: Mapping[str, Mapping[str, str]], what: str, act: str) -> Iterable[Finding]:
        for value, users in seen.items():
            if len(users) < 2 or set(users.values()) == {"inventory name"}:
                continue  # names that differ only in case are told as names
            hosts = tuple(sorted(users, key=natural))
            told = ", ".join(f"{host} ({users[host]}{self._at(host, users[host])})" for host in hosts[:4])
            more = f" and {len(hosts) - 4} more" if len(hosts) > 4 else ""
            last = hosts[-1]
            name = users[last] if users[last] != "inventory name" else "ansible_host"
            yield Finding(name, f"{value}: {what} for {told}{more}", "", act, hosts, self._origin(last, users[last]))

    def _two_spines(self) -> Iterable[Finding]:
        for leaf, spines in self._spines.items():
            if len(spines) < 2:
                continue
            told = ", ".join(f"{spine} (by {_some(hosts)})" for spine, hosts in sorted(spines.items()))
            fewest = min(spines.values(), key=lambda hosts: (len(hosts), hosts))
            hosts = tuple(sorted((host for names in spines.values() for host in names), key=natural))
            act = "make node_spine the same on all hosts of the leaf"
            origin = self._origin(fewest[0], "node_spine")
            yield Finding("node_spine", f"leaf {leaf} stands under {told}", "one spine a leaf", act, hosts, origin)

    def _origin(self, host: str, name: str) -> Origin:
        return next((origin for _, origin in self._evaluator.inventory.origins(host, name)), Origin())

    def _at(self, host: str, name: str) -> str:
        origin = self._origin(host, name)
        return f", {origin}" if origin.line else ""


def same_names(hosts: Iterable[str]) -> Iterable[Finding]:
    """Yield names that differ only in case, and short names that two hosts share."""
    by_name: dict[str, list[str]] = defaultdict(list)
    by_short: dict[str, list[str]] = defaultdict(list)
    for host in hosts:
        by_name[host.casefold()].append(host)
        if not is_address(host):
            by_short[host.casefold().split(".")[0]].append(host)
    for names in by_name.values():
        if len(names) > 1:
            found = f"{', '.join(names)} differ only in case: one name to DNS and Kubernetes"
            yield Finding("hostname", found, "names unique without regard to case", "rename one", tuple(names))
    for short, names in by_short.items():
        distinct = {name.casefold() for name in names}
        if len(distinct) < 2:
            continue
        bare = short in distinct
        act = "use one form for one machine" if bare else "rename one if a tool shows short names only"
        found = f"{', '.join(names[:4])} share the short name {short}"
        yield Finding("hostname", found, "", act, tuple(names), severity=ERROR if bare else WARNING)


def like_groups(inventory: Inventory) -> Iterable[Finding]:
    """Yield hosts that carry a group's name: a pattern then means both."""
    for host in inventory.hosts:
        if host in inventory.groups:
            found = f"{host} is a host and a group"
            yield Finding("hostname", found, "a name for one of them", f"rename the host or the group {host}", (host,))


def no_hosts(inventory: Inventory) -> Iterable[Finding]:
    """Yield a finding when there is nothing to check: nothing checked is never fine."""
    source = Origin(inventory.sources[0])
    if not inventory.hosts:
        yield Finding(
            "", "the inventory holds no host", "at least one host", f"add hosts to the group {NODES}", origin=source
        )
    elif not inventory.nodes:
        yield Finding(
            NODES, f"the group {NODES} holds no host", "at least one host", "add the machines to it", origin=source
        )


def _rails(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Yield each address of a host's rails, without its prefix length, and the variable that says so."""
    for name in ("rails_ports", "rails_bonds"):
        rows = values.get(name, [])
        for row in rows if isinstance(rows, list) else ():
            addresses = row.get("addresses", []) if isinstance(row, dict) else []
            for address in addresses if isinstance(addresses, list) else ():
                yield _normal(str(address).partition("/")[0]), name


def _some(hosts: list[str]) -> str:
    return hosts[0] if len(hosts) == 1 else f"{hosts[0]} and {len(hosts) - 1} more"


@functools.lru_cache(maxsize=65536)
def _normal(address: str) -> str:
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        return address.casefold().rstrip(".")
