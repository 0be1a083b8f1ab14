"""What systemd says about units, from one ``systemctl show`` of them all, and what their own files hold.

The output is one block of ``Key=value`` lines a unit, blocks separated by an empty line::

    Id=chrony.service
    LoadState=loaded
    ActiveState=active
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple

PROPERTIES = (
    *("Id", "Names", "LoadState", "ActiveState", "SubState", "UnitFileState", "NeedDaemonReload", "Type"),
    *("RemainAfterExit", "InvocationID", "ConditionResult", "ConditionTimestampMonotonic"),
)
_NO_CAUSE = ("Failed with result", "Scheduled restart job", "Deactivated successfully")


@dataclass(frozen=True)
class UnitState:
    """One unit as systemd shows it. ``id``: its name where it was asked by an alias.

    ``skipped``: it was last left out because its own conditions did not hold.
    """

    id: str = ""
    load: str = "not-found"
    active: str = "inactive"
    sub: str = ""
    file_state: str = ""
    need_reload: bool = False
    type: str = ""
    remains: bool = False
    invocation: str = ""
    skipped: bool = False

    @property
    def running(self) -> bool:
        """True while the unit is up or coming up; one that systemd keeps restarting is not."""
        return self.active in ("active", "reloading") or (self.active == "activating" and self.sub != "auto-restart")


@dataclass(frozen=True)
class OwnFile:
    """What stands at /etc/systemd/system/NAME: text, or where a link there points.

    ``vendor``: the distribution has a unit of this name as well, which ours overrides.
    """

    content: Optional[str] = None
    link: Optional[str] = None
    vendor: bool = False


@dataclass(frozen=True)
class UnitFacts:
    """States and own files by unit name; originals and restarts still owed from the ledger.

    ``problem``: why systemd did not answer. ``missing_packages``: declared packages that are not installed yet.
    """

    states: Mapping[str, UnitState] = field(default_factory=dict)
    files: Mapping[str, OwnFile] = field(default_factory=dict)
    owned_enabled: Mapping[str, str] = field(default_factory=dict)
    owned_active: Mapping[str, str] = field(default_factory=dict)
    owned_files: Mapping[str, Any] = field(default_factory=dict)
    pending: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    missing_packages: Tuple[str, ...] = ()

    def state(self, name: str) -> UnitState:
        """Return what systemd shows of a unit; of one it did not mention, that there is none."""
        return self.states.get(name, UnitState())

    def file(self, name: str) -> OwnFile:
        """Return what stands in the administrator's folder."""
        return self.files.get(name, OwnFile())


def parse_show(text: str, names: Iterable[str]) -> Dict[str, UnitState]:
    """Return the state of each asked unit; an alias gets the state of the unit it stands for."""
    states: Dict[str, UnitState] = {}
    for block in text.strip().split("\n\n"):
        row = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        for name in row.get("Names", row.get("Id", "")).split():
            states[name] = _state(row)
    return {name: states[name] for name in names if name in states}


def _state(row: Mapping[str, str]) -> UnitState:
    # ConditionResult is "no" for a unit never started, too: only the time stamp tells a condition that was tested.
    tested = row.get("ConditionTimestampMonotonic", "0") not in ("", "0")
    return UnitState(
        id=row.get("Id", ""),
        load=row.get("LoadState", ""),
        active=row.get("ActiveState", ""),
        sub=row.get("SubState", ""),
        file_state=row.get("UnitFileState", ""),
        need_reload=row.get("NeedDaemonReload") == "yes",
        type=row.get("Type", ""),
        remains=row.get("RemainAfterExit") == "yes",
        invocation=row.get("InvocationID", ""),
        skipped=tested and row.get("ConditionResult") == "no",
    )


def last_words(journal: str, name: str) -> str:
    """Return what a unit said last, from ``journalctl -o short`` lines: its own line before systemd's about it.

    >>> last_words("Dec 01 h systemd[1]: Starting a.service\\nDec 01 h a[7]: no disk\\n"
    ...            "Dec 01 h systemd[1]: a.service: Failed", "a.service")
    'no disk'
    """
    lines: List[str] = []
    for line in journal.splitlines():
        if " systemd[1]: Starting " in line or " systemd[1]: Started " in line:
            lines = []
        if "]: " in line:  # "-- No entries --" and boot marks are journalctl's own
            lines.append(line)
    own = [line for line in lines if " systemd[1]: " not in line]
    # systemd names the cause first ("status=203/EXEC"), then two lines that only say that it failed.
    causes = [line for line in lines if f"]: {name}: " in line and not any(word in line for word in _NO_CAUSE)]
    said = (own or causes or lines or [""])[-1]
    return said.split("]: ", 1)[-1].strip()
