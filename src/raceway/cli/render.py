"""``raceway render``: writes a stack as plain manifests, for Argo CD, Flux or ``kubectl apply --server-side``.

The same pure functions make them that the Pulumi programs register. It deliberately calls no cluster and leaves out the
CRDs (they are files already, in the Volcano module) and the certificate's Secret (a key does not belong in Git).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from raceway.cli import stacks
from raceway.components import training_job, volcano
from raceway.components.program import layout, volcano_args, workloads

HELP = "write the cluster layout as plain manifests"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    stacks.add_options(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Print or write the documents."""
    documents = manifests(args)
    text = "---\n".join(yaml.safe_dump(one, sort_keys=False) for one in documents)
    if args.output is None:
        sys.stdout.write(text)
        return 0
    half = args.output.with_name(args.output.name + ".new")
    half.write_text(text)
    half.replace(args.output)
    print(f"{args.output}: {len(documents)} objects")
    return 0


def manifests(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the objects of the stack in the order in which they must exist."""
    settings, folder = stacks.settings(args.project, args), stacks.folder(args.project)
    if args.project == "workloads":
        jobs = workloads(settings, folder)
        return [one for job in jobs for one in training_job.manifests(training_job.TrainingJobArgs(job.args))]
    model = layout(settings, folder)
    base = [one for one in volcano.manifests(volcano_args(model, args.stack)) if one["kind"] != "Secret"]
    patches = model.node_patches() + model.taint_patches()
    return [*base, *model.namespaces(), *model.priorities(), *model.queues(), *patches, *model.topology()]
