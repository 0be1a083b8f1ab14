"""Enables, mounts, remounts and takes back mounts, and reads the kernel's table after each.

It deliberately takes a mount back in one go: a busy one stays mounted, enabled and with its unit file.
"""

from __future__ import annotations

from typing import Sequence

from ..model.mount import UNIT_FOLDER, escape
from ..model.mount_options import compare, for_remount
from ..model.plan import Step
from ..probe.mount import BOOK, FILE_BOOK, mounted
from . import file
from .outcome import Applying, Refused
from .unit import journal_words

MOUNT_TIMEOUT_S = 120.0  # systemd gives a mount 90 s


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record how each path was before the first file, link or mount of it changes."""
    file.prepare(run, [step for step in steps if step.type == "file"])
    new = [step for step in steps if step.type != "mount_remove"]
    run.ledger.remember_all(BOOK, {step.args["mount"]: step.args["original"] for step in reversed(new)})


def enable(run: Applying, step: Step) -> None:
    """Make the unit come up at boot."""
    done = run.host.run(["systemctl", "enable", "--no-reload", "--", step.args["unit"]])
    if done.rc:
        raise Refused(f"systemctl enable: {(done.err or done.out).strip() or f'it ended with {done.rc}'}")
    run.want_reload()


def start(run: Applying, step: Step) -> None:
    """Mount now, through the unit, and see it in the kernel's table."""
    path, unit = step.args["mount"], step.args["unit"]
    run.settle()
    done = run.host.run(["systemctl", "start", "--", unit], MOUNT_TIMEOUT_S)
    if mounted(run.host, path):
        return
    words = journal_words(run, unit) or (done.err or done.out).strip() or "it left no word"
    raise Refused(f"{path} is not mounted after systemctl start {unit}: {words}")


def remount(run: Applying, step: Step) -> None:
    """Change the options of a mount in place and compare again what the kernel shows."""
    path = step.args["mount"]
    done = run.host.run(["mount", "-o", step.args["options"], "--", path], MOUNT_TIMEOUT_S)
    if done.rc:
        raise Refused(f"mount -o {step.args['options']}: {(done.err or done.out).strip()}")
    now = mounted(run.host, path)
    left = compare(step.args["fstype"], step.args["declared"], now.options if now else ()).differences
    if left:
        raise Refused(f"the kernel kept {', '.join(found for _, found in left)}")


def remove(run: Applying, step: Step) -> None:
    """Unmount if raceway mounted it, then drop the link, the unit file and the folders that raceway made."""
    path, original = step.args["mount"], step.args["original"]
    unit = escape(path) + ".mount"
    if step.args["unmount"]:
        _unmount(run, path, unit)
    if not original.get("enabled"):
        run.host.run(["systemctl", "disable", "--no-reload", "--", unit])
        run.want_reload()
    file.give_back(run, UNIT_FOLDER + unit, FILE_BOOK)
    run.host.run(["systemctl", "reset-failed", "--", unit])  # a former failure must not outlive the unit
    now = mounted(run.host, path)
    if now and original.get("options") and set(original["options"].split(",")) != set(now.options):
        options = for_remount(original["options"].split(","), now.options)
        run.host.run(["mount", "-o", options, "--", path], MOUNT_TIMEOUT_S)
    for folder in original.get("folders", ()):
        run.host.rmdir(folder)
    run.ledger.forget(BOOK, path)


def _unmount(run: Applying, path: str, unit: str) -> None:
    run.settle()
    done = run.host.run(["systemctl", "stop", "--", unit], MOUNT_TIMEOUT_S)
    if not mounted(run.host, path):
        return
    again = run.host.run(["umount", "--", path], MOUNT_TIMEOUT_S)
    if mounted(run.host, path):
        raise Refused(f"{path} stays mounted: {(again.err or done.err or 'it is in use').strip()}")


HANDLERS = {"mount_enable": enable, "mount_start": start, "mount_remount": remount, "mount_remove": remove}
