"""``raceway facts``: JSON of what was pasted, and one message for what cannot be read."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from raceway.cli import facts as command
from raceway.cli.main import main
from raceway.errors import RacewayError
from raceway.facts.kinds import KINDS, Kind

from ..builders import CASES

Answer = tuple[int, Any, str]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Return exit code, JSON (None: none was printed) and what went to standard error."""

    def answer(*words: str) -> Answer:
        code = main(["facts", *words])
        shown = capsys.readouterr()
        return code, json.loads(shown.out) if shown.out else None, shown.err

    return answer


def _pasted(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_a_file_is_printed_as_json(ask: Callable[..., Answer]) -> None:
    code, data, said = ask("parse", "dcb-pfc", str(CASES / "dcb_pfc" / "normal.txt"))
    assert (code, said) == (0, "")
    assert data["enabled"] == [False, False, False, True, False, False, False, False] and data["requests"][3] == 112


@pytest.mark.parametrize("words", [[], ["-"]])
def test_standard_input_is_read_without_a_file_and_for_a_dash(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    _pasted(monkeypatch, b"\xef\xbb\xbfhost ieee\r\n")
    assert ask("parse", "dcb-dcbx", *words) == (0, {"flags": ["host", "ieee"], "problem": ""}, "")


def test_what_is_unknown_is_null(ask: Callable[..., Answer]) -> None:
    _, data, _ = ask("parse", "nvidia-topo", str(CASES / "nvidia_topo" / "b03_one_gpu.txt"))
    assert data["rows"][0]["numa"] is None and data["rows"][0]["cpus"] == "0-7"


def test_an_error_text_of_a_tool_that_exits_0_gives_json_and_exit_1(ask: Callable[..., Answer]) -> None:
    code, data, said = ask("parse", "dcb-pfc", str(CASES / "dcb_pfc" / "error.txt"))
    assert (code, data["enabled"]) == (1, None)
    assert said == "raceway facts: Attribute read: Operation not supported\n"


def test_nothing_pasted_is_told_and_gives_exit_1(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    _pasted(monkeypatch, b"")
    code, data, said = ask("parse", "lspci")
    assert (code, data["devices"], said) == (1, [], "raceway facts: printed nothing\n")


def test_a_parser_of_the_other_table_is_found_and_its_half_answer_gives_exit_1(ask: Callable[..., Answer]) -> None:
    code, data, said = ask("parse", "ibstat", str(CASES / "ibstat" / "panic_at_mlx5_8.txt"))
    assert code == 1 and data["devices"] and "mlx5_8" in said


def test_an_unknown_kind_gets_a_guess_and_the_known_ones(ask: Callable[..., Answer]) -> None:
    code, data, said = ask("parse", "dcb-pcf")
    assert (code, data) == (2, None) and "did you mean dcb-pfc?" in said and "nvidia-topo" in said
    assert "raceway facts kinds" in ask("parse", "zzz")[2]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", "no UTF-8"),
        (b"host\0ieee", "a NUL at character 4"),
        (b"The quick brown fox\n", "this is no output of dcb dcbx show"),
        (b'{"pfc_cap": 8}', "this is no output of dcb dcbx show"),
    ],
)
def test_junk_gets_one_message_that_names_the_right_command(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, raw: bytes, found: str
) -> None:
    _pasted(monkeypatch, raw)
    code, data, said = ask("parse", "dcb-dcbx")
    assert (code, data) == (2, None) and said.count("\n") == 1
    assert found in said and "standard input" in said and "dcb -j dcbx show dev X" in said


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'[{"dev": ' * 50_000, b"pfc-cap " + b"8" * 5000])
def test_what_no_tool_prints_gets_one_message_and_no_traceback(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, raw: bytes
) -> None:
    _pasted(monkeypatch, raw)
    code, data, said = ask("parse", "dcb-pfc")
    assert code in (1, 2) and said.count("\n") == 1 and said.startswith("raceway facts: ")
    assert data is None or data["capable"] is None


def test_an_error_a_parser_raises_is_a_message_that_names_the_command() -> None:
    stumbling = Kind("x", "x -y", "qdisc", "parse_qdiscs")  # raises where a text is no JSON
    with pytest.raises(RacewayError, match=r"a file: this cannot be read: Expecting.*x -y"):
        command.parse(stumbling, "hello", "a file")


def test_a_missing_file_and_a_folder_get_one_message(ask: Callable[..., Answer], tmp_path: Path) -> None:
    for place, found in ((tmp_path / "none", "No such file"), (tmp_path, "Is a directory")):
        code, data, said = ask("parse", "lspci", str(place))
        assert (code, data) == (2, None) and said.count("\n") == 1 and str(place) in said and found in said


def test_a_file_without_end_is_not_read_to_its_end(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "LARGEST_BYTES", 1024 * 1024)
    (tmp_path / "log").write_bytes(b" " * (1024 * 1024 + 1))
    code, _, said = ask("parse", "nccl-log", str(tmp_path / "log"))
    assert code == 2 and "more than 1 MiB" in said


def test_every_kind_is_listed_with_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["facts", "kinds"]) == 0
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert set(shown) == set(KINDS) and shown["lspci"] == "lspci -vvv (as root)"
    assert all(kind.command for kind in KINDS.values())


def test_the_page_about_it_has_the_same_kinds_and_commands() -> None:
    page = (Path(__file__).parents[3] / "docs" / "facts.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == list(KINDS)
    assert all(KINDS[row.split("`")[1]].command in row for row in rows)
