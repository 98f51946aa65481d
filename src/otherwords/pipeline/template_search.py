"""Frozen variants of cases → the worst wording; and any search, run through the run engine and resumed.

A search tells what to ask next from the scores so far. Each of its stages has a log folder of its own, and
grows there as a run does that gets more wordings. What was asked before is read from the logs: an interrupted
search goes on where it stopped, and a finished one asks nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

from otherwords.core.contract import ERROR, MISSING, ORIG
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.types import Variant
from otherwords.core.wording_names import wording_name
from otherwords.metrics.template_search import Cell, RepairSearch, Stage, WorstSearch
from otherwords.pipeline.estimate import RunEstimate, estimate_run, require_prices
from otherwords.pipeline.inputs import Agent, Source, asked_models
from otherwords.pipeline.run import settings_for

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget, OnProgress, RunSettings

S = TypeVar("S", RepairSearch, WorstSearch)
Asked: TypeAlias = tuple[str, str]
"""A wording and an item."""
Scores: TypeAlias = dict[Cell, list[float | None]]
FEWEST_ITEMS = 0.5
"""A change that a smaller share of the items has is no wording of all of them."""
_STAGES: tuple[Stage, ...] = ("screen", "confirm")


@dataclass(frozen=True)
class SearchRun(Generic[S]):
    """A search, and all that it takes to ask what it wants to know."""

    search: S
    source: Source
    cells: Mapping[Asked, tuple[Variant, ...]]
    """What is asked of an item in a wording, by the names of both; nothing where the item lacks it."""
    model: str
    settings: RunSettings
    log_dir: Path
    constrain_choices: bool = False

    @property
    def repeats(self) -> int:
        return self.search.repeats

    def folder(self, stage: Stage) -> Path:
        """Where the logs of a stage are."""
        return self.log_dir / stage

    def told(self) -> Scores:
        """The scores of all cells that the logs have finished."""
        told: Scores = {}
        for stage in _STAGES:
            scores, finished = self._read(stage)
            for (wording, item), variants in self.cells.items():
                if finished[wording, item] >= self.repeats * len(variants):
                    told[Cell(stage, wording, item)] = scores[wording, item]
        return told

    def _read(self, stage: Stage) -> tuple[dict[Asked, list[float | None]], Counter[Asked]]:
        """The scores of each cell, and how many of its runs need not be asked again."""
        from otherwords.results import read_results

        scores: dict[Asked, list[float | None]] = defaultdict(list)
        finished: Counter[Asked] = Counter()
        if not any(self.folder(stage).glob("*.eval")):
            return scores, finished
        of_run = {
            (variant.item_id, variant.name): cell
            for cell, variants in self.cells.items()
            for variant in variants
        }
        rows = read_results(self.folder(stage), scorer=self.settings.scorer).outcomes
        for item, variant, score, status in rows.select("id", "variant", "score", "status").iter_rows():
            cell = of_run.get((item, variant))
            if cell is not None:
                scores[cell].append(score)
                finished[cell] += status not in (ERROR, MISSING)
        return scores, finished

    def most(self) -> Scores:
        """Every cell that would be asked if the search took its longest way."""
        first = self.search.current if isinstance(self.search, RepairSearch) else self.search.original
        told: Scores = {}
        while asks := self.search.asks(told):
            told |= {cell: [float(cell.wording != first)] for ask in asks for cell in ask.cells}
        return told

    def estimate(self, prices: Mapping[str, ModelCost] | None = None) -> RunEstimate:
        """What it takes at most, less what the logs have."""
        done, config = self.told(), self.settings.config
        variants = [one for cell in self.most() for one in self._variants(cell)]
        task = self.source.as_task(list({one.id: one for one in variants}.values()))
        finished = sum(len(self._variants(cell)) for cell in done) * self.repeats
        whole = estimate_run(
            task,
            [self.model],
            repeats=self.repeats,
            max_tokens=config.max_tokens,
            system_message=config.system_message,
            prices=prices,
        )
        share = max(len(variants) * self.repeats - finished, 0) / max(whole.samples, 1)
        return RunEstimate(
            samples=len(variants) * self.repeats,
            finished=min(finished, len(variants) * self.repeats),
            input_tokens=round(whole.input_tokens * share),
            output_tokens=round(whole.output_tokens * share),
            answer_tokens=whole.answer_tokens,
            answer_is_assumed=whole.answer_is_assumed,
            usd=None if whole.usd is None else whole.usd * share,
            unpriced=whole.unpriced,
        )

    def _variants(self, cell: Cell) -> tuple[Variant, ...]:
        return self.cells.get((cell.wording, cell.item), ())

    def execute(
        self,
        *,
        max_connections: int | None = None,
        budget: Budget | None = None,
        prices: Mapping[str, ModelCost] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Scores | None:
        """Asks until the search has its result, and gives all scores; None where the budget ended first."""
        from otherwords.runs import run_tasks

        require_prices(budget, [self.model, *self.settings.model_roles.values()], prices)
        told, place = self.told(), {item.id: number for number, item in enumerate(self.source.items)}
        while asks := self.search.asks(told):
            stage = asks[0].stage
            new: list[Cell] = [cell for ask in asks for cell in ask.cells]
            so_far: list[Cell] = [cell for cell in told if cell.stage == stage]
            variants = [one for cell in (*so_far, *new) for one in self._variants(cell)]
            if variants:
                done = run_tasks(
                    self.source.as_task(
                        sorted(variants, key=lambda one: place[one.item_id]),
                        constrain_choices=self.constrain_choices,
                    ),
                    self.model,
                    log_dir=self.folder(stage),
                    repeats=self.repeats,
                    settings=self.settings,
                    max_connections=max_connections,
                    budget=budget,
                    prices=prices,
                    on_progress=on_progress,
                )
                if done.stopped is not None:
                    return None
                if budget is not None:
                    budget = budget.less(calls=done.calls, tokens=done.tokens, usd=done.usd)
            scores, _ = self._read(stage)
            told |= {cell: scores.get((cell.wording, cell.item), []) for cell in new}
        return told

    def spent(self) -> dict[str, float | None]:
        """Runs, tokens and dollars of all that the logs hold, of this run of the command and earlier ones."""
        from otherwords.results import read_results

        folders = [self.folder(stage) for stage in _STAGES if any(self.folder(stage).glob("*.eval"))]
        read = [read_results(folder, scorer=self.settings.scorer) for folder in folders]
        costs = [log.made.cost for one in read for log in one.logs if log.made.cost is not None]
        rows = [one.outcomes for one in read]
        tokens = [int(one["tokens"].sum()) for one in rows if one["tokens"].count()]
        return {
            "calls": sum(one.filter(one["status"] != MISSING).height for one in rows),
            "tokens": sum(tokens) if tokens else None,
            "usd": sum(costs) if costs else None,
        }


def one_model(agent: Agent, source: Source, scorer: str | None) -> tuple[str, RunSettings]:
    """The model that a search asks, and how."""
    models = asked_models(agent)
    if len(models) > 1:
        raise InputError("a search asks one model, and there are several --model")
    return models[0], replace(settings_for(agent, source), scorer=scorer)


def shared_wordings(
    variants: Sequence[Variant], n_items: int
) -> tuple[dict[tuple[str, str], Variant], list[str]]:
    """Rewordings that can be said of all items, by name and item; and the names of those that few items have.

    A wording is a template where there are several, else a change such as `format: spaces`. Changes that
    fewer than half of the items have are counted by their kind; of those of one item the first is asked.
    """
    several = len({one.template for one in variants}) > 1
    usable = [one for one in variants if not one.is_original and not traits_of(one.kind).is_control]
    if several:
        usable = [one for one in usable if one.wording in ("", ORIG)]
        named = {one.id: one.template for one in usable}
    else:
        named = {one.id: wording_name(one.kind, one.change) for one in usable}
    least = FEWEST_ITEMS * n_items
    found: dict[Asked, Variant] = {}
    rare: set[str] = set()
    for names in (named, {one.id: wording_name(one.kind, "") for one in usable if not several}):
        items = defaultdict[str, set[str]](set)
        taken = {one.id for one in found.values()}
        for one in usable:
            if one.id in names and one.id not in taken:
                items[names[one.id]].add(one.item_id)
        common = {name for name, having in items.items() if len(having) >= least}
        rare = set(items) - common
        for one in usable:
            if one.id not in taken and names.get(one.id) in common:
                found.setdefault((names[one.id], one.item_id), one)
    return found, sorted(rare)


def plan_worst(
    source: Source,
    variants: Sequence[Variant],
    agent: Agent,
    *,
    budget: int,
    log_dir: Path,
    repeats: int = 1,
    seed: int = 0,
    scorer: str | None = None,
    constrain_choices: bool = False,
) -> tuple[SearchRun[WorstSearch], list[str]]:
    """The search, and the names of wordings that too few items have."""
    items = [item.id for item in source.items]
    found, rare = shared_wordings([one for one in variants if one.item_id in set(items)], len(items))
    names = tuple(dict.fromkeys(name for name, _ in found))
    if not names:
        raise InputError(
            "no accepted rewording is one that at least half of the items have",
            hint="Make some that all have: otherwords vary CASES --families format,typing -o variants.jsonl",
        )
    cells = {cell: (variant,) for cell, variant in found.items()}
    cells |= {(ORIG, one.item_id): (one,) for one in variants if one.is_original}
    model, settings = one_model(agent, source, scorer)
    search = WorstSearch(ORIG, names, tuple(items), budget, repeats=repeats, seed=seed)
    return SearchRun(search, source, cells, model, settings, log_dir, constrain_choices), rare
