"""The collective library's environment for a job: the same function that writes the file on the nodes.

A container sees nothing of its host's ``/etc/nccl.conf``, so a job carries the variables itself. It deliberately
decides nothing: what is right follows from the declaration and the devices of the nodes, in ``raceway.plan``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raceway.cluster.problems import Problem, refuse
from raceway.facts.nccl import RdmaPort
from raceway.model.nccl import Declaration
from raceway.plan.nccl_environment import environment


def nccl_env(declaration: Declaration, nodes: Mapping[str, Sequence[RdmaPort]]) -> dict[str, str]:
    """Return the variables for a job on these nodes (name → RDMA ports); one RacewayError with all reasons why not.

    All pods of a job get one environment, so nodes whose environments differ are refused with the first difference.
    """
    made = {node: environment(declaration, ports) for node, ports in nodes.items()}
    refuse(
        [
            Problem(f"{node}: {row.target}", row.reason, act=row.act)
            for node, one in made.items()
            for row in one.refusals
        ],
        "nccl environment",
    )
    values = {node: one.values() for node, one in made.items()}
    first = next(iter(values), "")
    refuse([_differs(first, node, values) for node in values if values[node] != values[first]], "nccl environment")
    return values[first] if first else {}


def _differs(first: str, node: str, values: Mapping[str, Mapping[str, str]]) -> Problem:
    ours, theirs = values[first], values[node]
    name = next(name for name in (*ours, *theirs) if ours.get(name) != theirs.get(name))
    found = f"{name} is {theirs.get(name, 'not set')}, on {first} it is {ours.get(name, 'not set')}"
    return Problem(
        node, found, "one environment for all pods of a job", "give the nodes of a job the same device names"
    )
