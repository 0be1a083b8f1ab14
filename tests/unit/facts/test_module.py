"""Lists of modules, lines that hold one back, and the distribution's name."""

from __future__ import annotations

import pytest

from raceway.facts.module import distribution, names, parse_cmdline_blacklist, parse_modprobe


@pytest.mark.parametrize("ending", ["", ".xz", ".gz", ".zst"])
def test_a_list_of_modules_gives_names_in_the_kernels_spelling(ending: str) -> None:
    text = f"kernel/drivers/nvme/host/nvme-core.ko{ending}: kernel/x.ko{ending}\nkernel/net/sched/sch_fq.ko{ending}:\n"
    assert names(text) == {"nvme_core", "sch_fq"}


def test_only_lines_that_keep_a_module_away_are_returned() -> None:
    text = (
        "# blacklist commented\nblacklist nvme-fabrics # why\ninstall floppy /bin/true\n"
        "install nvidia /sbin/modprobe --ignore-install nvidia\noptions x a=1\nblacklist\n"
    )
    rows = [(row.command, row.module, row.line) for row in parse_modprobe(text, "f")]
    assert rows == [("blacklist", "nvme_fabrics", 2), ("install", "floppy", 3)]


def test_the_kernel_command_line_holds_modules_back_too() -> None:
    rows = parse_cmdline_blacklist("quiet modprobe.blacklist=a-b,c module_blacklist=d x=blacklist\n")
    assert [(row.command, row.module) for row in rows] == [
        ("blacklist", "a_b"),
        ("blacklist", "c"),
        ("module_blacklist", "d"),
    ]


def test_the_distribution_is_its_id_with_or_without_quotes() -> None:
    assert distribution('NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel"\n') == "rocky"
    assert distribution("NAME=x\n") == ""
