"""Which ports matter: of a recorded machine, of software devices, of a node without RDMA."""

from __future__ import annotations

from pathlib import Path

from raceway.evidence.catalogue import Ports
from raceway.evidence.survey import survey, unknown
from raceway.host import Host


def make_host(tmp_path: Path, *files: str, **texts: str) -> Host:
    for name in files:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        place = tmp_path / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return Host(str(tmp_path))


def test_interfaces_with_an_rdma_device_come_first_in_natural_order(tmp_path: Path) -> None:
    cards = [f"sys/class/infiniband/mlx5_{number}/device/net/ens{number}" for number in (10, 2)]
    host = make_host(tmp_path, *cards, "sys/class/net/ens2", "sys/class/net/ens10", "sys/class/net/eno1/device")
    assert survey(host) == Ports(("ens2", "ens10"), ("mlx5_2", "mlx5_10"))


def test_a_software_device_stands_on_the_interface_it_names(tmp_path: Path) -> None:
    host = make_host(
        tmp_path, "sys/class/net/data0", "sys/class/net/lo", sys__class__infiniband__rxe0__parent="data0\n"
    )
    assert survey(host) == Ports(("data0",), ("rxe0",))


def test_without_rdma_the_interfaces_with_a_driver_count_and_else_all_but_lo(tmp_path: Path) -> None:
    host = make_host(tmp_path, "sys/class/net/eno1/device", "sys/class/net/br0", "sys/class/net/lo")
    assert survey(host).interfaces == ("eno1",)
    (tmp_path / "sys/class/net/eno1/device").rmdir()
    assert survey(host).interfaces == ("br0", "eno1")


def test_cards_with_firmware_tools_are_known_by_their_address(tmp_path: Path) -> None:
    host = make_host(tmp_path, "sys/devices/0000:5e:00.0", "sys/class/infiniband/mlx5_0")
    (tmp_path / "sys/devices/0000:5e:00.0/vendor").write_text("0x15b3\n")
    (tmp_path / "sys/class/infiniband/mlx5_0/device").symlink_to("../../../devices/0000:5e:00.0")
    assert survey(host).functions == ("0000:5e:00.0",)


def test_asked_interfaces_are_taken_as_asked_and_unknown_ones_are_told(tmp_path: Path) -> None:
    host = make_host(tmp_path, "sys/class/net/eno1", "sys/class/net/eno2")
    assert survey(host, ("eno2", "eno9")).interfaces == ("eno2",)
    assert unknown(host, ("eno2", "eno9")) == ("eno9",)
