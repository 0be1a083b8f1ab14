"""The workloads stack: jobs from typed templates, checked against the platform's declaration before any is sent."""

from pathlib import Path

import pulumi
import yaml

from raceway import inventory
from raceway.cluster.config import PLATFORM, WORKLOADS, JobConfig, jobs_config, platform_config
from raceway.cluster.model import ClusterModel
from raceway.components import program
from raceway.components.objects import provider
from raceway.components.settings import stack_settings, stop
from raceway.components.training_job import TrainingJob, TrainingJobArgs
from raceway.errors import RacewayError

HERE = Path(__file__).parent
TEMPLATES = HERE.parents[1] / "templates" / "jobs"


def checked() -> tuple[list[JobConfig], dict]:
    """Return the jobs; everything wrong is told here, before anything is registered."""
    settings = stack_settings(WORKLOADS)
    platform = platform_config(declared_platform(settings))
    machines = inventory.machines(inventory.load(program.inventory_path(settings, HERE, WORKLOADS)))
    scripts = {path.parent.name: path.read_text() for path in TEMPLATES.glob("*/train.py")}
    jobs = jobs_config({"jobs": settings.get("jobs", [])}, scripts)
    return ClusterModel.build(machines, platform).jobs(jobs), settings


def declared_platform(settings: dict) -> dict:
    """Return the platform stack's own keys, read from its stack file: no cluster and no state are needed to check."""
    path = HERE / settings.get("platform", "")
    if not path.is_file():
        act = f"set it, e.g. ../platform/Pulumi.{pulumi.get_stack()}.yaml"
        raise RacewayError(f"{WORKLOADS}:platform", repr(settings.get("platform", "")), "a stack file", act)
    config = (yaml.safe_load(path.read_text()) or {}).get("config") or {}
    return {key.removeprefix(f"{PLATFORM}:"): value for key, value in config.items() if key.startswith(f"{PLATFORM}:")}


def lay_out(jobs: list[JobConfig], settings: dict) -> None:
    """Register each job."""
    cluster = provider("cluster", pulumi.get_stack(), settings.get("kubeconfig", ""))
    made = {}
    for job in jobs:
        label = f"{job.args.namespace}-{job.args.name}"
        opts = pulumi.ResourceOptions(provider=cluster)
        made[job.args.name] = TrainingJob(label, TrainingJobArgs(job.args, job.wait), opts).master
    pulumi.export("masters", made)


try:
    found = checked()
    lay_out(*found)
except RacewayError as error:
    stop(error)
