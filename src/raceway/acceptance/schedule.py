"""Who meets whom when: a round-robin tournament, in which everybody meets everybody once and nobody twice at a time.

The circle method: with an even number n there are n - 1 rounds of n / 2 pairs; with an odd one a place more is laid,
who would meet it has a rest, and there are n rounds. Fewer rounds are not possible: each of n has n - 1 others to meet.
Every pair follows from a formula, so that no table of all pairs is ever kept.

It deliberately knows numbers only, from 0 on; what they stand for is the caller's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator


def rounds(count: int) -> int:
    """Return how many rounds a full tournament of so many takes.

    >>> [rounds(count) for count in (0, 1, 2, 3, 4, 5)]
    [0, 0, 1, 3, 3, 5]
    """
    return 0 if count < 2 else count - 1 + count % 2


def pairs(count: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of one round; who has a rest in it is in none of them.

    >>> [pairs(4, number) for number in range(3)]
    [[(1, 2), (0, 3)], [(0, 1), (2, 3)], [(2, 0), (1, 3)]]
    """
    circle = count - 1 + count % 2
    half = circle // 2
    # The sums of all pairs of a round are equal modulo the circle; ``alone`` is the one that would meet itself.
    alone = number * (circle + 1) // 2 % circle
    ring = _twice(circle)
    found = list(zip(ring[alone + 1 : alone + 1 + half], ring[alone + circle - 1 : alone + half : -1], strict=True))
    if count % 2 == 0:
        found.append((alone, circle))
    return found


def tournament(count: int, most: int = 0) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds one after the other; ``most``: only so many of them, 0 is all."""
    whole = rounds(count)
    for number in range(min(most, whole) if most else whole):
        yield pairs(count, number)


def partner(count: int, number: int, one: int) -> int | None:
    """Return whom ``one`` meets in a round, None for a rest.

    >>> [partner(3, number, 0) for number in range(3)], partner(4, 0, 3)
    ([None, 1, 2], 0)
    """
    circle = count - 1 + count % 2
    if one == circle:
        return number * (circle + 1) // 2 % circle
    other = (number - one) % circle
    if other != one:
        return other
    return circle if count % 2 == 0 else None


@functools.lru_cache(maxsize=8)
def _twice(circle: int) -> tuple[int, ...]:
    """Return the circle laid out twice, so that any turn of it is one slice."""
    return (*range(circle), *range(circle))
