"""Items → groups of items that are there twice, word for word or nearly.

Two items can only share nine tenths of their words if they share two of their few rarest ones. Each is
therefore compared only with those that share a word which few items have, or two that many have. A
near-duplicate joins the first item of its group and is itself no longer looked for, so that a thousand
copies of one question take a thousand comparisons and not half a million.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations, islice
from math import ceil
from typing import Literal, NamedTuple

from otherwords.audit.decide import AuditSettings
from otherwords.core.types import Item, varied_text
from otherwords.english.tokens import jaccard, singular_tokens, token_text

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
    often = Counter(word for item in items for word in item.words)
    leaders: dict[str | tuple[str, str], list[int]] = defaultdict(list)
    sets = [frozenset(item.words) for item in items]
    groups: dict[int, list[_Read]] = {}
    cut_short = 0
    for place, item in enumerate(items):
        keys = list(_keys(item.words, often, threshold))
        candidates = dict.fromkeys(leader for key in keys for leader in leaders.get(key, ()))
        cut_short += len(candidates) > MOST_COMPARED
        for leader in islice(candidates, MOST_COMPARED):
            if _is_near(sets[leader], sets[place], threshold):
                groups.setdefault(leader, [items[leader]]).append(item)
                break
        else:
            for key in keys:
                leaders[key].append(place)
    return list(groups.values()), cut_short


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
    """Items made from one template with other numbers in it are different problems."""
    few, many = sorted((len(one), len(other)))
    if few < threshold * many - 1e-9:
        return False
    return jaccard(one, other) >= threshold and all(word[0].isalpha() for word in one ^ other)
