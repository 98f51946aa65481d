"""Report data → `sensitivity_report.md`, the whole report as Markdown text."""

from __future__ import annotations

import polars as pl

from otherwords.core.contract import OUTCOMES
from otherwords.core.texts import (
    TEMPLATE_COLUMNS,
    count_text,
    evidence_lines,
    outcome_name,
    percent,
    points_between,
    share_cells,
    template_cells,
    template_lines,
)
from otherwords.core.wording_names import wording_name
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.escape import markdown
from otherwords.report.figures import figure_names
from otherwords.report.formats import (
    METRIC_NAMES,
    SENSITIVITY_MEANING,
    TARGET,
    band_of,
    floor_text,
    interval,
    number,
    provenance_rows,
    sensitivity,
)
from otherwords.report.messages import (
    C_OUT_CUT,
    NOT_ROBUST,
    QUADRANTS,
    band_shares,
    breaking_wording,
    most_sensitive,
    quadrant,
    size_text,
    templates_title,
)
from otherwords.report.trajectories import trajectories_markdown
from otherwords.report.verdict_markdown import bullets, table, verdict_markdown

SHOWN_ITEMS = 10
FIGURES = (
    ("Items by sensitivity", "task_sensitivity_distribution"),
    ("Most sensitive items", "most_sensitive_tasks"),
    ("What each kind of change costs", "change_costs"),
    ("Answers that flip", "flip_rates"),
    ("Consistency of answers", "consistency"),
)
HAL_LIMITS = (
    "S_prompt, its bands and its quadrants are HAL's, by HAL's names and numbers. They do not tell wording "
    "from run-to-run noise, do not show a loss under one kind of change among many, and are best for agents "
    "that are always wrong. Decide by the verdict."
)
LIMITS = (
    "S_prompt says how steady the scores are, not how good: an agent that is always wrong has an S_prompt "
    "of 1. Read it beside accuracy.",
    "Its range is not 0 to 1. With V wordings of an item and scores from 0 to 1 it cannot go below 1 − M(V): "
    "0.50 at 2 wordings, 0.67 at 3 and 4, 0.70 at 5 and 6, towards 0.75 with many. S_norm divides that out.",
    "Items that are always right or always wrong count in every mean but cannot show what wording does.",
    "Runs without a score are left out and counted, never taken as zero; what they could make of accuracy is "
    "said beside it. An answer that could not be read, or a refusal, has the score that the scorer gave it.",
    "The wordings tried are a sample: another set of wordings gives other numbers.",
    "Intervals take items as drawn from many more, and where items share their wordings those too; with few "
    "items they are rough.",
)


def report_markdown(data: ReportData) -> str:
    """The text of the file; every text from a model or a file is escaped."""
    parts = [f"# {markdown(data.title)}", ""]
    parts += verdict_markdown([agent.verdict for agent in data.agents], whole=True)
    parts += bullets(markdown(note) for note in data.notes)
    parts += _audited(data)
    parts += _templates(data)
    parts += trajectories_markdown(data)
    parts += _baseline(data)
    parts += _figure(data, "sensitivity_comparison", "Comparison of agents")
    parts += _history(data)
    for agent in data.agents:
        parts += _agent(data, agent)
    parts += _hal(data)
    parts += ["## Figures", ""]
    for title, name in FIGURES:
        parts += _figure(data, name, title)
    parts += _left_out(data)
    parts += _made(data)
    parts += ["## Limits", "", *bullets(LIMITS)]
    return "\n".join(parts).rstrip() + "\n"


def _hal(data: ReportData) -> list[str]:
    head = ["Agent", "Benchmark", "S_prompt", "Lowest possible", "HAL's band", "S_norm"]
    head += ["Mean variance", "Mean gap", "Items"]
    rows = []
    for agent in data.agents:
        found = agent.estimates
        s_prompt = found.get("s_prompt")
        rows.append(
            [
                markdown(agent.model),
                markdown(agent.task),
                interval("s_prompt", s_prompt),
                floor_text(data.floor(agent)),
                band_of(s_prompt.value if s_prompt else None) or "—",
                interval("s_norm", found.get("s_norm")),
                interval("mean_variance", found.get("mean_variance")),
                interval("min_max_gap", found.get("min_max_gap")),
                count_text(data.items_of(agent).height),
            ]
        )
    note = (
        f"In brackets: {100 * data.level:g}% intervals. "
        "Lowest possible: the lowest S_prompt that this many wordings allow."
    )
    lines = ["## HAL's measures", "", HAL_LIMITS, "", *table(head, rows), note, ""]
    return [*lines, *_bands(data), *_quadrants(data)]


def _audited(data: ReportData) -> list[str]:
    if not data.audited:
        return []
    from otherwords.report.messages import audit_sentences, audit_table

    head, rows = audit_table(data)
    lines = ["## With and without ambiguous items", "", *bullets(map(markdown, audit_sentences(data)))]
    return [*lines, *table(head, [[markdown(name), *cells] for name, *cells in rows])]


def _templates(data: ReportData) -> list[str]:
    if not data.templates:
        return []
    lines = [f"## {templates_title(data)}", ""]
    for one in data.templates:
        lines += [f"### {markdown(data.name(one))}", ""]
        if one.ranking is not None:
            lines += [f"**{markdown(one.ranking.sentence)}**", ""]
            rows = [[markdown(text) for text in template_cells(row)] for row in one.ranking.templates]
            lines += table(TEMPLATE_COLUMNS, rows)
        lines += bullets(markdown(line) for line in template_lines(one))
        if one.attribution is not None:
            shares = [[markdown(text) for text in share_cells(share)] for share in one.attribution.shares]
            lines += table(("Term", "Share of the variance", "p"), shares)
    return [*lines, *_figure(data, "variance_shares", "Where the variance of scores comes from")]


def _figure(data: ReportData, name: str, title: str) -> list[str]:
    """A figure of the folder, if the report has it."""
    return [f"![{title}]({name}.svg)", ""] if name in figure_names(data) else []


def _baseline(data: ReportData) -> list[str]:
    if not data.baseline:
        return []
    rows = [
        [
            markdown(row.model),
            markdown(row.task),
            count_text(len(row.broken)),
            count_text(len(row.fixed)),
            count_text(row.unchanged),
            markdown(", ".join(row.broken[:SHOWN_ITEMS]) or "—"),
        ]
        for row in data.baseline
    ]
    head = ("Agent", "Benchmark", "Newly broken", "Newly fixed", "Unchanged", "Broken items")
    return ["## Compared with the baseline", "", *table(head, rows)]


def _made(data: ReportData) -> list[str]:
    if data.provenance is None:
        return []
    lines = (f"**{markdown(name)}**: {markdown(text)}" for name, text in provenance_rows(data.provenance))
    return ["## How this was made", "", *bullets(lines)]


def _bands(data: ReportData) -> list[str]:
    lines = ["### What HAL's bands mean", ""]
    lines += bullets(
        f"**{band}** ({sensitivity(band)}): {meaning}" for band, meaning in SENSITIVITY_MEANING.items()
    )
    lines += [f"A common target is an S_prompt of {TARGET} or more.", ""]
    head = ["Items of", "always right", "low sensitivity, others", "medium sensitivity", "high sensitivity"]
    head += ["always wrong", "too few scores"]
    rows = [
        [markdown(data.name(agent)), *(f"{count:,}" for count in band_shares(data, agent).values())]
        for agent in data.agents
    ]
    return [*lines, *table(head, rows), *_figure(data, "items_by_band", "Items by level of sensitivity")]


def _quadrants(data: ReportData) -> list[str]:
    """Consistent over repeats against robust over wordings."""
    lines = [
        "### Repeatability (C_out) × S_prompt, as HAL reads it",
        "",
        f"High is a C_out of {C_OUT_CUT} or more (the same wording asked again comes out the same way) and "
        f"an S_prompt of {TARGET} or more.",
        "",
    ]
    rows = []
    for (consistent, robust), name in QUADRANTS.items():
        here = [markdown(data.name(agent)) for agent in data.agents if quadrant(agent) == name]
        where = f"{'High' if consistent else 'Low'} C_out + {'High' if robust else 'Low'} S_prompt"
        rows.append([where, name, ", ".join(here) or "—"])
    apart = [markdown(data.name(agent)) for agent in data.agents if quadrant(agent) == NOT_ROBUST]
    if apart:
        rows.append(["High S_prompt", NOT_ROBUST, ", ".join(apart)])
    unknown = [markdown(data.name(agent)) for agent in data.agents if quadrant(agent) is None]
    if unknown:
        rows.append(["not known", "C_out needs each wording to be run twice or more", ", ".join(unknown)])
    lines += table(("Quadrant", "Meaning", "Agents"), rows)
    return [*lines, *_figure(data, "consistency_quadrants", "Repeatability (C_out) against S_prompt")]


def _history(data: ReportData) -> list[str]:
    if not data.history:
        return []
    head = ("Run", "Agent", "Accuracy", "S_prompt", "Lowest possible", "Answers that flip", "Items")
    rows = [
        [
            markdown(point.label),
            markdown(point.model if len(data.tasks) == 1 else f"{point.model} · {point.task}"),
            *(interval(name, point.estimates.get(name)) for name in ("accuracy", "s_prompt")),
            floor_text(point.floor),
            interval("fragility_score", point.estimates.get("fragility_score")),
            count_text(point.n_items),
        ]
        for point in data.history
    ]
    return ["## Runs over time", "", *table(head, rows), *_figure(data, "history", "Runs over time")]


def _agent(data: ReportData, agent: AgentRow) -> list[str]:
    found = agent.verdict
    lines = [f"## {markdown(data.name(agent))}", "", markdown(found.sentence), ""]
    lines += [f"n: {size_text(data, agent)}; runs asked for: {count_text(found.n_runs)}.", ""]
    lines += bullets(markdown(line) for line in (*evidence_lines(found), *found.cautions))
    rows = []
    for name, title in METRIC_NAMES.items():
        estimate = agent.estimates.get(name)
        if estimate is None:
            continue
        rows.append(
            [
                title,
                interval(name, estimate),
                count_text(estimate.n_items),
                count_text(estimate.n_missing),
                markdown(estimate.reason),
            ]
        )
    lines += table(("Measure", "Value", "Items", "Runs without a score", "Remark"), rows)
    lines += _kinds(data, agent)
    lines += _most(data, agent)
    return lines


def _kinds(data: ReportData, agent: AgentRow) -> list[str]:
    mine = data.kinds_of(agent)
    changes = pl.col("change").filter(pl.col("change") != "").n_unique().over("kind")
    mine = mine.filter((pl.col("change") == "") | (changes > 1))
    if mine.is_empty():
        return []
    rows = [
        [
            markdown(wording_name(row["kind"], row["change"])),
            number("accuracy", row["accuracy"]),
            points_between(row["delta"], row["delta_low"], row["delta_high"]),
            count_text(row["n_items"]),
        ]
        for row in mine.to_dicts()
    ]
    head = ("Kind of change", "Accuracy", "Points lost against the original", "Items")
    return ["### Kinds of change, costliest first", "", *table(head, rows)]


def _most(data: ReportData, agent: AgentRow) -> list[str]:
    items = most_sensitive(data, agent, SHOWN_ITEMS)
    lines = ["### Items by evidence", ""]
    if not items:
        return [*lines, "No item is known to be sensitive to wording.", ""]
    for place, item in enumerate(items, start=1):
        lines.append(
            f"{place}. **{markdown(item['id'])}**: wording matters with a probability of "
            f"{percent(item['probability'])}; mean score {item['mean_score']:.2f} "
            f"over {item['n_variants']} wordings, gap {item['min_max_gap']:.2f}"
        )
        found = breaking_wording(data, agent, item["id"])
        if found is not None:
            did = "broke it" if found.broke else "did better"
            lines.append(
                f"   - {markdown(found.name)} {did}: {found.score:.2f} against {found.orig_score:.2f} "
                f"with the original wording"
            )
            if found.prompt is not None:
                lines.append(f"   - asked: {markdown(found.prompt, 300)}")
            if found.answer is not None:
                lines.append(f"   - answered: {markdown(found.answer, 200)}")
    more = agent.verdict.n_sensitive - len(items)
    if more > 0:
        lines += ["", f"{count_text(more)} more are in task_level_sensitivity.csv."]
    return [*lines, ""]


def _left_out(data: ReportData) -> list[str]:
    statuses = list(dict.fromkeys(status for agent in data.agents for status in agent.statuses))
    rows = [
        [markdown(data.name(agent)), *(f"{agent.statuses.get(status, 0):,}" for status in statuses)]
        for agent in data.agents
    ]
    lines = [
        "## Runs by status and outcome",
        "",
        *table(("Runs", *(markdown(status) for status in statuses)), rows),
    ]
    outcomes = [one for one in OUTCOMES if any(agent.outcomes.get(one) for agent in data.agents)]
    if outcomes:
        lines += ["What happened in the runs, whatever their score:", ""]
        counts_ = [
            [markdown(data.name(agent)), *(f"{agent.outcomes.get(one, 0):,}" for one in outcomes)]
            for agent in data.agents
        ]
        lines += table(("Runs", *map(outcome_name, outcomes)), counts_)
    if data.skipped:
        files = "One file was" if len(data.skipped) == 1 else f"{len(data.skipped):,} files were"
        lines += [f"{files} not used:", ""]
        lines += bullets(f"{markdown(skip.file)}: {markdown(skip.reason)}" for skip in data.skipped)
    else:
        lines += ["No file was skipped.", ""]
    return lines
