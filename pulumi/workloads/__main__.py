"""The workloads stack: jobs from typed templates, checked against the platform's declaration before any is sent."""

from pathlib import Path

import pulumi

from raceway.cluster.config import WORKLOADS, JobConfig
from raceway.components import program
from raceway.components.objects import provider
from raceway.components.settings import lighten, stack_settings, stop
from raceway.components.training_job import TrainingJob, TrainingJobArgs
from raceway.errors import RacewayError


def lay_out(jobs: list[JobConfig], settings: dict) -> None:
    """Register each job."""
    cluster = provider("cluster", pulumi.get_stack(), settings.get("kubeconfig", ""))
    opts = pulumi.ResourceOptions(provider=cluster)
    masters = {}
    for job in jobs:
        label = f"{job.args.namespace}-{job.args.name}"
        masters[label] = TrainingJob(label, TrainingJobArgs(job.args, job.wait), opts).master
    pulumi.export("masters", masters)


lighten()
settings = stack_settings(WORKLOADS)
try:
    lay_out(program.workloads(settings, Path(__file__).parent), settings)
except RacewayError as error:
    stop(error)
