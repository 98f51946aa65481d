"""`Agreement`: for each item, chances that runs agree or flip between wordings, or flip when asked again.

Which answer of a row is compared is settled for each group (task, model, item): the chosen option if any
scored row has one, else the text, else whether it was right. A row that lacks what its group is compared
by is left out and counted, since an option number is never equal to a text.

With repeats, agreement is a chance over independent runs and not a majority: a majority hides how often
single runs differ, and its value moves with the number of repeats. Here more repeats only make it surer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray, Rows


@dataclass(frozen=True)
class Answers:
    """Each answer given to each wording, once, sorted by wording."""

    cell: IntArray
    answer: IntArray
    """A number that is equal exactly where the canonical answers are, over all items."""
    count: IntArray
    """Runs of the wording that gave this answer."""

    def of_cells(self, chosen: IntArray, n_cells: int) -> Answers:
        """Those of some cells, which are numbered anew."""
        place = np.full(n_cells, -1)
        place[chosen] = np.arange(len(chosen))
        cell = place[self.cell]
        kept = cell >= 0
        return Answers(cell[kept], self.answer[kept], self.count[kept])


def answers_of(rows: Rows) -> Answers:
    """The answers of all cells."""
    kept = np.flatnonzero(rows.answer >= 0)
    cell, answer = rows.cell[kept], rows.answer[kept]
    if len(rows.cell_starts) == len(rows.cell):
        return Answers(cell, answer, np.ones(len(cell), np.int64))
    width = int(answer.max()) + 1 if len(answer) else 1
    keys, counts = np.unique(cell * width + answer, return_counts=True)
    return Answers(keys // width, keys % width, counts.astype(np.int64))


@dataclass(frozen=True)
class Agreement:
    """Everything about the answers of each group; NaN where a group has too few of them."""

    answers: Answers
    group_of_cell: IntArray
    original: BoolArray
    n_groups: int
    out_of: FloatArray | None = None
    """The runs of each wording that shares are of; those that answered if not given."""

    @cached_property
    def runs(self) -> FloatArray:
        """Answered repeats of each wording."""
        if self.out_of is not None:
            return self.out_of
        return self._sum(self.answers.cell, self.answers.count, len(self.group_of_cell))

    @cached_property
    def answered(self) -> IntArray:
        return self._per_group(self.group_of_cell, self.runs).astype(np.int64)

    @cached_property
    def wordings(self) -> FloatArray:
        return self._per_group(self.group_of_cell, self.runs > 0)

    @cached_property
    def share(self) -> FloatArray:
        """Of each answer in its wording's runs."""
        return self.answers.count / self.runs[self.answers.cell]

    @cached_property
    def group(self) -> IntArray:
        return self.group_of_cell[self.answers.cell]

    @cached_property
    def _distinct(self) -> tuple[IntArray, IntArray, IntArray]:
        """The order that brings equal answers of a group together, where each begins, and its group."""
        order = np.lexsort((self.answers.answer, self.group))
        group, answer = self.group[order], self.answers.answer[order]
        first = np.ones(len(order), np.bool_)
        first[1:] = (group[1:] != group[:-1]) | (answer[1:] != answer[:-1])
        starts = np.flatnonzero(first)
        return order, starts, group[starts]

    @cached_property
    def _total(self) -> FloatArray:
        return self._over_wordings(self.share)

    @cached_property
    def consistent(self) -> FloatArray:
        """Chance that one run of each wording gives one and the same answer."""
        order, starts, group = self._distinct
        if not len(starts):
            return np.full(self.n_groups, np.nan)
        everywhere = np.diff(np.r_[starts, len(order)]) == self.wordings[group]
        product = np.multiply.reduceat(self.share[order], starts)
        return self._where_several(np.clip(self._per_group(group, product * everywhere), 0.0, 1.0))

    @cached_property
    def flipped(self) -> FloatArray:
        """Mean chance that a run of another wording answers differently from a run of the original."""
        group = self._distinct[2]
        of_original = self._over_wordings(self.share * self.original[self.answers.cell])
        same = self._per_group(group, of_original * (self._total - of_original))
        chance = np.clip(1.0 - same / np.maximum(self.wordings - 1, 1), 0.0, 1.0)
        has_original = self._per_group(self.group_of_cell, self.original & (self.runs > 0)) > 0
        return np.where(has_original, self._where_several(chance), np.nan)

    @cached_property
    def both_flipped(self) -> FloatArray:
        """Chance that runs of two other wordings both answer differently from one run of the original."""
        group = self._distinct[2]
        others = np.maximum(self.wordings - 1, 1)[group]
        original = self.original[self.answers.cell]
        of_original = self._over_wordings(self.share * original)
        same = self._total - of_original
        squares = self._over_wordings(np.where(original, 0.0, self.share) ** 2)
        pairs = ((others - same) ** 2 - others + 2 * same - squares) / np.maximum(others * (others - 1), 1)
        chance = np.clip(self._per_group(group, of_original * pairs), 0.0, 1.0)
        return np.where((self.wordings >= 3) & ~np.isnan(self.flipped), chance, np.nan)

    @cached_property
    def flips_of_cells(self) -> FloatArray:
        """What each wording says of `flipped`: how far it disagrees with all others, centred on `flipped`.

        Any wording could have been the original, so all pairs tell how much another one would have changed.
        """
        apart = np.nan_to_num(self.pairwise)[self.group_of_cell] - self.pairs_of_cells
        return np.nan_to_num(self.flipped)[self.group_of_cell] + apart / 2

    @cached_property
    def pairs_of_cells(self) -> FloatArray:
        """What each wording says of `pairwise`: its jackknife pseudo-value, which has the same mean."""
        others = self.share * (self._total[self._place] - self.share)
        n, whole = self.wordings[self.group_of_cell], np.nan_to_num(self.pairwise)[self.group_of_cell]
        with_it = self._per_cell(others) / np.maximum(n - 1, 1)
        return whole + (with_it - whole) * 2 * (n - 1) / np.maximum(n - 2, 1)

    @cached_property
    def consistent_of_cells(self) -> FloatArray:
        """What each wording says of `consistent`: its jackknife pseudo-value, which has the same mean."""
        order, starts, group = self._distinct
        if not len(starts):
            return np.zeros(len(self.group_of_cell))
        given = np.diff(np.r_[starts, len(order)])
        product = np.multiply.reduceat(self.share[order], starts)
        # without a wording: answers that all others give, which it gives itself or is alone not to give
        everywhere = (given == self.wordings[group])[self._place]
        without = self._per_cell(np.where(everywhere, product[self._place] / self.share, 0.0))
        answered = np.arange(len(self.group_of_cell)) * (self.runs > 0)
        lacking = np.flatnonzero(given == self.wordings[group] - 1)
        alone = self._per_group(self.group_of_cell, answered)[group[lacking]]
        alone = alone - np.add.reduceat(self.answers.cell[order], starts)[lacking]
        np.add.at(without, alone.astype(np.int64), product[lacking])
        return self._pseudo(without, np.nan_to_num(self.consistent))

    def _pseudo(self, without: FloatArray, whole: FloatArray) -> FloatArray:
        used = self.runs > 0
        mean = self._per_group(self.group_of_cell, without * used) / np.maximum(self.wordings, 1)
        others = np.maximum(self.wordings - 1, 0)[self.group_of_cell]
        return whole[self.group_of_cell] - others * (without - mean[self.group_of_cell])

    @cached_property
    def _place(self) -> IntArray:
        """Of each answer: which of the distinct ones it is."""
        order, starts, _ = self._distinct
        first = np.zeros(len(order), np.int64)
        first[starts] = 1
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(first) - 1
        return place

    @cached_property
    def rerun_flipped(self) -> FloatArray:
        """Chance that two different runs of the original answer differently."""
        count = self.answers.count * self.original[self.answers.cell]
        n = self._per_group(self.group, count)
        same = self._per_group(self.group, count * (count - 1.0)) / np.maximum(n * (n - 1), 1)
        return np.where(n >= 2, 1.0 - same, np.nan)

    @cached_property
    def pairwise(self) -> FloatArray:
        """Chance that runs of two different wordings, drawn at random, give the same answer."""
        group = self._distinct[2]
        both = self._per_group(group, self._total**2 - self._over_wordings(self.share**2))
        pairs = np.maximum(self.wordings * (self.wordings - 1), 1)
        return self._where_several(np.clip(both / pairs, 0.0, 1.0))

    @cached_property
    def entropy(self) -> FloatArray:
        """Of the answers over wordings, as a share of log V: 0 all the same, 1 each wording another."""
        group = self._distinct[2]
        part = self._total / np.maximum(self.wordings[group], 1)
        surprise = np.where(part > 0, -part * np.log(np.where(part > 0, part, 1.0)), 0.0)
        largest = np.log(np.maximum(self.wordings, 2))
        return self._where_several(np.clip(self._per_group(group, surprise) / largest, 0.0, 1.0))

    def answer_shares(self, answer: int) -> FloatArray:
        """For each group: the mean over wordings of the share of one answer."""
        chosen = self.answers.answer == answer
        total = self._per_group(self.group[chosen], self.share[chosen])
        return total / np.maximum(self.wordings, 1)

    def answer_totals(self, enters: BoolArray) -> tuple[IntArray, FloatArray]:
        """Every answer of the groups that enter, most frequent first, with its sum of shares over groups."""
        chosen = enters[self.group]
        answers, place = np.unique(self.answers.answer[chosen], return_inverse=True)
        weights = self.share[chosen] / self.wordings[self.group[chosen]]
        totals = self._sum(place.reshape(-1), weights, len(answers))
        order = np.lexsort((answers, -np.round(totals, 9)))
        return answers[order], totals[order]

    def _over_wordings(self, values: FloatArray) -> FloatArray:
        order, starts, _ = self._distinct
        if not len(starts):
            return np.empty(0)
        total: FloatArray = np.add.reduceat(values[order], starts)
        return total

    def _where_several(self, values: FloatArray) -> FloatArray:
        return np.where(self.wordings >= 2, values, np.nan)

    def _per_cell(self, values: FloatArray) -> FloatArray:
        return self._sum(self.answers.cell, values, len(self.group_of_cell))

    def _per_group(self, group: IntArray, values: npt.ArrayLike) -> FloatArray:
        return self._sum(group, values, self.n_groups)

    @staticmethod
    def _sum(place: IntArray, values: npt.ArrayLike, length: int) -> FloatArray:
        weights = np.asarray(values, dtype=np.float64)
        return np.bincount(place, weights=weights, minlength=length).astype(np.float64)
