"""Plans images: an archive is imported where one of its images is missing or another, a missing name is pulled.

It deliberately never pulls a tag again: which content a tag has is decided once, when it first comes.
"""

from __future__ import annotations

from typing import List, Set, Union

from ..facts.kube_images import Archive, KubeImagesFacts
from ..model.kube_images import KubeImagesDesired
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, sort

Outcome = Union[Step, Noop, Refusal]
UNDO = "give it up: the images are removed with the runtime"


def plan(desired: KubeImagesDesired, facts: KubeImagesFacts) -> Plan:
    """Return what brings the declared images onto the node."""
    rows: List[Outcome] = []
    brought: Set[str] = set()
    for path in desired.archives:
        archive = facts.archives.get(path, Archive(problem="is not there"))
        brought |= set(archive.images)
        rows.append(_archive(path, archive, desired, facts))
    for name in desired.pulls:
        rows.append(_pull(name, desired, facts))
    there = brought | set(facts.images) | set(desired.pulls)
    for name in desired.needed:
        if name not in there:
            act = "add an archive that holds it to kubernetes_image_archives, or set another kubernetes_images_source"
            rows.append(Refusal(name, "no archive brings it, and no pod of the cluster starts without it", act))
    return sort(rows)


def _archive(path: str, archive: Archive, desired: KubeImagesDesired, facts: KubeImagesFacts) -> Outcome:
    if archive.problem:
        act = "put an uncompressed archive of images there (docker save, ctr images export), or correct the path"
        return Refusal(path, archive.problem, act)
    lacking = [name for name in archive.images if name not in facts.images]
    others = [name for name, config in archive.images.items() if _other(config, facts.images.get(name))]
    if not lacking and not others:
        return Noop(path, f"all of its images are there ({len(archive.images)})")
    why = f"missing: {', '.join(lacking)}" if lacking else ""
    why += ("; " if why and others else "") + (f"another content: {', '.join(others)}" if others else "")
    args = {"path": path, "images": dict(archive.images), "new": [name for name in lacking if name not in facts.owned]}
    args.update(root=desired.root, snapshotter=desired.snapshotter)
    return Step(
        "kube_image_import", path, f"import {path}", why, SAFE, UNDO, after=", ".join(archive.images), args=args
    )


def _other(config: str, found: Union[str, None]) -> bool:
    # An index of several platforms tells no configuration: there the name has to do.
    return bool(config and found and config != found)


def _pull(name: str, desired: KubeImagesDesired, facts: KubeImagesFacts) -> Outcome:
    if name in facts.images:
        return Noop(name, "is there")
    args = {"name": name, "snapshotter": desired.snapshotter}
    return Step("kube_image_pull", name, f"pull {name}", "declared for this node", SAFE, UNDO, after=name, args=args)
