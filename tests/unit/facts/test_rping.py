"""What rping says: messages counted, failures told; the forms are the tool's."""

from __future__ import annotations

import pytest

from raceway.facts.rping import Rping, parse

from ..builders import CASES


def read(name: str) -> Rping:
    return parse((CASES / "rping" / name).read_text(encoding="utf-8"))


def test_messages_are_counted_on_both_sides() -> None:
    assert read("normal.txt") == Rping(5, True)
    assert read("older_server.txt").pings == 3 and "RDMA_READ_ADV" in read("older_server.txt").problem


@pytest.mark.parametrize(
    ("name", "pings", "said"),
    [
        ("error_rejected.txt", 0, "RDMA_CM_EVENT_REJECTED, error 8"),
        ("error_half_way.txt", 2, "cq completion failed status 12"),
        ("error_resolve.txt", 0, "rdma_resolve_addr: No such device"),
        ("error_closed_at_once.txt", 0, "no message came back"),
        ("localised_error.txt", 0, "Kein passendes Gerät"),
    ],
)
def test_a_failure_is_told_whatever_the_exit_status(name: str, pings: int, said: str) -> None:
    facts = read(name)
    assert facts.pings == pings and said in facts.problem


def test_a_message_that_is_cut_does_not_count() -> None:
    assert read("truncated.txt").pings == 4 and "cut off" in read("truncated.txt").problem
