"""The declaration of queueing disciplines."""

from __future__ import annotations

from raceway.model.qdisc import KERNEL_DEFAULTS, MULTIQUEUE, parse


def test_nothing_declared_manages_nothing() -> None:
    found = parse({})
    assert (found.kind, found.default_route, found.interfaces) == ("", False, ())


def test_what_a_person_configures_is_no_kernel_default() -> None:
    assert not {"htb", "tbf", "ets", "prio", "netem", "taprio", *MULTIQUEUE} & set(KERNEL_DEFAULTS)
