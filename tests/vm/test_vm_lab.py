"""VM nodes on real QEMU: a kernel of their own, DCB, NVMe on two NUMA nodes, RDMA between them, and their buttons.

It cannot see pause frames, scheduling by class or real link speeds: the DCB port models settings and soft-RoCE is
software.
"""

from __future__ import annotations

import json
import os
import platform
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from raceway.lab.vm import VmLab

from .conftest import RACEWAY, ROOT, Vms, left_behind, raceway

SEED = 5
KNOBS = "/sys/kernel/debug/dcbtest/roce0"
SERIALS = "for n in /sys/class/nvme/nvme*; do echo $(cat $n/serial) $(cat $n/device/numa_node); done"
BOOT_ID = "cat /proc/sys/kernel/random/boot_id"


@pytest.fixture(scope="module", autouse=True)
def worn(vms: Vms) -> None:
    """Parameters, RDMA devices, power cuts: what this file does to the machines it does not put back."""
    vms.worn_out()


def drives(vms: Vms, node: str) -> dict[str, str]:
    """Serial of each NVMe drive → its NUMA node."""
    return dict(line.split() for line in vms.read(node, SERIALS).splitlines())


def eventually(vms: Vms, node: str, script: str, wanted: str, seconds: float = 30) -> str:
    """Repeat a script until what it prints contains ``wanted``."""
    until, found = time.monotonic() + seconds, ""
    while wanted not in found and time.monotonic() < until:
        found = vms.ssh(node, script).stdout
    assert wanted in found, f"{node}: {script}: {found}"
    return found


def test_two_machines_boot_and_answer_to_their_known_key_at_the_first_contact(vms: Vms) -> None:
    status = vms.lab.status()
    assert [(node.name, node.ssh, node.system) for node in status.nodes] == [
        (vms.first, True, "running"),
        (vms.second, True, "running"),
    ]
    other = vms.ssh(vms.first, "true", "-o", "HostKeyAlias=somebody-else", fresh=True)
    assert other.returncode == 255
    assert "Host key verification failed" in other.stderr
    names = [line.split()[0] for line in (vms.lab.folder / "ssh" / "known_hosts").read_text().splitlines()]
    assert names == [vms.first, vms.second]


def test_a_machine_has_a_kernel_of_its_own_that_complains_about_nothing(vms: Vms) -> None:
    assert vms.read(vms.first, "uname -r").strip() != platform.release()
    assert vms.read(vms.first, "cat /sys/class/dmi/id/product_serial").startswith("LAB")
    assert vms.read(vms.first, "hostname").strip() == vms.first
    first, second = (vms.read(node, "cat /etc/machine-id") for node in (vms.first, vms.second))
    assert first != second
    complaints = vms.ssh(vms.first, "dmesg | grep -E 'WARNING:|BUG:|Call Trace'")
    assert complaints.stdout == ""
    assert vms.read(
        vms.first, "modprobe sch_netem; tc qdisc add dev data1 root netem delay 5ms; tc qdisc show dev data1"
    )
    vms.read(vms.first, "tc qdisc del dev data1 root")


def test_the_roce_port_has_dcb_that_keeps_what_is_set_and_refuses_on_demand(vms: Vms) -> None:
    show = "dcb -j pfc show dev roce0"
    assert json.loads(vms.read(vms.first, show))["prio_pfc"] == [False] * 8
    before = int(vms.read(vms.first, f"cat {KNOBS}/writes"))
    vms.read(vms.first, "dcb pfc set dev roce0 prio-pfc all:off 3:on")
    assert json.loads(vms.read(vms.first, show))["prio_pfc"] == [number == 3 for number in range(8)]
    assert int(vms.read(vms.first, f"cat {KNOBS}/writes")) == before + 1
    refused = vms.ssh(
        vms.first,
        f"echo 0x8 > {KNOBS}/refuse; dcb pfc set dev roce0 prio-pfc 4:on; rc=$?; echo 0 > {KNOBS}/refuse; exit $rc",
    )
    assert refused.returncode != 0
    assert "not supported" in refused.stdout + refused.stderr


def test_four_drives_stand_on_two_numa_nodes_under_serials_of_their_own(vms: Vms) -> None:
    found = drives(vms, vms.first)
    assert len(found) == 4
    assert [found[serial] for serial in sorted(found)] == ["0", "1", "0", "1"]
    assert not set(found) & set(drives(vms, vms.second))
    nics = "for n in data0 data1; do cat /sys/class/net/$n/device/numa_node; done"
    assert vms.read(vms.first, nics).split() == ["0", "1"]


def test_rdma_passes_between_the_machines_over_the_roce_ports(vms: Vms) -> None:
    for node, address in ((vms.first, "10.77.0.1"), (vms.second, "10.77.0.2")):
        vms.read(
            node,
            f"ip link set roce0 mtu 9000 up; ip addr replace {address}/24 dev roce0\n"
            "modprobe rdma_rxe; rdma link add rxe0 type rxe netdev roce0",
        )
    # A link that has just come up may still drop the first ones.
    eventually(vms, vms.first, "ping -c3 -i.2 -W2 -M do -s 8972 10.77.0.2", " 0% packet loss")
    assert "PORT_ACTIVE" in vms.read(vms.first, "ibv_devinfo -d rxe0")
    serve = "systemd-run --quiet --collect --unit={0} {0} {1}"
    vms.read(vms.second, serve.format("rping", "-s -a 10.77.0.2 -C 5"))
    # Nothing shows that rping listens: it is called until it answers.
    vms.read(vms.first, "timeout 60 sh -c 'until rping -c -a 10.77.0.2 -C 5; do sleep 1; done'")
    words = "-d rxe0 -x 1 -F -s 65536 -n 300"
    vms.read(vms.second, serve.format("ib_write_bw", words))
    eventually(vms, vms.second, "ss -tln 'sport = :18515'", "LISTEN")
    table = vms.read(vms.first, f"timeout 100 ib_write_bw {words} --report_gbits 10.77.0.2")
    rows = [line.split() for line in table.splitlines() if line.split()[:1] == ["65536"]]
    assert len(rows) == 1, table
    assert float(rows[0][3]) > 0.01, table


def test_a_pulled_cable_is_seen_as_no_carrier_on_the_port_and_its_rdma_device(vms: Vms) -> None:
    vms.read(vms.second, "ip link set roce1 up")
    eventually(vms, vms.second, "cat /sys/class/net/roce1/carrier", "1")
    count = "cat /sys/kernel/debug/dcbtest/roce1/link_down_events_phy"
    before = int(vms.read(vms.second, count))
    assert "roce1 is down" in raceway("lab", "vm", vms.second, "link", "roce1", "down")
    found = eventually(vms, vms.second, "ip -o link show roce1", "NO-CARRIER")
    assert "state DOWN" in found
    assert int(vms.read(vms.second, count)) == before + 1
    raceway("lab", "vm", vms.second, "link", "roce1", "up")
    eventually(vms, vms.second, "ip -o link show roce1", "LOWER_UP")


def test_a_drive_is_taken_out_and_put_back_with_its_serial_and_data(vms: Vms) -> None:
    before = drives(vms, vms.second)
    serial = sorted(before)[3]
    disk = f"/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_{serial}"
    vms.read(vms.second, f"echo kept-on-the-drive | dd of={disk} conv=fsync status=none")
    raceway("lab", "vm", vms.second, "nvme-rm", "3")
    assert sorted(drives(vms, vms.second)) == sorted(before)[:3]
    raceway("lab", "vm", vms.second, "nvme-add", "3")
    eventually(vms, vms.second, SERIALS, serial)
    assert drives(vms, vms.second) == before
    eventually(vms, vms.second, f"head -c 17 {disk}", "kept-on-the-drive")


def test_ansible_reaches_both_through_the_inventory_and_finds_what_is_declared(vms: Vms) -> None:
    program = Path(RACEWAY[0]).parent / "ansible"
    env = {**os.environ, "RACEWAY_LAB": vms.lab.name}
    words = ["-i", "inventories/vmlab", "vm_nodes", "-m", "ansible.builtin.command", "-a", "nproc"]
    done = subprocess.run([str(program), *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    for node in (vms.first, vms.second):
        assert f"{node} | CHANGED | rc=0 >>\n2" in done.stdout


def test_a_reboot_by_command_takes_less_than_a_minute_and_keeps_drives_and_parameters(vms: Vms) -> None:
    before, boot = drives(vms, vms.first), vms.read(vms.first, BOOT_ID)
    vms.read(
        vms.first, "echo 'GRUB_CMDLINE_LINUX=\"hugepages=16 lab_test=1\"' > /etc/default/grub.d/lab.cfg; update-grub"
    )
    began = time.monotonic()
    raceway("lab", "vm", vms.first, "reboot")
    took = time.monotonic() - began
    assert took < 60, f"{took:.0f} s"
    assert vms.read(vms.first, BOOT_ID) != boot
    assert drives(vms, vms.first) == before
    assert "lab_test=1" in vms.read(vms.first, "cat /proc/cmdline").split()
    assert vms.read(vms.first, "cat /proc/sys/vm/nr_hugepages").strip() == "16"
    # DCB lives in the driver: a role has to set it again.
    assert json.loads(vms.read(vms.first, "dcb -j pfc show dev roce0"))["prio_pfc"] == [False] * 8
    assert vms.lab.status().ok


def test_a_power_cut_loses_what_was_not_flushed_and_start_brings_the_machine_back(vms: Vms) -> None:
    boot = vms.read(vms.first, BOOT_ID)
    vms.read(vms.first, "echo flushed > /root/flushed; sync; echo not yet > /root/lost")
    raceway("lab", "vm", vms.first, "cut")
    assert [node.state for node in vms.lab.status().nodes] == ["off", "running"]
    assert left_behind(f"-name {vms.first} ") == []
    raceway("lab", "vm", vms.first, "start")
    assert vms.read(vms.first, BOOT_ID) != boot
    assert vms.read(vms.first, "cat /root/flushed") == "flushed\n"
    assert vms.ssh(vms.first, "cat /root/lost").stdout != "not yet\n"
    refused = subprocess.run([*RACEWAY, "lab", "vm", vms.first, "start"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 2
    assert "runs already" in refused.stderr


def test_the_reset_button_is_a_new_boot_too(vms: Vms) -> None:
    boot = vms.read(vms.second, BOOT_ID).strip()
    raceway("lab", "vm", vms.second, "reset")
    vms.lab.up()
    assert vms.read(vms.second, BOOT_ID).strip() != boot
    assert json.loads(raceway("lab", "vm", vms.second, "qmp", "query-status"))["status"] == "running"


def test_a_kill_at_any_moment_leaves_a_lab_that_up_completes_and_down_removes(vms: Vms, lab_name: str) -> None:
    lab, chance = VmLab(f"{lab_name}-k"), random.Random(SEED)
    command = [*RACEWAY, "lab", "up", "--vm", "--name", lab.name, "--nodes", "1"]
    mine = (f"/{lab.name}/", f"{lab.name}-1 ", f"/.{lab.name}.", f"{lab.name} ")
    try:
        for turn in range(6):
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.3, 3.0))
            child.send_signal(signal.SIGKILL)
            child.wait()
            if turn == 2:
                raceway("lab", "down", "--name", lab.name)
                assert left_behind(*mine) == [], f"seed {SEED}, turn {turn}"
        lab.up()
        assert [(node.name, node.ok) for node in lab.status().nodes] == [(f"{lab.name}-1", True)]
        known, others = lab.record, vms.lab.record
        assert known
        assert others
        assert not known.reserved_ports & others.reserved_ports
        # What a torn record would hide is found by the folder.
        (lab.folder / "lab.json").write_text("{")
        assert "1 machines" in raceway("lab", "down", "--name", lab.name)
        assert left_behind(*mine) == []
    finally:
        lab.down()
    assert vms.lab.status().ok


def test_up_starts_machines_anew_whose_switch_died(vms: Vms) -> None:
    boot = vms.read(vms.first, BOOT_ID)
    switch = [line for line in left_behind(str(vms.lab.folder)) if "raceway.lab.vm.switch" in line]
    assert len(switch) == 1
    os.kill(int(switch[0].split()[1]), signal.SIGKILL)
    vms.lab.up()
    assert vms.read(vms.first, BOOT_ID) != boot
    for node, address in ((vms.first, "10.77.0.1"), (vms.second, "10.77.0.2")):
        vms.read(node, f"ip link set roce0 up; ip addr replace {address}/24 dev roce0")
    eventually(vms, vms.first, "ping -c1 -W2 10.77.0.2", " 0% packet loss")


def test_a_killed_build_of_the_image_leaves_nothing_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path))
    child = subprocess.Popen([*RACEWAY, "lab", "prepare", "--vm"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    store, until = tmp_path / "vm-image", time.monotonic() + 60
    while not (store / "build" / "out" / "rootfs" / "usr").exists():
        assert time.monotonic() < until
        time.sleep(0.2)
    child.send_signal(signal.SIGKILL)
    child.wait()
    until = time.monotonic() + 10
    while (left := left_behind(str(tmp_path))) and time.monotonic() < until:
        time.sleep(0.2)
    assert left == []
    raceway("lab", "down", "--name", "vmtest-nothing", "--vm")
    assert sorted(path.name for path in store.iterdir()) == ["build.log", "lock"]
