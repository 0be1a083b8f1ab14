"""A role that reads another one's variables: compiled for all hosts as for one, shared only while both are the same."""

from __future__ import annotations

from collections.abc import Callable

from raceway import roles as registry
from raceway.facts.nccl import RdmaPort
from raceway.inventory import Inventory
from raceway.inventory.compiler import Compiler
from raceway.inventory.desired import compile_vars, desired
from raceway.inventory.evaluate import Evaluator
from raceway.inventory.specs import load_specs
from raceway.model.nccl import Declaration, parse
from raceway.plan.nccl_environment import environment

Load = Callable[[str], Inventory]
FLEET = """
    nodes:
      vars:
        raceway_roles: [node, nccl]
        nccl_version: 2.27.5
        node_accelerator_kind: nvidia
        node_accelerator_count: 8
      hosts:
        a:
        b:
        c: {node_accelerator_kind: amd}
        d: {nccl_socket_interfaces: [eth0]}
        e: {nccl_state: absent}
        f: {roce_dscp: 24, roce_ect: none}
    """


def kind(compiled: dict[str, dict[str, object]]) -> object:
    nouns = compiled["nccl"]["nouns"]
    assert isinstance(nouns, dict)
    return nouns["nccl"]["declaration"]["kind"]


def test_each_host_compiles_to_what_the_registry_compiles(loaded: Load) -> None:
    evaluator, compiler = Evaluator(loaded(FLEET), load_specs()), Compiler()
    for host in "abcdef":
        state = evaluator.host(host)
        assert compiler.host(state) == registry.compile_host(state.roles, state.enabled), host


def test_a_host_whose_read_variables_differ_shares_nothing(loaded: Load) -> None:
    evaluator, compiler = Evaluator(loaded(FLEET), load_specs()), Compiler()
    a, b, c = (compiler.host(evaluator.host(name)) for name in "abc")
    assert a["nccl"] is b["nccl"]
    assert (kind(a), kind(c)) == ("nvidia", "amd")


def test_the_command_line_and_the_way_to_the_node_read_the_same(loaded: Load) -> None:
    inventory = loaded(FLEET)
    assert compile_vars(inventory.variables("c"), "c")["nccl"] == desired(inventory, "c").roles["nccl"]


def test_the_fabrics_numbers_are_read_and_not_declared_again(loaded: Load) -> None:
    spec = desired(loaded(FLEET), "f").roles["nccl"]["nouns"]["nccl"]
    assert environment(parse(spec).declaration or Declaration(""), [RdmaPort("mlx5_0")]).values()["NCCL_IB_TC"] == "96"
