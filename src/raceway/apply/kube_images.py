"""Imports archives, pulls names and removes images through containerd, and reads back what it then has."""

from __future__ import annotations

from typing import Sequence

from ..facts.kube_images import parse_list
from ..model.containerd import CERTS
from ..model.plan import Step
from ..probe.containerd import IMAGE_BOOK
from ..probe.kube_images import CTR, configs
from .outcome import Applying, Refused

IMPORT_TIMEOUT_S = 1800.0  # tens of gigabytes from a slow disk
PULL_TIMEOUT_S = 3600.0  # a training image over a slow mirror
PINNED = "io.cri-containerd.pinned=pinned"


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record which names come with raceway, before the first one does."""
    names = [name for step in steps if step.type == "kube_image_import" for name in step.args["new"]]
    names += [step.args["name"] for step in steps if step.type == "kube_image_pull"]
    run.ledger.remember_all(IMAGE_BOOK, dict.fromkeys(names, "not there"))


def load(run: Applying, step: Step) -> None:
    """Import an archive, keep its images from the kubelet's clean-up (nobody could pull them again), and read back."""
    path, images = step.args["path"], step.args["images"]
    argv = [*CTR, "images", "import", "--snapshotter", step.args["snapshotter"], path]
    done = run.host.run(argv, IMPORT_TIMEOUT_S)
    found = configs(run.host, step.args["root"], parse_list(run.host.run([*CTR, "images", "ls"]).out))
    wrong = [
        name for name, config in images.items() if name not in found or (config and found[name] not in ("", config))
    ]
    if wrong:
        said = (done.err or done.out).strip().splitlines() or ["ctr said nothing"]
        raise Refused(f"{', '.join(wrong)} not there after the import of {path}: {said[-1]}")
    for name in images:
        run.host.run([*CTR, "images", "label", name, PINNED])


def pull(run: Applying, step: Step) -> None:
    """Pull a name by the declared mirrors."""
    name = step.args["name"]
    argv = [*CTR, "images", "pull", "--snapshotter", step.args["snapshotter"], "--hosts-dir", CERTS, name]
    done = run.host.run(argv, PULL_TIMEOUT_S)
    if name not in parse_list(run.host.run([*CTR, "images", "ls"]).out):
        run.ledger.forget(IMAGE_BOOK, name)
        said = (done.err or done.out).strip().splitlines() or ["ctr said nothing"]
        raise Refused(f"{name} cannot be pulled: {said[-1]}")


def remove(run: Applying, step: Step) -> None:
    """Remove images that came with raceway; containers that run from one go on."""
    names = step.args["names"]
    done = run.host.run([*CTR, "images", "rm", *names], IMPORT_TIMEOUT_S)
    there = parse_list(run.host.run([*CTR, "images", "ls"]).out)
    left = [name for name in names if name in there]
    run.ledger.forget_all(IMAGE_BOOK, [name for name in names if name not in left])
    if left:
        raise Refused(f"{', '.join(left)} still there: {(done.err or done.out).strip()}")


HANDLERS = {"kube_image_import": load, "kube_image_pull": pull, "kube_image_remove": remove}
