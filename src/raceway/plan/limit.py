"""Plans resource limits twice, for logins through PAM and for units through systemd, because neither reads the other.

In force means what the running manager shows, not what a file says. It deliberately restarts no service: one
that runs keeps the limits it started with, and the step says so.
"""

from __future__ import annotations

from typing import List, Mapping, Optional, Sequence, Union

from ..facts.limit import LimitFacts, LimitLine, ManagerLine
from ..model.limit import ITEMS, UNLIMITED, Limit, LimitDesired, amount, at_least, setting_of, systemd_value
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, join, sort
from .dropin import plan_file, render

RUNNING_KEEP = "services that already run keep their old limits until they are restarted"
_Outcome = Union[Step, Noop, Refusal]


def plan(desired: LimitDesired, facts: LimitFacts) -> Plan:
    """Return what makes the declared limits hold for new logins and new starts of units."""
    refused = [refusal for limit in desired.limits for refusal in [_impossible(limit, desired, facts)] if refusal]
    names = {refusal.target for refusal in refused}
    kept = [limit for limit in desired.limits if limit.item not in names]
    pam = render("kernel", [line for limit in kept if not _locks_out(limit, facts) for line in _pam(limit)])
    units = render("kernel", _manager(kept) if facts.manager is not None else [])
    return join(
        [
            plan_file(desired.limits_file, pam, facts.limits_file, "logins take their limits from PAM's files"),
            plan_file(desired.manager_file, units, facts.manager_file, "units take no limits from PAM's files"),
            sort([*refused, *(_bound(limit, facts) for limit in kept if _above(limit, facts))]),
            _in_force(kept, facts),
            sort([row for limit in kept for row in _conflicts(limit, desired, facts)]),
        ]
    )


def _impossible(limit: Limit, desired: LimitDesired, facts: LimitFacts) -> Optional[Refusal]:
    if limit.item not in ITEMS:
        return Refusal(limit.item, "no limit that raceway manages", f"declare one of {', '.join(sorted(ITEMS))}")
    if limit.value != UNLIMITED and not limit.value.isdigit():
        act = f"give kernel_limits {limit.item} a whole number or unlimited"
        return Refusal(limit.item, f"{limit.value!r} is neither a whole number nor unlimited", act)
    if _above(limit, facts) and desired.platform != "container":
        return Refusal(limit.item, _bound(limit, facts).reason, "set node_platform: container, if this is one")
    if limit.item == "nofile" and amount(systemd_value(limit)) > (facts.nr_open or 2**20):
        # setrlimit(2) above fs.nr_open fails, and with it PAM's session: nobody could log in any more.
        bound = facts.nr_open or 2**20
        return Refusal(
            limit.item,
            f"{limit.value} is above fs.nr_open = {bound}: every login would fail",
            f"declare nofile {bound}, or raise fs.nr_open in kernel_sysctl first",
        )
    return None


def _above(limit: Limit, facts: LimitFacts) -> bool:
    """Tell whether init itself is held below a limit: it then gives units its own, whatever the manager shows."""
    return limit.item in facts.bounds and not at_least(facts.bounds[limit.item], systemd_value(limit))


def _bound(limit: Limit, facts: LimitFacts) -> Noop:
    bound = facts.bounds[limit.item]
    return Noop(
        limit.item, f"init may not exceed {bound} here and has no CAP_SYS_RESOURCE: nothing gets more than that"
    )


def _locks_out(limit: Limit, facts: LimitFacts) -> bool:
    return facts.strict_pam and _above(limit, facts)


def _pam(limit: Limit) -> List[str]:
    # The wildcard never covers root (limits.conf(5)), so root has its own line.
    asked = ", ".join(limit.asked_by)
    rows = [f"{domain} - {limit.item} {limit.value}" for domain in ("*", "root")]
    return [*([f"# asked for by {asked}"] if asked else []), *rows]


def _manager(limits: Sequence[Limit]) -> List[str]:
    return ["[Manager]", *(f"{setting_of(limit.item)}={systemd_value(limit)}" for limit in limits)] if limits else []


def _in_force(limits: Sequence[Limit], facts: LimitFacts) -> Plan:
    """Return one step for everything the running manager does not show yet, given-up settings included."""
    manager = facts.manager
    if manager is None:
        reason = "no systemd runs here: PAM's file is all there is"
        return Plan(noops=tuple(Noop(limit.item, reason) for limit in limits))
    wrong = [limit for limit in limits if not _shown(limit, manager)]
    right = [limit for limit in limits if limit not in wrong]
    noops = [Noop(setting_of(limit.item), f"new units get {systemd_value(limit)} already") for limit in right]
    declared = {setting_of(limit.item) for limit in limits}
    forget = [setting for setting in sorted(facts.owned) if setting not in declared]
    if not wrong and not forget:
        return Plan(noops=tuple(noops))
    return Plan((_reexec(wrong, forget, facts),), tuple(noops))


def _reexec(wrong: Sequence[Limit], forget: Sequence[str], facts: LimitFacts) -> Step:
    manager = facts.manager or {}
    expect = {setting_of(limit.item): systemd_value(limit) for limit in wrong}
    before = {setting: manager.get(setting, "") for setting in expect}
    asked = sorted({asker for limit in wrong for asker in limit.asked_by}) or ["kernel_limits"]
    why = f"asked for by {', '.join(asked)}" if wrong else "the limits are no longer declared"
    names = ", ".join([*expect, *forget])
    return Step(
        "limit",
        "systemd manager",
        f"re-execute the manager so that {names} {'take effect' if wrong else 'are its own again'}",
        f"{why}; {RUNNING_KEEP}",
        SAFE,
        "remove the declaration; the manager is re-executed again",
        " ".join(f"{key}={value}" for key, value in before.items()),
        " ".join(f"{key}={value}" for key, value in expect.items()),
        {"expect": expect, "before": before, "forget": list(forget)},
    )


def _shown(limit: Limit, manager: Mapping[str, str]) -> bool:
    setting, wanted = setting_of(limit.item), amount(systemd_value(limit))
    # A manager too old to show the soft limit shows one value for both.
    return all(amount(manager.get(name, manager.get(setting, ""))) == wanted for name in (setting, f"{setting}Soft"))


def _conflicts(limit: Limit, desired: LimitDesired, facts: LimitFacts) -> List[_Outcome]:
    rows: List[_Outcome] = [_pam_conflict(limit, row) for row in facts.lines if _outranks(row, limit, desired)]
    rows += [Noop(limit.item, _exception(row)) for row in facts.lines if _for_others(row, limit)]
    later = _later(facts.manager_lines, setting_of(limit.item), desired.manager_file)
    if later and amount(later.value) != amount(systemd_value(limit)):
        rows.append(_manager_conflict(limit, later))
    rows += [_unit(limit, row) for row in facts.unit_lines if row.key == f"Limit{ITEMS[limit.item][0]}"]
    return rows


def _outranks(row: LimitLine, limit: Limit, desired: LimitDesired) -> bool:
    """Tell whether a line for everyone is read after ours and says something else (the last one counts)."""
    same = row.item == limit.item and row.domain in ("*", "root")
    later = row.file.startswith(desired.limits_file.rsplit("/", 1)[0] + "/") and row.file > desired.limits_file
    return same and later and _pam_value(row.value) != limit.value


def _pam_value(value: str) -> str:
    return UNLIMITED if value in ("-1", "infinity") else value


def _pam_conflict(limit: Limit, row: LimitLine) -> Refusal:
    return Refusal(
        limit.item,
        f"{row.file}:{row.line} gives {row.domain} {row.kind} {limit.item} {row.value} and is read after ours",
        f"remove that line, or declare {limit.item}: {row.value} in kernel_limits",
    )


def _for_others(row: LimitLine, limit: Limit) -> bool:
    return row.item == limit.item and row.domain not in ("*", "root") and _pam_value(row.value) != limit.value


def _exception(row: LimitLine) -> str:
    return f"{row.domain} keeps {row.value}: {row.file}:{row.line} names it, which outranks the line for everyone"


def _later(rows: Sequence[ManagerLine], setting: str, ours: str) -> Optional[ManagerLine]:
    """Return the line that wins over our drop-in: the last one in a file whose name sorts after ours."""
    name = ours.rsplit("/", 1)[1]
    found = [r for r in rows if r.key == setting and ".conf.d/" in r.file and r.file.rsplit("/", 1)[1] > name]
    return found[-1] if found else None


def _manager_conflict(limit: Limit, row: ManagerLine) -> Refusal:
    return Refusal(
        limit.item,
        f"{row.file}:{row.line} sets {row.key}={row.value} and is read after ours",
        f"remove that line, or declare the same {limit.item} in kernel_limits",
    )


def _unit(limit: Limit, row: ManagerLine) -> Union[Noop, Refusal]:
    """A unit's own line outranks the manager's default: fine where it allows as much, else jobs get too little."""
    if at_least(row.value, systemd_value(limit)):
        return Noop(row.unit, f"has its own {row.key}={row.value}, which allows as much ({row.file}:{row.line})")
    return Refusal(
        row.unit,
        f"{row.file}:{row.line} sets {row.key}={row.value}, below the declared {systemd_value(limit)}",
        f"remove that line, or set {row.key}={systemd_value(limit)} in a drop-in of {row.unit}",
    )
