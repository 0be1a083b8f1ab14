"""What one node's answer means for Ansible: changed, failed, diff, and the few words people read.

Pure: the node program's answer in, an Ansible task result out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Answer = Mapping[str, Any]


def task_result(answer: Answer, mode: str, check: bool, refusals: str) -> dict[str, Any]:
    """Return the result of one node task.

    ``mode``: plan, apply or verify as the task asked for it; ``check``: Ansible's check mode, in which apply only
    plans. ``refusals``: ``fail`` or ``report``.
    """
    roles = {name: _role(plan) for name, plan in answer["roles"].items()}
    steps = [step for plan in roles.values() for step in plan["steps"]]
    refused = [*answer["refused"], *_refusals(roles)]
    result: dict[str, Any] = {
        "roles": roles,
        "pending": [name for name, plan in roles.items() if plan["steps"]],
        "applied": answer["applied"],
        "refused": refused,
        "remaining": answer["remaining"],
        "reboots": answer["reboots"],
        "changed": bool(answer["applied"]) or (mode == "apply" and check and bool(steps)),
        "diff": [_diff(step) for step in steps] if mode == "apply" else [],
    }
    problems = _problems(result, mode, check, refusals, steps)
    if problems:
        result.update(failed=True, msg=problems)
    return result


def _role(plan: Mapping[str, Any]) -> dict[str, Any]:
    return {**plan, "types": sorted({step["type"] for step in plan["steps"]})}


def _refusals(roles: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"role": name, **row} for name, plan in roles.items() for row in plan["refusals"]]


def _diff(step: Mapping[str, Any]) -> dict[str, str]:
    return {
        "before_header": f"{step['target']} (now)",
        "after_header": f"{step['target']} ({step['risk']}: {step['why']}; undo: {step['undo']})",
        "before": _line(step["before"]),
        "after": _line(step["after"]),
    }


def _line(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def _problems(
    result: Mapping[str, Any], mode: str, check: bool, refusals: str, steps: Sequence[Mapping[str, Any]]
) -> str:
    rows = [f"{row['role']}: {row['what']} is planned again after it was done" for row in result["remaining"]]
    if mode == "verify" and not check:
        rows += [
            f"{step['target']}: is {step['before'] or 'absent'!r}, declared {_short(step['after'])}" for step in steps
        ]
    if refusals == "fail" and mode != "plan":
        rows += [f"{row['role']}: {row['target']}: {row['reason']}; next: {row['act']}" for row in result["refused"]]
    return "\n".join(rows)


def _short(text: str) -> str:
    first = text.splitlines()[0] if text else "absent"
    return repr(first if len(text.splitlines()) < 2 else f"{first} …")
