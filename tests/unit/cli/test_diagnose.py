"""``raceway diagnose read``: the page, JSON, several bundles, and exit codes that say whether a person is wanted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceway.cli.main import main

from ..diagnose.builders import make_bundle, make_change


def test_a_quiet_bundle_is_0_and_one_with_bad_news_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet = make_bundle(tmp_path / "quiet.tar.gz", make_change("rdma/a/1/port_xmit_data"))
    loud = make_bundle(tmp_path / "loud.tar.gz", make_change("rdma/a/1/symbol_error"))
    assert main(["diagnose", "read", str(quiet)]) == 0
    assert "works  rdma/a/1/port_xmit_data +5" in capsys.readouterr().out
    assert main(["diagnose", "read", str(quiet), str(loud)]) == 1
    assert "bad    rdma/a/1/symbol_error +5" in capsys.readouterr().out


def test_json_is_one_object_a_bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(make_bundle(tmp_path / name, make_change("node/x"))) for name in ("a", "b")]
    assert main(["diagnose", "read", "--json", *paths]) == 0
    pages = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [page["movers"][0]["counter"] for page in pages] == ["node/x", "node/x"]


def test_what_is_no_bundle_is_2_with_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text("hello")
    assert main(["diagnose", "read", str(tmp_path / "x")]) == 2
    assert "raceway diagnose: " in capsys.readouterr().err
    assert main(["diagnose", "read", str(tmp_path / "absent")]) == 2
    assert "No such file" in capsys.readouterr().err
