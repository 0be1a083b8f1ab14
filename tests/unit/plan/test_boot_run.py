"""The program of boot units, run with a bundle that tells what it was asked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from raceway.plan.boot_run import BUNDLES, LAUNCHER_LINES
from raceway.plan.rdma_boot import LAUNCHER as RDMA
from raceway.plan.roce_boot import LAUNCHER as ROCE

REQUEST = {"mode": "apply", "roles": {"rdma": {"nouns": {"rdma": {"boot": True}}}}}


def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any], *words: str) -> tuple[Any, Any]:
    """Return the request the node program was given and the exit code."""
    asked: list[Any] = []
    entry = ModuleType("raceway.node.entry")
    entry.call = lambda words: asked.append(words["request"]) or answer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "raceway.node.entry", entry)
    for age, name in enumerate(("newest", "older", ".new-half")):
        (tmp_path / "bundles" / name).mkdir(parents=True)
        os.utime(tmp_path / "bundles" / name, (1000 - age, 1000 - age))
    stored = tmp_path / "request.json"
    stored.write_text(json.dumps(REQUEST))
    monkeypatch.setattr(sys, "argv", ["run.py", str(stored), *words])
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = "\n".join(LAUNCHER_LINES).replace(BUNDLES, str(tmp_path / "bundles"))
    with pytest.raises(SystemExit) as ended:
        exec(compile(text, "run.py", "exec"), {})
    assert sys.path[0] == str(tmp_path / "bundles" / "newest")
    return asked[0], ended.value.code


def test_the_stored_request_is_given_to_the_newest_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(tmp_path, monkeypatch, {}) == (REQUEST, 0)


def test_what_has_appeared_is_named_to_every_noun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request, code = run(tmp_path, monkeypatch, {}, "/sys/devices/pci0000:00/net/eth0")
    assert request["roles"]["rdma"]["nouns"] == {"rdma": {"boot": True, "only": "eth0"}}
    assert code == 0


@pytest.mark.parametrize(
    "answer",
    [
        {"roles": {"rdma": {"refusals": [{"target": "mlx5_0", "reason": "gone"}]}}},
        {"refused": [{"target": "mlx5_0", "reason": "gone"}]},
        {"remaining": [{"target": "mlx5_0", "what": "set it"}]},
    ],
    ids=["refused", "refused late", "left"],
)
def test_what_is_refused_or_left_ends_red_and_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: dict[str, Any]
) -> None:
    assert run(tmp_path, monkeypatch, answer)[1] == 1
    assert capsys.readouterr().err.startswith("mlx5_0 ")


def test_two_roles_have_a_program_each_so_that_one_may_go_without_the_other() -> None:
    assert RDMA != ROCE
