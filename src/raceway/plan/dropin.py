"""The one way a plan speaks about a whole file that raceway owns: written as declared, removed when empty."""

from __future__ import annotations

from typing import Optional, Sequence

from ..model.plan import SAFE, Noop, Plan, Step

HEADER = "# Written by raceway ({role}); an edit here is drift and will be put back. Remove with {role}_state: absent."

BOOK = "dropin"  # the ledger section of files that belong to a noun, apart from files people declare


def render(role: str, lines: Sequence[str]) -> str:
    """Return the text of a drop-in with its header, or the empty string where there is nothing to say."""
    return "\n".join([HEADER.format(role=role), *lines, ""]) if lines else ""


def plan_file(path: str, text: str, found: Optional[str], why: str, mode: int = 0o644) -> Plan:
    """Return the step that makes ``path`` hold ``text`` (empty text: no such file), or a noop.

    ``found`` is the text there now, None where the file is absent.
    """
    if (found or "") == text and (found is not None) == bool(text):
        return Plan(noops=(Noop(path, "holds what is declared" if text else "absent, as declared"),))
    if text:
        undo = "the file goes away (what stood there before comes back)"
        args = {"path": path, "content": text, "mode": mode, "book": BOOK}
        return Plan(steps=(Step("file", path, f"write {path}", why, SAFE, undo, found or "", text, args),))
    args = {"path": path, "book": BOOK}
    undo, why = f"declare the settings again; {path} is written anew", "nothing is declared that belongs there"
    return Plan(steps=(Step("file_restore", path, f"remove {path}", why, SAFE, undo, found or "", "", args),))
