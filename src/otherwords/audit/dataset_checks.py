"""Items → how right answers spread over letters and lengths; duplicate items; shares with Wilson intervals.

Two items can only share nine tenths of their words if they share two of their few rarest ones. Each is
therefore compared only with those that share a word which few items have, or two that many have. A
near-duplicate joins the first item of its group and is itself no longer looked for, so that a thousand
copies of one question take a thousand comparisons and not half a million.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, islice
from math import ceil, sqrt
from typing import Literal, NamedTuple

from otherwords.audit.decide import AuditSettings
from otherwords.core.types import Item, derive_seed, letter_of, varied_text
from otherwords.english.normalize import jaccard, singular_tokens, token_text

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


RARE = 30
"""Items that may have a word for it to be looked up by itself."""
MOST_COMPARED = 500
"""Items that one item is compared with at most."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """Items that repeat one another, in the order of the dataset."""

    kind: Literal["duplicate", "near_duplicate"]
    ids: tuple[str, ...]
    answers_differ: bool
    """The same question with another right answer: one of them is wrong."""


@dataclass(frozen=True, slots=True)
class DuplicateSearch:
    """All groups of a dataset, and how much was compared."""

    groups: tuple[DuplicateGroup, ...]
    compared: int
    """Items with a question; others have nothing that could be a duplicate."""
    cut_short: int
    """Items that would have had to be compared with more than `MOST_COMPARED` others."""

    @property
    def extra(self) -> dict[str, int]:
        """Items by kind that would go if the first of each group stayed."""
        counts: Counter[str] = Counter()
        for group in self.groups:
            counts[group.kind] += len(group.ids) - 1
        return dict(counts)


class _Read(NamedTuple):
    id: str
    words: tuple[str, ...]
    right: str | None


def find_duplicates(items: Iterable[Item], settings: AuditSettings | None = None) -> DuplicateSearch:
    """Compare questions and options of all items."""
    threshold = (settings or AuditSettings()).near_duplicate_items
    same: dict[bytes, list[_Read]] = defaultdict(list)
    compared = 0
    for item in items:
        question = varied_text(item.prompt)
        if not question.strip():
            continue
        compared += 1
        same[_digest(question, item.choices)].append(_read(item, question))
    groups = [_group("duplicate", found) for found in same.values() if len(found) > 1]
    firsts = [found[0] for found in same.values()]
    near, cut_short = _near(firsts, threshold)
    groups += [_group("near_duplicate", found) for found in near]
    return DuplicateSearch(tuple(groups), compared, cut_short)


def _digest(question: str, choices: Sequence[str]) -> bytes:
    """The same for the same question with the same options, in whatever order they stand."""
    said = "\x1f".join([token_text(question), *sorted(map(token_text, choices))])
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _read(item: Item, question: str) -> _Read:
    words = dict.fromkeys(word for text in (question, *item.choices) for word in singular_tokens(text))
    right: str | None = None
    if isinstance(item.target, int):
        right = token_text(item.choices[item.target]) if 0 <= item.target < len(item.choices) else None
    elif item.target:
        right = "\x1f".join(sorted(map(token_text, item.target)))
    return _Read(item.id, tuple(words), right)


def _group(kind: Literal["duplicate", "near_duplicate"], found: Sequence[_Read]) -> DuplicateGroup:
    answers = {one.right for one in found if one.right is not None}
    return DuplicateGroup(kind, tuple(one.id for one in found), kind == "duplicate" and len(answers) > 1)


def _near(items: Sequence[_Read], threshold: float) -> tuple[list[list[_Read]], int]:
    """Items made from one template with other numbers in it are different problems, and not compared."""
    often = Counter(word for item in items for word in item.words)
    leaders: dict[tuple[frozenset[str], str | tuple[str, str]], list[int]] = defaultdict(list)
    sets = [frozenset(item.words) for item in items]
    groups: dict[int, list[_Read]] = {}
    cut_short = 0
    for place, item in enumerate(items):
        numbers = frozenset(word for word in item.words if not word[0].isalpha())
        keys = [(numbers, key) for key in _keys(item.words, often, threshold)]
        candidates = _first(MOST_COMPARED + 1, (leader for key in keys for leader in leaders.get(key, ())))
        cut_short += len(candidates) > MOST_COMPARED
        for leader in islice(candidates, MOST_COMPARED):
            if _is_near(sets[leader], sets[place], threshold):
                groups.setdefault(leader, [items[leader]]).append(item)
                break
        else:
            for key in keys:
                leaders[key].append(place)
    return list(groups.values()), cut_short


def _first(most: int, places: Iterable[int]) -> dict[int, None]:
    """So many different ones, in order; the others of a set of one template are not even counted."""
    found: dict[int, None] = {}
    for place in places:
        found[place] = None
        if len(found) == most:
            break
    return found


def _keys(words: Sequence[str], often: Counter[str], threshold: float) -> Iterator[str | tuple[str, str]]:
    """Two items that are near share at least one key.

    Of the `least` words that they must share, the two rarest are among the first `size - least + 2` of both.
    """
    size = len(words)
    least = ceil(threshold * size - 1e-9)
    rarest = sorted(words, key=lambda word: (often[word], word))[: size - least + 2]
    common = [word for word in rarest if often[word] > RARE]
    yield from rarest[: len(rarest) - len(common)]
    if least < 2:
        yield from common
    yield from combinations(common, 2)


def _is_near(one: frozenset[str], other: frozenset[str], threshold: float) -> bool:
    few, many = sorted((len(one), len(other)))
    return few >= threshold * many - 1e-9 and jaccard(one, other) >= threshold
