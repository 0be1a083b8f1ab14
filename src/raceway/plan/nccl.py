"""Plans the file a collective library reads at its start, from the declaration and the RDMA ports of the node.

A declaration that does not fit the node leaves the file as it is and is refused whole: half an environment would run,
slower. It deliberately reads no user's files but the administrator's: those of others are theirs.
"""

from __future__ import annotations

from typing import List, Union

from ..facts.nccl import NcclFacts, parse_conf
from ..model.nccl import LIBRARIES, Declaration, NcclDesired, Pin
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, join, sort
from .dropin import BOOK, plan_file, render
from .nccl_checks import lint
from .nccl_environment import Environment, environment
from .nccl_fabric import on_node

_Outcome = Union[Step, Noop, Refusal]
INSTALL = {"apt": "apt-get install {}={}", "dnf": "dnf install {}-{}", "zypper": "zypper install {}={}"}


def plan(desired: NcclDesired, facts: NcclFacts) -> Plan:
    """Return what makes the library's file so, what was found out on the way, and what is given back."""
    declaration = desired.declaration
    if declaration is None:
        return sort(_give_back(facts, ""))
    made = environment(declaration, facts.ports)
    refused, notes = on_node(declaration, facts)
    refusals = [*made.refusals, *_topology(declaration, facts), *refused]
    rows: List[_Outcome] = [*made.notes, *notes, *[_pin(pin, facts) for pin in desired.pins if pin.version]]
    if refusals:
        return sort([*refusals, *rows])
    conf = LIBRARIES[declaration.kind].conf
    wanted = text(made) if conf else ""
    rows += _give_back(facts, conf if wanted else "")
    return join([_file(conf, wanted, made, facts), sort(rows)])


def text(made: Environment) -> str:
    """Return the file: a reason above each variable, because a comment beside one would be part of its value."""
    lines = []
    for one in made.variables:
        lines += [f"# {one.why} ({one.source})", f"{one.name}={one.value}"]
    return render("nccl", lines)


def _file(conf: str, wanted: str, made: Environment, facts: NcclFacts) -> Plan:
    if not conf:
        return Plan(noops=(Noop("HCCL", "reads the process environment alone: job templates carry it, no file does"),))
    if not wanted:
        return Plan(noops=(Noop(conf, "nothing is to be set"),))
    step = plan_file(conf, wanted, facts.files.get(conf), "every process that loads the library reads it")
    return join([step, sort([*_foreign(conf, made, facts), *_outranked(conf, made, facts)])])


def _foreign(conf: str, made: Environment, facts: NcclFacts) -> List[_Outcome]:
    """Tell what somebody else's file held, before it is replaced; raceway keeps it and gives it back."""
    if conf in facts.owned or conf not in facts.files:
        return []
    there, ours = parse_conf(facts.files[conf]), made.values()
    hint = "a variable left behind has broken later jobs (NVIDIA/nccl#1240); declare it in nccl_environment to keep it"
    gone: List[_Outcome] = [
        Noop(name, f"{conf} sets it to {value!r}, nobody declares it, so it goes: {hint}")
        for name, value in there.items()
        if name not in ours
    ]
    return [*gone, *lint(there, facts.ports)]


def _outranked(conf: str, made: Environment, facts: NcclFacts) -> List[_Outcome]:
    home = f"/root/.{conf.rpartition('/')[2]}"
    there, ours = parse_conf(facts.files.get(home, "")), made.values()
    return [
        Refusal(name, f"{home} sets {value!r} and is read first, {ours[name]!r} is declared", f"remove it from {home}")
        for name, value in there.items()
        if ours.get(name, value) != value
    ]


def _topology(declaration: Declaration, facts: NcclFacts) -> List[Refusal]:
    path = declaration.topology_file
    if not path or facts.topology or not path.startswith("/"):
        return []
    return [Refusal("topology_file", f"{path} is not there", "put the file on the node, or take it out")]


def _pin(pin: Pin, facts: NcclFacts) -> _Outcome:
    found = facts.versions.get(pin.name, "")
    if not found:
        return Noop(pin.name, f"is not installed yet: {pin.version} is checked once it is")
    # A pin may leave out the package's revision: 2.27.5 is met by 2.27.5-1+cuda12.9.
    if found == pin.version or found.startswith((f"{pin.version}-", f"{pin.version}+", f"{pin.version}~")):
        return Noop(pin.name, f"{found} is installed, as pinned")
    command = INSTALL.get(facts.manager, "install {} {}").format(pin.name, pin.version)
    reason = f"{found} is installed, {pin.version} is pinned"
    return Refusal(pin.name, reason, f"{command}, or correct the pin in nccl_packages")


def _give_back(facts: NcclFacts, keep: str) -> List[_Outcome]:
    """Restore files of ours that are no longer declared: of all libraries but the one whose file is ``keep``."""
    rows: List[_Outcome] = []
    for path in sorted(facts.owned):
        if path != keep:
            args, why = {"path": path, "book": BOOK}, "no library is declared that reads it"
            original = facts.owned[path]
            was = isinstance(original, dict) and original.get("content") is not None
            what = f"give {path} back what stood there before raceway" if was else f"remove {path}"
            undo = "declare the library again"
            before = facts.files.get(path, "")
            rows.append(Step("file_restore", path, what, why, SAFE, undo, before, "", args))
    return rows
