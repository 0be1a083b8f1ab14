"""``raceway acceptance plan`` shows a sweep before it is run, ``show FOLDER`` judges what one has measured.

It deliberately contacts no node: what a port is on its node is found when the sweep begins. Exit codes: 0 all is well,
1 something is left out or the verdict is not passed, 2 bad input.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from raceway.acceptance import declared, matrix, model, store, words
from raceway.acceptance import verdict as judging
from raceway.errors import RacewayError
from raceway.inventory.ansible_api import default_sources
from raceway.inventory.desired import refuse_broken
from raceway.inventory.evaluate import evaluator_of
from raceway.inventory.load import load
from raceway.inventory.specs import load_specs
from raceway.model.pairwise import PROGRAMS
from raceway.roles import acceptance

HELP = "show the rounds of a fabric sweep before it is run, or judge what one has measured"
SHOWN_ROUNDS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the two actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    planning = actions.add_parser("plan", help="what a sweep does, why, and how long it takes")
    planning.add_argument("-i", "--inventory", action="append", metavar="PATH", help="as for ansible-playbook")
    planning.add_argument("--all", action="store_true", help="every pair of every round")
    planning.add_argument("--json", action="store_true", help="machine-readable output")
    showing = actions.add_parser("show", help="verdict and figures of a sweep, an interrupted one too")
    showing.add_argument("folder", type=Path, metavar="FOLDER", help="the sweep's folder below acceptance_folder")
    showing.add_argument("--json", action="store_true", help="machine-readable output")


def run(args: argparse.Namespace) -> int:
    """Run one action and return the exit code."""
    return _plan(args) if args.action == "plan" else _show(args)


def _plan(args: argparse.Namespace) -> int:
    sweep = _sweep(args.inventory or default_sources())
    if args.json:
        print(json.dumps(_data(sweep), indent=2))
    else:
        print("\n".join(words.plan(sweep)))
        print("why: each port meets one partner at a time, and every partner in as few rounds as there can be")
        for line in words.rounds(sweep, 0 if args.all else SHOWN_ROUNDS, args.all):
            print(line)
    return 1 if sweep.left_out else 0


def _sweep(sources: list[str]) -> model.Sweep:
    inventory = load(sources)
    evaluator = evaluator_of(inventory, load_specs(None))
    states = [evaluator.host(host) for host in inventory.nodes]
    rows = []
    for state in states:
        refuse_broken([state])
        values = state.roles[declared.ROLE]
        wrong = [one for one in acceptance.rules(values) if one.severity == "error"]
        if wrong:
            first = wrong[0]
            raise RacewayError(f"{state.host} {first.variable}", first.found, first.allowed, first.act)
        rows.append(declared.declared(state.host, state.roles, state.enabled))
    settings = declared.together(rows)
    # Before a node is asked, every tool is taken to be there.
    ports = [model.with_tools(port, PROGRAMS) for row in rows for port in row.ports]
    sweep = model.build(settings, ports, [one for row in rows for one in row.left_out])
    if not sweep.rails:
        found = "; ".join(f"{one.name}: {one.reason}" for one in sweep.left_out)
        raise RacewayError("acceptance_ports", found, "two ports of a rail, on two nodes", "declare them")
    return sweep


def _data(sweep: model.Sweep) -> dict[str, object]:
    return {
        "rounds": sweep.rounds,
        "pairs": sweep.pairs,
        "seconds": sweep.rounds * sweep.round_s,
        "rails": [
            {"rail": rail.number, "ports": [port.name for port in rail.ports], "rounds": rail.rounds}
            for rail in sweep.rails
        ],
        "left_out": [vars(one) for one in sweep.left_out],
    }


def _show(args: argparse.Namespace) -> int:
    sweep, cells, verdict = store.conclude(args.folder)
    if args.json:
        print(json.dumps(judging.to_json(verdict), indent=2, ensure_ascii=False))
    else:
        print(matrix.text(sweep, cells, verdict.named))
        print(words.result(sweep, verdict))
        for one in verdict.findings:
            print(f"{one.kind}: {one.message()}")
    return 0 if verdict.word == judging.PASSED else 1
