"""The QEMU command line of one VM.

Pure: paths are relative to the lab's folder, which is QEMU's working folder, so that unix sockets stay below the
107 bytes the kernel allows them wherever the lab lies. It deliberately leaves out ``-append`` and the guard's socket:
the guard adds them at each boot.
"""

from __future__ import annotations

from ..record import Vm
from .spec import NUMA_NODES, Spec, identity

PROGRAM = "qemu-system-x86_64"
SWITCH = "run/switch"
UP = "up"


def place(name: str) -> str:
    """Folder of one VM below the lab's folder."""
    return f"nodes/{name}"


def arguments(vm: Vm, spec: Spec, image: str) -> list[str]:
    """The whole command line; ``image`` is the image's folder below the lab's folder."""
    return [
        PROGRAM,
        *_machine(vm, spec, image),
        *_system_disks(vm),
        *_management(vm),
        *_expanders(),
        *[word for number in range(spec.nics) for word in _nic(vm, spec, number)],
        *[word for number in range(spec.nvme) for word in _drive(vm, number)],
    ]


def _machine(vm: Vm, spec: Spec, image: str) -> list[str]:
    home, half = place(vm.name), spec.memory_mib // NUMA_NODES
    memory = [
        word
        for node in range(NUMA_NODES)
        for word in (
            f"-object memory-backend-ram,id=m{node},size={half}M",
            f"-numa node,nodeid={node},cpus={node},memdev=m{node}",
        )
    ]
    return [
        *_words(f"-name {vm.name} -nodefaults -no-user-config -display none -machine q35"),
        # The code buffer would otherwise grow to 1 GiB a VM; SVM and LA57 only cost boot time.
        *_words("-accel tcg,thread=multi,tb-size=256 -cpu max,-svm,-la57"),
        # One socket a NUMA node: cores that share a cache across nodes make the kernel warn.
        *_words(f"-smp 2,sockets=2,cores=1,threads=1 -m {spec.memory_mib}"),
        *[part for word in memory for part in _words(word)],
        *_words(f"-kernel {image}/vmlinux -initrd {home}/initrd.img"),
        *_words(f"-smbios type=1,serial={identity(vm.name).serial}"),
        *_words(f"-chardev file,id=con,path={home}/console.log,append=on -serial chardev:con"),
        # The guest's second serial port: emptied at each start of QEMU, written when the boot is over.
        *_words(f"-chardev file,id=up,path={home}/{UP} -serial chardev:up"),
        *_words(f"-qmp unix:{home}/qmp,server=on,wait=off -pidfile {home}/pid"),
        *_words("-device virtio-rng-pci,addr=5"),
    ]


def _system_disks(vm: Vm) -> list[str]:
    home = place(vm.name)
    return [
        *_words(f"-drive if=none,id=root,file={home}/root.qcow2,format=qcow2,cache=writeback,discard=unmap"),
        *_words("-device virtio-blk-pci,drive=root,addr=2"),
        *_words(f"-drive if=none,id=cmd,file={home}/cmdline.raw,format=raw"),
        *_words("-device virtio-blk-pci,drive=cmd,addr=6,serial=labcmd"),
    ]


def _management(vm: Vm) -> list[str]:
    return [
        *_words(f"-netdev user,id=mgmt0,hostfwd=tcp:{vm.address}:{vm.port}-:22"),
        *_words(f"-device virtio-net-pci,netdev=mgmt0,addr=3,mac={identity(vm.name).mac}:00,romfile="),
    ]


def _expanders() -> list[str]:
    # PCIe hot remove below an expander works natively only, not through ACPI.
    return [
        *_words("-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off"),
        *_words("-device pxb-pcie,id=pxb0,bus=pcie.0,bus_nr=32,numa_node=0,addr=8"),
        *_words("-device pxb-pcie,id=pxb1,bus=pcie.0,bus_nr=64,numa_node=1,addr=9"),
    ]


def _nic(vm: Vm, spec: Spec, number: int) -> list[str]:
    node, slot, chassis = number % NUMA_NODES, number // NUMA_NODES, 65 + number
    mac = identity(vm.name).nic(number)
    return [
        *_words(f"-device pcie-root-port,id=rpn{number},bus=pxb{node},addr={slot:x},chassis={chassis},slot={chassis}"),
        *_words(f"-netdev stream,id=data{number},server=off,addr.type=unix,addr.path={SWITCH}"),
        *_words(f"-device {spec.nic},netdev=data{number},bus=rpn{number},mac={mac},romfile="),
    ]


def _drive(vm: Vm, number: int) -> list[str]:
    node, slot = number % NUMA_NODES, 16 + number // NUMA_NODES
    file = f"{place(vm.name)}/nvme{number}.raw"
    return [
        *_words(
            f"-device pcie-root-port,id=rp{number},bus=pxb{node},addr={slot:x},chassis={number + 1},slot={number + 1}"
        ),
        *_words(f"-drive if=none,id=disk{number},file={file},format=raw,cache=writeback,discard=unmap"),
        *_words(
            f"-device nvme,id=nvme{number},bus=rp{number},drive=disk{number},serial={identity(vm.name).drive(number)}"
        ),
    ]


def _words(text: str) -> list[str]:
    return text.split(" ")
