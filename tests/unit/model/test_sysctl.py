"""Names of keys and what may stand as a value."""

from __future__ import annotations

import pytest

from raceway.model.sysctl import bad_value, kernel_wide, key_of, knob_for, module_of, parse, path_of


@pytest.mark.parametrize("key", ["net.ipv4.conf.eth0.100.200.rp_filter", "net/ipv4/conf/eth0.100.200/rp_filter"])
def test_case_b36_a_dotted_interface_keeps_its_dots_in_path_and_file(key: str) -> None:
    assert path_of(key) == "net/ipv4/conf/eth0.100.200/rp_filter"
    assert key_of(path_of(key)) == "net/ipv4/conf/eth0.100.200/rp_filter"


def test_case_b36_the_drop_in_of_a_dotted_interface_has_a_name_without_extra_slashes() -> None:
    desired = parse({"settings": [{"key": "net.ipv4.conf.bond0.354.rp_filter", "value": "0"}]})
    assert desired.file == "/etc/sysctl.d/90-raceway.conf"
    assert desired.settings[0].path == "net/ipv4/conf/bond0.354/rp_filter"


@pytest.mark.parametrize(
    ("value", "bad"), [("fq # x", True), ("1;2", True), ("", True), ("4096 1 2", False), ("a\nb", True)]
)
def test_case_b37_a_value_with_a_comment_mark_is_bad(value: str, bad: bool) -> None:
    assert bool(bad_value(value)) is bad


def test_case_x08_a_declared_value_is_folded_like_the_kernels() -> None:
    assert parse({"settings": [{"key": "net.ipv4.tcp_rmem", "value": "4096\t1  2"}]}).settings[0].value == "4096 1 2"


def test_a_key_of_a_module_and_a_key_of_no_kernel_are_told_apart() -> None:
    assert module_of("net/rdma_ucm/max_backlog") == "rdma_ucm" and module_of("vm/swappiness") is None
    assert "ethtool" in (knob_for("net/rdma/rx_cqe") or "") and knob_for("net/rdma_ucm/max_backlog") is None


@pytest.mark.parametrize(
    ("path", "wide"),
    [("vm/swappiness", True), ("kernel/shmmax", False), ("net/core/rmem_max", True), ("net/ipv4/tcp_rmem", False)],
)
def test_keys_of_a_namespace_are_not_kernel_wide(path: str, wide: bool) -> None:
    assert kernel_wide(path) is wide
