"""Carries out the rdma plan: each step sets one thing, reads it back and refuses where the kernel shows another.

It deliberately loads no driver anew: what needs that is told as a reason for a reboot, and a card is reset only by its
vendor's tool and only with consent.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Sequence

from ..facts.rdma_memlock import UNLIMITED, parse_soft
from ..facts.rdma_system import parse as parse_system
from ..model.plan import Step
from ..probe.rdma_memlock import main_pid
from . import rdma_card, rdma_ipoib
from .outcome import Applying, Refused
from .rdma_tool import tool

NOUN = "rdma"
CLASS = "/sys/class/infiniband"
PEERMEM = "/sys/module/nvidia_peermem"
OPENSM = "opensm.service"
SERVICE_TIMEOUT_S = 90.0


def prepare(run: Applying, steps: Sequence[Step]) -> None:
    """Record what each thing was before the first one changes."""
    originals: Dict[str, Any] = {}
    for step in steps:
        originals.update(step.args.get("originals", {}))
        if "before" in step.args:
            originals[step.args["key"]] = step.args["before"]
    run.ledger.remember_all(NOUN, originals)


def rename(run: Applying, step: Step) -> None:
    """Give a device its name, and see it in sysfs."""
    _rename(run, step.args["old"], step.args["new"])


def _rename(run: Applying, old: str, new: str) -> None:
    tool(run, "rdma", "dev", "set", old, "name", new)
    if not run.host.exists(f"{CLASS}/{new}"):
        raise Refused(f"rdma accepted the name, but {CLASS}/{new} is not there")


def set_netns(run: Applying, step: Step) -> None:
    """Set the namespace mode, unless the modules came up with it, and read it back."""
    _netns(run, step.args["mode"])


def _netns(run: Applying, mode: str) -> None:
    if _mode(run) == mode:
        return
    tool(run, "rdma", "system", "set", "netns", mode)
    found = _mode(run)
    if found != mode:
        raise Refused(f"the kernel accepted {mode}, but shows {found or 'no mode'} afterwards")


def _mode(run: Applying) -> str:
    done = run.host.run(["rdma", "-j", "system", "show"])
    if done.rc:
        reason = done.err.strip() or f"exit status {done.rc}"
        raise Refused(f"rdma system show: {reason}; is the role kernel enabled, which loads the modules?")
    return parse_system(done.out).netns


def set_memlock(run: Applying, step: Step) -> None:
    """Raise the limit of a unit's main process as it runs, and read it back from the process."""
    run.settle()
    unit, pid = step.args["unit"], step.args["pid"]
    if main_pid(run.host, unit) != pid:
        return  # started anew in between: with the drop-in
    tool(run, "prlimit", f"--pid={pid}", f"--memlock={UNLIMITED}:{UNLIMITED}")
    found = parse_soft(run.host.read(f"/proc/{pid}/limits") or "")
    if found != UNLIMITED:
        raise Refused(f"process {pid} of {unit} may lock {found or 'nobody knows how many'} bytes afterwards")


def load_peermem(run: Applying, step: Step) -> None:
    """Load nvidia_peermem and see it in /sys."""
    del step
    tool(run, "modprobe", "nvidia_peermem")
    if not run.host.exists(PEERMEM):
        raise Refused(f"modprobe ended well, but {PEERMEM} is not there")


def run_opensm(run: Applying, step: Step) -> None:
    """Enable and start (or restart) opensm, and see that it runs."""
    run.settle()
    tool(run, "systemctl", "enable", OPENSM)
    tool(run, "systemctl", "restart" if step.args["restart"] else "start", OPENSM, timeout=SERVICE_TIMEOUT_S)
    state = run.host.run(["systemctl", "is-active", OPENSM]).out.strip()
    if state != "active":
        raise Refused(f"{OPENSM} is {state or 'unknown'} after it was started; see journalctl -u opensm")


def restore(run: Applying, step: Step) -> None:
    """Give one thing back as it was found, and forget it."""
    kind = step.args["key"].partition(" ")[0]
    RESTORING[kind](run, step.args)
    run.ledger.forget(NOUN, step.args["key"])


def forget(run: Applying, step: Step) -> None:
    """Drop the record of a thing that is gone."""
    run.ledger.forget(NOUN, step.args["key"])


def _name_back(run: Applying, args: Any) -> None:
    if args["device"] != args["original"]:
        _rename(run, args["device"], args["original"])


def _netns_back(run: Applying, args: Any) -> None:
    _netns(run, args["original"])


def _peermem_back(run: Applying, args: Any) -> None:
    del args
    tool(run, "rmmod", "nvidia_peermem")


def _opensm_back(run: Applying, args: Any) -> None:
    was = args["original"]
    if not was["enabled"]:
        tool(run, "systemctl", "disable", OPENSM)
    tool(run, "systemctl", "restart" if was["active"] else "stop", OPENSM, timeout=SERVICE_TIMEOUT_S)


RESTORING: Dict[str, Callable[[Applying, Any], None]] = {
    "name": _name_back,
    "netns": _netns_back,
    "firmware": rdma_card.firmware_back,
    "read_request": rdma_card.read_request_back,
    "acs": rdma_card.acs_back,
    "gpudirect": _peermem_back,
    "opensm": _opensm_back,
    "ipoib": rdma_ipoib.back,
}
HANDLERS = {
    "rdma_name": rename,
    "rdma_netns": set_netns,
    "rdma_memlock": set_memlock,
    "rdma_firmware": rdma_card.write_firmware,
    "rdma_reset": rdma_card.reset,
    "rdma_read_request": rdma_card.set_read_request,
    "rdma_acs": rdma_card.set_acs,
    "rdma_peermem": load_peermem,
    "rdma_opensm": run_opensm,
    "rdma_ipoib": rdma_ipoib.make,
    "rdma_restore": restore,
    "rdma_forget": forget,
}
