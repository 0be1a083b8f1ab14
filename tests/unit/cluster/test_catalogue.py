"""The scheduler's vocabulary has only types a configuration can hold (the words themselves: tests/cluster)."""

from __future__ import annotations

from raceway.cluster.catalogue import ACTIONS, PLUGINS, argument_type


def test_every_argument_has_a_type_a_configuration_can_hold() -> None:
    kinds = {kind for arguments in (*PLUGINS.values(), *ACTIONS.values()) for kind in arguments.values()}
    assert kinds <= {bool, int, float, str, list, dict}


def test_a_star_stands_for_a_name_and_not_for_nothing() -> None:
    assert argument_type("binpack", "binpack.resources.nvidia.com/gpu") is int
    assert argument_type("binpack", "binpack.resources.") is None
    assert argument_type("binpack", "binpack.resources") is str
