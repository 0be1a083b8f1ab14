"""What a port is to become."""

from __future__ import annotations

from raceway.model.dcqcn import files
from raceway.model.qos import Qos
from raceway.model.roce import CLASS_CNP, CLASS_DATA, Port, fields_of, parse, wanted


def test_each_of_the_three_classes_has_its_priority() -> None:
    settings = wanted(Qos(priority=5, cnp_priority=7, share=70))
    assert settings.priority_class[5] == CLASS_DATA and settings.priority_class[7] == CLASS_CNP
    assert settings.bandwidth[:3] == (30, 70, 0) and settings.pfc[5] and sum(settings.pfc) == 1


def test_a_further_lossless_priority_shares_the_data_s_class_and_is_paused_too() -> None:
    settings = wanted(Qos(priority=3, lossless=(4,)))
    assert settings.pfc == tuple(number in (3, 4) for number in range(8))
    assert settings.priority_class == (0, 0, 0, CLASS_DATA, CLASS_DATA, 0, CLASS_CNP, 0)


def test_every_part_names_the_fields_it_is_read_from() -> None:
    assert fields_of("pfc") == ("pfc",) and fields_of("buffer") == ("priority_buffer", "buffer_sizes")


def test_the_stored_request_of_a_boot_says_so_and_any_other_does_not() -> None:
    assert parse({"boot": True, "consent": True, "buffer": "headroom"}).boot
    assert not parse({}).boot and not parse({}).consent and parse({}).buffer == "auto"


def test_congestion_control_is_switched_for_the_data_s_priority_alone() -> None:
    assert files(Qos(priority=5))["ecn/roce_rp/enable/5"] == "1"
    off = files(Qos(ecn=False))
    assert [off[f"ecn/roce_np/enable/{number}"] for number in range(8)] == ["0"] * 8


def test_a_selector_is_compared_in_lower_case() -> None:
    assert parse({"ports": [{"mac": "B8:3F:D2:00:00:01", "rail": 2}]}).ports == (Port("mac", "b8:3f:d2:00:00:01", 2),)
