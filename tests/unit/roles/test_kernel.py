"""The kernel role's variables: what they ask of the kernel, what they refuse, what reaches the node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from raceway.model.needs import merge
from raceway.roles import kernel

DEFAULTS = Path(__file__).parents[3] / "roles/kernel/defaults/main.yml"


def make_values(**changed: Any) -> dict[str, Any]:
    return {**yaml.safe_load(DEFAULTS.read_text()), **{f"kernel_{key}": value for key, value in changed.items()}}


def make_state(platform: str = "bare_metal", **changed: Any) -> dict[str, Any]:
    values = make_values(**changed)
    return kernel.desired(values, merge(kernel.needs(values)), platform)


def settings(state: dict[str, Any]) -> dict[str, str]:
    return {row["key"]: row["value"] for row in state["sysctl"]["settings"]}


def test_the_defaults_have_no_problem() -> None:
    assert kernel.rules(make_values()) == []


def test_bbr_brings_its_module_and_fq_and_says_that_rdma_never_sees_it() -> None:
    state = make_state()
    chosen = {row["key"]: row for row in state["sysctl"]["settings"]}
    assert settings(state)["net.ipv4.tcp_congestion_control"] == "bbr"
    assert settings(state)["net.core.default_qdisc"] == "fq"
    assert {"tcp_bbr", "sch_fq"} <= {row["name"] for row in state["module"]["modules"]}
    assert "RDMA" in chosen["net.ipv4.tcp_congestion_control"]["why"]
    assert state["sysctl"]["modules"] == [row["name"] for row in state["module"]["modules"]]


def test_cubic_needs_no_module() -> None:
    names = {row["name"] for row in make_state(tcp_congestion_control="cubic")["module"]["modules"]}
    assert "tcp_cubic" not in names and "tcp_bbr" not in names


def test_an_operators_own_key_wins_in_any_spelling_and_both_askers_are_named() -> None:
    state = make_state(sysctl={"net/core/somaxconn": 1024})
    row = next(row for row in state["sysctl"]["settings"] if row["key"] == "net.core.somaxconn")
    assert row["value"] == "1024"
    assert row["asked_by"] == ["kernel_sysctl", "kernel_listen_backlog"]


def test_zero_and_empty_leave_settings_unmanaged() -> None:
    state = make_state(
        tcp_congestion_control="",
        default_qdisc="",
        socket_buffer_max_bytes=0,
        listen_backlog=0,
        netdev_backlog_packets=0,
        tcp_mtu_probing=0,
        neighbour_thresholds=[],
    )
    assert settings(state) == {}
    assert state["module"]["modules"] == []


def test_an_absent_role_declares_nothing_so_that_everything_is_given_back() -> None:
    state = make_state(state="absent")
    empty = {
        name: [value for key, value in spec.items() if key not in ("platform", "defrag", "file")]
        for name, spec in state.items()
    }
    assert all(not part for parts in empty.values() for part in parts), empty


def test_two_askers_of_different_buffers_are_merged_to_the_larger_one() -> None:
    values = make_values()
    more = [*kernel.needs(values), kernel.Need("sysctl", "net.core.rmem_max", "536870912", "rdma: large windows")]
    (row,) = [m for m in merge(more) if m.key == "net.core.rmem_max"]
    assert row.value == "536870912"
    assert row.asked_by == ("rdma: large windows", "kernel_socket_buffer_max_bytes")


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"sysctl": {"net.rdma.rx_cqe": 4096}}, "net.rdma.rx_cqe exists in no Linux kernel"),
        ({"sysctl": {"vm.swappiness": True}}, "vm.swappiness: True"),
        ({"sysctl": {"net.core.default_qdisc": "fq # x"}}, "'#'"),
        ({"sysctl": {"net.core.somaxconn": 1, "net/core/somaxconn": 2}}, "are the same key"),
        ({"sysctl": {"net.ipv4.conf.*.rp_filter": 2}}, "is no kernel key"),
        ({"modules": [{"name": "tcp bbr"}]}, "'tcp bbr'"),
        ({"limits": {"memlok": "unlimited"}}, "'memlok'"),
        ({"limits": {"memlock": "lots"}}, "'lots'"),
        ({"limits": {"nofile": "unlimited"}}, "nofile: unlimited"),
        ({"cmdline": ["iommu=pt quiet"]}, "'iommu=pt quiet'"),
        ({"cmdline": ["iommu=pt", "iommu=off"]}, "iommu=pt and iommu=off"),
        ({"neighbour_thresholds": [8192, 4096, 1]}, "8192, 4096, 1"),
        ({"default_qdisc": "", "qdisc_interfaces": ["eth1"]}, "interfaces without a qdisc"),
        ({"default_qdisc": "fq_codel"}, "bbr with fq_codel"),
    ],
    ids=str,
)
def test_a_wrong_declaration_is_one_problem_with_the_value_found(changed: dict[str, Any], told: str) -> None:
    (problem,) = kernel.rules(make_values(**changed))
    assert told in problem.found
    assert problem.allowed and problem.act


def test_a_fictitious_key_is_answered_with_the_right_knob() -> None:
    (problem,) = kernel.rules(make_values(sysctl={"net.rdma.rx_cqe": 4096}))
    assert "ethtool -G" in problem.act and "ethtool -C" in problem.act
