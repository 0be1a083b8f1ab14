"""Configuration as the engine hands it over."""

from __future__ import annotations

import json

import pulumi
import pytest

from raceway.components.settings import lighten, stack_settings, stop
from raceway.errors import RacewayError


def test_all_keys_of_the_project_are_read_and_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"p:queues": '[{"name": "q"}]', "p:nodeLabels": "false", "p:inventory": "../x", "other:y": "1"}
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps(texts))
    assert stack_settings("p") == {"inventory": "../x", "nodeLabels": False, "queues": [{"name": "q"}]}


def test_a_refusal_ends_the_program_with_its_message_and_no_traceback() -> None:
    with pytest.raises(pulumi.RunError, match="a: b; next: c"):
        stop(RacewayError("a", "b", act="c"))


def test_debug_lines_of_the_sdk_stay_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr("gc.disable", lambda: None)
    monkeypatch.setattr(pulumi.log, "debug", sent.append)
    pulumi.log.debug("sent")
    lighten()
    pulumi.log.debug("kept back", stream_id=1)
    assert sent == ["sent"]
