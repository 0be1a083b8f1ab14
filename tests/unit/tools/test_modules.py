"""go.mod and go.sum are read as Go reads them; a module whose content differs from the pinned sum is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.tools import golang, modules

MOD = """\
module raceway/tools/kube

go 1.26.0

require k8s.io/kubernetes v1.35.4

require (
\tcel.dev/expr v0.25.2 // indirect
\tgithub.com/Azure/go-ansiterm v0.0.0-20230124172434-306776ec8161
\tvolcano.sh/apis v1.15.1
\tk8s.io/api v0.0.0
\tgithub.com/atotto/clipboard v0.1.4
)

replace (
\tk8s.io/api => k8s.io/api v0.35.4
\tk8s.io/unused => k8s.io/unused v0.35.4
)

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.1
replace volcano.sh/apis => ./apis
"""


def test_required_versions_are_read_from_single_lines_and_blocks() -> None:
    found = modules.parse(MOD)
    assert found["k8s.io/kubernetes"] == "v1.35.4"
    assert found["cel.dev/expr"] == "v0.25.2"


def test_a_replaced_version_is_the_one_that_is_built() -> None:
    assert modules.parse(MOD)["k8s.io/api"] == "v0.35.4"
    assert "k8s.io/unused" not in modules.parse(MOD)


@pytest.mark.parametrize("module", ["volcano.sh/apis", "github.com/atotto/clipboard"])
def test_a_module_replaced_by_something_else_has_no_version(module: str) -> None:
    assert modules.parse(MOD)[module] == ""


def test_sums_of_content_are_told_from_sums_of_go_mod_files() -> None:
    text = "a/b v1.0.0 h1:content=\na/b v1.0.0/go.mod h1:mod=\n"
    assert modules.sums(text) == {("a/b", "v1.0.0"): "h1:content="}


def test_a_fetched_module_lies_where_go_puts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_TOOLS", str(_tools(tmp_path)))
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "mod"))
    lies = tmp_path / "mod" / "github.com" / "!big/name@v1.0.0"
    lies.mkdir(parents=True)
    assert modules.module_dir("github.com/Big/name") == lies


def test_a_module_no_recipe_pins_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_TOOLS", str(_tools(tmp_path)))
    with pytest.raises(RacewayError, match=r"github\.com/other/name: no recipe pins it"):
        modules.module_dir("github.com/other/name")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"Sum": "h1:other=", "Dir": "/x"}, "content h1:other=; allowed: h1:good="),
        ({"Error": "dial tcp: lookup failed"}, "dial tcp: lookup failed; next: check the network"),
    ],
    ids=["another content", "no network"],
)
def test_a_module_that_cannot_be_had_as_pinned_is_one_clear_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: dict[str, str], told: str
) -> None:
    _answer(monkeypatch, json.dumps(answer))
    with pytest.raises(RacewayError) as caught:
        modules.fetch("github.com/Big/name", _tools(tmp_path) / "tiny", golang.Go(Path("go"), "1", "go1"))
    assert told in caught.value.message()


def test_a_module_with_the_pinned_sum_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _answer(monkeypatch, json.dumps({"Sum": "h1:good=", "Dir": "/modules/name"}))
    go = golang.Go(Path("go"), "1", "go1")
    assert modules.fetch("github.com/Big/name", _tools(tmp_path) / "tiny", go) == Path("/modules/name")


def _answer(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    def run(argv: list[str], **kwargs: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(argv, 0, text, "")

    monkeypatch.setattr(subprocess, "run", run)


def _tools(folder: Path) -> Path:
    recipe = folder / "tools" / "tiny"
    recipe.mkdir(parents=True)
    (recipe / "go.mod").write_text("module tiny\n\nrequire github.com/Big/name v1.0.0\n")
    (recipe / "go.sum").write_text("github.com/Big/name v1.0.0 h1:good=\n")
    (recipe.parent / "versions.toml").write_text(
        '[go]\nminimum = "1.26.0"\n[family.tiny]\ntitle = "Tiny"\ndisk_gib = 1\n[tool]\n'
    )
    return recipe.parent
