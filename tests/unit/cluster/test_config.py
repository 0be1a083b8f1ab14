"""Stack configuration: every misfit is told with its key, before anything is called."""

from __future__ import annotations

from typing import Any

import pytest

from raceway.cluster.config import jobs_config, platform_config
from raceway.errors import RacewayError

JOB = {"name": "a", "namespace": "n", "queue": "q", "image": "x:1", "nodes": 2, "acceleratorsPerNode": 8}


def refusal(data: dict[str, Any]) -> str:
    with pytest.raises(RacewayError) as caught:
        platform_config(data)
    return caught.value.message()


def job_refusal(**changes: Any) -> str:
    with pytest.raises(RacewayError) as caught:
        jobs_config({"jobs": [{**JOB, **changes}]}, {})
    return caught.value.message()


def test_an_empty_stack_has_safe_defaults() -> None:
    config = platform_config({})
    assert config.volcano.mode == "external" and config.topology.source == "inventory"
    assert config.node_labels and not config.node_taints


def test_a_full_stack_is_read() -> None:
    config = platform_config(
        {
            "inventory": "x",
            "namespaces": [{"name": "a", "labels": {"x/y": 1.0}}],
            "priorities": [{"name": "p", "value": 5.0}],
            "queues": [{"name": "q", "capability": {"cpu": 8, "memory": "64Gi"}, "dequeueStrategy": "fifo"}],
            "scheduler": {"actions": ["allocate"], "tiers": [[{"name": "gang", "flags": {"enableJobOrder": False}}]]},
            "topology": {"source": "declared", "hypernodes": [{"name": "h", "tier": 1, "members": [{"exact": "n"}]}]},
        }
    )
    assert config.namespaces[0].labels == {"x/y": "1"} and config.priorities[0].value == 5
    assert config.queues[0].capability == {"cpu": "8", "memory": "64Gi"} and config.queues[0].dequeue_strategy == "fifo"
    assert config.scheduler is not None and config.scheduler.tiers[0][0].flags == {"enableJobOrder": False}
    assert config.topology.hypernodes[0].members[0].exact == "n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"quues": []}, "raceway-platform:quues: unknown key"),
        ({"queues": [{"name": "q", "wieght": 1}]}, "raceway-platform:queues[0].wieght: unknown key"),
        ({"queues": [{}]}, "raceway-platform:queues[0].name: absent; allowed: text; next: set it"),
        ({"queues": {"q": {}}}, "raceway-platform:queues: {'q': {}}; allowed: a list of maps"),
        ({"queues": ["q"]}, "raceway-platform:queues[0]: 'q'; allowed: a map"),
        ({"queues": [{"name": "q", "weight": "2"}]}, "queues[0].weight: '2'; allowed: a whole number"),
        ({"queues": [{"name": "q", "reclaimable": "no"}]}, "queues[0].reclaimable: 'no'; allowed: true or false"),
        (
            {"queues": [{"name": "q", "capability": {"cpu": "8 cores"}}]},
            "queues[0].capability.cpu: '8 cores' is not a quantity",
        ),
        ({"priorities": [{"name": "p"}]}, "priorities[0].value: absent"),
        ({"volcano": {"mode": "helm"}}, "volcano.mode: 'helm'; allowed: external, install"),
        ({"volcano": {"webhookUrl": "https://x"}}, "volcano: one of webhookUrl and webhookCaFile alone"),
        ({"topology": {"source": "declared"}}, "topology: source declared with 0 hypernodes"),
        (
            {"scheduler": {"actions": "allocate", "tiers": []}},
            "scheduler.actions: 'allocate'; allowed: a list of texts",
        ),
        ({"scheduler": {"actions": [], "tiers": [{}]}}, "scheduler.tiers: [{}]; allowed: a list of lists"),
        ({"nodeLabels": "yes"}, "raceway-platform:nodeLabels: 'yes'; allowed: true or false"),
        ({"namespaces": [{"name": "a", "labels": ["x"]}]}, "namespaces[0].labels: ['x']; allowed: a map of texts"),
    ],
)
def test_a_misfit_is_told_with_its_key(data: dict[str, Any], message: str) -> None:
    assert message in refusal(data)


def test_a_misspelt_key_is_answered_with_the_right_one() -> None:
    assert "did you mean queues?" in refusal({"quues": []})


def test_all_misfits_are_told_at_once() -> None:
    text = refusal({"quues": [], "volcano": {"mode": "x"}, "queues": [{}]})
    assert text.startswith("raceway-platform configuration: 3 problems")


def test_a_job_is_read_in_camel_case_and_gets_its_templates_script() -> None:
    (job,) = jobs_config(
        {"jobs": [{**JOB, "expect": "pending", "graceSeconds": 9, "env": {"A": 1}}]}, {"torchrun-fsdp": "pass"}
    )
    assert job.expect == "pending" and job.args.grace_seconds == 9
    assert job.args.env == {"A": "1"} and job.args.script == "pass"


def test_a_job_without_a_required_field_is_refused_by_key() -> None:
    with pytest.raises(RacewayError, match=r"raceway-workloads:jobs\[0\].queue: absent"):
        jobs_config({"jobs": [{key: value for key, value in JOB.items() if key != "queue"}]}, {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"node": 3}, "jobs[0].node: unknown key"),
        ({"nodes": "two"}, "jobs[0].nodes: 'two'; allowed: a whole number"),
        ({"image": "x:latest"}, "jobs[0] job a image: x:latest"),
        ({"template": "mpi"}, "jobs[0].template: 'mpi'"),
        ({"expect": "done"}, "jobs[0].expect: 'done'"),
        ({"scriptArgs": "--x"}, "jobs[0].scriptArgs: '--x'; allowed: a list of texts"),
    ],
)
def test_a_bad_job_is_told_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert message in job_refusal(**changes)
