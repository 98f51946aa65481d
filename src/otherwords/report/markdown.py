"""Report data → `sensitivity_report.md`, the whole report as Markdown text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from otherwords.core.contract import OUTCOMES
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.escape import markdown
from otherwords.report.formats import (
    METRIC_NAMES,
    SENSITIVITY_MEANING,
    TARGET,
    floor_text,
    interval,
    is_uninformative,
    level_text,
    number,
    points,
    sensitivity,
)
from otherwords.report.messages import (
    C_OUT_CUT,
    QUADRANTS,
    band_shares,
    breaking_wording,
    counts,
    findings,
    most_sensitive,
    quadrant,
    size_text,
    verdict,
    wordings_text,
)

SHOWN_ITEMS = 10
FIGURES = (
    ("Items by sensitivity", "task_sensitivity_distribution"),
    ("Most sensitive items", "most_sensitive_tasks"),
    ("What each kind of change costs", "change_costs"),
    ("Answers that flip", "flip_rates"),
    ("Consistency of answers", "consistency"),
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
    parts += _bullets(markdown(note) for note in data.notes)
    parts += ["## Findings", "", *_bullets(markdown(one) for one in findings(data))]
    parts += ["What to do about them: `otherwords fix LOGS`.", ""]
    parts += _summary(data)
    parts += _audited(data)
    parts += ["![Comparison of agents](sensitivity_comparison.png)", ""]
    parts += _bands(data)
    parts += _quadrants(data)
    parts += _history(data)
    for agent in data.agents:
        parts += _agent(data, agent)
    parts += ["## Figures", ""]
    for title, name in FIGURES:
        parts += [f"![{title}]({name}.png)", ""]
    parts += _left_out(data)
    parts += ["## Limits", "", *_bullets(LIMITS)]
    return "\n".join(parts).rstrip() + "\n"


def _summary(data: ReportData) -> list[str]:
    head = ["Agent", "Benchmark", "Accuracy", "S_prompt", "Lowest possible", "Sensitivity", "S_norm"]
    head += ["Mean variance", "Mean gap", "Phrasing share", "Format failures", "Items"]
    rows = []
    for agent in data.agents:
        found = agent.estimates
        rows.append(
            [
                markdown(agent.model),
                markdown(agent.task),
                interval("accuracy", found.get("accuracy")),
                interval("s_prompt", found.get("s_prompt")),
                floor_text(data.floor(agent)),
                level_text(verdict(data, agent).band),
                interval("s_norm", found.get("s_norm")),
                interval("mean_variance", found.get("mean_variance")),
                interval("min_max_gap", found.get("min_max_gap")),
                "one repeat: unknown"
                if agent.repeats <= 1
                else interval("phrasing_share", found.get("phrasing_share")),
                interval("format_failure_rate", found.get("format_failure_rate")),
                str(data.items_of(agent).height),
            ]
        )
    note = (
        f"In brackets: {100 * data.level:g}% intervals. "
        "Lowest possible: the lowest S_prompt that this many wordings allow."
    )
    return ["## Agents", "", *_table(head, rows), note, ""]


def _audited(data: ReportData) -> list[str]:
    if not data.audited:
        return []
    from otherwords.report.audited import audit_sentences, audit_table

    head, rows = audit_table(data)
    lines = ["## With and without ambiguous items", "", *_bullets(map(markdown, audit_sentences(data)))]
    return [*lines, *_table(head, [[markdown(name), *cells] for name, *cells in rows])]


def _bands(data: ReportData) -> list[str]:
    lines = ["## What the levels of sensitivity mean", ""]
    lines += _bullets(
        f"**{sensitivity(band)}**: {meaning} HAL's band: {band}."
        for band, meaning in SENSITIVITY_MEANING.items()
    )
    lines += [f"A common target is an S_prompt of {TARGET} or more.", ""]
    head = ["Items of", "always right", "low sensitivity, others", "medium sensitivity", "high sensitivity"]
    head += ["always wrong", "too few scores"]
    rows = [
        [markdown(data.name(agent)), *(f"{count:,}" for count in band_shares(data, agent).values())]
        for agent in data.agents
    ]
    return [*lines, *_table(head, rows), "![Items by level of sensitivity](items_by_band.png)", ""]


def _quadrants(data: ReportData) -> list[str]:
    """Consistent over repeats against robust over wordings."""
    lines = [
        "## Consistent and robust: repeatability (C_out) × S_prompt",
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
    unknown = [markdown(data.name(agent)) for agent in data.agents if quadrant(agent) is None]
    if unknown:
        rows.append(["not known", "C_out needs each wording to be run twice or more", ", ".join(unknown)])
    lines += _table(("Quadrant", "Meaning", "Agents"), rows)
    return [*lines, "![Repeatability (C_out) against S_prompt](consistency_quadrants.png)", ""]


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
            str(point.n_items),
        ]
        for point in data.history
    ]
    return ["## Runs over time", "", *_table(head, rows), "![Runs over time](history.png)", ""]


def _agent(data: ReportData, agent: AgentRow) -> list[str]:
    found = verdict(data, agent)
    lines = [
        f"## {markdown(data.name(agent))}",
        "",
        f"**{markdown(found.headline)}** {markdown(found.numbers)}",
        "",
    ]
    lines += [f"n: {size_text(data, agent)}.", ""]
    lines += _bullets(markdown(caution) for caution in found.cautions)
    rows = []
    for name, title in METRIC_NAMES.items():
        estimate = agent.estimates.get(name)
        if estimate is None:
            continue
        rows.append(
            [
                title,
                interval(name, estimate),
                str(estimate.n_items),
                str(estimate.n_missing),
                markdown(estimate.reason),
            ]
        )
    lines += _table(("Measure", "Value", "Items", "Runs without a score", "Remark"), rows)
    lines += _kinds(data, agent)
    lines += _most(data, agent)
    lines += _least(data, agent)
    return lines


def _kinds(data: ReportData, agent: AgentRow) -> list[str]:
    mine = data.kinds_of(agent)
    if mine.is_empty():
        return []
    rows = [
        [
            markdown(row["kind"]),
            markdown(row["change"]) or "all",
            number("accuracy", row["accuracy"]),
            points(row["delta"], row["delta_low"], row["delta_high"]),
            str(row["n_items"]),
        ]
        for row in mine.to_dicts()
    ]
    head = ("Kind", "Change", "Accuracy", "Points lost against the original", "Items")
    return ["### Kinds of change, costliest first", "", *_table(head, rows)]


def _most(data: ReportData, agent: AgentRow) -> list[str]:
    items = most_sensitive(data, agent, SHOWN_ITEMS)
    lines = ["### Most sensitive items", ""]
    if not items:
        return [*lines, "No item scored differently under different wordings.", ""]
    for place, item in enumerate(items, start=1):
        lines.append(
            f"{place}. **{markdown(item['id'])}**: variance {item['variance']:.3f}, "
            f"gap {item['min_max_gap']:.2f}, mean score {item['mean_score']:.2f} "
            f"over {item['n_variants']} wordings"
        )
        found = breaking_wording(data, agent, item["id"])
        if found is not None:
            did = "broke it" if found.broke else "did better"
            lines.append(
                f"   - {markdown(found.variant)} {did}: {found.score:.2f} against {found.orig_score:.2f} "
                f"with the original wording"
            )
            if found.prompt is not None:
                lines.append(f"   - asked: {markdown(found.prompt, 300)}")
            if found.answer is not None:
                lines.append(f"   - answered: {markdown(found.answer, 200)}")
    total = counts(data, agent).differ
    if total > len(items):
        lines += ["", f"{total - len(items):,} more are in task_level_sensitivity.csv."]
    return [*lines, ""]


def _least(data: ReportData, agent: AgentRow) -> list[str]:
    """The end of the list of variances, without the items that could not have varied."""
    known = data.items_of(agent).filter(pl.col("variance").is_not_null())
    listed = [item["id"] for item in most_sensitive(data, agent, SHOWN_ITEMS)]
    others = known.filter(~is_uninformative() & ~pl.col("id").is_in(listed))
    least = others.tail(5).reverse().to_dicts()
    count = counts(data, agent)
    lines = ["### Least sensitive items", ""]
    lines += _bullets(
        f"**{markdown(item['id'])}**: variance {item['variance']:.3f}, mean score {item['mean_score']:.2f}"
        for item in least
    )
    lines += [
        f"Not listed: {count.all_right} always right, {count.all_wrong} always wrong, "
        f"of {count.total} with {wordings_text(data, agent)}.",
        "",
    ]
    return lines


def _left_out(data: ReportData) -> list[str]:
    statuses = list(dict.fromkeys(status for agent in data.agents for status in agent.statuses))
    rows = [
        [markdown(data.name(agent)), *(f"{agent.statuses.get(status, 0):,}" for status in statuses)]
        for agent in data.agents
    ]
    lines = ["## What was left out", "", *_table(("Runs", *(markdown(status) for status in statuses)), rows)]
    outcomes = [one for one in OUTCOMES if any(agent.outcomes.get(one) for agent in data.agents)]
    if outcomes:
        lines += ["What happened in the runs, whatever their score:", ""]
        counts_ = [
            [markdown(data.name(agent)), *(f"{agent.outcomes.get(one, 0):,}" for one in outcomes)]
            for agent in data.agents
        ]
        lines += _table(("Runs", *(one.replace("_", " ") for one in outcomes)), counts_)
    if data.skipped:
        files = "One file was" if len(data.skipped) == 1 else f"{len(data.skipped):,} files were"
        lines += [f"{files} not used:", ""]
        lines += _bullets(f"{markdown(skip.file)}: {markdown(skip.reason)}" for skip in data.skipped)
    else:
        lines += ["No file was skipped.", ""]
    return lines


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def _bullets(lines: Iterable[str]) -> list[str]:
    found = [f"- {line}" for line in lines]
    return [*found, ""] if found else []
