"""One training job as one component: its entry script and the vcjob.

A vcjob's spec cannot be changed in place (Volcano lets only the sizes change), so any change replaces it: the old one
is deleted first, since both would have the same name. It deliberately does not wait for the job unless told to: a
job may rightly queue for hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pulumi

from raceway.cluster.jobs.torchrun import TorchrunJobArgs
from raceway.cluster.jobs.torchrun import manifests as job_manifests
from raceway.cluster.jobs.torchrun import names as job_names
from raceway.components.constants import JOB_WAIT_S
from raceway.components.objects import KubernetesObject


@dataclass(frozen=True)
class TrainingJobArgs:
    """The job, and whether ``pulumi up`` waits until all its pods run."""

    job: TorchrunJobArgs
    wait: bool = False


def names(args: TrainingJobArgs) -> dict[str, str]:
    """Return the names of what the job consists of."""
    return job_names(args.job)


def manifests(args: TrainingJobArgs) -> list[dict[str, Any]]:
    """Return the entry script's ConfigMap and the vcjob."""
    made = job_manifests(args.job)
    if args.wait:
        made[-1]["metadata"]["annotations"] = {
            "pulumi.com/waitFor": "jsonpath={.status.state.phase}=Running",
            "pulumi.com/timeoutSeconds": str(JOB_WAIT_S),
        }
    return made


class TrainingJob(pulumi.ComponentResource):
    """Registers the script and the vcjob."""

    job: pulumi.Output[str]
    master: pulumi.Output[str]

    def __init__(self, name: str, args: TrainingJobArgs, opts: pulumi.ResourceOptions) -> None:
        super().__init__("raceway:workloads:TrainingJob", name, {}, opts)
        before: list[pulumi.Resource] = []
        for manifest in manifests(args):
            child = pulumi.ResourceOptions(parent=self, depends_on=list(before))
            if manifest["kind"] == "Job":
                replace = pulumi.ResourceOptions(replace_on_changes=["spec"], delete_before_replace=True)
                child = pulumi.ResourceOptions.merge(child, replace)
            label = f"{args.job.namespace}-{manifest['metadata']['name']}"
            before.append(KubernetesObject(label, manifest, child))
        self.job = pulumi.Output.from_input(names(args)["job"])
        self.master = pulumi.Output.from_input(names(args)["master"])
        self.register_outputs({"job": self.job, "master": self.master})
