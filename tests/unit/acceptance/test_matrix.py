"""The figures for people: a matrix of few ports, a summary of many."""

from __future__ import annotations

from raceway.acceptance.matrix import text, whole

from .builders import good, make_sweep, measured, slow


def test_few_ports_are_a_matrix_in_which_misses_are_marked() -> None:
    sweep = make_sweep(3)
    shown = text(sweep, measured(sweep, slow(lambda a, _: a == "gpu02")))
    rows = {line.split("│")[1].strip(): line for line in shown.splitlines() if line.startswith("│")}
    assert shown.startswith("rail 0: bandwidth, Gb/s") and "rail 0: latency, µs" in shown
    marked = next(line for line in shown.splitlines() if line.startswith("│gpu02"))
    assert marked.replace(" ", "") == "│gpu02│!40││!40│"
    assert set(rows) == {"gpu01", "gpu02", "gpu03"}


def test_a_cell_without_a_figure_shows_no_number() -> None:
    sweep = make_sweep(3, measures=("bandwidth",))
    line = next(
        one for one in text(sweep, measured(sweep, lambda m, a, b: None)).splitlines() if one.startswith("│gpu01")
    )
    assert not any(sign.isdigit() for sign in line.partition("gpu01")[2]) and line.count("·") == 2


def test_there_and_back_is_one_figure_that_stands_for_both() -> None:
    sweep = make_sweep(2, measures=("latency",))
    lines = [one for one in text(sweep, measured(sweep, good)).splitlines() if one.startswith("│gpu")]
    assert all("2" in line.split("│", 2)[2] and "·" not in line for line in lines)


def test_many_ports_are_a_line_for_each_that_is_named_and_one_for_all_others() -> None:
    sweep = make_sweep(300, measures=("bandwidth",), rounds=4)
    shown = text(sweep, measured(sweep, slow(lambda a, b: "gpu07" in (a, b))), named=("gpu07",))
    lines = [line.split() for line in shown.splitlines() if line.startswith("│")]
    assert [line[0] for line in lines] == ["│gpu07", "│gpu[01-06],"] and "among themselves" in " ".join(lines[1])
    # Partners of gpu07 are not blamed: among themselves nobody misses anything.
    assert lines[0][-3:] == ["8", "│", "0│"] and lines[1][-3:] == ["0", "│", "0│"]
    assert max(len(line) for line in shown.splitlines()) <= 120


def test_more_named_ports_than_people_read_are_counted() -> None:
    sweep = make_sweep(60, measures=("bandwidth",), rounds=1)
    shown = text(sweep, measured(sweep, good), named=sweep.hosts)
    assert "and 20 more, see the file" in shown


def test_the_file_has_every_figure_of_many_ports_too() -> None:
    sweep = make_sweep(40, measures=("bandwidth",))
    lines = whole(sweep, measured(sweep, slow(lambda a, _: a == "gpu07"))).splitlines()
    assert lines[0] == "rail 0: bandwidth, Gb/s" and lines[1].split() == [
        "from\\to",
        *(f"gpu{n:02d}" for n in range(1, 41)),
    ]
    assert next(line for line in lines if line.startswith("   gpu07")).split() == ["gpu07", *["!40"] * 39]
    assert len({len(line) for line in lines[1:42]}) == 1
