"""What tmpfiles.d and TuneD write into /sys at boot."""

from __future__ import annotations

import pytest

from raceway.facts.bootwriter import BootWrite, parse_profile, parse_tmpfiles, tmpfiles_order, writes


@pytest.mark.parametrize("kind", ["w", "w+", "w!", "w-"])
def test_each_form_of_a_write_line_is_read(kind: str) -> None:
    rows = parse_tmpfiles(f"# w /x - - - - 1\nd /run/x 0755 root root 10d\n{kind} /sys/a - - - - two words\n", "f")
    assert [(row.path, row.value, row.line) for row in rows] == [("/sys/a", "two words", 3)]


def test_a_glob_writes_what_it_matches() -> None:
    row = BootWrite("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "powersave", "f", 1)
    assert writes(row, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor")
    assert writes(row, "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor")
    assert not writes(row, "/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq")


def test_tmpfiles_go_by_name_and_etc_hides_the_others() -> None:
    files = ["/usr/lib/tmpfiles.d/a.conf", "/etc/tmpfiles.d/b.conf", "/etc/tmpfiles.d/a.conf"]
    assert tmpfiles_order(files) == ("/etc/tmpfiles.d/a.conf", "/etc/tmpfiles.d/b.conf")


def test_a_profile_gives_its_options_with_their_section() -> None:
    rows = parse_profile(
        "[main]\ninclude=x\n[cpu]\ngovernor = performance # fast\n[vm]\ntransparent_hugepages=never\n", "f"
    )
    assert [(row.path, row.value) for row in rows][1:] == [
        ("cpu.governor", "performance"),
        ("vm.transparent_hugepages", "never"),
    ]
