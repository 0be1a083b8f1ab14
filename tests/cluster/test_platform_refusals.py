"""What a stack refuses before the first call to the API, with one message and no traceback.

One mistake of each kind: key, number, combination, path. The others are shown by tests/unit/cluster/.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from raceway.errors import RacewayError
from raceway.stack import destroy, up

from .platform_lab import PlatformLab, make_machines, shared

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def lab() -> Iterator[PlatformLab]:
    made = shared()
    made.up(make_machines(2))
    yield made
    destroy(made.project("platform"), show=False)


@pytest.fixture(scope="module")
def before(lab: PlatformLab) -> dict[str, str]:
    return lab.objects()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"quues": []}, "raceway-platform:quues: unknown key"),
        ({"queues": [{"name": "a", "deserved": {"nvidia.com/gpu": "17"}}]}, "at most 16 (cluster)"),
        ({"scheduler": {"actions": ["allocate"], "tiers": [[{"name": "capacity"}]]}}, "capacity without reclaim"),
        ({"inventory": "/nowhere"}, "raceway-platform:inventory: /nowhere does not exist"),
    ],
)
def test_a_bad_stack_changes_nothing_and_names_the_key(
    lab: PlatformLab, before: dict[str, str], settings: dict[str, Any], told: str
) -> None:
    with pytest.raises(RacewayError) as caught:
        up(lab.project("platform", **settings), show=False)
    text = caught.value.message()
    assert told in text and "Traceback" not in text and "log:" in text
    assert lab.objects() == before


def test_an_unreachable_cluster_is_one_message(lab: PlatformLab, tmp_path: Path) -> None:
    broken = tmp_path / "kubeconfig"
    broken.write_text(lab.lab.kubeconfig.read_text().replace(f":{lab.lab.record.ports['kube-apiserver']}", ":1"))
    with pytest.raises(RacewayError, match=r"pulumi up of raceway-platform/lab: .*unreachable|.*refused"):
        up(dataclasses.replace(lab.project("platform"), kubeconfig=broken, state=tmp_path / "state"), show=False)
