"""Results of nccl-tests, as a table and as JSON: the forms are those of its src/util.cu, the values are made up."""

from __future__ import annotations

import pytest

from raceway.facts.nccl_tests import NcclTestsFacts, parse
from raceway.facts.reading import SILENT

from ..builders import CASES


def read(name: str) -> NcclTestsFacts:
    return parse((CASES / "nccl_tests" / name).read_text(encoding="utf-8"))


def test_a_table_gives_both_ways_of_each_size_and_the_words_of_its_end() -> None:
    facts = read("all_reduce.txt")
    assert [row.size_bytes for row in facts.rows] == [536870912, 1073741824]  # a line of the log between them
    out, inside = facts.rows[1].out_of_place, facts.rows[1].in_place
    assert out and inside and (out.time_us, out.algbw_gbs, out.busbw_gbs, out.wrong) == (5432.1, 197.67, 370.63, 0)
    assert (facts.average_busbw_gbs, facts.average_ok, facts.peak_busbw_gbs) == (371.03, True, 371.43)
    assert (facts.out_of_bounds, facts.correct, facts.library) == (0, True, 22703) and not facts.problem


def test_wrong_elements_are_counted_also_behind_the_tags_of_mpirun() -> None:
    facts = read("wrong_values.txt")
    last = facts.rows[1]
    assert last.out_of_place and last.in_place and (last.out_of_place.wrong, last.in_place.wrong) == (1200000, 3)
    assert (facts.out_of_bounds, facts.correct, facts.average_ok) == (2, False, None) and not facts.problem


@pytest.mark.parametrize("name", ["not_validated.txt", "not_validated.json"])
def test_a_run_without_validation_has_not_found_0_errors(name: str) -> None:
    facts = read(name)
    assert facts.out_of_bounds is None and facts.correct is None and facts.average_busbw_gbs == 371.03


def test_a_table_of_n_a_alone_was_not_checked_whatever_its_last_line_says() -> None:
    text = (CASES / "nccl_tests" / "not_validated.txt").read_text(encoding="utf-8")
    assert parse(text.replace("validation: 0", "")).out_of_bounds is None


def test_the_json_file_says_the_same_and_null_is_not_measured() -> None:
    facts = read("all_reduce.json")
    first, second = facts.rows
    assert first.out_of_place and (first.out_of_place.busbw_gbs, first.out_of_place.wrong) == (365.1, 0)
    assert second.out_of_place is None and second.in_place and second.in_place.wrong is None
    assert (facts.out_of_bounds, facts.correct, facts.average_busbw_gbs) == (0, True, 371.03)
    assert facts.average_ok is None and facts.library == 22703 and not facts.problem


@pytest.mark.parametrize(("name", "rows"), [("truncated.txt", 1), ("truncated.json", 2)])
def test_a_run_that_did_not_end_keeps_its_rows_and_is_never_correct(name: str, rows: int) -> None:
    facts = read(name)
    assert len(facts.rows) == rows and "did not end" in facts.problem
    assert (facts.out_of_bounds, facts.correct, facts.average_busbw_gbs) == (None, None, None)


def test_a_last_line_cut_between_its_halves_is_not_taken_for_an_in_place_test() -> None:
    text = (CASES / "nccl_tests" / "truncated.txt").read_text(encoding="utf-8")
    facts = parse(f"{text}  370.63       0")
    assert [row.size_bytes for row in facts.rows] == [536870912] and "did not end" in facts.problem


def test_a_failure_with_exit_status_0_is_told_in_its_own_words() -> None:
    facts = read("nccl_failure_and_exit_0.txt")
    assert facts.rows == () and "unhandled system error" in facts.problem and "no row was measured" in facts.problem


def test_the_error_column_of_old_versions_is_a_difference_and_no_count() -> None:
    facts = read("old_error_column.txt")
    (row,) = facts.rows
    assert row.in_place and (row.in_place.busbw_gbs, row.in_place.wrong) == (127.66, None)
    assert (facts.out_of_bounds, facts.average_busbw_gbs) == (0, 127.545) and not facts.problem


def test_silence_and_foreign_words_are_problems() -> None:
    assert parse("") == NcclTestsFacts(problem=SILENT)
    assert "kommandot finns inte" in parse("all_reduce_perf: kommandot finns inte\n").problem
    assert "no output of nccl-tests" in parse('{"results_of": "something else"}').problem
    assert "no output of nccl-tests" in parse('{"results": null}').problem


def test_an_average_below_the_limit_is_not_ok() -> None:
    text = (CASES / "nccl_tests" / "all_reduce.txt").read_text(encoding="utf-8")
    assert parse(text.replace("371.03 OK", "371.03 FAILED")).average_ok is False
    data = (CASES / "nccl_tests" / "all_reduce.json").read_text(encoding="utf-8")
    assert parse(data.replace('"unchecked"', '"false"')).average_ok is False


def test_a_json_row_without_a_size_is_told() -> None:
    data = (CASES / "nccl_tests" / "all_reduce.json").read_text(encoding="utf-8")
    facts = parse(data.replace('"size":536870912,', ""))
    assert len(facts.rows) == 1 and "1 rows without a size" in facts.problem
