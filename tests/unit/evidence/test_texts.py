"""Texts on their way into a bundle: a ledger keeps what it knows, and none of the contents it holds."""

from __future__ import annotations

import json

from raceway.evidence.texts import Texts


def test_a_ledger_keeps_its_targets_and_short_values_and_no_content_of_files() -> None:
    ledger = {
        "sysctl": {"vm.swappiness": "60"},
        "file": {"/etc/app.secret": {"content": "open sesame\n", "mode": 384, "owner": "root"}},
    }
    found = json.loads(Texts().of_form("ledger", json.dumps(ledger)))
    assert found["sysctl"] == {"vm.swappiness": "60"}
    assert found["file"]["/etc/app.secret"]["mode"] == 384
    assert found["file"]["/etc/app.secret"]["content"].startswith("<text of 12 bytes, sha256 ")
    assert "sesame" not in json.dumps(found)


def test_a_ledger_that_is_cut_off_is_taken_as_text_and_its_secrets_go() -> None:
    assert Texts().of_form("ledger", '{"a": "password=hunter2') == '{"a": "password=<removed: password>'


def test_what_is_removed_is_counted_over_all_texts() -> None:
    texts = Texts()
    texts.text("password: a1")
    texts.of_form("json", '{"password": "b2"}')
    assert texts.counts == {"password": 2}
