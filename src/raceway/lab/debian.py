"""Makes a Debian root file system as a tar file with mmdebstrap: the base of node images and of container images.

The build runs in mount and process namespaces of its own, so that a kill at any moment leaves neither mounts nor
processes, only plain files in the work folder. It deliberately fetches no container image: there is nothing to trust
but Debian's own signatures.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from raceway.errors import RacewayError

from . import files, processes
from .progress import Steps

# Documents and translations that nobody reads in a lab.
LEFT_OUT = ("/usr/share/doc/*", "/usr/share/man/*", "/usr/share/locale/*", "/usr/share/info/*")


def command(suite: str, packages: Sequence[str], hooks: Sequence[str], output: str = "-") -> list[str]:
    """The mmdebstrap call. ``RACEWAY_LAB_MIRROR`` names another Debian mirror, for instance a snapshot."""
    mirror = os.environ.get("RACEWAY_LAB_MIRROR", "")
    return [
        "mmdebstrap",
        "--variant=minbase",
        "--mode=root",
        f"--include={','.join(packages)}",
        *[f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT],
        *[f"--customize-hook={hook}" for hook in hooks],
        suite,
        output,
        *([mirror] if mirror else []),
    ]


def build(call: Sequence[str], work: Path, log: Path, title: str, steps: Steps, lab_id: str) -> None:
    """Carry out ``call`` (made by ``command``) with ``work`` for its temporary files; show ``title`` meanwhile."""
    # `unshare --kill-child` ends everything inside when its parent goes.
    inner = ["unshare", "--mount", "--pid", "--fork", "--kill-child", *call]
    # With this date in every file the same packages give the same bytes.
    same = {"SOURCE_DATE_EPOCH": "0", "LC_ALL": "C.UTF-8"}
    environment = {**os.environ, "TMPDIR": str(work), processes.MARK: lab_id, **same}
    with steps.step(title) as detail, log.open("wb") as stream:
        code = processes.call(inner, environment, stream, lambda: detail(files.last_line(log)))
    if code:
        raise RacewayError(
            title.partition(":")[0],
            f"mmdebstrap ended with {code}: {files.last_line(log)}",
            act="check that Debian's mirror is reachable (RACEWAY_LAB_MIRROR names another) and run again",
            log=str(log),
        )
