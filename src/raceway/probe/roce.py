"""Finds declared ports in sysfs and asks how they are set: DCB by its backend, the rest of ethtool, ip and sysfs.

It deliberately asks only declared ports and those raceway has taken over: on a node with eight rails and a storage
port that is what a no-op costs.
"""

from __future__ import annotations

import json
import posixpath
from typing import Dict, List, Optional, Tuple

from ..facts.ethtool_a import parse as parse_pause
from ..facts.lldp import Lldp
from ..facts.lldp import parse as parse_lldp
from ..facts.natural import natural
from ..facts.roce import PortFacts, RoceFacts
from ..host import Host, Ledger
from ..model.dcqcn import NOTIFY
from ..model.dcqcn import files as dcqcn_files
from ..model.qos import Qos
from ..model.roce import Port, RoceDesired
from ..plan.roce_boot import FILES
from .rdma_cm import devices_of, read_tos
from .roce_backend import read_half

NET = "/sys/class/net"
INFINIBAND = "/sys/class/infiniband"
LLDPAD = ("systemctl", "is-active", "lldpad.service")
ETHERNET = "1"  # ARPHRD_ETHER; lo and tunnels have other types
FLAG_UP = 0x1  # IFF_UP of netdevice(7)
# lldpd listens here; without it there is nobody to ask.
LLDPD = ("/run/lldpd.socket", "/var/run/lldpd.socket", "/run/lldpd/lldpd.socket")
UNHEARD = Lldp()
BUFFERS = "roce_buffer"  # the ledger section of receive buffers that were divided by hand


def probe(host: Host, desired: RoceDesired, ledger: Ledger) -> RoceFacts:
    """Return the facts the roce planner compares with ``desired``."""
    owned = {} if desired.boot else ledger.owned("roce")
    files = {path: host.read(path) for path in FILES}
    if not desired.ports and not owned:
        return RoceFacts(files=files)
    present = interfaces(host)
    labels = dict.fromkeys([*(port.label for port in desired.ports), *owned])
    places = {label: present[label] for label in labels if _asked(host, present.get(label), desired.only)}
    names = dict.fromkeys(present.values())
    heard = _heard(host) if desired.ports else Lldp()
    return RoceFacts(
        ports={label: read_port(host, device, desired.qos, heard) for label, device in places.items()},
        present=tuple(_told(device, present) for device in sorted(names, key=natural)),
        lldpad=bool(desired.ports) and host.run(LLDPAD).out.strip() == "active",
        files=files,
        owned=owned,
        owned_buffers=ledger.owned(BUFFERS),
        unheard=heard.problem,
    )


def interfaces(host: Host) -> Dict[str, str]:
    """Return label → interface name, for every selector of every interface that is a port.

    A VLAN, bridge or bond shares its port's MAC address; the kernel tells its kind in uevent. A label that still
    names two interfaces (a bond's members have one address) names none.
    """
    found: Dict[str, str] = {}
    doubtful = set()
    for name in host.listdir(NET):
        folder = f"{NET}/{name}"
        kind = host.read(f"{folder}/type")
        if (kind or "").strip() != ETHERNET or "DEVTYPE=" in (host.read(f"{folder}/uevent") or ""):
            continue
        for label in _labels(host, name):
            if label in found:
                doubtful.add(label)
            found.setdefault(label, name)
    return {label: name for label, name in found.items() if label not in doubtful}


def pci_function(host: Host, interface: str) -> str:
    """Return the PCI function an interface lies on, in lower case; empty where there is none.

        /sys/class/net/eth7        -> ../../devices/pci0000:00/0000:00:09.0/virtio3/net/eth7
        /sys/class/net/eth7/device -> ../../../virtio3

    A virtio port's device is its virtio function; the PCI function it lies on stands in the first link alone.
    """
    function = posixpath.basename(host.readlink(f"{NET}/{interface}/device") or "")
    if function.startswith("virtio"):
        place = (host.readlink(f"{NET}/{interface}") or "").split("/")
        function = place[place.index(function) - 1] if function in place else ""
    return function.lower() if function.count(":") == 2 else ""


def _labels(host: Host, interface: str) -> List[str]:
    folder = f"{NET}/{interface}"
    rows = [Port("mac", (host.read(f"{folder}/address") or "").strip().lower())]
    rows.append(Port("pci", pci_function(host, interface)))
    for name in host.listdir(f"{folder}/device/infiniband"):
        rows.append(Port("guid", (host.read(f"{INFINIBAND}/{name}/node_guid") or "").strip().lower()))
    return [row.label for row in rows if row.value]


def read_port(host: Host, device: str, qos: Qos, heard: Lldp = UNHEARD) -> PortFacts:
    """Return how one interface is set now; ``qos`` says which of the driver's many switches are looked at."""
    folder = f"{NET}/{device}"
    flags = (host.read(f"{folder}/flags") or "0").strip()
    half = read_half(host, device)
    pause = parse_pause(host.run(["ethtool", "-a", device]).out)
    return PortFacts(
        device=device,
        driver=posixpath.basename(host.readlink(f"{folder}/device/driver") or ""),
        backend=half.backend,
        chosen=half.chosen,
        up=bool(int(flags, 0) & FLAG_UP),
        virtual_function=host.exists(f"{folder}/device/physfn"),
        firmware_dcbx=half.firmware_dcbx,
        classes=half.classes,
        pfc_classes=half.pfc_classes,
        dscp=half.dscp,
        pfc=half.pfc,
        priority_class=half.priority_class,
        scheduling=half.scheduling,
        bandwidth=half.bandwidth,
        pause=None if pause.rx is None or pause.tx is None else (pause.rx, pause.tx),
        mtu=_number(host.read(f"{folder}/mtu")),
        dcqcn=_dcqcn(host, folder, qos),
        notifies=any((host.read(path) or "").strip() == "1" for path in host.glob(f"{folder}/{NOTIFY}/*")),
        cm_tos=_cm_tos(host, device),
        max_mtu=_max_mtu(host, device),
        buffer=half.buffer,
        priority_buffer=half.priority_buffer,
        buffer_sizes=half.buffer_sizes,
        cable_m=half.cable_m,
        neighbours=heard.of(device),
        speed_mbps=_number(host.read(f"{folder}/speed")),
        problem=half.problem,
    )


def _asked(host: Host, interface: Optional[str], only: str) -> bool:
    """Tell whether a port is there and among those that are asked for."""
    return interface is not None and (only in ("", interface) or only in devices_of(host, interface))


def _heard(host: Host) -> Lldp:
    """Return what lldpd has heard, nothing where it does not run."""
    if host.first(LLDPD) is None:
        return Lldp()
    done = host.run(["lldpctl", "-f", "json"])
    return parse_lldp(done.out if done.rc == 0 and done.out else f"{done.out}{done.err}")


def _dcqcn(host: Host, folder: str, qos: Qos) -> Optional[Tuple[Tuple[str, str], ...]]:
    if not host.exists(f"{folder}/ecn"):
        return None
    return tuple((path, (host.read(f"{folder}/{path}") or "").strip()) for path in dcqcn_files(qos))


def _cm_tos(host: Host, interface: str) -> Tuple[Tuple[str, int], ...]:
    found = [(device, read_tos(host, device)) for device in devices_of(host, interface)]
    return tuple((device, tos) for device, tos in found if tos is not None)


def _max_mtu(host: Host, device: str) -> Optional[int]:
    done = host.run(["ip", "-d", "-j", "link", "show", "dev", device])
    try:
        (row,) = json.loads(done.out)
        # The kernel says 0 where a driver names no bound.
        return int(row["max_mtu"]) or None
    except (ValueError, KeyError, TypeError):
        return None


def _number(text: Optional[str]) -> Optional[int]:
    word = (text or "").strip()
    return int(word) if word.isdigit() else None


def _told(device: str, present: Dict[str, str]) -> str:
    labels: Tuple[str, ...] = tuple(label for label, name in present.items() if name == device)
    return f"{device} ({', '.join(labels)})"
