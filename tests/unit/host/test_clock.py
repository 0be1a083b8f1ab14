"""The clock of a recorded machine says nothing; that of a running one is seen on nodes (tests/molecule)."""

from __future__ import annotations

from pathlib import Path

from raceway.host import Host
from raceway.host.clock import ahead_of, synchronised


def test_a_tree_has_no_clock(tmp_path: Path) -> None:
    host = Host(str(tmp_path))
    assert synchronised(host) is None and ahead_of(host, "127.0.0.1", 6443) is None


def test_the_kernel_says_whether_its_clock_is_steered() -> None:
    assert synchronised(Host()) in (True, False)
