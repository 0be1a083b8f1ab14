"""``raceway inventory``: what people see and which exit code scripts get."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from raceway.cli.main import main

EXAMPLE = Path(__file__).parents[3] / "inventories" / "example-roce"


@pytest.fixture
def red(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An inventory with a typo in group_vars and a wrong type on one host; paths are told relative to its folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "group_vars").mkdir()
    (tmp_path / "group_vars" / "nodes.yml").write_text("node_rak: r1\n", encoding="utf-8")
    hosts = 'nodes:\n  hosts:\n    a:\n      node_cpus: "8"\n    b:\n    c:\n    d:\n'
    (tmp_path / "hosts.yml").write_text(hosts, encoding="utf-8")
    return "hosts.yml"


def test_check_prints_every_error_with_its_place_and_sums_up(red: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", "check", "-i", red]) == 1
    assert capsys.readouterr().out == dedent("""\
        error group_vars/nodes.yml:1  node_rak
          found:   unknown variable (no role reads it; looks like one of node)
          next:    did you mean node_rack?
          hosts:   a, b, c and 1 more (4 hosts)
        error hosts.yml:4  node_cpus
          found:   "8", a string
          allowed: an int
          next:    write 8 without quotes
          hosts:   a
        2 errors, 0 warnings in 4 hosts; 4 of them touched
        """)


def test_check_of_a_right_inventory_is_one_line_and_exit_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", "check", "-i", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out == "0 errors, 0 warnings in 22 hosts\n"


def test_warnings_alone_exit_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hosts.yml"
    path.write_text("nodes: {hosts: {n1.east.example: , n1.west.example: }}", encoding="utf-8")
    assert main(["inventory", "check", "-i", str(path)]) == 0
    assert "0 errors, 1 warning in 2 hosts" in capsys.readouterr().out


def test_check_as_json_can_be_read_by_a_program(red: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", "check", "-i", red, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["summary"] == {"hosts": 4, "errors": 2, "warnings": 0, "hosts_touched": 4}
    assert [(row["file"], row["line"], len(row["hosts"])) for row in data["findings"]] == [
        ("group_vars/nodes.yml", 1, 4),
        ("hosts.yml", 4, 1),
    ]


def test_a_limit_leaves_out_the_other_hosts(red: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", "check", "-i", red, "--limit", "b"]) == 1
    out = capsys.readouterr().out
    assert "node_rak" in out
    assert "node_cpus" not in out


def test_extra_vars_are_checked_too(red: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["inventory", "check", "-i", red, "-e", "node_cpus=4", "-e", '{"node_memory_gib": "x"}'])
    out = capsys.readouterr().out
    assert "node_cpus" not in out
    assert "node_memory_gib" in out


@pytest.mark.parametrize("words", [["-e", "nonsense"], ["-e", "{broken"]])
def test_extra_vars_that_cannot_be_read_exit_two(
    red: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inventory", "check", "-i", red, *words]) == 2
    assert "-e" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["nowhere.yml", "broken.yml"])
def test_an_inventory_that_cannot_be_read_exits_two_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.yml").write_text("nodes:\n  hosts: [\n", encoding="utf-8")
    assert main(["inventory", "check", "-i", path]) == 2
    err = capsys.readouterr().err
    assert path in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_show_prints_values_places_and_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    assert main(["inventory", "show", "gpu07", "-i", "hosts.yml"]) == 0
    out = capsys.readouterr().out
    assert 'node_rack: "r2"\n      group rack_r2, hosts.yml:' in out
    assert "sysctl kernel.numa_balancing = 0\n      asked by kernel_sysctl (group gpu, group_vars/gpu.yml:" in out


def test_show_as_json_holds_what_the_node_gets(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", "show", "svc01", "-i", str(EXAMPLE), "--role", "node", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["roles"]["node"]["nouns"]["machine"]["accelerator_count"] == 0
    assert list(data["roles"]) == ["node"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["show", "gpu1"], "did you mean gpu"),
        (["show", "svc01", "--role", "roce"], "not enabled on svc01"),
    ],
)
def test_show_of_what_is_not_there_exits_two(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inventory", *words, "-i", str(EXAMPLE)]) == 2
    assert told in capsys.readouterr().err
