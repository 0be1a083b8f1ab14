"""Finds declared RDMA devices in sysfs and reads what the declaration speaks about, and no more.

Sysfs first: tools are asked only for what no file tells (firmware, the namespace mode, bridges). A device is found by
the PCI function or GUID it has, so that a renamed one is the same one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Iterable, List, Mapping, Optional, Tuple

from ..facts.infiniband_sysfs import IbDevice
from ..facts.rdma import ABSENT, INSIDE, LOADED, BusFacts, DeviceFacts, PortState, RdmaFacts
from ..facts.rdma_gpudirect import GpuFacts, parse_config, parse_driver, parse_symbols
from ..facts.rdma_system import parse as parse_system
from ..host import Host, Ledger
from ..model.rdma import LEAVE, NONE, PEERMEM, RdmaDesired
from ..plan.dropin import BOOK
from ..plan.rdma_boot import FILES as BOOT_FILES
from ..plan.rdma_gpudirect import LOAD_FILE, against_dmabuf
from ..plan.rdma_naming import RULES
from ..plan.rdma_netns import OPTIONS
from ..plan.rdma_subnet import CONFIG, PARTITIONS
from . import infiniband, rdma_bus, rdma_carrier, rdma_firmware, rdma_ipoib, rdma_memlock
from .package import find_manager, installed

FILES = (*BOOT_FILES, RULES, OPTIONS, LOAD_FILE, CONFIG, PARTITIONS)
IB_CORE = "/sys/module/ib_core"
DRIVERS = ("mlx5_ib", "mlx5_core")


def probe(host: Host, desired: RdmaDesired, ledger: Ledger) -> RdmaFacts:
    """Return the facts the rdma planner compares with ``desired``."""
    owned = ledger.owned("rdma")
    if desired == RdmaDesired(platform=desired.platform) and not owned:
        return RdmaFacts(files=_files(host), owned_files=_owned_files(ledger))
    found = infiniband.probe(host).devices
    read = _read(host, desired, owned, {label: device for device in found for label in labels(device)})
    gpus = rdma_bus.find_accelerators(host) if desired.acs != LEAVE or desired.gpudirect != NONE else {}
    netns, netns_problem = _netns(host, desired, owned)
    opensm, opensm_enabled = _opensm(host, desired, owned)
    cutting = any(key.startswith(("firmware ", "ipoib ")) for key in owned)
    carriers, lost = rdma_carrier.probe(host) if desired.asks_firmware or desired.ipoib or cutting else ({}, "")
    return RdmaFacts(
        devices=read,
        present=tuple(f"{device.name} ({', '.join(labels(device))})" for device in found),
        files=_files(host),
        owned=owned,
        owned_files=_owned_files(ledger),
        ib_core=_ib_core(host),
        netns=netns,
        netns_problem=netns_problem,
        namespaces=_namespaces(host) if netns not in ("", desired.netns) else (),
        memlock=rdma_memlock.probe(host, desired.memlock),
        bus=_bus(host, desired, read.values(), owned, gpus),
        gpu=_gpu(host, gpus, desired.gpudirect),
        carriers=carriers,
        carriers_problem=lost,
        users=_users(host) if desired.asks_firmware else (),
        opensm=opensm,
        opensm_enabled=opensm_enabled,
        ipoib=rdma_ipoib.probe(host) if desired.ipoib or any(key.startswith("ipoib ") for key in owned) else (),
        missing_packages=_missing(host, desired.packages),
    )


def _read(
    host: Host, desired: RdmaDesired, owned: Mapping[str, object], present: Mapping[str, IbDevice]
) -> Dict[str, DeviceFacts]:
    """Return declared and owned devices by label; firmware is asked where it is declared or to be given back."""
    # A key of the ledger is ``<what> <selector> <value>``, of a firmware setting with its name behind.
    ours = {key: " ".join(key.split(" ")[1:3]) for key in owned}
    asked = {device.label for device in desired.devices if device.firmware or device.link_type or device.dpu_mode}
    asked |= {label for key, label in ours.items() if key.startswith("firmware ")}
    wanted = {device.label for device in desired.devices} | set(ours.values())
    return {
        label: read_device(host, device, label in asked and not desired.boot)
        for label, device in present.items()
        if label in wanted
    }


def labels(device: IbDevice) -> Tuple[str, ...]:
    """Return what a device may be selected by."""
    rows = (("pci", device.pci), ("guid", _grouped(device.node_guid)))
    return tuple(f"{by} {value}" for by, value in rows if value)


def read_device(host: Host, device: IbDevice, firmware: bool) -> DeviceFacts:
    """Return one device; its card is asked for firmware settings only where they are declared."""
    settings, problem = rdma_firmware.query(host, device.pci) if firmware and device.pci else (None, "")
    bound = [port.netdev for port in device.ports if port.netdev]
    # A reset or a firmware setting is the card's: what its other functions carry breaks as well.
    card_paths = host.glob(f"{rdma_bus.PCI}/{device.pci.rpartition('.')[0]}.*/net/*") if device.pci else []
    others = [path.rpartition("/")[2] for path in card_paths]
    return DeviceFacts(
        name=device.name,
        pci=device.pci,
        guid=_grouped(device.node_guid),
        virtual_function=device.virtual_function,
        ports=tuple(PortState(port.port, port.link_layer, port.state, port.sm_lid) for port in device.ports),
        netdevs=tuple(dict.fromkeys([*device.netdevs, *others, *bound])),
        firmware=settings,
        firmware_problem=problem,
    )


def _grouped(guid: str) -> str:
    """Return a GUID in the four groups of sysfs, as people copy it."""
    return ":".join(guid[start : start + 4] for start in range(0, len(guid), 4))


def _files(host: Host) -> Dict[str, Optional[str]]:
    return {path: host.read(path) for path in FILES}


def _owned_files(ledger: Ledger) -> Dict[str, object]:
    return dict(ledger.owned(BOOK))


def _ib_core(host: Host) -> str:
    if host.exists(f"{IB_CORE}/initstate"):
        return LOADED
    return INSIDE if host.exists(IB_CORE) else ABSENT


def _netns(host: Host, desired: RdmaDesired, owned: Mapping[str, object]) -> Tuple[str, str]:
    if not desired.netns and "netns" not in owned:
        return "", ""
    done = host.run(["rdma", "-j", "system", "show"])
    shown = parse_system(done.out if done.rc == 0 else done.err or done.out)
    return shown.netns, shown.problem


def _namespaces(host: Host) -> Tuple[str, ...]:
    """Return the programs that have a network namespace of their own: the kernel then changes no mode."""
    own, found = host.readlink("/proc/1/ns/net"), {}
    for pid in (name for name in host.listdir("/proc") if name.isdigit()):
        link = host.readlink(f"/proc/{pid}/ns/net")
        if link and link != own and link not in found:
            found[link] = f"{(host.read(f'/proc/{pid}/comm') or 'a process').strip()} (pid {pid})"
    return (*found.values(), *(f"ip netns {name}" for name in host.listdir("/run/netns")))


def _bus(
    host: Host,
    desired: RdmaDesired,
    devices: Iterable[DeviceFacts],
    owned: Mapping[str, object],
    gpus: Mapping[str, str],
) -> BusFacts:
    ours = any(key.startswith(("acs ", "read_request ")) for key in owned)
    asks = desired.read_request or (gpus and desired.acs != LEAVE)
    if not ours and not asks:
        return BusFacts()
    cards = dict.fromkeys(device.pci for device in devices if device.pci)
    given_back = [key.split(" ", 1)[1] for key in owned if key.startswith("acs ")]
    return rdma_bus.probe(host, [*cards, *given_back], tuple(gpus))


def _gpu(host: Host, gpus: Mapping[str, str], wanted: str) -> GpuFacts:
    vendor = next(iter(gpus.values()), "")
    loaded = host.exists("/sys/module/nvidia_peermem")
    if wanted == NONE or vendor != "nvidia":
        return GpuFacts(vendor=vendor, peermem=loaded)
    kernel = (host.read("/proc/sys/kernel/osrelease") or "").strip()
    driver, is_open = parse_driver(host.read("/proc/driver/nvidia/version") or "")
    found = GpuFacts(
        vendor=vendor,
        driver=driver,
        open=is_open,
        kernel=kernel,
        p2pdma=parse_config(host.read(f"/boot/config-{kernel}")),
        peermem=loaded,
    )
    # The kernel's symbols are megabytes of text: read only where the answer decides something.
    ask = wanted == PEERMEM or bool(driver and against_dmabuf(found))
    return replace(found, peer_api=parse_symbols(host.read("/proc/kallsyms"))) if ask else found


def _users(host: Host) -> Tuple[str, ...]:
    found: List[str] = [name for driver in DRIVERS for name in host.listdir(f"/sys/module/{driver}/holders")]
    return tuple(sorted({name for name in found if name not in DRIVERS}))


def _opensm(host: Host, desired: RdmaDesired, owned: Mapping[str, object]) -> Tuple[Optional[bool], str]:
    if not desired.subnet_manager and "opensm" not in owned:
        return None, ""
    done = host.run(["systemctl", "show", "-p", "ActiveState", "-p", "UnitFileState", "--", "opensm.service"])
    shown = dict(line.split("=", 1) for line in done.out.splitlines() if "=" in line)
    state = shown.get("ActiveState")
    return (state in ("active", "activating", "reloading") if state else None), shown.get("UnitFileState", "")


def _missing(host: Host, packages: Tuple[str, ...]) -> Tuple[str, ...]:
    there = installed(host, find_manager(host), list(packages)) if packages else {}
    return tuple(name for name in packages if name not in there)
