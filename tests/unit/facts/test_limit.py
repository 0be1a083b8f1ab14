"""Limits files of PAM, ini files of systemd, and what its manager shows."""

from __future__ import annotations

import pytest

from raceway.facts.limit import by_name, parse_bounds, parse_limits, parse_manager, parse_show


def test_a_limits_line_has_four_words_and_may_carry_a_comment() -> None:
    text = "# * - nofile 1\n*\tsoft\tmemlock unlimited # why\n@hpc - NOFILE 4096\n* - broken\n"
    rows = [(row.domain, row.kind, row.item, row.value, row.line) for row in parse_limits(text, "f")]
    assert rows == [("*", "soft", "memlock", "unlimited", 2), ("@hpc", "-", "nofile", "4096", 3)]


def test_a_commented_default_of_the_manager_is_no_setting() -> None:
    text = "[Manager]\n#DefaultLimitNOFILE=1024:524288\nDefaultLimitMEMLOCK = 64K\nLogLevel=info\n"
    rows = [(row.key, row.value, row.line, row.unit) for row in parse_manager(text, "f", "DefaultLimit")]
    assert rows == [("DefaultLimitMEMLOCK", "64K", 3, "")]


def test_case_x05_a_units_own_limit_is_found_with_its_unit() -> None:
    row = parse_manager("[Service]\nLimitMEMLOCK=8M\n", "f", "Limit", "slurmd.service")[0]
    assert (row.unit, row.key, row.value) == ("slurmd.service", "LimitMEMLOCK", "8M")


def test_what_the_manager_shows_is_a_mapping_and_nothing_from_nothing() -> None:
    assert parse_show("DefaultLimitNOFILE=524288\nX=a=b\n\n") == {"DefaultLimitNOFILE": "524288", "X": "a=b"}
    assert parse_show("") == {}


def test_drop_ins_go_by_name_and_etc_hides_run_and_usr() -> None:
    files = ["/usr/lib/s.d/10-a.conf", "/run/s.d/10-a.conf", "/etc/s.d/10-a.conf", "/run/s.d/05-b.conf"]
    assert by_name(files) == ("/run/s.d/05-b.conf", "/etc/s.d/10-a.conf")


LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max cpu time              unlimited            unlimited            seconds   \n"
    "Max core file size        0                    unlimited            bytes     \n"
    "Max open files            1024                 20000                files     \n"
    "Max locked memory         65536                8388608              bytes     \n"
)
ALL_USERS = "         0          0 4294967295\n"


@pytest.mark.parametrize(
    ("capabilities", "users", "held"),
    [
        ("00000000a8e435fb", ALL_USERS, True),
        ("000001ffffffffff", ALL_USERS, False),
        ("000001ffffffffff", "         0     100000      65536\n", True),
    ],
)
def test_case_x05_an_init_that_may_raise_limits_is_held_to_none(capabilities: str, users: str, held: bool) -> None:
    found = parse_bounds(LIMITS, f"Name:\tsystemd\nCapEff:\t{capabilities}\n", users)
    assert found == ({"core": "infinity", "nofile": "20000", "memlock": "8388608"} if held else {})


def test_an_unreadable_process_holds_nothing() -> None:
    assert parse_bounds("", "", "") == {}
