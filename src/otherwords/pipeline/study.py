"""`study`: runs that were made, facts on their models → a comparison as page, CSV, LaTeX and figures."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import write_all
from otherwords.core.texts import of_things, p_number
from otherwords.core.types import Estimate
from otherwords.metrics.study import (
    RankedBenchmark,
    Sensitivities,
    Transfer,
    Trend,
    rankings,
    sensitivities,
    transfers,
    trends,
)
from otherwords.pipeline.inputs import ModelFacts, read_models
from otherwords.pipeline.report_estimates import read_runs
from otherwords.report.figures.shared import Figure, Row
from otherwords.report.formats import METRIC_NAMES
from otherwords.report.study import Dot, StudyTable, agents_figure, dots_figure, study_latex, study_page
from otherwords.report.tables import frame_csv

CORRECTED, PLAIN = "s_corrected", "s_prompt"
FEW_REPEATS = (
    "Some agents were asked each wording once, so that run-to-run noise is part of {measure}: noisy agents "
    "seem sensitive to wording on every benchmark. With --repeats 3 it is taken out."
)
BY_CHANCE = (
    "Each interval stands by itself: of twenty pairs of benchmarks between which nothing transfers, one "
    "leaves out 0 by chance."
)
BOUND = (
    "A model that is nearly always right, or nearly always wrong, can hardly be sensitive to wording; so "
    "what transfers may be accuracy. Its own correlation stands beside."
)
COUSINS = (
    "Models of one family are alike; intervals count each as a model of its own and are then too narrow."
)


@dataclass(frozen=True)
class Study:
    """Everything that a study shows."""

    measure: str
    found: tuple[Sensitivities, ...]
    transfers: tuple[Transfer, ...]
    accuracy: tuple[Transfer, ...]
    """The same of accuracy."""
    trends: tuple[Trend, ...]
    rankings: tuple[RankedBenchmark, ...]
    columns: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def agents(self) -> list[str]:
        return list(dict.fromkeys(agent for one in self.found for agent in (*one.agents, *one.left_out)))

    @property
    def title(self) -> str:
        return METRIC_NAMES.get(self.measure, self.measure)

    @property
    def about(self) -> str:
        n = of_things(len(self.agents), "agent")
        return f"{n}, {of_things(len(self.found), 'benchmark')}; robustness is {self.title}."

    @property
    def sentence(self) -> str:
        """Whether robustness transfers, or what is missing to tell."""
        if len(self.found) < 2:
            return "Whether robustness transfers cannot be told from one benchmark."
        said = [one.said for one in self.transfers]
        if len(said) == 1:
            one = self.transfers[0]
            between = f"between {one.a} and {one.b}: {_why(one)}"
            if said[0] == "cannot tell":
                return f"Whether robustness transfers cannot be told {between}"
            how = "goes the other way" if said[0] == "reversed" else "transfers"
            return f"Robustness {how} {between}"
        yes, no = said.count("transfers"), said.count("reversed")
        turned = f" and goes the other way in {no}" if no else ""
        rest = len(said) - yes - no
        cannot = f"; of the other {rest} it cannot be told" if rest else ""
        return f"Robustness transfers in {yes} of {len(said)} pairs of benchmarks{turned}{cannot}."


def _why(one: Transfer) -> str:
    """The correlation of a pair, and what more it takes where that does not tell."""
    if one.correlation.low is None:
        return f"{one.correlation.reason}."
    said = f"correlation over {of_things(len(one.agents), 'agent')} {_interval(one.correlation)}."
    if one.said != "cannot tell":
        return said
    weakest = min((part for part in one.reliability if part is not None), default=0.0)
    more = "more items and repeats, since the agents differ little beyond noise" if weakest < 0.5 else ""
    return f"{said} It takes {more or 'more agents'}."


def study(
    runs: str | Path | Sequence[str | Path],
    *,
    models: str | Path | None = None,
    measure: str | None = None,
    scorer: str | None = None,
    seed: int = 0,
) -> Study:
    r"""Compare many agents on many benchmarks: does robustness transfer, what goes with it, do rankings hold?

    Args:
        runs: Logs, tables or folders of them, of several agents and benchmarks.
        models: A YAML file with a list `models`: `name`, and as far as known `family`, `size` (billions of
            parameters) and `date`.
        measure: The measure of robustness; by default S_prompt corrected for run-to-run noise, or S_prompt
            where some agent was asked each wording once.
        scorer: Which score counts where a log has several.
        seed: Seed of what is drawn for intervals.

    Returns:
        The measure of each agent, correlations between benchmarks without the noise of the estimates, trends
        over models, and how far rankings hold over wordings. What cannot be told has a reason instead.

    Raises:
        InputError: There is no result, or the file of models has a mistake.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import study
        >>> table = Path(tempfile.mkdtemp()) / "outcomes.csv"
        >>> cells = [(m, i, v) for m in "ab" for i in range(4) for v in ("orig", "para1")]
        >>> rows = [f"quiz,{m},q{i},{v},{(i + len(v)) % 2}" for m, i, v in cells]
        >>> _ = table.write_text("\n".join(["task,model,id,variant,score", *rows]))
        >>> study(table).sentence
        'Whether robustness transfers cannot be told from one benchmark.'
    """
    known = [] if models is None else read_models(models)
    read = read_runs(runs, scorer=scorer)
    outcomes, notes = read.results.outcomes, [read.note] if read.note else []
    chosen = measure or CORRECTED
    found = sensitivities(outcomes, chosen)
    if measure is None and any(one.left_out for one in found):
        chosen = PLAIN
        found = sensitivities(outcomes, PLAIN)
        notes.append(FEW_REPEATS.format(measure=METRIC_NAMES[PLAIN]))
    for one in found:
        notes += [f"{agent} on {one.task}: {reason}" for agent, reason in one.left_out.items()]
    agents = outcomes["model"].unique(maintain_order=True).drop_nulls().to_list()
    columns = _columns(known, agents, notes) if models is not None else {}
    pairs = transfers(found, seed=seed)
    ranked = rankings(outcomes, seed=seed)
    taus = [(one.task, tau) for one in ranked for tau in (one.stability.tau, one.stability.rerun_tau)]
    notes += dict.fromkeys(f"rankings on {task}: {tau.reason}" for task, tau in taus if tau.value is None)
    notes += [BY_CHANCE] if len(pairs) > 1 else []
    notes += [BOUND] if pairs and chosen != "accuracy" else []
    notes += [COUSINS] if "family" in columns else []
    notes += [f"skipped {one.path}: {one.reason}" for one in read.results.skipped if one.unreadable]
    return Study(
        chosen,
        tuple(found),
        tuple(pairs),
        tuple(transfers(sensitivities(outcomes, "accuracy"), seed=seed)),
        tuple(trends(found, columns, seed=seed)),
        tuple(ranked),
        columns,
        tuple(notes),
    )


def _columns(
    known: Sequence[ModelFacts], agents: Sequence[str], notes: list[str]
) -> dict[str, dict[str, float | str]]:
    """By column what is known of each agent: log10 of its size, years since 2020, its family."""
    facts: dict[str, ModelFacts] = {}
    for one in known:
        mine = [agent for agent in agents if agent == one.name]
        mine = mine or [agent for agent in agents if agent.rpartition("/")[2] == one.name.rpartition("/")[2]]
        if not mine:
            notes.append(f"model '{one.name}' of the file of models is in none of the runs")
        facts |= dict.fromkeys(mine, one)
    unknown = [agent for agent in agents if agent not in facts]
    if unknown:
        notes.append(f"the file of models says nothing of {', '.join(unknown)}")
    start = datetime.date(2020, 1, 1)
    columns: dict[str, dict[str, float | str]] = {
        "size": {agent: math.log10(one.size) for agent, one in facts.items() if one.size is not None},
        "date": {
            agent: (one.date - start).days / 365.25 for agent, one in facts.items() if one.date is not None
        },
        "family": {agent: one.family for agent, one in facts.items() if one.family is not None},
    }
    return {name: column for name, column in columns.items() if column}


def _interval(estimate: Estimate, digits: int = 2) -> str:
    if estimate.value is None and estimate.low is None:
        return f"— ({estimate.reason})" if estimate.reason else "—"
    value = "not known" if estimate.value is None else _number(estimate.value, digits)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} ({_number(estimate.low, digits)} to {_number(estimate.high, digits)})"


def _number(value: float, digits: int = 2) -> str:
    text = f"{value:.{digits}f}"
    return text.replace("-", "−" if float(text) else "")


_UNITS = {"size": "for ten times the parameters", "date": "a year later", "family": "between families"}


def study_tables(one: Study) -> list[StudyTable]:
    """The study as tables of texts."""
    accuracy = {(pair.a, pair.b): pair for pair in one.accuracy}
    pairs = tuple(
        (
            pair.a,
            pair.b,
            _interval(pair.correlation),
            "—" if pair.observed is None else _number(pair.observed),
            " and ".join("—" if part is None else _number(part) for part in pair.reliability),
            _interval(accuracy[pair.a, pair.b].correlation) if (pair.a, pair.b) in accuracy else "—",
            str(len(pair.agents)),
            pair.said,
        )
        for pair in one.transfers
    )
    values = tuple(
        (agent, part.task, _interval(estimate, 3), f"{estimate.n_items:,}")
        for part in one.found
        for agent, estimate in zip(part.agents, part.estimates, strict=True)
    )
    with_columns = tuple(
        (trend.column, trend.task, _trend(trend), p_number(trend.p), str(trend.slope.n_items))
        for trend in one.trends
    )
    ranks = tuple(
        (
            ranked.task,
            "two wordings",
            _interval(replace(ranked.stability.tau, reason="")),
            _interval(replace(ranked.stability.rerun_tau, reason="")),
            ranked.stability.agents[0] if ranked.stability.agents else "—",
        )
        for ranked in one.rankings
    ) + tuple(
        (ranked.task, f"original and {wording.variant}", _interval(wording.tau), "", wording.best)
        for ranked in one.rankings
        for wording in ranked.wordings
    )
    return [
        StudyTable(
            "transfer",
            "Does robustness transfer?",
            "Correlation over agents of their robustness on two benchmarks, with the noise of each estimate "
            "taken out. Observed: with the noise. Reliability: the share of the variance between agents that "
            "is no noise. In brackets: 95% intervals.",
            ("benchmark", "and", "correlation", "observed", "reliability", "of accuracy", "agents", "said"),
            pairs,
            2,
        ),
        StudyTable(
            "robustness",
            "Robustness of every agent",
            f"{one.title}, with 95% intervals.",
            ("agent", "benchmark", one.title, "items"),
            values,
            2,
        ),
        StudyTable(
            "models",
            "Size, date and family",
            f"How {one.title} changes with what is known of the models; p: that it does not.",
            ("column", "benchmark", "change", "p", "models"),
            with_columns,
            2,
        ),
        StudyTable(
            "rankings",
            "Do rankings hold over wordings?",
            "Kendall's tau between rankings of the agents by accuracy: 1 the same, -1 reversed. Between two "
            "wordings of each item, drawn at random, and beside it between two runs of one wording; then "
            "between the original and each wording. Intervals are over items.",
            ("benchmark", "rankings by", "tau", "tau of reruns", "first"),
            ranks,
            2,
        ),
    ]


def _trend(trend: Trend) -> str:
    if trend.means:
        told = ", ".join(
            f"{name} {_number(mean, 3)} ({n})" for name, (mean, n) in sorted(trend.means.items())
        )
        return told if trend.p is not None or not trend.slope.reason else f"{told}; {trend.slope.reason}"
    if trend.slope.value is None:
        return _interval(trend.slope)
    return f"{_interval(trend.slope, 3)} {_UNITS[trend.column]}"


def study_figures(one: Study) -> list[Figure]:
    """Every agent's robustness; one figure a pair of benchmarks; one a number that is known of the models."""
    place = {agent: number for number, agent in enumerate(one.agents)}
    by_task = {part.task: dict(zip(part.agents, part.estimates, strict=True)) for part in one.found}
    rows = [
        (task, [Row(agent, estimate, place[agent]) for agent, estimate in found.items()])
        for task, found in by_task.items()
    ]
    figures = [agents_figure(one.title, rows)] if any(found for found in by_task.values()) else []
    for number, (a, b) in enumerate(combinations(by_task, 2), start=1):
        both = [agent for agent in by_task[a] if agent in by_task[b]]
        dots = [Dot(agent, place[agent], by_task[a][agent], by_task[b][agent]) for agent in both]
        if dots:
            title = f"{one.title}: {b} against {a}"
            figures.append(dots_figure(f"study_transfer_{number}", title, a, b, dots))
    axis = {"size": "log10 of billions of parameters", "date": "years since 2020"}
    for column, said in axis.items():
        known = one.columns.get(column, {})
        for number, (task, found) in enumerate(by_task.items(), start=1):
            dots = [
                Dot(agent, place[agent], Estimate("", "", float(known[agent]), None, None, 0, 0, 0), estimate)
                for agent, estimate in found.items()
                if agent in known
            ]
            if dots:
                title = f"{one.title} on {task} by {column}"
                figures.append(dots_figure(f"study_{column}_{number}", title, said, one.title, dots))
    return figures


def study_frame(one: Study) -> pl.DataFrame:
    """Every number of the study, one a row."""
    rows: list[dict[str, Any]] = []

    def add(what: str, benchmark: str, other: str, agent: str, estimate: Estimate, **more: Any) -> None:
        rows.append(
            {
                "what": what,
                "benchmark": benchmark,
                "other": other,
                "agent": agent,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n_items,
                "p": more.get("p"),
                "observed": more.get("observed"),
                "reason": estimate.reason,
            }
        )

    for part in one.found:
        for agent, estimate in zip(part.agents, part.estimates, strict=True):
            add(one.measure, part.task, "", agent, estimate)
    for what, pairs in (("transfer", one.transfers), ("transfer of accuracy", one.accuracy)):
        for pair in pairs:
            add(what, pair.a, pair.b, "", pair.correlation, observed=pair.observed)
    for trend in one.trends:
        add(f"trend with {trend.column}", trend.task, "", "", trend.slope, p=trend.p)
        for name, (mean, n) in sorted(trend.means.items()):
            add(f"mean of {trend.column}", trend.task, name, "", Estimate("", "", mean, None, None, n, n, 0))
    for ranked in one.rankings:
        add("tau of two wordings", ranked.task, "", "", ranked.stability.tau)
        add("tau of reruns", ranked.task, "", "", ranked.stability.rerun_tau)
        for wording in ranked.wordings:
            add("tau with the original", ranked.task, wording.variant, wording.best, wording.tau)
    schema = {**dict.fromkeys(("value", "low", "high", "p", "observed"), pl.Float64), "n": pl.Int64}
    return pl.DataFrame(rows, schema_overrides=schema, infer_schema_length=None)


def write_study(one: Study, out: str | Path) -> list[Path]:
    """Write `index.html`, `study.csv`, `study.tex` and the figures as SVG; the page comes first."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, and a study is written to a folder", file=folder)
    tables, figures = study_tables(one), study_figures(one)
    contents: dict[str, str | bytes] = {
        "index.html": study_page(one.sentence, one.about, tables, figures, one.notes),
        "study.csv": frame_csv(study_frame(one)),
        "study.tex": study_latex(tables),
        **{f"{figure.name}.svg": figure.svg for figure in figures},
    }
    return write_all({folder / name: content for name, content in contents.items()})
