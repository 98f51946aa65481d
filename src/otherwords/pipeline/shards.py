"""A dataset or task and an agent → shards of items × model, run here or by Ray, and one summary of them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError
from otherwords.pipeline.agents import Agent, Function, as_agent, asked_models
from otherwords.pipeline.estimate import require_prices
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.run import execute_plan
from otherwords.pipeline.run_plan import RunPlan, plan_run
from otherwords.runs.shards import Shard, cut, parse_shard, parts_of

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget, OnProgress, RunSummary

ITEMS_A_SHARD = 500
"""In a run that is not told how many shards it has: an hour of an agent, and little memory."""


@dataclass(frozen=True)
class ShardedRun:
    """A run that is cut into shards, as it can be sent to other machines."""

    source: str | Path | Source
    agent: Agent
    shards: tuple[Shard, ...]
    log_dir: Path
    plan: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `plan_run`."""
    execute: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `execute_plan`."""

    def plan_shard(self, shard: Shard, *, write: bool = True) -> RunPlan:
        return plan_run(
            self.source, self.agent, log_dir=self.log_dir, shard=shard, **{**self.plan, "write": write}
        )

    def run_shard(self, shard: Shard, budget: Budget, on_progress: OnProgress) -> RunSummary:
        """Plan it and ask what is left; another process that writes to its folder is waited for."""
        from otherwords.runs.lease import hold_folder

        with hold_folder(shard.folder(self.log_dir), wait=True):
            plan = self.plan_shard(shard)
            return execute_plan(plan, budget=budget, on_progress=on_progress, **self.execute)


def one_shard(agent: str | Function | Sequence[str] | Agent, named: str) -> Shard:
    """The shard that `3/40` stands for."""
    number, of = parse_shard(named)
    return cut(asked_models(as_agent(agent)), of)[number - 1]


def cut_run(
    source: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    shards: int | None,
    *,
    log_dir: str | Path,
    items: int | None = None,
    plan: Mapping[str, Any] | None = None,
    execute: Mapping[str, Any] | None = None,
) -> ShardedRun:
    """The run in so many shards; by default as its folder has them, or else one for each 500 `items`."""
    asked = as_agent(agent)
    models = asked_models(asked)
    if shards is None:
        parts = parts_of(log_dir) or max(1, -(-(items or 1) // ITEMS_A_SHARD))
        shards = parts * len(models)
    return ShardedRun(
        source, asked, tuple(cut(models, shards)), Path(log_dir), dict(plan or {}), dict(execute or {})
    )


def run_shards(
    run: ShardedRun,
    *,
    executor: str = "local",
    ray_address: str | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    calls_a_minute: float | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    expected: int = 0,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Run every shard; run again, it asks only what is missing.

    Args:
        run: What is run, as `cut_run` gives it.
        executor: `local`, one shard after the other in this process, or `ray`.
        ray_address: Of a Ray cluster that is there; by default one is started on this machine.
        workers: Shards at once with Ray; by default as many as the cluster has processors.
        budget: Calls, tokens or dollars at which the run stops, over all shards.
        calls_a_minute: The most calls that go out in a minute, over all shards.
        prices: Prices of models, by name, where Inspect does not know them.
        expected: About how many samples there are, for the progress.
        on_progress: Called with the progress of all shards together.

    Returns:
        The summary of all shards together.

    Raises:
        InputError: Something cannot be used as it is given, or no Ray cluster answers.
        RunError: A shard could not be run.
    """
    from otherwords.runs import Budget
    from otherwords.runs.executors import RAY, Execution, run_by_ray, run_locally
    from otherwords.runs.summary import joined

    require_prices(budget, [*(shard.model for shard in run.shards), *run.agent.model_roles.values()], prices)
    run = replace(run, execute={**run.execute, "prices": prices})
    how = Execution(budget, calls_a_minute, expected, on_progress)
    began = time.monotonic()
    if executor == RAY:
        if isinstance(run.source, Source):
            raise InputError("a run by Ray needs its dataset or task by name, which workers open themselves")
        done = run_by_ray(run.shards, run.run_shard, how, address=ray_address, workers=workers)
    else:
        done = run_locally(run.shards, run.run_shard, how)
    summary = joined([(shard.model, one) for shard, one in done])
    if len(done) < len(run.shards):  # the budget was spent before the others could begin
        stopped = summary.stopped or (budget or Budget()).used_up(
            calls=summary.calls, tokens=summary.tokens, usd=summary.usd
        )
        summary = replace(summary, stopped=stopped, total=max(summary.total, expected))
    return replace(summary, seconds=time.monotonic() - began)
