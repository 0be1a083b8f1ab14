"""Sizes of a machine from kernel text."""

from __future__ import annotations

import pytest

from raceway.facts.machine import count_accelerators, count_cpus, memory_kib


@pytest.mark.parametrize(("text", "count"), [("0-223\n", 224), ("0,2-3,8-11", 7), ("0", 1), ("", 0), ("\n", 0)])
def test_a_kernel_list_is_counted(text: str, count: int) -> None:
    assert count_cpus(text) == count


def test_memory_is_the_total_and_zero_where_the_text_has_none() -> None:
    assert memory_kib("MemFree: 1 kB\nMemTotal:       2113404140 kB\n") == 2113404140
    assert memory_kib("") == 0


@pytest.mark.parametrize(
    ("vendor", "kind", "name"),
    [
        ("0x10de", "0x030200", "nvidia"),
        ("0x1002", "0x120000", "amd"),
        ("0x1002", "0x038000", "amd"),
        ("0x19e5", "0x120000", "ascend"),
    ],
)
def test_each_kind_of_accelerator_is_known_by_vendor_and_class(vendor: str, kind: str, name: str) -> None:
    assert count_accelerators([(f"{vendor}\n", f"{kind}\n")]) == {name: 1}


@pytest.mark.parametrize(
    ("vendor", "kind"), [("0x10de", "0x068000"), ("0x1a03", "0x030000"), ("0x10de", "0x040300"), ("", "")]
)
def test_switches_screens_and_sound_are_no_accelerators(vendor: str, kind: str) -> None:
    assert count_accelerators([(vendor, kind)]) == {}
