"""What a port is to become, and how much buffer a lossless priority needs."""

from __future__ import annotations

import pytest

from raceway.model.dcqcn import files
from raceway.model.qos import Qos
from raceway.model.roce import CLASS_CNP, CLASS_DATA, Port, headroom, parse, wanted


@pytest.mark.parametrize(
    ("speed", "mtu", "needed"),
    [(400, 9000, 150928), (200, 9000, 87704), (100, 1500, 35692)],
    ids=["400G", "200G", "100G"],
)
def test_headroom_is_what_the_mlx5_driver_computes(speed: int, mtu: int, needed: int) -> None:
    assert headroom(Qos(mtu=mtu, cable_m=7), speed) == needed


def test_each_of_the_three_classes_has_its_priority() -> None:
    settings = wanted(Qos(priority=5, cnp_priority=7, share=70))
    assert settings.priority_class[5] == CLASS_DATA and settings.priority_class[7] == CLASS_CNP
    assert settings.bandwidth[:3] == (30, 70, 0) and settings.pfc[5] and sum(settings.pfc) == 1


def test_congestion_control_is_switched_for_the_data_s_priority_alone() -> None:
    assert files(Qos(priority=5))["ecn/roce_rp/enable/5"] == "1"
    off = files(Qos(ecn=False))
    assert [off[f"ecn/roce_np/enable/{number}"] for number in range(8)] == ["0"] * 8


def test_a_selector_is_compared_in_lower_case() -> None:
    assert parse({"ports": [{"mac": "B8:3F:D2:00:00:01", "rail": 2}]}).ports == (Port("mac", "b8:3f:d2:00:00:01", 2),)
