"""The order in which people count devices: mlx5_2 before mlx5_10.

The kernel and ``ls`` list names by their letters, so these come as ``mlx5_0 mlx5_1 mlx5_10 mlx5_11 mlx5_2``.
It deliberately keeps capitals apart only where nothing else differs: two different names are never equal.
"""

from __future__ import annotations

import re
from typing import List, Tuple

Key = Tuple[Tuple[Tuple[int, int, str], ...], str]
_RUNS = re.compile(r"[0-9]+|[^0-9]+")


def natural(name: str) -> Key:
    """Return a sort key in which each run of digits counts as one number.

    >>> sorted(["mlx5_10", "mlx5_2", "bnxt_re0"], key=natural)
    ['bnxt_re0', 'mlx5_2', 'mlx5_10']
    """
    parts: List[Tuple[int, int, str]] = []
    for run in _RUNS.findall(name):
        # Numbers before words, so that "1" and "a" can be compared at all.
        parts.append((0, int(run), "") if run[0] in "0123456789" else (1, 0, run.lower()))
    return tuple(parts), name
