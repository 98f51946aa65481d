"""A run's first items, or logs of an earlier run → tokens, time and money that the samples left will take."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.contract import ERROR, MISSING
from otherwords.core.errors import InputError
from otherwords.core.files import as_typed
from otherwords.core.table import empty_outcomes
from otherwords.core.texts import about, of_things
from otherwords.pipeline.run_plan import RunPlan
from otherwords.runs.sample_costs import Cost, CostPerSample

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.runs.shards import Shard

PILOT_SAMPLES = 20
"""Of each model; whole items, at least two and at most five."""
FEW_SAMPLES = 100
"""Left to ask, above which a pilot is worth while."""


@dataclass(frozen=True)
class Measured:
    """What a sample took, and what the samples that are left will take."""

    each: CostPerSample
    samples: int
    """That are left."""
    where: str
    """What it was measured on."""
    speed: float | None = None
    """Seconds by the clock for one sample, as many being asked at once as were; None where not known."""
    sees_models: bool = True
    """False for an agent whose model calls are not seen."""
    is_priced: bool = True

    @property
    def left(self) -> CostPerSample:
        """What is left takes, with an interval."""
        return self.each.times(self.samples)

    def sentences(self) -> list[str]:
        """What was measured, and what follows from it."""
        each, left = self.each, self.left
        parts = [f"{each.mean.seconds:.1f} s{_between(each, 'seconds', '.1f')}"]
        whole = []
        if self.sees_models:
            if each.mean.calls:
                parts.insert(0, f"{each.mean.calls:.1f} calls{_between(each, 'calls', '.1f')}")
                whole.append(_amount(left, "calls"))
            parts.insert(-1, f"{each.mean.tokens:,.0f} tokens{_between(each, 'tokens', ',.0f')}")
            whole.append(_amount(left, "tokens"))
            if self.is_priced:
                parts.append(f"${each.mean.usd:.4f}" if each.mean.usd >= 0.0001 else "less than $0.0001")
                ends = f" (${left.low.usd:,.2f} to ${left.high.usd:,.2f})"
                whole.append(f"${left.mean.usd:,.2f}{'' if math.isinf(left.high.usd) else ends}")
        if self.speed is not None:
            whole.append(f"{_duration(self.speed * self.samples)} at this speed")
        said = [f"Measured on {self.where}: {', '.join(parts)} a sample."]
        if whole:
            said.append(f"The {self.samples:,} samples that are left take about {', '.join(whole)}.")
        return said


def _between(each: CostPerSample, part: str, form: str) -> str:
    low, high = getattr(each.low, part), getattr(each.high, part)
    return "" if math.isinf(high) or low == high else f" ({low:{form}} to {high:{form}})"


def _amount(left: CostPerSample, part: str) -> str:
    mean, low, high = (round(getattr(one, part)) for one in (left.mean, left.low, _finite(left)))
    if low == high:
        return f"{mean:,} {part}"
    ends = "" if math.isinf(getattr(left.high, part)) else f" ({about(low)} to {about(high)})"
    return f"{about(mean)} {part}{ends}"


def _finite(left: CostPerSample) -> Cost:
    return left.mean if math.isinf(left.high.calls) else left.high


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def samples_left(plan: RunPlan) -> int:
    """Over all models."""
    return sum(sum(left.values()) for left in plan.left.values())


def pilot_of(plan: RunPlan, left: int | None = None) -> RunPlan | None:
    """The plan's first items, which tell what the others will take; None where few are left to ask.

    Where the plan is one of several, `left` samples are left of all of them.
    """
    from inspect_ai import task_with
    from inspect_ai.dataset import MemoryDataset

    per_item = max(len(plan.variants) * plan.repeats / max(len(plan.items), 1), 1)
    n_items = min(max(math.ceil(PILOT_SAMPLES / per_item), 2), 5)
    few = (samples_left(plan) if left is None else left) <= FEW_SAMPLES
    if few or samples_left(plan) < plan.calls or len(plan.items) <= n_items:
        return None  # a run that goes on was measured before
    wanted = {item.id for item in plan.items[:n_items]}
    variants = [one for one in plan.variants if one.item_id in wanted]
    names = {one.id for one in variants}
    whole = plan.task.dataset
    samples = [one for one in whole if str(one.id) in names]
    dataset = MemoryDataset(samples, name=whole.name, location=whole.location, shuffled=whole.shuffled)
    return replace(
        plan,
        variants=variants,
        task=task_with(copy.copy(plan.task), dataset=dataset),
        left={model: dict.fromkeys(names, plan.repeats) for model in plan.models},
        rounds=None,
    )


def measured_by(
    pilot: RunPlan, plan: RunPlan, summary: Any, *, is_priced: bool, left: int | None = None
) -> Measured | None:
    """What a pilot tells of the rest of the plan; or of `left` samples, where the plan is part of a run."""
    if summary.costs is None:
        return None
    items = len({variant.item_id for variant in pilot.variants})
    return Measured(
        summary.costs,
        (samples_left(plan) if left is None else left) - summary.finished,
        f"the first {of_things(items, 'item')} ({of_things(summary.costs.count, 'sample')})",
        speed=summary.seconds / max(summary.finished, 1),
        sees_models=not plan.settings.calls_no_model,
        is_priced=is_priced,
    )


def measured_before(
    plan: RunPlan, prices: Mapping[str, ModelCost] | None = None, *, kept_at: object = None
) -> Measured | None:
    """What the logs of the plan's folder tell of the samples that are left; None where there are none.

    `kept_at` is where these logs come from, where the folder is a copy of them.
    """
    from otherwords.runs.earlier_runs import own_logs

    logs = own_logs(plan.task, plan.models, log_dir=plan.log_dir, settings=plan.settings)
    headers = [header for found in logs.values() for header in found.values()]
    rows = _ended([path for found in logs.values() for path in found], plan.settings.scorer)
    return _measured(rows, headers, prices, samples_left(plan), kept_at or plan.log_dir, plan)


def measured_in_shards(
    shards: Sequence[Shard],
    log_dir: str | Path,
    plan: RunPlan,
    samples: int,
    prices: Mapping[str, ModelCost] | None = None,
) -> tuple[int, Measured | None]:
    """How many samples of a run in shards have ended, and what their logs tell of those that are left.

    Args:
        shards: All of them.
        log_dir: The folder or address of the whole run.
        plan: Of one of the shards.
        samples: Of the whole run.
        prices: Prices of models, by name.
    """
    from inspect_ai.log import read_eval_log

    from otherwords.results.load import find_files

    folders = {shard.folder("").parts for shard in shards}
    where = as_typed(log_dir)
    try:
        files = [file.address for file in find_files([where], frozenset()) if file.address.endswith(".eval")]
    except InputError:  # nothing is there yet
        return 0, None
    logs = [file for file in files if Path(file).parts[-3:-1] in folders]
    rows = _ended(logs, plan.settings.scorer)
    headers = [read_eval_log(log, header_only=True) for log in logs] if rows.height else []
    left = max(samples - rows.height, 0)
    return rows.height, _measured(rows, headers, prices, left, where, plan)


def _ended(logs: Sequence[str | Path], scorer: str | None) -> pl.DataFrame:
    """Tokens and seconds of the samples that came to their end; of a run that was killed at once none."""
    from otherwords.results import read_results

    try:
        table = read_results(logs, scorer=scorer).outcomes if logs else empty_outcomes()
    except InputError:
        table = empty_outcomes()
    return table.filter(~pl.col("status").is_in([ERROR, MISSING]), pl.col("seconds").is_not_null()).select(
        pl.col("tokens").fill_null(0).cast(pl.Float64), "seconds"
    )


def _measured(
    rows: pl.DataFrame,
    headers: list[Any],
    prices: Mapping[str, ModelCost] | None,
    left: int,
    where: object,
    plan: RunPlan,
) -> Measured | None:
    if rows.is_empty():
        return None
    usd = _usd_of(headers, prices or {})
    # money is known for all samples together, and differs from one to the other as tokens do
    tokens = float(rows["tokens"].sum())
    rate = 0.0 if usd is None or not tokens else usd / tokens
    total, squares = (
        Cost(0.0, float((rows["tokens"] ** power).sum()), 0.0, float((rows["seconds"] ** power).sum()))
        for power in (1, 2)
    )
    each = CostPerSample.of(
        rows.height,
        replace(total, usd=total.tokens * rate),
        replace(squares, usd=squares.tokens * rate**2),
    )
    return Measured(
        each,
        left,
        f"the {of_things(rows.height, 'sample')} in {where}",
        sees_models=not plan.settings.calls_no_model,
        is_priced=usd is not None,
    )


def _usd_of(headers: list[Any], prices: Mapping[str, ModelCost]) -> float | None:
    """What the fullest log of each run cost; None where a price is not known."""
    from inspect_ai.model import compute_model_cost

    from otherwords.pipeline.estimate import known_price

    newest: dict[str, Any] = {}
    for header in sorted(headers, key=lambda one: one.eval.created):
        newest[header.eval.task_id] = header
    spent = 0.0
    for header in newest.values():
        for model, usage in header.stats.model_usage.items():
            price = prices.get(model) or known_price(model)
            if price is None:
                return None
            spent += compute_model_cost(price, usage) or 0.0
    return spent


def weight_sentence(plan: RunPlan, samples: int | None = None) -> str:
    """What a benchmark's samples take on this machine, where that is much; else empty.

    `samples` are left, where the plan is part of a run.
    """
    known = plan.source.benchmark
    if known is None or not (known.cpu_seconds or known.log_kb):
        return ""
    samples = samples_left(plan) if samples is None else samples
    return (
        f"A sample of {known.name} takes about {known.cpu_seconds:g} s of CPU here and {known.log_kb:g} kB "
        f"({known.log_kb / 1000:g} MB) of log, whatever the model: {_duration(known.cpu_seconds * samples)} "
        f"of one core and {known.log_kb * samples / 1000:,.1f} MB for the {samples:,} that are left."
    )
