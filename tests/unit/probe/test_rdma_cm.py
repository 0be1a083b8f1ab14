"""The connection manager's byte, seen through a folder that is gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.probe.rdma_cm import devices_of, read_tos, write_tos

from ..fake_dcb import FakeDcb


@pytest.fixture
def host(tmp_path: Path) -> FakeDcb:
    made = FakeDcb(tmp_path)
    made.add("eth0", "0000:3b:00.0", "b8:3f:d2:00:00:01")
    made.add_rdma("eth0", "rxe0")
    return made


def test_a_device_is_found_by_the_interface_of_its_port(host: FakeDcb) -> None:
    assert devices_of(host, "eth0") == ("rxe0",) and devices_of(host, "eth1") == ()


def test_reading_and_writing_leave_no_folder(host: FakeDcb) -> None:
    write_tos(host, "rxe0", 106)
    assert read_tos(host, "rxe0") == 106
    assert host.listdir("/sys/kernel/config/rdma_cm") == []


def test_a_folder_somebody_else_made_stays(host: FakeDcb) -> None:
    host.mkdir("/sys/kernel/config/rdma_cm/rxe0")
    assert read_tos(host, "rxe0") == 0
    assert host.listdir("/sys/kernel/config/rdma_cm") == ["rxe0"]


def test_without_the_connection_manager_the_byte_is_unknown_and_not_zero(tmp_path: Path) -> None:
    assert read_tos(FakeDcb(tmp_path), "rxe0") is None
