"""`selftest`: four made-up test models whose metrics are known beforehand, compared with what is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from otherwords.core.contract import CONTROL, OPTIONS, ORIG, PARAPHRASE
from otherwords.core.errors import InputError
from otherwords.metrics.metric_registry import summarise
from otherwords.metrics.wording_tests import phrasing_test

N_ITEMS, N_OPTIONS, REPEATS = 400, 4, 3
_SAME, _REVERSED = (0, 1, 2, 3), (3, 2, 1, 0)
_SWAPPED = (3, 1, 2, 0)
WORDINGS = (
    # name, kind, change, order[shown] = original, whether the right answer is another one
    (ORIG, ORIG, "", _SAME, False),
    ("para1", PARAPHRASE, "these", _SAME, False),
    ("para2", PARAPHRASE, "polite", _SAME, False),
    ("pert:order_rev", OPTIONS, "order:reverse", _REVERSED, False),
    ("pert:order_swap", OPTIONS, "order:swap", _SWAPPED, False),
    ("control:negate", CONTROL, "negate", _SAME, True),
)


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What one metric must say of one test model, and what it says."""

    model: str
    metric: str
    low: float
    high: float
    """What the value must be between, both included."""
    value: float | None
    why: str

    @property
    def ok(self) -> bool:
        return self.value is not None and self.low - 1e-9 <= self.value <= self.high + 1e-9

    @property
    def expected(self) -> str:
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class _Question:
    item: int
    target: int
    order: tuple[int, ...]
    changed: bool
    """A negative control: the right answer is not `target`."""


TestModel = Callable[[_Question, np.random.Generator], int]
"""The place, among the options as shown, of the option chosen."""


def _oracle(question: _Question, rng: np.random.Generator) -> int:
    wanted = (question.target + 1) % N_OPTIONS if question.changed else question.target
    return question.order.index(wanted)


def _always_a(question: _Question, rng: np.random.Generator) -> int:
    return 0


def _random(question: _Question, rng: np.random.Generator) -> int:
    return int(rng.integers(N_OPTIONS))


def _ignores(question: _Question, rng: np.random.Generator) -> int:
    """Takes the option that it likes best, without reading the question."""
    return question.order.index(question.item // N_OPTIONS % N_OPTIONS)


KNOWN_MODELS: dict[str, TestModel] = {
    "oracle": _oracle,
    "always A": _always_a,
    "random": _random,
    "ignores the question": _ignores,
}
_CHANCE = 1 / N_OPTIONS
EXPECTED: dict[str, tuple[tuple[str, float, float, str], ...]] = {
    "oracle": (
        ("accuracy", 1, 1, "always right"),
        ("s_prompt", 1, 1, "wording moves nothing"),
        ("s_norm", 1, 1, "wording moves nothing"),
        ("s_corrected", 1, 1, "wording moves nothing"),
        ("phrasing", 0, 0, "wording moves nothing"),
        ("noise", 0, 0, "and neither does asking again"),
        ("min_max_gap", 0, 0, "best and worst wording are the same"),
        ("consistency_at_k", 1, 1, "the same option under every wording and order"),
        ("fragility_score", 0, 0, "no flips, once options are mapped back"),
        ("delta_accuracy", 0, 0, "rewording costs nothing"),
        ("r_prompt", 1, 1, "all of the accuracy is left"),
        ("pdr", 0, 0, "none of it is lost"),
        ("robust_at_k", 1, 1, "right in any three wordings"),
        ("c_out", 1, 1, "the same outcome each time"),
        ("responsiveness", 1, 1, "another answer where the question is another"),
    ),
    "always A": (
        ("accuracy", _CHANCE, _CHANCE, "right as often as A is, under any order"),
        ("consistency_at_k", 0, 0, "A is another option when the order changes"),
        ("fragility_score", 0.5, 0.5, "two of four wordings move the options"),
        ("excess_flips", 0.5, 0.5, "and asking again moves nothing"),
        ("pairwise_agreement", 0.4, 0.4, "of ten pairs of wordings, four show the same option as A"),
        ("noise", 0, 0, "no run-to-run noise in it"),
        ("c_out", 1, 1, "the same outcome each time"),
        ("phrasing", 0.15, 0.15, "all of the variance is the order's"),
        ("s_prompt", 0.85, 0.85, "as high as a good model's: read the flips beside it"),
        ("delta_accuracy", 0, 0, "what A loses on some items it wins on others"),
        ("responsiveness", 0, 0, "insensitive to the question"),
    ),
    "random": (
        ("accuracy", 0.22, 0.28, "one option in four"),
        ("fragility_score", 0.71, 0.79, "three answers in four differ"),
        ("excess_flips", -0.06, 0.06, "but no more than when asked again"),
        ("pairwise_agreement", 0.22, 0.28, "two answers agree by chance"),
        ("fleiss_kappa", -0.03, 0.03, "no agreement beyond chance"),
        ("s_prompt", 0.92, 0.95, "run-to-run noise alone, p(1 − p) / 3, reads as sensitivity"),
        ("s_corrected", 0.985, 1.015, "and is gone once repeats show it"),
        ("phrasing", -0.015, 0.015, "wording does nothing"),
        ("noise", 0.17, 0.205, "p(1 − p) at p = ¼"),
        ("c_out_unbiased", 0.18, 0.32, "(2p − 1)² at p = ¼"),
        ("delta_accuracy", -0.05, 0.05, "nothing to lose"),
        ("responsiveness", 0.68, 0.82, "by chance: robustness is what it lacks"),
        ("phrasing_test p", 0.01, 1, "no evidence that wording matters"),
    ),
    "ignores the question": (
        ("s_prompt", 1, 1, "perfectly stable"),
        ("consistency_at_k", 1, 1, "perfectly consistent"),
        ("fragility_score", 0, 0, "never flips"),
        ("c_out", 1, 1, "deterministic"),
        ("accuracy", _CHANCE, _CHANCE, "and no better than chance"),
        ("responsiveness", 0, 0, "because it does not read the question"),
    ),
}


def known_model_table(name: str, seed: int = 0) -> pl.DataFrame:
    """The outcome table of one of `KNOWN_MODELS` on questions with four options."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(list(_rows(name, KNOWN_MODELS[name], rng)), infer_schema_length=None)


def _rows(name: str, chooses: TestModel, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    for item in range(N_ITEMS):
        target = item % N_OPTIONS
        for variant, kind, change, order, changed in WORDINGS:
            for repeat in range(1, REPEATS + 1):
                shown = chooses(_Question(item, target, order, changed), rng)
                chosen = order[shown]
                yield {
                    "task": "selftest",
                    "model": name,
                    "id": f"q{item:03}",
                    "variant": variant,
                    "kind": kind,
                    "change": change,
                    "repeat": repeat,
                    "score": float(chosen == target),
                    "correct": chosen == target,
                    "pred_index": chosen,
                    "target_index": target,
                }


def selftest(seed: int = 0) -> list[SelfTest]:
    """What each metric must say of four test models, and what it says.

    Args:
        seed: Seed of the model that answers at random, and of the tests.

    Returns:
        One row for each model and metric; `ok` says whether the value is where it must be.

    Raises:
        InputError: If the seed is negative.

    Example:
        >>> from otherwords.metrics import selftest
        >>> rows = selftest()
        >>> all(row.ok for row in rows), sorted({row.model for row in rows})
        (True, ['always A', 'ignores the question', 'oracle', 'random'])
    """
    if seed < 0:
        raise InputError(f"the seed must not be negative, got {seed}")
    found = []
    for name, expected in EXPECTED.items():
        table = known_model_table(name, seed)
        values = {metric: one.value for metric, one in summarise(table, resamples=0)[name].items()}
        values["phrasing_test p"] = phrasing_test(table, permutations=999, seed=seed).p
        found += [
            SelfTest(name, metric, low, high, values[metric], why) for metric, low, high, why in expected
        ]
    return found
