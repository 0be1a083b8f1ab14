"""Package declarations: one row a name, and no name that a package manager would read as something else."""

from __future__ import annotations

import pytest

from raceway.model.package import Package, bad_name, parse


def test_a_name_asked_for_twice_is_one_package_with_both_askers() -> None:
    rows = [{"name": "a", "asked_by": ["x"]}, {"name": "b"}, {"name": "a", "asked_by": ["y", "x"]}]
    assert parse({"packages": rows}).packages == (Package("a", ("x", "y")), Package("b"))


@pytest.mark.parametrize("name", ["a", "g++", "libstdc++6", "libc6:i386", "python3.11", "NetworkManager", "a_b"])
def test_a_plain_name_is_good(name: str) -> None:
    assert bad_name(name) is None


@pytest.mark.parametrize("name", ["", "-y", "--force", "vim-", "a=1.0", "a b", "a/stable", "*", "a;b", "libc6:i386-"])
def test_a_version_an_option_a_pattern_or_a_removal_is_no_name(name: str) -> None:
    assert bad_name(name)
