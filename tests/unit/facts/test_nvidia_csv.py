"""Output of ``nvidia-smi --query-gpu`` (case B05)."""

from __future__ import annotations

import pytest

from raceway.facts.nvidia_csv import Query, parse

from ..builders import CASES


def _text(name: str) -> str:
    return (CASES / "nvidia_csv" / f"{name}.txt").read_text(encoding="utf-8")


def _read(name: str) -> Query:
    return parse(_text(name))


def test_cells_are_found_by_the_names_of_the_heading() -> None:
    found = _read("normal")
    assert [gpu.label for gpu in found.gpus] == ["0", "1"] and found.problem == ""
    cell = found.gpus[0].cells["memory.total"]
    assert (cell.number, cell.unit, cell.raw) == (81559.0, "MiB", "81559 MiB")
    assert found.gpus[1].number("utilization.gpu") == 0.0 and found.gpus[0].number("pstate") is None


def test_b05_a_slice_keeps_its_row_its_memory_and_the_token() -> None:
    (gpu,) = parse(_text("b05_slice"), ["clocks.sm", "memory.total", "name"]).gpus
    clock = gpu.cells["clocks.sm"]
    assert (clock.number, clock.raw, clock.state) == (None, "[N/A]", "absent")
    assert gpu.number("memory.total") == 24576 and gpu.cells["name"].raw == "NVIDIA H100L-2-24C"


def test_b05_without_names_the_columns_are_counted() -> None:
    found = _read("b05_slice")
    assert found.fields == ("column 1", "column 2", "column 3") and found.gpus[0].number("column 2") == 24576


def test_b05_an_older_driver_that_does_not_support_a_value_has_not_failed() -> None:
    found = _read("older_not_supported")
    assert found.gpus[0].cells["clocks.sm"].state == "absent" and found.problem == ""
    assert found.gpus[0].number("memory.total") == 24576


def test_b05_a_failing_sensor_is_a_problem_that_names_gpu_and_field() -> None:
    found = _read("failing_sensor")
    assert found.problem == "GPU 3: temperature.gpu: [Unknown Error]; GPU 4: power.draw: ERR!"
    assert len(found.gpus) == 2 and found.gpus[0].number("memory.total") == 81559


@pytest.mark.parametrize("token", ["[N/A]", "[Not Supported]", "[Unknown Error]", "ERR!", "[GPU is lost]", ""])
def test_b05_no_token_is_a_number(token: str) -> None:
    (gpu,) = parse(f"index, clocks.sm [MHz]\n0, {token}\n").gpus
    assert gpu.number("clocks.sm") is None and gpu.cells["clocks.sm"].state != "known"


def test_a_row_that_is_cut_off_is_told_and_a_short_one_keeps_what_it_has() -> None:
    found = _read("truncated")
    assert len(found.gpus) == 1 and found.problem == "cut off: in '1, NVIDIA H100 80G'"
    short = parse("index, name, memory.total [MiB]\n1, A\n")
    assert short.gpus[0].cells["name"].raw == "A" and short.gpus[0].number("memory.total") is None
    assert short.problem == "cut off: GPU 1: 2 of 3 cells"


def test_a_comma_inside_a_value_shifts_nothing() -> None:
    found = parse("index, name, memory.total [MiB]\n0, A, B, 24576 MiB\n")
    assert found.gpus[0].cells == {} and found.problem == "cut off: GPU 0: 4 of 3 cells"


def test_errors_silence_prose_and_a_bare_heading_give_no_gpu() -> None:
    assert _read("error").problem.startswith("NVIDIA-SMI has failed")
    assert _read("empty").problem == "printed nothing"
    assert parse("Dear all, hello").problem.startswith("this is no output of")
    assert parse("index, name\n").problem == "a heading and no GPU"
    assert parse("index, name\nNo devices were found\n").problem == "No devices were found"
