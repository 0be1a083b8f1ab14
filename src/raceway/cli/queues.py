"""``raceway queues``: checks the queues of a stack against the inventory's machines and draws the tree.

It deliberately asks no cluster: what is checked is the declaration. Exit codes: 0 sound, 2 refused with all reasons.
"""

from __future__ import annotations

import argparse

from raceway.cli import stacks
from raceway.cluster.nodes import cluster_amounts
from raceway.cluster.quantity import show
from raceway.cluster.queues import draw
from raceway.components.program import layout

HELP = "check and draw the queues of a stack"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    stacks.add_options(parser, project=False)


def run(args: argparse.Namespace) -> int:
    """Print the tree and what the machines have in all."""
    model = layout(stacks.settings("platform", args), stacks.folder("platform"))
    total = ", ".join(f"{show(number, name)} {name}" for name, number in cluster_amounts(model.machines).items())
    print(f"{len(model.machines)} machines: {total}")
    print("\n".join(draw(model.config.queues)))
    return 0
