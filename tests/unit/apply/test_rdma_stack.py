"""The package index is read anew, and a repository that cannot be had is refused in apt's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from raceway.apply.outcome import Applying, Refused
from raceway.apply.rdma_stack import refresh
from raceway.host import Ledger, Result

from ..builders import FakeHost, make_step


def test_the_index_is_read_anew(tmp_path: Path) -> None:
    host = FakeHost(tmp_path, {"apt-get": ""})
    refresh(Applying(host, Ledger(host)), make_step("rdma_stack"))
    assert host.calls == ["apt-get -q update"]


def test_a_repository_that_cannot_be_had_is_refused(tmp_path: Path) -> None:
    host = FakeHost(tmp_path, {"apt-get": Result(100, "", "E: The repository is not signed.")})
    with pytest.raises(Refused, match="is not signed"):
        refresh(Applying(host, Ledger(host)), make_step("rdma_stack"))
