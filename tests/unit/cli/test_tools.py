"""``raceway tools`` lists, prints a PATH and checks the cache; it says what is missing and what to run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from raceway.cli.main import main
from raceway.tools import golang, keys, pins, store

GO = "go1.26.8 linux/amd64"


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RACEWAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(golang, "find", lambda minimum: golang.Go(Path("go"), "1.26.8", GO))


def publish(name: str) -> Path:
    tool = pins.load().tool(name)
    with store.lock(tool.family, lambda: None), store.work(tool.family) as work:
        program = work / "out" / name
        program.parent.mkdir()
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
        return store.publish(program.parent, tool, keys.recipe(tool), GO)


def test_without_an_action_every_tool_is_listed_with_version_and_place(capsys: pytest.CaptureFixture[str]) -> None:
    publish("kwok")
    assert main(["tools"]) == 0
    lines = capsys.readouterr().out.splitlines()
    kwok = next(line.split() for line in lines if line.startswith("kwok"))
    assert kwok[1:3] == ["0.8.0", "cache"]
    assert any(line.split()[:3] == ["vcctl", "1.15.1", "missing"] for line in lines)
    table = pins.load()
    default = len(table.of_set(pins.DEFAULT))
    assert lines[-2:] == [
        f"{default - 1} missing; next: raceway tools build",
        f"{len(table.tools) - default} missing; next: raceway tools build --kubernetes",
    ]


@pytest.mark.parametrize(("words", "its"), [([], pins.DEFAULT), (["--kubernetes"], pins.KUBERNETES)])
def test_a_build_without_names_makes_one_set_and_not_the_other(
    words: list[str], its: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("raceway.cli.tools.ensure", lambda names: asked.extend(names) or {})
    assert main(["tools", "build", *words]) == 0
    assert asked == [tool.name for tool in pins.load().of_set(its)]
    assert ("kubelet" in asked) == (its == pins.KUBERNETES)
    assert ("pulumi" in asked) == (its == pins.DEFAULT)


def test_the_list_as_json_carries_the_source_and_reason_of_each_pin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "list", "etcd", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["where"], row["path"]) == ("etcd", "missing", None)
    assert row["source"].startswith("https://github.com/etcd-io") and row["why"]


def test_the_path_of_built_tools_is_one_folder(capsys: pytest.CaptureFixture[str]) -> None:
    built = {name: publish(name) for name in ("etcd", "kwok")}
    assert main(["tools", "path", "etcd", "kwok"]) == 0
    folder = Path(capsys.readouterr().out.strip())
    assert {path.name: path.resolve() for path in folder.iterdir()} == built


def test_the_path_as_json_names_each_executable(capsys: pytest.CaptureFixture[str]) -> None:
    built = publish("etcd")
    assert main(["tools", "path", "etcd", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"etcd": str(built)}


def test_the_path_of_a_missing_tool_is_refused_with_the_command_to_run(capsys: pytest.CaptureFixture[str]) -> None:
    publish("etcd")
    assert main(["tools", "path", "etcd", "kwok"]) == 2
    assert "missing: kwok; next: run `raceway tools build kwok`" in capsys.readouterr().err


def test_an_unknown_name_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "build", "kubectll"]) == 2
    assert "did you mean kubectl?" in capsys.readouterr().err


def test_verify_is_red_for_a_changed_tool_and_green_for_a_good_one(capsys: pytest.CaptureFixture[str]) -> None:
    program = publish("etcd")
    assert main(["tools", "verify"]) == 0
    program.write_text("#!/bin/xx\n")
    assert main(["tools", "verify"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].split() == ["changed", str(program)]


def test_verify_of_an_empty_cache_is_no_success(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tools", "verify"]) == 2
    assert "no built tool" in capsys.readouterr().err


def test_building_without_a_compiler_says_which_one_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golang, "_installed", lambda: None)
    assert main(["tools", "build", "kwok"]) == 2
    assert "install Go 1.26.6 or newer" in capsys.readouterr().err


def test_what_is_there_is_not_built_again(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(golang, "_installed", lambda: None)  # building anything would fail
    built = publish("kwok")
    assert main(["tools", "build", "kwok"]) == 0
    assert capsys.readouterr().out.strip() == f"kwok 0.8.0 {built}"
