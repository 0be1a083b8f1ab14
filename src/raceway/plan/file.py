"""Plans files that people declare: content, mode and owner as declared, and what stood there before once given up.

It deliberately never follows or replaces a link or a folder, and never shows a secret: its place in a diff says so.
"""

from __future__ import annotations

from typing import FrozenSet, List, Set, Union

from ..facts.file import FileFact, FileFacts
from ..model.file import SECRET, File, FileDesired, bad_path, mode_number
from ..model.plan import SAFE, Noop, Plan, Refusal, Step, sort

BOOK = "file"
_Outcome = Union[Step, Noop, Refusal]
_KINDS = {"dir": "a folder", "link": "a symbolic link", "other": "no regular file (a device, pipe or socket)"}


def plan(desired: FileDesired, facts: FileFacts) -> Plan:
    """Return what makes every declared file so, and gives back every file that is no longer declared."""
    rows: List[_Outcome] = []
    seen: Set[str] = set()
    for file in desired.files:
        rows.append(_twice(file) if file.path in seen else _impossible(file, facts) or _file(file, facts))
        seen.add(file.path)
    rows += [_restore(path, facts) for path in sorted(facts.owned) if path not in seen]
    return sort(rows)


def _twice(file: File) -> Refusal:
    return Refusal(file.path, "it is declared twice", "keep one of the two declarations")


def _impossible(file: File, facts: FileFacts) -> Union[Refusal, None]:
    problem = bad_path(file.path)
    if problem:
        return Refusal(file.path, problem, "declare an absolute, plain path of an ordinary file system")
    if file.path in facts.taken:
        return Refusal(file.path, f"{facts.taken[file.path]} is written there", "declare it in one of the two places")
    if mode_number(file.mode) is None:
        return Refusal(file.path, f"mode {file.mode!r} is no octal number", "write the mode in quotes, as in '0644'")
    fact = facts.found.get(file.path, FileFact())
    if fact.kind in _KINDS:
        return Refusal(file.path, f"{_KINDS[fact.kind]} is there", f"move {file.path} away, or declare another path")
    if fact.blocked_by:
        reason = f"{fact.blocked_by} is no folder, so nothing can be put below it"
        return Refusal(file.path, reason, f"move {fact.blocked_by} away, or declare another path")
    return None


def _file(file: File, facts: FileFacts) -> _Outcome:
    fact = facts.found.get(file.path, FileFact())
    why = file.why or "declared for this node"
    mode = mode_number(file.mode) or 0
    args = {"path": file.path, "mode": mode, "owner": file.owner, "group": file.group, "book": BOOK}
    if fact.content != file.content:
        before, after = _shown(fact.content or "", file), _shown(file.content, file)
        what = f"write {file.path}" + ("" if fact.kind else ", which is not there yet")
        undo = "the file goes away" if not fact.kind else "what stood there before comes back"
        undo = f"give up the declaration: {undo}" if file.path not in facts.owned else "declare the former content"
        return Step("file", file.path, what, why, SAFE, undo, before, after, {**args, "content": file.content})
    before, after = _attributes(fact), f"{mode:04o} {file.owner}:{file.group}"
    if _attributes_differ(file, fact, mode):
        what, undo = f"set mode and owner of {file.path} to {after}", f"set them to {before}"
        return Step("file_attributes", file.path, what, why, SAFE, undo, before, after, args)
    return Noop(file.path, "holds what is declared, with its mode and owner")


def _attributes_differ(file: File, fact: FileFact, mode: int) -> bool:
    owner = not file.owner or file.owner in fact.owner_ids
    group = not file.group or file.group in fact.group_ids
    return fact.mode != mode or not owner or not group


def _attributes(fact: FileFact) -> str:
    return f"{fact.mode:04o} {_name(fact.owner_ids)}:{_name(fact.group_ids)}"


def _name(ids: FrozenSet[str]) -> str:
    # Name and number are both known; people read the name.
    return max(ids, key=lambda text: not text.isdigit()) if ids else "?"


def _shown(text: str, file: File) -> str:
    return SECRET if file.secret and text else text


def _restore(path: str, facts: FileFacts) -> Step:
    """Give a path back. Contents are not shown: nothing tells any more whether one of them was a secret."""
    original = facts.owned[path]
    was = isinstance(original, dict) and original.get("content") is not None
    what = f"give {path} back what stood there before raceway" if was else f"remove {path}"
    before, after = "the declared content", "the content from before raceway" if was else ""
    why = "it is no longer declared"
    args = {"path": path, "book": BOOK}
    return Step("file_restore", path, what, why, SAFE, "declare the file again", before, after, args)
