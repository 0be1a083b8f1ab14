"""The ledger: first originals only, on disk before the caller goes on, and never silently forgotten."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from raceway.errors import RacewayError
from raceway.host import Host, Ledger
from raceway.host.ledger import LEDGER_PATH


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(str(tmp_path))


def test_an_original_is_on_disk_when_remember_returns(host: Host) -> None:
    Ledger(host).remember("sysctl", "a", "1")
    assert Ledger(host).owned("sysctl") == {"a": "1"}


def test_only_the_first_value_is_kept(host: Host) -> None:
    ledger = Ledger(host)
    ledger.remember("sysctl", "a", "1")
    ledger.remember("sysctl", "a", "2")
    ledger.remember_all("sysctl", {"a": "3", "b": "4"})
    assert Ledger(host).owned("sysctl") == {"a": "1", "b": "4"}


def test_others_cannot_read_originals_which_may_be_secrets(host: Host) -> None:
    Ledger(host).remember("file", "/key", {"content": "secret"})
    info = host.stat(LEDGER_PATH)
    assert info is not None and info.mode == 0o600
    assert stat.S_ISREG(Path(host.path(LEDGER_PATH)).stat().st_mode)


def test_the_file_goes_with_the_last_entry(host: Host) -> None:
    ledger = Ledger(host)
    ledger.remember_all("a", {"x": 1, "y": 2})
    ledger.forget("a", "x")
    assert host.exists(LEDGER_PATH)
    ledger.forget("a", "y")
    ledger.forget("a", "never-there")
    assert not host.exists(LEDGER_PATH)


def test_a_mass_of_originals_costs_one_write(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    writes: list[str] = []
    write = host.write
    monkeypatch.setattr(host, "write", lambda path, *a, **k: (writes.append(path), write(path, *a, **k)))
    ledger = Ledger(host)
    ledger.remember_all("sysctl", {str(n): n for n in range(60)})
    ledger.forget_all("sysctl", [str(n) for n in range(30)])
    assert len(writes) == 2


def test_an_original_that_did_not_reach_the_disk_counts_as_not_recorded(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(host)
    with monkeypatch.context() as patch:
        patch.setattr(host, "write", lambda *a, **k: (_ for _ in ()).throw(OSError(28, "full")))
        for _ in range(2):  # the second call must fail as well: a handler may come after a failed prepare
            with pytest.raises(OSError, match="full"):
                ledger.remember("sysctl", "a", "1")
    assert ledger.owned("sysctl") == {}
    ledger.remember("sysctl", "a", "1")
    assert Ledger(host).owned("sysctl") == {"a": "1"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"sysctl": 3}'])
def test_a_damaged_ledger_is_an_error_and_stays_as_it_is(host: Host, text: str) -> None:
    host.write(LEDGER_PATH, text)
    with pytest.raises(RacewayError, match=r"ledger\.json: is no ledger of raceway.*next: put it back from a backup"):
        Ledger(host)
    assert host.read(LEDGER_PATH) == text


def test_a_ledger_that_cannot_be_read_is_an_error_and_not_an_empty_one(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.write(LEDGER_PATH, "{}")
    monkeypatch.setattr(host, "read", lambda path: None)
    with pytest.raises(RacewayError, match=r"cannot be read.*become"):
        Ledger(host)


def test_what_owned_returns_is_a_copy(host: Host) -> None:
    ledger = Ledger(host)
    ledger.remember("a", "x", 1)
    dict(ledger.owned("a")).clear()
    assert ledger.owned("a") == {"x": 1}
