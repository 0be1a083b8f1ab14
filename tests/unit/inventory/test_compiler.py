"""Compiling many hosts gives exactly what compiling one gives; what is shared is compiled once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from raceway import roles as registry
from raceway.errors import RacewayError
from raceway.inventory import Inventory
from raceway.inventory.compiler import Compiler
from raceway.inventory.evaluate import Evaluator
from raceway.inventory.specs import load_specs
from raceway.model.needs import SYSCTL, Need

Load = Callable[[str], Inventory]
FLEET = """
    nodes:
      vars: {kernel_tcp_congestion_control: cubic, system_packages: [chrony]}
      hosts:
        a:
        b: {node_rack: r1}
        c: {kernel_sysctl: {vm.swappiness: 1}, kernel_allow_disruptive: true}
        d: {raceway_roles: [kernel]}
        e: {node_platform: container}
        f: {kernel_state: absent}
        g: {system_mounts: [{path: /data, source: LABEL=data, fstype: xfs}]}
        h: {raceway_roles: []}
    """


def test_each_host_compiles_to_what_the_registry_compiles(loaded: Load) -> None:
    evaluator, compiler = Evaluator(loaded(FLEET), load_specs()), Compiler()
    for host in "abcdefgh":
        state = evaluator.host(host)
        assert compiler.host(state) == registry.compile_host(state.roles, state.enabled), host
        assert compiler.merged(state) == registry.merged_needs(state.roles, state.enabled), host


def test_hosts_that_share_values_share_the_compiled_specs(loaded: Load) -> None:
    evaluator, compiler = Evaluator(loaded(FLEET), load_specs()), Compiler()
    a, b, c = (compiler.host(evaluator.host(name)) for name in "abc")
    assert a["kernel"] is b["kernel"]
    assert a["kernel"] is not c["kernel"]


def test_the_same_values_under_another_platform_are_compiled_again(loaded: Load) -> None:
    evaluator, compiler = Evaluator(loaded(FLEET), load_specs()), Compiler()
    a, e = (compiler.host(evaluator.host(name)) for name in "ae")
    assert a["kernel"]["nouns"]["sysctl"]["platform"] == "bare_metal"
    assert e["kernel"]["nouns"]["sysctl"]["platform"] == "container"


def test_roles_that_disagree_are_an_error_naming_both(loaded: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    from raceway.roles import system

    wish = Need(SYSCTL, "net.core.default_qdisc", "cake", "system: for the test")
    monkeypatch.setattr(system, "needs", lambda values: [wish])
    evaluator = Evaluator(loaded(FLEET), load_specs())
    with pytest.raises(RacewayError, match="kernel_default_qdisc; 'cake' by system"):
        Compiler().merged(evaluator.host("a"))
