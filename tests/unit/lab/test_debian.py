"""The call of mmdebstrap, and what is said when it fails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.lab import debian
from raceway.lab.progress import Steps

QUIET = Steps(show=False)


def test_the_call_names_packages_hooks_suite_and_output_in_mmdebstraps_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACEWAY_LAB_MIRROR", raising=False)
    call = debian.command("trixie", ("python3", "curl"), ("true",), "out.tar")
    assert call[:3] == ["mmdebstrap", "--variant=minbase", "--mode=root"]
    assert {"--include=python3,curl", "--customize-hook=true"} < set(call)
    assert call[-2:] == ["trixie", "out.tar"]


def test_a_build_has_namespaces_of_its_own_and_one_date_for_all_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    def call(command: list[str], environment: dict[str, str], *_: Any) -> int:
        seen.update(command=command, environment=environment)
        return 0

    monkeypatch.setattr(debian.processes, "call", call)
    debian.build(["mmdebstrap", "x"], tmp_path, tmp_path / "log", "an image: text", QUIET, "0123")
    assert seen["command"] == ["unshare", "--mount", "--pid", "--fork", "--kill-child", "mmdebstrap", "x"]
    assert (seen["environment"]["SOURCE_DATE_EPOCH"], seen["environment"]["TMPDIR"]) == ("0", str(tmp_path))


def test_a_build_that_fails_tells_the_last_line_and_where_the_log_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(command: list[str], environment: dict[str, str], log: Any, tick: Any) -> int:
        log.write(b"E: no such suite\n\n")
        log.flush()
        return 25

    monkeypatch.setattr(debian.processes, "call", call)
    with pytest.raises(RacewayError) as caught:
        debian.build(["mmdebstrap"], tmp_path, tmp_path / "log", "work image: Debian", QUIET, "0123")
    assert str(caught.value).startswith("work image: mmdebstrap ended with 25: E: no such suite")
    assert str(tmp_path / "log") in str(caught.value)
