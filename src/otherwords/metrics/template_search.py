"""Sequential halving for a better template or the worst wording: what to ask next, and the result by scores.

All wordings are asked on a few items, the better half of them on more, and so on. What is left was picked by
its scores, which therefore flatter it (the best of ten equal templates at 50 items looks 10 points better
than it is): it is asked again on items that did not pick it, and only those scores count.

A search has no state. What to ask next, and the result, follow from the scores that it is told: a runner
asks, adds the scores to what was told, and calls again; an interrupted one goes on by telling what it has.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.texts import points_between, signed_points
from otherwords.core.types import Estimate
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.significance import holm
from otherwords.metrics.template_ranking import chance_of_mean, mean_of_items

CONFIRMED = 0.05
"""The largest p, one-sided and by Holm over all that are confirmed, with which a template is adopted."""
SCREENED = 0.35
"""The share of the items that screen."""
FINALISTS = 2
FEWEST_ITEMS = 4
Stage: TypeAlias = Literal["screen", "confirm"]
_Names: TypeAlias = Sequence[str]


class Cell(NamedTuple):
    """One item in one wording, in one stage of the search."""

    stage: Stage
    wording: str
    item: str


Told: TypeAlias = Mapping[Cell, Sequence[float | None]]
"""The scores of the runs of each cell that was asked; None, fewer or none at all where there is no score."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Items to ask next in one wording, each so many times."""

    stage: Stage
    wording: str
    items: tuple[str, ...]
    repeats: int

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What to tell the scores of."""
        return tuple(Cell(self.stage, self.wording, item) for item in self.items)


@dataclass(frozen=True, slots=True)
class Gain:
    """How much more a candidate scores than the current template, paired by item."""

    template: str
    screened: float | None
    """As the screening saw it, which flatters the best; null where nothing was screened."""
    confirmed: Estimate | None = None
    """On items that did not pick it, its interval corrected by Holm; null where it was dropped before."""
    p: float | None = None
    """One-sided, by Holm."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The result of a `RepairSearch`."""

    adopted: str | None
    """The candidate with the largest confirmed gain; null where none exceeds 0."""
    gains: tuple[Gain, ...]
    """Of all candidates: those that were confirmed first, then by what the screening saw."""
    calls: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Worst:
    """The result of a `WorstSearch`."""

    wording: str
    accuracy: Estimate
    """Asked afresh."""
    loss: Estimate
    """Against the original, both asked afresh, paired by item."""
    selected: float | None
    """Its accuracy where it was picked for being low; do not report it alone."""
    calls: int
    sentence: str


@dataclass(frozen=True)
class _Halving:
    """Sequential halving: the wordings that are left after each round, with more items in each."""

    wordings: tuple[str, ...]
    items: tuple[str, ...]
    keep: int
    repeats: int
    lowest: bool = False
    beside: tuple[str, ...] = ()
    """Wordings that are asked on the same items and never dropped."""

    def play(self, told: Told) -> tuple[list[Ask], tuple[str, ...]]:
        """What to ask next, and the wordings that are left so far, the best first."""
        left = self.wordings
        for size, n_items in _rounds(len(left), self.keep, len(self.items)):
            left, items = left[:size], self.items[:n_items]
            asks = _unasked("screen", (*self.beside, *left), items, self.repeats, told)
            if asks:
                return asks, left
            scores = _scores("screen", left, items, told)
            # items that lack a score in some wording must not decide: each counts from its own mean
            worth = _over(scores - _over(scores, 1)[:, None], 0) * (-1 if self.lowest else 1)
            order = np.argsort(-np.nan_to_num(worth, nan=-np.inf), kind="stable")
            left = tuple(left[place] for place in order)
        return [], left[: self.keep]


def _rounds(n_wordings: int, keep: int, n_items: int) -> list[tuple[int, int]]:
    """How many wordings each round asks, half of those before, and on how many items with earlier ones."""
    sizes = []
    while n_wordings > keep and n_items:
        sizes.append(n_wordings)
        n_wordings = max(keep, (n_wordings + 1) // 2)
    # more items the fewer wordings are left, yet so that the first round can tell
    parts = np.cumsum([1 / math.sqrt(size) for size in sizes])
    items = [max(1, round(n_items * float(part / parts[-1]))) for part in parts]
    return list(zip(sizes, items, strict=True))


def _unasked(stage: Stage, wordings: _Names, items: _Names, repeats: int, told: Told) -> list[Ask]:
    left = {one: tuple(item for item in items if Cell(stage, one, item) not in told) for one in wordings}
    return [Ask(stage, one, unasked, repeats) for one, unasked in left.items() if unasked]


def _scores(stage: Stage, wordings: _Names, items: _Names, told: Told) -> FloatArray:
    """The mean score of each item (row) in each wording (column); NaN where there is none."""
    found = np.full((len(items), len(wordings)), np.nan)
    for row, item in enumerate(items):
        for column, wording in enumerate(wordings):
            scores = [one for one in told.get(Cell(stage, wording, item), ()) if one is not None]
            if scores:
                found[row, column] = sum(scores) / len(scores)
    return found


def _over(values: FloatArray, axis: int) -> FloatArray:
    """The mean of what is there; NaN where nothing is."""
    there = ~np.isnan(values)
    total: FloatArray = np.sum(values, axis=axis, where=there)
    return total / np.where(there.any(axis=axis), there.sum(axis=axis), np.nan)


def _gains(stage: Stage, wording: str, base: str, items: _Names, told: Told) -> FloatArray:
    """Of each item that both have a score for."""
    scores = _scores(stage, (wording, base), items, told)
    differences: FloatArray = scores[:, 0] - scores[:, 1]
    return differences[~np.isnan(differences)]


def _counts(told: Told, stage: Stage, wordings: _Names) -> tuple[int, int, int]:
    cells = [scores for cell, scores in told.items() if cell.stage == stage and cell.wording in wordings]
    n_missing = sum(score is None for scores in cells for score in scores)
    return 0, sum(map(len, cells)) - n_missing, n_missing


def _check(names: _Names, items: _Names, repeats: int) -> None:
    for what, found in (("wording", names), ("item", items)):
        twice = [one for one, times in Counter(found).items() if times > 1]
        if twice:
            raise InputError(f"the {what} '{twice[0]}' is there twice")
    if len(names) < 2:
        raise InputError(f"there is no other wording to hold against '{names[0]}'")
    if len(items) < FEWEST_ITEMS or repeats < 1:
        raise InputError(f"a search takes {FEWEST_ITEMS} items and 1 repeat, got {len(items)} and {repeats}")


@dataclass(frozen=True)
class RepairSearch:
    """Looks for a template that is better than the current one, and adopts none that is not.

    Candidates are screened on a part of the items by sequential halving. The best few, if they look better
    than the current template, are confirmed on the other items. The best is adopted if the lower end of its
    confirmed gain is above 0: one-sided at 5%, corrected by Holm for all that were confirmed.

    Attributes:
        current: The template that is used now.
        candidates: The others.
        items: Ids of the items, at least 4.
        repeats: How often each item is asked in each template.
        finalists: How many candidates are confirmed at most.
        screened: The share of the items that screen.
        seed: Of the order of items.

    Example:
        >>> from otherwords.metrics.template_search import RepairSearch
        >>> items = tuple(f"q{n}" for n in range(40))
        >>> search = RepairSearch("old", ("new", "other", "third"), items, repeats=1)
        >>> told = {}
        >>> while asks := search.asks(told):
        ...     told |= {cell: [float(cell.wording == "new")] for ask in asks for cell in ask.cells}
        >>> search.result(told).adopted
        'new'
    """

    current: str
    candidates: tuple[str, ...]
    items: tuple[str, ...]
    repeats: int = 3
    finalists: int = FINALISTS
    screened: float = SCREENED
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be searched."""
        _check((self.current, *self.candidates), self.items, self.repeats)
        if self.finalists < 1 or not 0 < self.screened < 1:
            raise InputError("finalists must be at least 1, and screened a share between 0 and 1")

    def _parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The items that screen, and those that confirm; all confirm where there is nothing to screen."""
        items = tuple(np.random.default_rng(self.seed).permutation(self.items).tolist())
        n = min(max(round(self.screened * len(items)), 1), len(items) - 2)
        return ((), items) if len(self.candidates) <= self.finalists else (items[:n], items[n:])

    def _screen(self, told: Told) -> tuple[list[Ask], list[str]]:
        """What to ask next, or who goes on: what looks better than the current template."""
        items = self._parts()[0]
        halving = _Halving(self.candidates, items, self.finalists, self.repeats, beside=(self.current,))
        asks, left = halving.play(told)
        return asks, [one for one in left if not items or (self._seen(one, told) or 0.0) > 0]

    def asks(self, told: Told) -> list[Ask]:
        """What to ask next; nothing when the result is there."""
        asks, left = self._screen(told)
        wordings = (self.current, *left) if left else ()
        return asks or _unasked("confirm", wordings, self._parts()[1], self.repeats, told)

    def result(self, told: Told) -> Repair:
        """What the scores say; an `InputError` as long as there are items left to ask."""
        if self.asks(told):
            raise InputError("the repair is not finished: there are items left to ask")
        finalists, items = self._screen(told)[1], self._parts()[1]
        gains = {one: _gains("confirm", one, self.current, items, told) for one in finalists}
        p_values = holm([chance_of_mean(gains[one], "above") for one in finalists])
        p_of = {one: 1.0 if p is None else p for one, p in zip(finalists, p_values, strict=True)}
        found: list[Gain] = []
        for one in sorted(finalists, key=lambda one: p_of[one]):
            # by Holm, what is surer has been taken out of what is corrected for
            surer = sum(p_of[other.template] <= CONFIRMED for other in found)
            level = 1 - 2 * CONFIRMED / (len(finalists) - surer)
            counts = _counts(told, "confirm", (one, self.current))
            confirmed = mean_of_items("gain", one, gains[one], counts, level, signed=True)
            found.append(Gain(one, self._seen(one, told), confirmed, p_of[one]))
        dropped = [Gain(one, self._seen(one, told)) for one in self.candidates if one not in finalists]
        dropped.sort(key=lambda one: -(one.screened if one.screened is not None else -math.inf))
        sure = [one for one in found if p_of[one.template] <= CONFIRMED]
        best = max(sure, key=lambda one: (one.confirmed and one.confirmed.value) or 0.0, default=None)
        calls = sum(map(len, told.values()))
        return Repair(best.template if best else None, (*found, *dropped), calls, self._sentence(found, best))

    def _seen(self, one: str, told: Told) -> float | None:
        """The gain when it was screened."""
        gains = _gains("screen", one, self.current, self._parts()[0], told)
        return float(gains.mean()) if len(gains) else None

    def _sentence(self, found: Sequence[Gain], best: Gain | None) -> str:
        if best is not None:
            return f"{best.template} is better than {self.current}: {_points(best)}."
        n = len(self.candidates)
        if not found:
            return f"No wording is better: none of {n} looked better when they were screened."
        return f"No wording is better: the best of {n}, {found[0].template}, came to {_points(found[0])}."


def _points(one: Gain) -> str:
    seen = "" if one.screened is None else f" ({signed_points(one.screened)} where it was picked)"
    told = one.confirmed
    if told is None or told.value is None or told.low is None or told.high is None:
        return f"no score that confirms it{seen}"
    value, low, high = (signed_points(end) for end in (told.value, told.low, told.high))
    return f"{value} points ({low} to {high}) on {told.n_items:,} unseen items{seen}"


@dataclass(frozen=True)
class WorstSearch:
    """Looks for the accepted wording that hurts most within a number of calls, and asks it afresh.

    Half of the calls are for halving, half for the worst wording and the original on items that did not pick
    it. Only the fresh scores are an estimate.

    Attributes:
        original: The wording that others are held against.
        wordings: The others, each for all items; tell no scores for an item that lacks one.
        items: Ids of the items.
        budget: Calls in all.
        repeats: How often each item is asked in each wording.
        fresh: Asked afresh are other `items`, or the same in other `repeats`, which speak for no others.
        seed: Of the order of items.

    Example:
        >>> from otherwords.metrics.template_search import WorstSearch
        >>> items = tuple(f"q{n}" for n in range(60))
        >>> search = WorstSearch("orig", ("casual", "formal", "terse"), items, budget=200)
        >>> told = {}
        >>> while asks := search.asks(told):
        ...     told |= {cell: [float(cell.wording != "terse")] for ask in asks for cell in ask.cells}
        >>> worst = search.result(told)
        >>> worst.wording, worst.accuracy.value, worst.calls <= 200
        ('terse', 0.0, True)
    """

    original: str
    wordings: tuple[str, ...]
    items: tuple[str, ...]
    budget: int
    repeats: int = 1
    fresh: Literal["items", "repeats"] = "items"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be searched."""
        _check((self.original, *self.wordings), self.items, self.repeats)
        n_screen, n_fresh = self._numbers()
        if n_fresh < 2 or (not n_screen and len(self.wordings) > 1):
            few = f"a budget of {self.budget:,} calls is too small for {len(self.wordings):,} wordings"
            raise InputError(few, hint=f"Give at least {2 * self.repeats * max(len(self.wordings), 4):,}.")

    def _numbers(self) -> tuple[int, int]:
        """How many items search, and how many are asked afresh."""
        half = self.budget // 2 // self.repeats
        n_fresh = half // 2
        n_screen = min(half, len(self.items) // (2 if self.fresh == "items" else 1))
        n_screen *= len(self.wordings) > 1
        while n_screen and self._cost(n_screen) > half:
            n_screen -= 1
        used = 0 if self.fresh == "repeats" else n_screen
        return n_screen, min(n_fresh, len(self.items) - used)

    def _cost(self, n_items: int) -> int:
        """In cells."""
        rounds = [(0, 0), *_rounds(len(self.wordings), 1, n_items)]
        return sum(size * (n - before) for (_, before), (size, n) in pairwise(rounds))

    def _parts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        items = tuple(np.random.default_rng(self.seed).permutation(self.items).tolist())
        n_screen, n_fresh = self._numbers()
        start = 0 if self.fresh == "repeats" else n_screen
        return items[:n_screen], items[start : start + n_fresh]

    def _search(self) -> _Halving:
        return _Halving(self.wordings, self._parts()[0], 1, self.repeats, lowest=True)

    def asks(self, told: Told) -> list[Ask]:
        """What to ask next; nothing when the result is there."""
        asks, left = self._search().play(told)
        return asks or _unasked("confirm", (self.original, left[0]), self._parts()[1], self.repeats, told)

    def result(self, told: Told) -> Worst:
        """What the scores say; an `InputError` as long as there are items left to ask."""
        if self.asks(told):
            raise InputError("the search is not finished: there are items left to ask")
        screen, fresh = self._parts()
        (worst,) = self._search().play(told)[1]
        scores = _scores("confirm", (worst,), fresh, told)[:, 0]
        counts = [_counts(told, "confirm", names) for names in ((worst,), (worst, self.original))]
        accuracy = mean_of_items("accuracy", worst, scores[~np.isnan(scores)], counts[0])
        losses = _gains("confirm", self.original, worst, fresh, told)
        loss = mean_of_items("loss", worst, losses, counts[1], signed=True)
        picked = _over(_scores("screen", (worst,), screen, told), 0)[0]
        selected = None if math.isnan(picked) else float(picked)
        calls = sum(map(len, told.values()))
        return Worst(worst, accuracy, loss, selected, calls, self._sentence(worst, loss, selected))

    def _sentence(self, worst: str, loss: Estimate, selected: float | None) -> str:
        n = len(self.wordings)
        if loss.value is None or loss.low is None or loss.high is None:
            return f"{worst} looked worst of {n}, and no score tells what it costs."
        between = points_between(loss.value, loss.low, loss.high)
        cost = f"{between} against {self.original}, asked afresh"
        seen = "" if selected is None else f"; its accuracy was {selected:.2f} where it was picked"
        if loss.low > 0:
            return f"{worst}, the worst that was found of {n}, costs {cost}{seen}."
        return f"No wording was found that costs accuracy: {worst}, the worst of {n}, costs {cost}{seen}."
