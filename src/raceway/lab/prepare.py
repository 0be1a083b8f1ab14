"""``raceway lab prepare``: what a bare host needs once, before any lab: its packages and the node image.

It deliberately makes no lab and no network, and is quick when nothing is missing.
"""

from __future__ import annotations

from raceway.paths import cache_dir

from . import files, image, requirements
from .podman import Podman
from .progress import Steps


def prepare(steps: Steps) -> str:
    """Install missing host packages, build the node image if it is not there; return the image's name."""
    work = files.folder(cache_dir() / "lab-image")
    requirements.check(True, steps, work / "install.log")
    return image.ensure(Podman(work), steps, "prepare")
