"""``raceway switch``: what people see, what is written, and which exit code scripts get."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest

from raceway.cli.main import main

CASES = Path(__file__).parents[2] / "cases" / "switch"
HOSTS = str(CASES / "hosts.yml")
GOLDEN = {"sonic": "sonic.json", "cumulus": "cumulus.txt", "eos": "eos.cfg", "nxos": "nxos.cfg"}


@pytest.mark.parametrize("platform", GOLDEN)
def test_render_prints_the_file_and_nothing_else(platform: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["switch", "render", "--platform", platform, "-i", HOSTS]) == 0
    printed = capsys.readouterr()
    assert printed.out == (CASES / "golden" / GOLDEN[platform]).read_text(encoding="utf-8")
    assert ("has not pushed this" in printed.err) == (platform == "sonic")


def test_a_written_file_without_comments_has_its_origin_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "config_db.json"
    assert main(["switch", "render", "--platform", "sonic", "-i", HOSTS, "--out", str(out)]) == 0
    assert json.loads(out.read_text(encoding="utf-8"))["PORT"]["Ethernet0"] == {"mtu": "9216"}
    told = (tmp_path / "config_db.json.origin.txt").read_text(encoding="utf-8")
    assert told == (CASES / "golden" / "sonic.json.origin.txt").read_text(encoding="utf-8")
    assert "written, not pushed" in capsys.readouterr().out


def test_a_written_file_with_comments_stands_alone(tmp_path: Path) -> None:
    assert main(["switch", "render", "--platform", "eos", "-i", HOSTS, "--out", str(tmp_path / "leaf.cfg")]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["leaf.cfg"]


@pytest.mark.parametrize("platform", GOLDEN)
def test_check_of_a_rendered_file_finds_nothing(platform: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["switch", "check", str(CASES / "golden" / GOLDEN[platform]), "--platform", platform, "-i", HOSTS]
    assert main(words) == 0
    assert capsys.readouterr().out == f"0 mismatches in 4 ports of leaf-{platform}\n"


def test_check_tells_field_values_next_act_and_hosts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (CASES / "golden" / "nxos.cfg").read_text(encoding="utf-8")
    (tmp_path / "leaf.cfg").write_text(text.replace("pause pfc-cos 3", "pause pfc-cos 4"), encoding="utf-8")
    assert main(["switch", "check", str(tmp_path / "leaf.cfg"), "--platform", "nxos", "-i", HOSTS]) == 1
    assert capsys.readouterr().out == dedent("""\
        pfc  leaf-nxos Ethernet1/1, Ethernet1/2, Ethernet1/3 and 1 more
          switch:   4
          declared: 3
          next:     pause exactly the data's priority; both ends of a link must agree
          hosts:    gpu31, gpu32, gpu33
        1 mismatch in 4 ports of leaf-nxos
        """)


def test_check_as_json_can_be_read_by_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["switch", "check", str(CASES / "running" / "sonic-stock.json"), "--platform", "sonic", "-i", HOSTS]
    assert main([*words, "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["summary"] == {"switch": "leaf-sonic", "ports": 4, "mismatches": len(data["mismatches"])}
    rows = {row["field"]: row for row in data["mismatches"]}
    assert rows["port"]["ports"] == ["Ethernet16", "Ethernet256"]
    assert (rows["dscp.data"]["switch"], rows["dscp.data"]["hosts"]) == ("26 to 1", ["gpu01", "gpu02"])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "empty; allowed: a running configuration of sonic"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b'{"PORT": {"Ethernet0"', "no whole JSON"),
        (b"{}", "no port in it"),
    ],
)
def test_check_of_what_is_no_configuration_is_an_error_and_never_a_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, told: str
) -> None:
    (tmp_path / "x.json").write_bytes(content)
    assert main(["switch", "check", str(tmp_path / "x.json"), "--platform", "sonic", "-i", HOSTS]) == 2
    printed = capsys.readouterr()
    assert told in printed.err
    assert printed.out == ""


def test_check_of_a_file_that_is_not_there_exits_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["switch", "check", "nowhere.json", "--platform", "sonic", "-i", HOSTS]) == 2
    assert "nowhere.json: No such file" in capsys.readouterr().err


@pytest.mark.parametrize("action", [["render", "--out", "out.json"], ["check", "x.json"]])
def test_a_refused_declaration_writes_and_compares_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], action: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.json").write_text('{"PORT": {"Ethernet0": {}}}', encoding="utf-8")
    text = Path(HOSTS).read_text(encoding="utf-8").replace("roce_cable_m: 5", "roce_cable_m: 7")
    (tmp_path / "hosts.yml").write_text(text, encoding="utf-8")
    assert main(["switch", *action, "--platform", "sonic", "-i", "hosts.yml"]) == 2
    printed = capsys.readouterr()
    assert "leaf-sonic Ethernet0: no headroom for the pair (400000 Mb/s, 7 m)" in printed.err
    assert printed.out == ""
    assert not (tmp_path / "out.json").exists()
