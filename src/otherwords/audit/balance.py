"""Items → how the right answers are spread over the letters, and how often they are the longest option."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import sqrt

from otherwords.core.hashing import derive_seed
from otherwords.core.types import Item, letter_of

DRAWS = 9999
_MOST_DRAWN = 5_000_000
"""Numbers drawn at once, for items with very many options."""
_Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """A share of items with its 95% interval (Wilson's), beside what chance would give."""

    count: int
    n: int
    chance: float
    value: float
    low: float
    high: float

    @property
    def is_above_chance(self) -> bool:
        return self.low > self.chance


@dataclass(frozen=True, slots=True)
class Position:
    n: int
    """Items of which it is known which option is right."""
    counts: dict[str, int]
    """Right answers by letter."""
    expected: dict[str, float]
    """The same if every place were as likely as any other."""
    p: float
    """Of so uneven a distribution, or a more uneven one, by chance alone."""
    commonest: str
    share: float
    """What a model scores that always says the commonest letter."""


@dataclass(frozen=True, slots=True)
class Length:
    """How often the right answer is the one longest or the one shortest option; ties are left out."""

    longest: Share | None
    shortest: Share | None


def share(count: int, n: int, chance: float) -> Share | None:
    if n == 0:
        return None
    return Share(count, n, chance, count / n, *wilson_interval(count, n))


def wilson_interval(count: int, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share, for `n` from 1 on.

    Example:
        >>> [round(end, 3) for end in wilson_interval(0, 20)]
        [0.0, 0.161]
    """
    value, z2 = count / n, _Z**2
    middle = (value + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z * sqrt(value * (1 - value) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    low = 0.0 if count == 0 else max(0.0, middle - half)
    high = 1.0 if count == n else min(1.0, middle + half)
    return low, high


def position_of_answers(items: Iterable[Item]) -> Position | None:
    """None where no right answer is known. Items may differ in how many options they have."""
    places: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for size, place in _known(items):
        places[place] += 1
        sizes[size] += 1
    if not sizes:
        return None
    width, n = max(sizes), sizes.total()
    expected = [sum(count / size for size, count in sizes.items() if place < size) for place in range(width)]
    commonest = max(range(width), key=lambda place: (places[place], -place))
    return Position(
        n=n,
        counts={letter_of(place): places[place] for place in range(width)},
        expected={letter_of(place): expected[place] for place in range(width)},
        p=_p_of_evenness([places[place] for place in range(width)], expected, sizes),
        commonest=letter_of(commonest),
        share=places[commonest] / n,
    )


def _p_of_evenness(observed: list[int], expected: list[float], sizes: Counter[int]) -> float:
    """The χ² statistic against draws in which every option of an item is as likely as any other."""
    import numpy as np

    rng = np.random.default_rng(derive_seed(0, "audit", "position"))
    draws = max(99, min(DRAWS, _MOST_DRAWN // len(observed)))
    drawn = np.zeros((draws, len(observed)))
    for size, count in sorted(sizes.items()):
        drawn[:, :size] += rng.multinomial(count, [1 / size] * size, size=draws)
    by_chance = np.asarray(expected)
    statistics = ((drawn - by_chance) ** 2 / by_chance).sum(axis=1)
    statistic = ((np.asarray(observed) - by_chance) ** 2 / by_chance).sum()
    return float((1 + np.count_nonzero(statistics >= statistic - 1e-9)) / (1 + draws))


def length_of_answers(items: Iterable[Item]) -> Length | None:
    """None where no item with a known right answer has one longest or one shortest option."""
    known = [
        ([len(choice.strip()) for choice in item.choices], item.target)
        for item in items
        if isinstance(item.target, int) and 0 <= item.target < len(item.choices)
    ]
    longest, shortest = _share_of(known, max), _share_of(known, min)
    return Length(longest, shortest) if longest or shortest else None


def _share_of(known: list[tuple[list[int], int]], extreme: Callable[[list[int]], int]) -> Share | None:
    right, chances = 0, []
    for lengths, target in known:
        if lengths.count(extreme(lengths)) == 1 and len(lengths) > 1:
            right += lengths[target] == extreme(lengths)
            chances.append(1 / len(lengths))
    return share(right, len(chances), sum(chances) / len(chances)) if chances else None


def _known(items: Iterable[Item]) -> Iterable[tuple[int, int]]:
    """How many options an item has, and which of them is right."""
    return (
        (len(item.choices), item.target)
        for item in items
        if isinstance(item.target, int) and 0 <= item.target < len(item.choices)
    )
