"""What a VM node has: memory, NICs, NVMe drives and their places, all derived from its name and one frozen spec.

Pure. MACs, serials and the machine id come from the name alone, so they are the same after every boot and in every
lab that is made again. It deliberately knows nothing of QEMU's words; those stand in ``qemu``.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

MOST_NICS = 4
NUMA_NODES = 2


@dataclass(frozen=True)
class Spec:
    """One kind of VM. ``memory_mib`` is shared evenly by two NUMA nodes; even NICs and drives hang on node 0, odd on 1.

    ``nic`` is QEMU's model name: vmxnet3 is a plain PCI function, so its ``device/numa_node`` reads as on real machines
    (a virtio NIC hides it one folder up), and its guest sees a pulled cable (that of QEMU 7.2's e1000e never does).
    ``dcb``: "lower" puts roce0… over data0…, "own" makes a roce0 without a wire, "attach" adds DCB to data0…
    themselves, "none" leaves the module out. ``append``: more kernel parameters.
    """

    memory_mib: int = 2048
    nics: int = 2
    nvme: int = 4
    nvme_gib: int = 4
    nic: str = "vmxnet3"
    dcb: str = "lower"
    append: str = ""


DEFAULT = Spec()


@dataclass(frozen=True)
class Identity:
    """What tells one VM from another. ``mac``: the first five bytes; ``serial``: of the board and of each drive."""

    mac: str
    serial: str
    machine_id: str

    def drive(self, number: int) -> str:
        """Serial of NVMe drive ``number``."""
        return f"{self.serial}{number:02d}"

    def nic(self, number: int) -> str:
        """MAC of data NIC ``number``; the management NIC has the last byte 00."""
        return f"{self.mac}:{number + 1:02x}"


def identity(name: str) -> Identity:
    """Derive a VM's identity from its name."""
    digest = hashlib.sha256(name.encode()).hexdigest()
    return Identity(f"52:54:{digest[0:2]}:{digest[2:4]}:{digest[4:6]}", f"LAB{digest[:6].upper()}", digest[:32])


def kernel_parameters(name: str, spec: Spec) -> str:
    """The parameters every boot has; what the guest adds by update-grub comes behind them."""
    carriers = ",".join(f"data{number}" for number in range(spec.nics))
    modules = {
        "none": "",
        "own": "modules_load=dcbtest",
        "lower": f"modules_load=dcbtest dcbtest.lower={carriers}",
        "attach": f"modules_load=dcbtest dcbtest.attach={carriers}",
    }[spec.dcb]
    words = (
        "root=/dev/vda rw console=ttyS0 quiet loglevel=4",
        f"systemd.show_status=0 systemd.hostname={name}",
        f"systemd.machine_id={identity(name).machine_id}",
        # Emulation pays for each of these and gains nothing from them.
        "mitigations=off audit=0 nowatchdog tsc=reliable cryptomgr.notests random.trust_cpu=1 net.ifnames=1",
        "init_on_alloc=0 lsm=capability",
        modules,
        spec.append,
    )
    return " ".join(word for word in words if word)


def fingerprint(spec: Spec, image: str) -> str:
    """Differs when a VM's disks would have to be made anew."""
    return hashlib.sha256(json.dumps([asdict(spec), image], sort_keys=True).encode()).hexdigest()[:16]
