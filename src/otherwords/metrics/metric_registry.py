"""`@metric`: a function of score arrays → a metric, registered; `summarise`: all metrics of every model."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Concatenate, Literal, Protocol, TypeVar, cast, overload

import numpy as np

from otherwords.core.contract import ORIG
from otherwords.core.registry import Registry
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import RESAMPLES, Generalize
from otherwords.metrics.measures import Measure, estimates, once
from otherwords.metrics.outcome_rows import Role
from otherwords.metrics.score_arrays import Grid, ScoreArrays, read_grid, read_score_arrays

T = TypeVar("T")
Result_co = TypeVar("Result_co", covariant=True)


class Metric(Protocol[Result_co]):
    """A function under `@metric`, as it is called: an outcome table in, an estimate (or estimates) out."""

    __name__: str
    by_kind: bool
    """Whether it says something of one kind of wording with its original."""
    measures: Callable[[ScoreArrays], list[Measure]] | None
    """What `summarise` computes; None for a metric that is no estimate."""

    def __call__(
        self,
        table: Any,
        task: str | None = None,
        *,
        model: str | None = None,
        generalize: Generalize | None = None,
        resamples: int = RESAMPLES,
        seed: int = 0,
        **options: Any,
    ) -> Result_co:
        """Compute the metric; `options` are those that the function itself has."""
        ...


METRICS: Registry[Metric[Any]] = Registry("metric", "otherwords.metrics")


class _Decorator(Protocol):
    @overload
    def __call__(self, function: Callable[Concatenate[ScoreArrays, ...], Measure], /) -> Metric[Estimate]: ...

    @overload
    def __call__(
        self, function: Callable[Concatenate[ScoreArrays, ...], Iterable[Measure]], /
    ) -> Metric[dict[str, Estimate]]: ...


@overload
def metric(*, by_kind: bool = True, also: Sequence[Mapping[str, Any]] = ()) -> _Decorator: ...


@overload
def metric(
    *, summarised: Literal[False]
) -> Callable[[Callable[Concatenate[ScoreArrays, ...], T]], Metric[T]]: ...


def metric(
    *, by_kind: bool = True, also: Sequence[Mapping[str, Any]] = (), summarised: bool = True
) -> Callable[[Callable[..., Any]], Any]:
    """Make a metric of a function that takes `ScoreArrays` and returns a `Measure`, or yields several.

    The decorated function takes an outcome table, `task`, `model`, `resamples` and `seed`, besides its own
    keyword options, and returns an `Estimate`, or a dictionary of them when it yields several measures. It is
    in `METRICS` and in `summarise` under its name. Its docstring gets the sections that all metrics share
    (Args, Returns, Raises), where it does not have them. A package adds a metric through the entry point
    group `otherwords.metrics`, under the function's name.

    Args:
        by_kind: Whether `summarise(…, by_kind=True)` also computes it for each kind of wording.
        also: Options with which `summarise` computes it once more, under the name that the measure then has.
        summarised: False for a function whose result is no measure. It is returned as it is, `resamples` and
            `seed` are there only if it has such options, and it is no part of `summarise`.

    Returns:
        A decorator.

    Raises:
        InputError: Another metric has the function's name.

    Example:
        >>> import numpy as np
        >>> import polars as pl
        >>> from otherwords.metrics import METRICS, Measure, ScoreArrays, mean_over_groups, metric
        >>> @metric()
        ... def worst_wording(arrays: ScoreArrays) -> Measure:
        ...     '''Mean over items of the score of the worst wording.'''
        ...     lowest = np.ones(arrays.n_groups)
        ...     np.minimum.at(lowest, arrays.group, arrays.mean)
        ...     return mean_over_groups(
        ...         arrays, lowest, arrays.variants >= 1, nothing="no row has a score", left_out="no score"
        ...     )
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b"], "variant": ["orig", "para1", "orig"], "score": [1.0, 0.5, 1.0]}
        ... )
        >>> worst_wording(table).value
        0.75
        >>> METRICS.remove("worst_wording")
    """

    def decorate(function: Callable[..., Any]) -> Any:
        public = _with_interval(function, by_kind, also) if summarised else _as_it_is(function)
        return METRICS.add(function.__name__, public)

    return decorate


def _with_interval(
    function: Callable[..., Any], by_kind: bool, also: Sequence[Mapping[str, Any]]
) -> Metric[Any]:
    def compute(arrays: ScoreArrays, options: Mapping[str, Any]) -> Measure | list[Measure]:
        found = function(arrays, **options)
        return named(found) if isinstance(found, Measure) else [named(one) for one in found]

    def named(measure: Measure) -> Measure:
        return measure if measure.metric else replace(measure, metric=function.__name__)

    def public(
        table: Any,
        task: str | None = None,
        *,
        model: str | None = None,
        generalize: Generalize | None = None,
        resamples: int = RESAMPLES,
        seed: int = 0,
        **options: Any,
    ) -> Any:
        found = compute(read_score_arrays(table, task, model), options)
        if isinstance(found, Measure):
            return estimates([found], resamples, seed, generalize=generalize)[0]
        return {one.metric: one for one in estimates(found, resamples, seed, generalize=generalize)}

    def measures(arrays: ScoreArrays) -> list[Measure]:
        found = [compute(arrays, options) for options in ({}, *also)]
        return [one for part in found for one in ([part] if isinstance(part, Measure) else part)]

    return _as_documented(public, function, by_kind, measures)


def _as_it_is(function: Callable[..., Any]) -> Metric[Any]:
    def public(table: Any, task: str | None = None, *, model: str | None = None, **options: Any) -> Any:
        return function(read_score_arrays(table, task, model), **options)

    return _as_documented(public, function, False, None)


def _as_documented(
    public: Callable[..., Any],
    function: Callable[..., Any],
    by_kind: bool,
    measures: Callable[[ScoreArrays], list[Measure]] | None,
) -> Metric[Any]:
    """`public` with the name, the signature and the docstring that its users see."""
    own, shared = _signature(function), _signature(public)
    result = own.return_annotation
    if measures is not None:
        result = Estimate if result in (Measure, "Measure") else dict[str, Estimate]
    first, rest = list(shared.parameters.values())[:3], list(shared.parameters.values())[3:-1]
    options = [one.replace(kind=one.KEYWORD_ONLY) for one in list(own.parameters.values())[1:]]
    signature = inspect.Signature([*first, *options, *rest], return_annotation=result)
    functools.update_wrapper(public, function)
    public.__signature__ = signature  # type: ignore[attr-defined]
    public.__annotations__ = {one.name: one.annotation for one in signature.parameters.values()}
    public.__annotations__["return"] = result
    public.__doc__ = _docstring(inspect.getdoc(function) or "", list(signature.parameters), result)
    made = cast("Metric[Any]", public)
    made.by_kind, made.measures = by_kind, measures
    return made


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """With types where they can be resolved, and else, where only a type checker imports them, as written."""
    try:
        return inspect.signature(function, eval_str=True)
    except NameError:
        return inspect.signature(function)


_ARGS = {
    "table": "Outcome table: a polars or pandas frame with the columns id, variant and score at least.",
    "task": "Only rows of this task; its name with or without the package before the slash.",
    "model": "Only rows of this model.",
    "generalize": "For whom the interval speaks: `items`, `wordings` or `both`; if None, by its wordings.",
    "resamples": "0 for no interval; any other number is the same, since nothing is resampled.",
    "seed": "Without effect, since nothing is drawn at random; kept for callers that give one.",
}
_RETURNS = (
    "The value with its 95% interval, its counts, and a reason where there is something to keep in mind."
)
_RAISES = "InputError: The table has no such task or model, or rows that cannot be measured."
_ORDER = ("Returns", "Raises", "Example", "Examples")
"""Of the sections after Args."""
_SECTION = re.compile(r"^(Args|Returns|Raises|Examples?):\n", re.MULTILINE)
_ARGUMENT = re.compile(r"^    (\w+): ((?:.|\n     )*)", re.MULTILINE)


def _docstring(own: str, names: list[str], result: Any) -> str:
    """The docstring of a metric, with the sections that all metrics share where it has none of its own."""
    summary, *rest = _SECTION.split(own)
    sections = {head: text.rstrip() for head, text in zip(rest[0::2], rest[1::2], strict=True)}
    described = {**_ARGS, **dict(_ARGUMENT.findall(sections.pop("Args", "")))}
    sections.setdefault("Returns", f"    {_RETURNS if result is Estimate else 'What it computes.'}")
    sections.setdefault("Raises", f"    {_RAISES}")
    arguments = "\n".join(f"    {name}: {described.get(name, '')}".rstrip() for name in names)
    ordered = [f"{head}:\n{sections[head]}" for head in _ORDER if head in sections]
    return "\n\n".join([summary.rstrip(), f"Args:\n{arguments}", *ordered]) + "\n"


def summarise(
    table: Any,
    task: str | None = None,
    *,
    metrics: Iterable[str] | None = None,
    by_kind: bool = False,
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, Estimate]]:
    """Every metric of every model, from one pass over the table.

    Each estimate is exactly what the metric's own function gives with `model=`. Metrics that are no estimates
    (`s_task`, `mcnemar_orig_vs_variants`) are not in it.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        metrics: Names in `METRICS`; all if not given.
        by_kind: Also each kind of wording with its original, as the group `model / kind`.
        generalize: For whom the intervals speak: other `items`, other `wordings` of these items, or `both`.
            If not given: `both` where items share some wordings, by what their families declare.
        resamples: 0 for no intervals; any other number is the same, since nothing is resampled.
        seed: Without effect, since nothing is drawn at random.

    Returns:
        For each group (a model, or `all` where the table names none) its estimates by metric.

    Raises:
        InputError: The table has no such task, there is no such metric, or rows cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import summarise
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a"], "variant": ["orig", "para1"], "model": "m", "score": [1.0, 0.0]}
        ... )
        >>> found = summarise(table, metrics=["accuracy", "s_norm"], resamples=0)
        >>> {name: one.value for name, one in found["m"].items()}
        {'accuracy': 0.5, 's_norm': 0.0}
    """
    found: dict[str, dict[str, Estimate]] = {}
    measures = measures_of(table, task, metrics=metrics, by_kind=by_kind)
    for estimate in estimates(measures, resamples, seed, generalize=generalize):
        found.setdefault(estimate.group, {})[estimate.metric] = estimate
    return found


def measures_of(
    table: Any, task: str | None = None, *, metrics: Iterable[str] | None = None, by_kind: bool = False
) -> Iterator[Measure]:
    """What `summarise` makes its estimates of: every metric of every model, and of every kind if asked.

    One at a time, since the measures of a large table together are larger than the table.
    """
    chosen = [one for _, one in METRICS] if metrics is None else [METRICS.get(name) for name in metrics]
    grid = read_grid(table, task)
    for arrays in _by_model(grid, None):
        for metric in chosen:
            yield from _once(grid, metric, arrays)
    for arrays in _by_kind(grid) if by_kind else ():
        for metric in chosen:
            yield from metric.measures(arrays) if metric.measures and metric.by_kind else ()


def _once(grid: Grid, metric: Metric[Any], arrays: ScoreArrays) -> list[Measure]:
    """The measures of one model, worked out once for a grid."""
    if metric.measures is None:
        return []
    make = metric.measures
    return once(grid, ("measures", id(metric), arrays.label), lambda: make(arrays))


def _by_kind(grid: Grid) -> Iterator[ScoreArrays]:
    for kind in _wording_kinds(grid):
        for arrays in _by_model(grid, kind):
            if not arrays.original.all():
                yield replace(arrays, label=f"{arrays.label} / {kind}")


def _wording_kinds(grid: Grid) -> list[str]:
    """Kinds of wordings that must not change the answer, the original's apart."""
    found = np.unique(grid.kind[(grid.role == Role.WORDING) & ~grid.original])
    return [grid.kinds[place] for place in found if grid.kinds[place] not in ("", ORIG)]


def _by_model(grid: Grid, kind: str | None) -> Iterator[ScoreArrays]:
    for model in grid.models if len(grid.models) > 1 else [None]:
        yield once(grid, ("arrays", model, kind), functools.partial(grid.select, model=model, kind=kind))
