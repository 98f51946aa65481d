"""Runs the searches for a better template (and proposes some) or the worst wording, resumed from logs.

A search tells what to ask next from the scores so far. Each of its stages has a log folder of its own, and
grows there as a run does that gets more wordings. What was asked before is read from the logs: an interrupted
search goes on where it stopped, and a finished one asks nothing.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from otherwords.core.contract import ERROR, MISSING, ORIG, SYSTEM, TEMPLATE, TRUNCATED, UNREADABLE
from otherwords.core.errors import InputError
from otherwords.core.files import write_all
from otherwords.core.model_calls import CallCounts
from otherwords.core.registry import traits_of
from otherwords.core.template import Cases, Template
from otherwords.core.types import Item, Variant, original
from otherwords.core.wording_names import wording_name
from otherwords.metrics.findings import ACCURACY, Finding
from otherwords.metrics.template_search import Cell, Repair, RepairSearch, Stage, WorstSearch
from otherwords.pipeline.agents import Agent, asked_models, settings_for
from otherwords.pipeline.estimate import RunEstimate, estimate_run, require_prices
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.template_candidates import (
    Candidate,
    Candidates,
    in_template,
    shared_wordings,
    template_diff,
)
from otherwords.pipeline.templates import template_wordings

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget, OnProgress, RunSettings
    from otherwords.variants.llm import LlmFamily

S = TypeVar("S", RepairSearch, WorstSearch)
Asked: TypeAlias = tuple[str, str]
"""A wording and an item."""
Scores: TypeAlias = dict[Cell, list[float | None]]
ANSWER_ONLY = "Give only the answer, in the form that is asked for, and nothing before or after it."
_BY_OUTCOME: dict[str, str] = {UNREADABLE: ANSWER_ONLY, TRUNCATED: "Be brief. Give only the answer."}
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


def propose(
    template: Template,
    cases: Sequence[Item],
    k: int,
    *,
    families: Sequence[str],
    seed: int = 0,
    paraphraser: str | LlmFamily | None = None,
    findings: Sequence[Finding] = (),
) -> Candidates:
    """Wordings of a template: by rules and by a model, and with sentences that say what is expected.

    Args:
        template: The current one.
        cases: What it is filled with; their answers tell what may be said of the answer.
        k: Most wordings of each part by rules and the model.
        families: Of the rules.
        seed: Of what is drawn.
        paraphraser: A model that writes wordings, too.
        findings: Of `fix`, in runs of this template: each loss gets a sentence against it.

    Returns:
        The candidates, none of them twice and none the template itself, and what models were asked for them.
    """
    found: list[tuple[str, Template]] = []
    spent = CallCounts()
    roles = {message.role for message in template.messages}
    for part in (TEMPLATE, *([SYSTEM] if "system" in roles else [])):
        made = template_wordings(
            template, k, part=part, families=families, seed=seed, paraphraser=paraphraser
        )
        found += [(wording_name(one.kind, one.change), one.template) for one in made.accepted]
        spent.add(made.spent)
    for sentence, why in _sentences(cases, findings):
        text = template.part(TEMPLATE)
        for where, new in (("before", f"{sentence}\n\n{text}"), ("after", f"{text}\n\n{sentence}")):
            found.append(
                (f"says {where} the instruction: {sentence} ({why})", template.with_part(TEMPLATE, new, ""))
            )
    by_prompt = {one.prompt: (how, one) for how, one in reversed(found) if one.prompt != template.prompt}
    numbered = enumerate(reversed(by_prompt.values()), start=1)
    return Candidates(tuple(Candidate(f"t{number}", one, how) for number, (how, one) in numbered), spent)


def _sentences(cases: Sequence[Item], findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """What a template could say, and why."""
    said: dict[str, str] = {}
    for one in findings:
        if one.effect <= 0:
            continue
        kind = one.kind.rpartition("+")[2].rpartition(":")[2]
        sentence = traits_of(kind).remedy if one.what == ACCURACY else _BY_OUTCOME.get(one.what, "")
        if sentence:
            said.setdefault(sentence, f"found: {wording_name(one.kind, one.change)}")
    answers = [case.target for case in cases if isinstance(case.target, tuple)]
    if answers and all(len(text.split()) <= 4 for target in answers for text in target):
        said.setdefault(ANSWER_ONLY, "answers are short")
    yield from said.items()


def plan_repair(
    source: Source,
    candidates: Sequence[Candidate],
    agent: Agent,
    *,
    log_dir: Path,
    repeats: int = 3,
    seed: int = 0,
    wordings: Sequence[Variant] = (),
    scorer: str | None = None,
    constrain_choices: bool = False,
) -> SearchRun[RepairSearch]:
    """Candidates against the template that `source` has; with `wordings`, each case also in those."""
    cases = source.cases
    assert cases is not None
    templates = {ORIG: cases.templates[0], **{one.name: one.template for one in candidates}}
    said: dict[str, list[Variant]] = {case.id: [original(case)] for case in cases.cases}
    for variant in wordings:
        if not variant.is_original and not traits_of(variant.kind).is_control and variant.item_id in said:
            said[variant.item_id].append(variant)
    cells = {
        (name, case.id): tuple(in_template(name, template, case, cases.own, one) for one in said[case.id])
        for name, template in templates.items()
        for case in cases.cases
    }
    model, settings = one_model(agent, source, scorer)
    names = tuple(one.name for one in candidates)
    if not names:
        raise InputError(
            "no other wording of the template was found",
            file=cases.templates[0].file,
            hint="Let a model write some: --paraphraser MODEL",
        )
    search = RepairSearch(ORIG, names, tuple(said), repeats=repeats, seed=seed)
    return SearchRun(search, source, cells, model, settings, log_dir, constrain_choices)


def write_repair(
    folder: Path,
    cases: Cases,
    candidates: Sequence[Candidate],
    found: Repair,
    spent: Mapping[str, float | None],
) -> tuple[dict[str, Any], list[Path]]:
    """Writes `repair.json`, and the template with its diff if one is adopted; gives the content."""
    current = cases.templates[0]
    by_name = {one.name: one for one in candidates}
    suffix = ".txt" if current.file is None else current.file.suffix
    # a name of its own: the folder may be that of the template
    stem = f"{'template' if current.file is None else current.file.stem}.repaired"
    files: dict[Path, str] = {}
    if found.adopted is not None:
        after, diff = template_diff(current, by_name[found.adopted].template, suffix)
        files = {folder / f"{stem}{suffix}": after, folder / f"{stem}.diff": diff}
    content = {
        "format": "otherwords-repair",
        "version": 1,
        "sentence": found.sentence,
        "adopted": found.adopted,
        "template": current.plain,
        "new_template": None if found.adopted is None else by_name[found.adopted].template.plain,
        "gains": [
            {
                **asdict(one),
                "how": by_name[one.template].how,
                "prompt": by_name[one.template].template.plain,
            }
            for one in found.gains
        ],
        "cost": dict(spent),
        "files": [str(path) for path in files],
    }
    for old in (f"{stem}{suffix}", f"{stem}.diff"):
        (folder / old).unlink(missing_ok=True)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return content, write_all({**files, folder / "repair.json": text})
