"""The QEMU command line: every NIC and drive in its place, nothing outside the lab's folder but one loopback port."""

from __future__ import annotations

import itertools

from raceway.lab.record import Vm
from raceway.lab.vm import qemu
from raceway.lab.vm.spec import Spec, identity

VM = Vm("vmlab-1", 26040)
SERIAL = identity("vmlab-1").serial


def line(**more: int) -> list[str]:
    return qemu.arguments(VM, Spec(**more), "image/abc")  # type: ignore[arg-type]


def values(words: list[str], flag: str) -> list[str]:
    return [value for word, value in itertools.pairwise(words) if word == flag]


def devices(words: list[str], kind: str) -> list[dict[str, str]]:
    found = [value.split(",") for value in values(words, "-device")]
    return [dict(part.split("=", 1) for part in parts[1:]) for parts in found if parts[0] == kind]


def test_drives_and_nics_alternate_between_the_expanders_of_two_numa_nodes() -> None:
    words = line()
    ports = {port["id"]: port["bus"] for port in devices(words, "pcie-root-port")}
    assert [ports[drive["bus"]] for drive in devices(words, "nvme")] == ["pxb0", "pxb1", "pxb0", "pxb1"]
    assert [ports[nic["bus"]] for nic in devices(words, Spec().nic)] == ["pxb0", "pxb1"]
    assert {one["id"]: one["numa_node"] for one in devices(words, "pxb-pcie")} == {"pxb0": "0", "pxb1": "1"}


def test_every_root_port_has_a_slot_of_its_own() -> None:
    ports = devices(line(nics=4, nvme=8), "pcie-root-port")
    assert len(ports) == 12
    assert len({port["slot"] for port in ports}) == len({port["chassis"] for port in ports}) == 12
    assert len({(port["bus"], port["addr"]) for port in ports}) == 12


def test_the_image_names_data_nics_by_the_buses_they_are_on() -> None:
    # Bus numbers count up from bus_nr + 1 by slot: NICs take the first slots of both expanders.
    found = {(port["bus"], port["addr"]): port["id"] for port in devices(line(nics=4), "pcie-root-port")}
    assert [found[place] for place in (("pxb0", "0"), ("pxb1", "0"), ("pxb0", "1"), ("pxb1", "1"))] == [
        "rpn0",
        "rpn1",
        "rpn2",
        "rpn3",
    ]


def test_each_drive_has_its_own_serial_and_file() -> None:
    drives = devices(line(), "nvme")
    assert [drive["serial"] for drive in drives] == [f"{SERIAL}0{number}" for number in range(4)]
    files = [part for value in values(line(), "-drive") for part in value.split(",") if part.startswith("file=")]
    assert len(files) == len(set(files)) == 6


def test_memory_is_shared_evenly_by_two_nodes_with_a_cpu_each() -> None:
    words = line(memory_mib=4096)
    assert values(words, "-object") == [f"memory-backend-ram,id=m{node},size=2048M" for node in (0, 1)]
    assert values(words, "-numa") == [f"node,nodeid={node},cpus={node},memdev=m{node}" for node in (0, 1)]
    assert values(words, "-m") == ["4096"]


def test_only_loopback_leads_in_and_every_path_lies_below_the_labs_folder() -> None:
    words = line()
    assert values(words, "-netdev")[0] == "user,id=mgmt0,hostfwd=tcp:127.0.0.1:26040-:22"
    paths = [part.split("=", 1)[1] for word in words for part in word.split(",") if part.startswith(("file=", "path="))]
    assert len(paths) > 6
    assert not [path for path in [*paths, *values(words, "-kernel"), *values(words, "-initrd")] if path[0] == "/"]


def test_the_board_has_the_serial_the_inventory_declares() -> None:
    assert f"serial={SERIAL}" in values(line(), "-smbios")[0].split(",")
