"""Report data → the page's later sections: baseline, templates, figures, all measures, how it was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherwords.core.texts import (
    TEMPLATE_COLUMNS,
    count_text,
    of_things,
    p_text,
    points_between,
    share_cells,
    template_cells,
    template_lines,
)
from otherwords.report.data import AgentRow, BaselineRow, ReportData
from otherwords.report.escape import Html, join, table, tag
from otherwords.report.figures import Figure
from otherwords.report.formats import (
    METRIC_NAMES,
    band_of,
    floor_text,
    interval,
    provenance_rows,
    sensitivity,
)
from otherwords.report.messages import audit_sentences, audit_table, quadrant, templates_title
from otherwords.report.page_verdict import agent_name, item_link

HAL = (
    "s_prompt",
    "mean_variance",
    "std_variance",
    "min_max_gap",
    "max_min_max_gap",
    "c_out",
    "r_fault",
)
"""Measures that HAL's harness names."""
HAL_LIMITS = (
    "HAL's S_prompt is 1 minus the mean, over items, of the variance of an item's scores over its wordings. "
    "It cannot say whether the scores are good (an agent that is always wrong has 1), nor whether they "
    "differ by wording or by run-to-run noise, nor whether one kind of change breaks everything while nine "
    "are harmless. With few wordings it cannot fall below a value that is far above 0."
)
READING = (
    (
        "Lost by rewording",
        "Accuracy on the original wording minus accuracy over all rewordings, in percentage points.",
    ),
    (
        "Flips beyond noise",
        "How often an answer differs from the original's, minus how often it differs when the original "
        "itself is asked again.",
    ),
    (
        "Phrasing share",
        "Of the variance between the runs of an item, how much is between wordings; the rest is run-to-run "
        "noise (the same prompt asked again). Known only with two repeats or more.",
    ),
    (
        "Evidence of an item",
        "The probability that wording matters for it, from its runs and from how often wording matters for "
        "the agent's other items.",
    ),
    (
        "Verdict",
        "Large: the corrected interval of a loss, or of flips beyond noise, is at least 5 points from 0. "
        "Small: it excludes 0. No effect found: neither, and a loss of 10 points would have been found. "
        "Cannot tell: neither, and it might not have been.",
    ),
    (
        "S_norm",
        "S_prompt on a full scale: 0 is the lowest possible value with so many wordings, 1 is no effect.",
    ),
    (
        "Repeatability (C_out)",
        "(2p − 1)², with p the share of right outcomes over repeats of one wording: 1 when it always comes "
        "out the same way. With few repeats it reads too high.",
    ),
)
LISTED = 12
"""So many items are named in a list; the item list has them all."""


def baseline_section(data: ReportData) -> Html:
    """What changed against the baseline; nothing where there is none."""
    if not data.baseline:
        return Html("")
    blocks = [_against(data, row) for row in data.baseline]
    return tag(
        "section",
        tag("h2", "Compared with the baseline", id="baseline-title"),
        tag("p", baseline_note(data), class_="lead"),
        *blocks,
        id="baseline",
        aria_labelledby="baseline-title",
    )


def baseline_note(data: ReportData) -> str:
    """What the counts are of."""
    named = f" ({data.baseline_name})" if data.baseline_name else ""
    return (
        f"Against the baseline{named}, on the wordings that both have. An item is newly broken or newly "
        "fixed where its runs say that its chance of a right answer has more likely changed than not; single "
        "runs that differ are noise."
    )


def _against(data: ReportData, row: BaselineRow) -> Html:
    agent = next(one for one in data.agents if one.key == (row.task, row.model))
    counts = (
        ("newly broken", len(row.broken), "broken"),
        ("newly fixed", len(row.fixed), "fixed"),
        ("unchanged", row.unchanged, ""),
    )
    facts = [
        tag("li", tag("b", count_text(count)), f" {name}", class_=f"count {class_}".strip())
        for name, count, class_ in counts
    ]
    by_majority = (
        f"Counting noise too, most runs went from right to wrong on {of_things(row.went_wrong, 'item')}, and "
        f"from wrong to right on {count_text(row.went_right)}."
    )
    lists = [
        _named_items(data, agent, title, ids)
        for title, ids in (("Newly broken", row.broken), ("Newly fixed", row.fixed))
        if ids
    ]
    return tag(
        "div",
        tag("h3", agent_name(data, agent, data.name(agent))),
        tag("ul", *facts, class_="counts"),
        tag("p", f"{_change(row)} {by_majority}", class_="quiet wide"),
        *lists,
        class_="against",
    )


def _change(row: BaselineRow) -> str:
    one = row.change
    if one.value is None:
        return ""
    told = points_between(one.value, one.low, one.high)
    return f"Accuracy over all wordings changed by {told}, {p_text(row.p)}."


def _named_items(data: ReportData, agent: AgentRow, title: str, ids: Sequence[str]) -> Html:
    links = [tag("li", tag("a", one, href=item_link(data, agent, item=one))) for one in ids[:LISTED]]
    show = title.rsplit(maxsplit=1)[-1]
    if len(ids) > LISTED:
        rest = f"all {of_things(len(ids), 'item')}"
        links.append(tag("li", tag("a", rest, href=item_link(data, agent, show=show))))
    return tag("div", tag("h4", title), tag("ul", *links, class_="links"))


def templates_section(data: ReportData) -> Html:
    """Templates with what each scores, and shares of variance; nothing where neither was asked."""
    if not data.templates:
        return Html("")
    parts: list[Html] = []
    for one in data.templates:
        name = data.name(one)
        parts.append(tag("h3", name))
        if one.ranking is not None:
            rows = [list(template_cells(row)) for row in one.ranking.templates]
            parts.append(tag("p", one.ranking.sentence, class_="lead"))
            parts.append(table(TEMPLATE_COLUMNS, rows, label=f"Templates, {name}"))
        parts += [tag("p", line, class_="quiet wide") for line in template_lines(one)]
        if one.attribution is not None:
            shares = [list(share_cells(share)) for share in one.attribution.shares]
            head = ("Term", "Share of the variance", "p")
            parts.append(table(head, shares, label=f"Where the variance of scores comes from, {name}"))
    title = tag("h2", templates_title(data), id="templates-title")
    return tag("section", title, *parts, id="templates", aria_labelledby="templates-title")


def figures_section(figures: Sequence[Figure]) -> Html:
    """Every figure, with buttons to save it."""
    drawn = [_figure(one) for one in figures]
    lead = (
        "Each can be saved as a picture, a drawing, or the numbers in it; files of them are beside this page."
    )
    swipe = tag("span", " Swipe sideways to see all of one.", class_="swipe")
    return _folded("figures", "Figures", tag("p", lead, swipe, class_="lead"), *drawn)


def _figure(figure: Figure) -> Html:
    buttons = [tag("button", kind.upper(), type="button", data_save=kind) for kind in ("png", "svg", "csv")]
    return tag(
        "figure",
        tag("h3", figure.title, class_="unseen"),
        tag(
            "div",
            Html(figure.svg),
            class_="scroll drawing",
            tabindex=0,
            role="region",
            aria_label=figure.title,
        ),
        tag("figcaption", *buttons, class_="save", data_what=figure.title),
        id=f"figure-{figure.name}",
        data_figure=figure.name,
    )


def measures_section(data: ReportData) -> Html:
    """Every estimate of every agent, HAL's under their own heading, and how to read them."""
    parts: list[Html] = []
    for agent in data.agents:
        rows = [_measure(agent, name) for name in METRIC_NAMES if name not in HAL and name in agent.estimates]
        hal = [_measure(agent, name) for name in HAL if name in agent.estimates]
        hal += _hal_words(data, agent)
        name = data.name(agent)
        head = ("Measure", "Value", "Items", "Runs without a score", "Remark")
        parts.append(
            tag(
                "details",
                tag("summary", name),
                table(head, rows, label=f"All measures of {name}", words={4}),
                tag("h3", "HAL's measures"),
                table(head, hal, label=f"HAL's measures of {name}", words={4}),
            )
        )
    terms = [part for name, text in READING for part in (tag("dt", name), tag("dd", text))]
    parts += [tag("p", HAL_LIMITS, class_="quiet wide"), *_audited(data)]
    parts += [tag("h3", "How to read this"), tag("dl", *terms, class_="reading")]
    return _folded("measures", "All measures", *parts)


def _measure(agent: AgentRow, name: str) -> list[str]:
    one = agent.estimates[name]
    return [
        METRIC_NAMES[name],
        interval(name, one),
        count_text(one.n_items),
        count_text(one.n_missing),
        one.reason,
    ]


def _hal_words(data: ReportData, agent: AgentRow) -> Iterator[list[str]]:
    s_prompt = agent.estimates.get("s_prompt")
    band = band_of(s_prompt.value if s_prompt else None)
    if band is not None:
        yield ["Lowest possible S_prompt", floor_text(data.floor(agent)), "", "", ""]
        yield ["HAL's band of S_prompt", band, "", "", f"in our words: {sensitivity(band)}"]
    where = quadrant(agent)
    if where is not None:
        yield ["HAL's quadrant", "", "", "", where]


def _audited(data: ReportData) -> Iterator[Html]:
    if not data.audited:
        return
    head, rows = audit_table(data)
    yield tag("h3", "With and without ambiguous items")
    yield from (tag("p", line, class_="quiet wide") for line in audit_sentences(data))
    yield table(head, rows, label="With and without ambiguous items", words={1})


def made_section(data: ReportData) -> Html:
    """How it was made, what happened in the runs, and files that were not used."""
    parts: list[Html] = []
    if data.provenance is not None:
        lines = [
            part
            for name, text in provenance_rows(data.provenance)
            for part in (tag("dt", name), tag("dd", text))
        ]
        parts.append(tag("dl", *lines, class_="reading"))
    statuses = list(dict.fromkeys(status for agent in data.agents for status in agent.statuses))
    rows = [
        [data.name(agent), *(count_text(agent.statuses.get(status, 0)) for status in statuses)]
        for agent in data.agents
    ]
    parts += [
        tag("h3", "Runs by status"),
        table(("Agent", *statuses), rows, label="Runs by status"),
        tag(
            "p",
            "Only scored runs enter a score. The others are counted in every measure, never taken as zero.",
            class_="quiet wide",
        ),
    ]
    if data.skipped:
        files = "One file was" if len(data.skipped) == 1 else f"{count_text(len(data.skipped))} files were"
        listed = [tag("li", f"{one.file}: {one.reason}") for one in data.skipped]
        parts += [tag("h3", f"{files} not used"), tag("ul", *listed, class_="skipped")]
    return _folded("made", "How this was made", *parts)


def _folded(name: str, title: str, *parts: Html) -> Html:
    return tag("details", tag("summary", tag("h2", title)), *parts, id=name, class_="section")


def folded_sections(data: ReportData, figures: Sequence[Figure]) -> Html:
    """All that is folded, in order."""
    return join([figures_section(figures), measures_section(data), made_section(data)])
