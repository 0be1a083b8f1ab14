"""Names, options and parameter values of modules."""

from __future__ import annotations

import pytest

from raceway.model.module import option_values, parse, same_value


def test_case_b38_dash_and_underscore_are_one_module() -> None:
    names = [module.name for module in parse({"modules": [{"name": "tcp-bbr"}, {"name": "tcp_bbr"}]}).modules]
    assert names == ["tcp_bbr", "tcp_bbr"]


def test_options_are_read_as_the_kernel_reads_them() -> None:
    assert option_values("num-vfs=4 debug list=1,2") == {"num_vfs": "4", "debug": "Y", "list": "1,2"}


@pytest.mark.parametrize(
    ("declared", "shown", "same"), [("1", "Y", True), ("0x10", "16", True), ("on", "N", False), ("a", "a ", True)]
)
def test_a_parameter_is_compared_by_meaning(declared: str, shown: str, same: bool) -> None:
    assert same_value(declared, shown) is same
