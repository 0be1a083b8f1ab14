"""What is wrong with a cluster's addresses: the endpoint, the virtual address, the subnets of pods and Services.

Subnets that overlap are found here, since on a node they show as packets that go nowhere. It deliberately resolves no
name: what a name means is seen where it is used.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any

from .problem import Problem

Values = Mapping[str, Any]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SMALLEST_SERVICE_BITS = 20  # kube-apiserver takes at most this many bits of addresses for Services
MOST_NODE_BITS = 16  # kube-controller-manager: node prefix minus cluster prefix
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_INTERFACE = re.compile(r"[^\s/:]{1,15}")


def address_of(text: object) -> Address | None:
    """Return an address, None for a text that is none."""
    try:
        return ipaddress.ip_address(str(text))
    except ValueError:
        return None


def endpoint_of(text: str) -> tuple[str, int] | None:
    """Return host and port of ``host:port`` or ``[address]:port``, None where it is neither.

    >>> endpoint_of("10.0.0.10:6443"), endpoint_of("[fd00::1]:6443"), endpoint_of("https://api:6443")
    (('10.0.0.10', 6443), ('fd00::1', 6443), None)
    """
    host, _, port = text.rpartition(":")
    if not port.isdigit() or not 1 <= int(port) <= 65535:
        return None
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    known = address_of(bare)
    if known is None and not _NAME.fullmatch(bare):
        return None
    return None if known is not None and known.version == 6 and bare == host else (bare, int(port))


def net_rules(values: Values) -> list[Problem]:
    """Return what is wrong with the addresses, alone and together."""
    pods, services = _net(values, "kubernetes_pod_subnet"), _net(values, "kubernetes_service_subnet")
    rows = [*pods[1], *services[1], *_endpoint(values), *_advertise(values)]
    if pods[0] and services[0]:
        rows += _subnets(pods[0], services[0], values)
    nets = [("kubernetes_pod_subnet", pods[0]), ("kubernetes_service_subnet", services[0])]
    return [*rows, *_virtual(values), *_inside(values, [(name, net) for name, net in nets if net])]


def _net(values: Values, name: str) -> tuple[Network | None, list[Problem]]:
    text = str(values[name])
    try:
        return ipaddress.ip_network(text), []
    except ValueError as error:
        act = "write address and prefix of the network itself, as in 10.244.0.0/16"
        return None, [Problem(name, f"{text!r}: {error}", "a network in CIDR form", act)]


def _subnets(pods: Network, services: Network, values: Values) -> list[Problem]:
    if pods.version != services.version:
        found = f"IPv{services.version}, kubernetes_pod_subnet is IPv{pods.version}"
        return [Problem("kubernetes_service_subnet", found, "one family for both", "make the two agree")]
    rows = []
    if pods.overlaps(services):
        found = f"{services} overlaps kubernetes_pod_subnet {pods}"
        rows.append(Problem("kubernetes_service_subnet", found, "subnets that share no address", "move one of the two"))
    if services.max_prefixlen - services.prefixlen > SMALLEST_SERVICE_BITS:
        allowed = f"/{services.max_prefixlen - SMALLEST_SERVICE_BITS} or smaller"
        act = "the API server does not start with more addresses"
        rows.append(Problem("kubernetes_service_subnet", str(services), allowed, act))
    return [*rows, *_node_prefix(pods, values)]


def _node_prefix(pods: Network, values: Values) -> list[Problem]:
    prefix, most, name = (
        values["kubernetes_node_pod_prefix"],
        values["kubernetes_max_pods"],
        "kubernetes_node_pod_prefix",
    )
    if not pods.prefixlen < prefix <= pods.max_prefixlen - 2:
        allowed = f"/{pods.prefixlen + 1} to /{pods.max_prefixlen - 2}, within {pods}"
        return [Problem(name, f"/{prefix}", allowed, "each node gets a subnet of this size out of the pods' one")]
    if prefix - pods.prefixlen > MOST_NODE_BITS:
        act = "the controller manager divides by 16 bits at most"
        return [Problem(name, f"/{prefix}", f"at most /{pods.prefixlen + MOST_NODE_BITS}", act)]
    room = 2 ** (pods.max_prefixlen - prefix) - 3  # network, broadcast and the bridge's own
    if most > room:
        found = f"/{prefix} has {room} addresses for pods, kubernetes_max_pods is {most}"
        return [Problem(name, found, "an address for each pod", "take a shorter prefix, or fewer pods")]
    return []


def _endpoint(values: Values) -> list[Problem]:
    text, name = str(values["kubernetes_endpoint"]), "kubernetes_endpoint"
    found = endpoint_of(text)
    if found is None:
        act = "give the name or (virtual) address of the API and its port, as in 10.0.0.10:6443; no scheme"
        return [Problem(name, f"{text!r}" if text else "empty", "host:port", act)]
    virtual, host = str(values["kubernetes_virtual_ip"].get("address") or ""), address_of(found[0])
    if virtual and host is not None and host != address_of(virtual):
        act = "use the virtual address, or a name that means it"
        return [Problem(name, f"{found[0]}, kubernetes_virtual_ip is {virtual}", "one address", act)]
    if host is not None and (host.is_loopback or host.is_unspecified):
        return [Problem(name, text, "an address all nodes reach", "no other node reaches it")]
    return []


def _advertise(values: Values) -> list[Problem]:
    text, name = str(values["kubernetes_advertise_address"]), "kubernetes_advertise_address"
    if not text:
        return []
    found = address_of(text)
    if found is None or found.is_unspecified or found.is_loopback or found.is_multicast:
        act = "give the node's own address, or leave it empty for that of the default route"
        return [Problem(name, f"{text!r}", "an address of the node that others reach", act)]
    if str(values["kubernetes_virtual_ip"].get("address")) == text:
        act = "etcd and the API server are bound to it: it must not move to another node"
        return [Problem(name, f"{text}, which is the virtual address", "the node's own address", act)]
    return []


def _virtual(values: Values) -> list[Problem]:
    given, name = values["kubernetes_virtual_ip"], "kubernetes_virtual_ip"
    if not given:
        return []
    rows = []
    address = address_of(given.get("address"))
    if address is None:
        rows.append(
            Problem(name, f"address {given.get('address')!r}", "an IP address", "a free one of the nodes' network")
        )
    elif not 1 <= given.get("prefix", 32) <= address.max_prefixlen:
        allowed = f"1 to {address.max_prefixlen}"
        rows.append(Problem(name, f"prefix {given['prefix']}", allowed, "take that of the interface's network"))
    if not _INTERFACE.fullmatch(str(given.get("interface") or "")):
        act = "name the interface of the nodes' network, as in eth0"
        rows.append(Problem(name, f"interface {given.get('interface')!r}", "the name of an interface", act))
    if not 1 <= given.get("router_id", 51) <= 255:
        act = "one that no other VRRP group of the network has"
        rows.append(Problem(name, f"router_id {given['router_id']}", "1 to 255", act))
    return rows


def _inside(values: Values, nets: list[tuple[str, Network]]) -> list[Problem]:
    endpoint = endpoint_of(str(values["kubernetes_endpoint"]))
    candidates = {
        "kubernetes_endpoint": endpoint[0] if endpoint else "",
        "kubernetes_virtual_ip": values["kubernetes_virtual_ip"].get("address") or "",
        "kubernetes_advertise_address": values["kubernetes_advertise_address"],
    }
    rows = []
    for name, text in candidates.items():
        address = address_of(text)
        for subnet, net in nets:
            if address is not None and address.version == net.version and address in net:
                act = "addresses of nodes and subnets of the cluster must not meet: move the subnet"
                rows.append(Problem(subnet, f"{net} holds {text} ({name})", "a subnet no node is in", act))
    return rows
