"""Both forms of ``dcb show``, as JSON and as text, whole and in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from raceway.facts import dcb

from ..builders import CASES

PARSERS: dict[str, Callable[[str], Any]] = {
    "pfc": dcb.parse_pfc,
    "ets": dcb.parse_ets,
    "app": dcb.parse_app,
    "buffer": dcb.parse_buffer,
    "dcbx": dcb.parse_dcbx,
    "apptrust": dcb.parse_apptrust,
}
ON_3 = (False, False, False, True, False, False, False, False)


def _read(kind: str, name: str) -> Any:
    return PARSERS[kind]((CASES / f"dcb_{kind}" / name).read_text(encoding="utf-8"))


def test_pfc_counters_come_with_the_bits_in_both_forms() -> None:
    text, data = _read("pfc", "normal.txt"), _read("pfc", "statistics.json")
    assert text == data
    assert (text.capable, text.enabled, text.macsec_bypass, text.delay) == (8, ON_3, False, 0)
    assert (text.requests[3], text.indications[3], text.problem) == (112, 7, "")


def test_pfc_without_statistics_knows_no_counter_rather_than_zero() -> None:
    found = _read("pfc", "normal.json")
    assert (found.enabled, found.requests, found.indications, found.problem) == (ON_3, None, None, "")


@pytest.mark.parametrize("name", ["truncated.txt", "truncated.json"])
def test_half_a_row_of_pfc_bits_is_unknown_and_not_off(name: str) -> None:
    found = _read("pfc", name)
    assert found.enabled is None and "cut off" in found.problem


@pytest.mark.parametrize(
    "text",
    [
        '{"prio_pfc":[false,false,true]}',
        '{"prio_pfc":[false,false,false,"maybe",false,false,false,false]}',
        "prio-pfc 0:off 1:off 2:off 3:maybe 4:off 5:off 6:off 7:off\n",
        "prio-pfc 0:off 1:off 2:off 4:on 5:off 6:off 7:off\n",
    ],
)
def test_a_row_with_a_gap_or_a_word_that_is_neither_is_unknown(text: str) -> None:
    assert dcb.parse_pfc(text) == dcb.Pfc(problem="cut off: prio_pfc")


def test_ets_is_the_same_in_both_forms() -> None:
    text, data = _read("ets", "normal.txt"), _read("ets", "normal.json")
    assert text == data
    assert (text.bandwidth, text.priority_class) == ((50, 0, 0, 50, 0, 0, 0, 0), (0, 0, 0, 3, 0, 0, 6, 0))
    assert (text.scheduling[6], text.recommended_scheduling[0], text.willing, text.problem) == (
        "strict",
        "strict",
        False,
        "",
    )


def test_the_crossed_priorities_of_mlx5_are_kept_and_missing_rows_are_unknown() -> None:
    found = _read("ets", "mlx5_defaults.txt")
    assert found.priority_class[:3] == (1, 0, 2) and set(found.scheduling) == {"vendor"}
    assert found.recommended_bandwidth is None and found.problem == ""


def test_ets_that_ends_early_names_what_is_missing() -> None:
    found = _read("ets", "truncated.txt")
    assert found.bandwidth is not None and found.scheduling is None and found.priority_class is None
    assert found.problem.endswith("cut off: prio_tc; cut off: tc_tsa")


def test_the_stray_third_value_of_app_pairs_is_dropped() -> None:
    found = _read("app", "normal.json")
    assert found.dscp == ((26, 3), (48, 6)) and found.dgram_port == ((4791, 3),)
    assert _read("app", "older_two_values.json").dscp == found.dscp


def test_names_of_dscps_are_read_and_ethertypes_are_hexadecimal_in_text_alone() -> None:
    assert _read("app", "normal.txt") == _read("app", "normal.json")
    found = _read("app", "numeric.txt")
    assert found.dscp == ((26, 3), (48, 6)) and found.ethertype == ((0x8906, 3),)
    assert found.pcp == (("3de", 3), ("3nd", 3))
    assert dcb.parse_app('{"ethtype_prio":[[35078,3," "]]}').ethertype == found.ethertype


@pytest.mark.parametrize(("name", "dscp"), [("EF", 46), ("CS7", 56), ("AF11", 10), ("AF43", 38), ("default", 0)])
def test_every_family_of_dscp_names_has_its_number(name: str, dscp: int) -> None:
    assert dcb.parse_app(f"dscp-prio {name}:5").dscp == ((dscp, 5),)


def test_a_dscp_with_two_priorities_shows_both() -> None:
    found = _read("app", "twice.json")
    assert found.priorities(26) == (0, 3) and found.priorities(48) == (6,) and found.priorities(1) == ()


def test_an_empty_table_is_an_answer_with_json_and_a_problem_without() -> None:
    assert dcb.parse_app("{}\n").problem == ""
    assert _read("app", "empty.txt").problem == "printed nothing"


def test_a_row_of_pairs_that_is_cut_off_is_told_and_not_read() -> None:
    found = _read("app", "truncated.txt")
    assert (found.default_priority, found.dscp) == ((0,), ())
    assert found.problem == "cut off: in 'dscp-prio AF31:3 CS6:'"
    assert dcb.parse_app("dscp-prio 26:3 48:\n").problem == "cut off: dscp_prio"


def test_buffers_are_bytes_in_every_form() -> None:
    data, text, older = _read("buffer", "normal.json"), _read("buffer", "normal.txt"), _read("buffer", "older.txt")
    assert (data.sizes[0], data.priority_buffer[3], data.total) == (130944, 1, 262016)
    assert (text.sizes[:4], text.total) == ((10240, 1048576, 18048, 0), 1222 * 1024)
    assert (older.sizes[3], older.priority_buffer[6], older.total) == (70000, 6, 221072)


def test_buffers_that_end_early_are_unknown_and_not_empty() -> None:
    found = _read("buffer", "truncated.txt")
    assert found.priority_buffer is not None and found.sizes is None and found.total is None
    assert found.problem.endswith("cut off: buffer_size; cut off: total_size")


def test_dcbx_flags_say_who_owns_the_port() -> None:
    assert _read("dcbx", "normal.txt").flags == _read("dcbx", "normal.json").flags == ("host", "ieee")
    assert _read("dcbx", "firmware.txt").flags == ("cee", "ieee", "lld_managed")
    assert dcb.parse_dcbx("{}").flags == () and _read("dcbx", "truncated.json").flags is None


def test_the_order_of_trust_is_kept() -> None:
    assert _read("apptrust", "normal.txt").order == _read("apptrust", "normal.json").order == ("dscp", "pcp")
    cut = _read("apptrust", "truncated.json")
    assert cut.order is None and "cut off" in cut.problem
    assert "is unknown" in _read("apptrust", "older_object.txt").problem


@pytest.mark.parametrize("kind", PARSERS)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("error.txt", "Operation not supported"),
        ("localised_error.txt", "unterstützt"),
        ("empty.txt", "printed nothing"),
    ],
)
def test_a_port_without_dcb_has_a_problem_and_no_value(kind: str, name: str, said: str) -> None:
    found = _read(kind, name)
    assert said in found.problem
    assert not any(value for key, value in vars(found).items() if key != "problem")


@pytest.mark.parametrize("text", ["hello", '{"a": 1}', "[1, 2]", "null"])
def test_what_is_not_dcbs_is_never_taken_for_off(text: str) -> None:
    found = dcb.parse_pfc(text)
    assert found.enabled is None and found.problem


def test_a_key_of_a_newer_dcb_is_ignored() -> None:
    found = dcb.parse_dcbx('{"host":true,"newer":true}')
    assert found.flags == ("host",) and found.problem == ""
