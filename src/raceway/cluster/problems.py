"""Several findings about one declaration, told together.

A check returns *all* it found, because a person who mends one key wants to know of the next one now. It deliberately
does not print or decide about exit codes; ``refuse`` turns a non-empty list into the one error people see.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from raceway.errors import RacewayError


@dataclass(frozen=True)
class Problem:
    """One finding: the place, the value found, the values that would do, the next act."""

    place: str
    found: str
    allowed: str = ""
    act: str = ""

    def message(self) -> str:
        """Return the finding as one line."""
        return RacewayError(self.place, self.found, self.allowed, self.act).message()


def refuse(problems: Sequence[Problem], what: str) -> None:
    """Raise one RacewayError holding every problem, or return when there is none."""
    if not problems:
        return
    if len(problems) == 1:
        one = problems[0]
        raise RacewayError(one.place, one.found, one.allowed, one.act)
    lines = "\n".join(f"  - {problem.message()}" for problem in problems)
    raise RacewayError(what, f"{len(problems)} problems\n{lines}")


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``did you mean …?`` for a misspelt word, or the empty string.

    >>> nearest("mem", ["cpu", "memory"])
    'did you mean memory?'
    """
    candidates = sorted(known)
    by_start = [name for name in candidates if len(word) >= 2 and (name.startswith(word) or name.endswith("/" + word))]
    found = by_start or difflib.get_close_matches(word, candidates, n=1, cutoff=0.6)
    return f"did you mean {found[0]}?" if found else ""
