"""Verdicts → the page's first sections and a notebook's view: verdict, what to do, agents, what breaks it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from urllib.parse import quote

from otherwords.core.texts import (
    count_text,
    interval_note,
    of_things,
    outcome_counts,
    percent,
    point_number,
    points,
    reason_text,
    severity,
    short_share,
    unscored_sentence,
)
from otherwords.core.verdict import (
    CANNOT_TELL,
    LARGE,
    MOST_UNSCORED,
    NONE_FOUND,
    SMALL,
    ChangeLoss,
    Effect,
    Evidence,
    UnscoredReason,
    Verdict,
)
from otherwords.report.escape import Html, breakable, join, table, tag
from otherwords.report.figures.changes import costs
from otherwords.report.svg import agent_shape

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

EFFECTS: dict[Effect, tuple[str, str]] = {
    LARGE: ("Large effect", "large"),
    SMALL: ("Small effect", "small"),
    CANNOT_TELL: ("Cannot tell", "unsure"),
    NONE_FOUND: ("No effect found", "none-found"),
}
"""What is said of an effect, and its class; the worst first."""
LEADING = 4
"""So many verdicts are said at once, and the others on request."""
MOST_COMMANDS = 3
MOST_SPLIT = 3
"""Agents whose runs without a score are told at once."""
MOST_WHOLE = 28
"""Characters of a name that is not broken at the end of a line."""
_NAME = re.compile(r"[/_]|-\d")
_N_ITEMS = re.compile(r"n = [\d,]+ items?")
TABLE = ("Accuracy", "Lost by rewording", "Flips beyond noise", "Phrasing share", "No score", "Verdict")


def by_severity(data: ReportData) -> list[tuple[AgentRow, Verdict]]:
    """Agents with their verdicts, the largest effects first."""
    return sorted(((agent, agent.verdict) for agent in data.agents), key=lambda one: severity(one[1]))


def item_link(data: ReportData, agent: AgentRow, **chosen: str) -> str:
    """The address, within the page, of an agent's items, of those of a kind, or of one of them."""
    named = {"agent": data.name(agent), **chosen} if len(data.agents) > 1 else chosen
    return "#" + "&".join(["items", *(f"{name}={quote(value, safe='')}" for name, value in named.items())])


def agent_name(data: ReportData, agent: AgentRow, name: str) -> Html:
    """A name with the agent's colour and shape."""
    return tag("span", agent_shape(data.colour(agent)), tag("span", breakable(name)), class_="agent")


def verdict_section(data: ReportData) -> Html:
    """The verdict sentences, runs without a score, and at most three commands."""
    ranked = by_severity(data)
    told = [_told(verdict) for _, verdict in ranked]
    parts: list[Html | None] = [tag("h2", "Verdict", id="verdict-title")]
    parts.append(tag("div", *told[:LEADING], class_="verdicts"))
    note = interval_note(verdict.sentence for _, verdict in ranked)
    parts.append(tag("p", note, class_="quiet level") if note else None)
    if told[LEADING:]:
        more = _more([verdict for _, verdict in ranked[LEADING:]])
        parts.append(tag("details", tag("summary", more), tag("div", *told[LEADING:], class_="verdicts")))
    parts += [_unscored(data, ranked), _commands(ranked)]
    return join(parts)


def _more(others: Sequence[Verdict]) -> str:
    """`3 more verdicts: 1 small effect, 2 cannot tell`."""
    counts = Counter(EFFECTS[verdict.effect][0].lower() for verdict in others)  # by severity, as they come
    said = [f"{count_text(count)} {label}" if len(counts) > 1 else label for label, count in counts.items()]
    return f"{of_things(len(others), 'more verdict')}: {', '.join(said)}"


def _told(verdict: Verdict) -> Html:
    label, class_ = EFFECTS[verdict.effect]
    said = unscored_sentence(verdict)  # in the warning below, with the reasons
    notes = [tag("li", caution) for caution in verdict.cautions if caution != said]
    return tag(
        "div",
        tag("p", tag("span", label, class_=f"effect {class_}"), class_="which"),
        tag("p", *_sentence(verdict.sentence), class_="sentence"),
        tag("ul", *notes, class_="cautions") if notes else None,
        class_="verdict",
    )


def _sentence(text: str) -> Iterator[str]:
    """Its words, with names and `n = 60 items` kept from being broken."""
    text = _N_ITEMS.sub(lambda match: match[0].replace(" ", "\u00a0"), text)
    for place, word in enumerate(text.split(" ")):
        if place:
            yield " "
        yield tag("span", word, class_="token") if _NAME.search(word) and len(word) <= MOST_WHOLE else word


def _unscored(data: ReportData, ranked: Sequence[tuple[AgentRow, Verdict]]) -> Html | None:
    """One line that warns of runs without a score, with the reasons behind it."""
    lost = sum(verdict.unscored.count for _, verdict in ranked)
    asked = sum(verdict.unscored.n_runs for _, verdict in ranked)
    if not lost:
        return None
    reasons = [(agent, one) for agent, verdict in ranked for one in verdict.unscored.reasons]
    several = len(ranked) > 1
    rows = [[*([data.name(agent)] if several else []), *_reason(one)] for agent, one in reasons]
    head = [*(["Agent"] if several else []), "Why", "Runs", "One of them", "What to do"]
    words = {place for place, title in enumerate(head) if title != "Runs"}
    return tag(
        "details",
        tag(
            "summary",
            tag("strong", f"{count_text(lost)} of {of_things(asked, 'run')} have no score"),
            f": {_split(data, ranked)}",
        ),
        *(
            tag(
                "p",
                f"{data.name(agent)}: {unscored_sentence(verdict)}"
                if several
                else unscored_sentence(verdict),
            )
            for agent, verdict in ranked
            if verdict.unscored.count
        ),
        table(head, rows, label="Why runs have no score", stack=True, words=words),
        class_="warning" if lost / asked > MOST_UNSCORED else "warning slight",
    )


def _split(data: ReportData, ranked: Sequence[tuple[AgentRow, Verdict]]) -> str:
    """`12 refused by the model`; of several agents also the share that each has, the largest first."""
    counts: Counter[str] = Counter()
    for _, verdict in ranked:
        for one in verdict.unscored.reasons:
            counts[one.outcome] += one.count
    said, shares = outcome_counts(counts), sorted(ranked, key=lambda pair: -pair[1].unscored.share)
    if len(ranked) == 1:
        return said
    told = [f"{data.name(agent)} {percent(one.unscored.share)}" for agent, one in shares[:MOST_SPLIT]]
    if len(shares) > MOST_SPLIT:
        most = percent(shares[MOST_SPLIT][1].unscored.share)
        told.append(f"{of_things(len(shares) - MOST_SPLIT, 'other')} at most {most} each")
    return f"{said}. By agent: {', '.join(told)}"


def _reason(one: UnscoredReason) -> list[str]:
    return [
        reason_text(one),
        count_text(one.count),
        one.example,
        one.advice,
    ]


def _command(text: str) -> Html:
    """A line of a shell that is broken between its words only."""
    words = text.split(" ")
    parts = [part for word in words for part in (tag("span", word, class_="token"), " ")]
    return tag("code", *parts[:-1])


def _commands(ranked: Sequence[tuple[AgentRow, Verdict]]) -> Html | None:
    """Of the worst verdict first, each command once."""
    lines = list(dict.fromkeys(action for _, verdict in ranked for action in verdict.actions))[:MOST_COMMANDS]
    if not lines:
        return None
    items = []
    for line in lines:
        what, _, command = line.partition(": ")
        items.append(tag("li", tag("span", what), _command(command) if command else None))
    return join([tag("h3", "What to do", class_="todo"), tag("ol", *items, class_="commands")])


def agents_section(data: ReportData) -> Html:
    """One row for each agent on each benchmark."""
    several = len(data.tasks) > 1
    head = ["Agent", *(["Benchmark"] if several else []), *TABLE]
    rows = []
    for agent in data.agents:
        verdict = agent.verdict
        cells: list[str] = [_agent_cell(data, agent, verdict)]
        cells += [breakable(agent.task)] if several else []
        rows.append([*cells, *_numbers(verdict)])
    return join(
        [
            tag("h2", "Agents and benchmarks", id="agents-title"),
            tag(
                "p",
                f"In brackets: {100 * data.level:g}% intervals. Lost by rewording: accuracy on the original "
                "minus the mean over all rewordings; one change can cost more, as the verdict says. Flips "
                "beyond noise: answers that differ from the original's, minus those that differ when the "
                "original is asked again. Phrasing share: how much of the variation within items is due to "
                "the wording, and not to run-to-run noise.",
                class_="lead",
            ),
            table(
                head,
                rows,
                label="Agents and benchmarks",
                stack=True,
                words={len(head) - 1, *({1} if several else ())},
            ),
        ]
    )


def _agent_cell(data: ReportData, agent: AgentRow, verdict: Verdict) -> Html:
    size = (
        f"{of_things(verdict.n_items, 'item')} × {of_things(verdict.n_wordings, 'wording')} × "
        f"{of_things(verdict.n_repeats, 'repeat')}"
    )
    return join([agent_name(data, agent, agent.model), tag("span", size, class_="under")])


def _numbers(verdict: Verdict) -> Iterator[Html]:
    accuracy, share = verdict.accuracy, verdict.phrasing_share
    yield _cell(percent(accuracy.value), accuracy.low, accuracy.high, percent)
    yield _cell(points(verdict.loss.value), verdict.loss.low, verdict.loss.high, point_number)
    flips = verdict.excess_flips
    yield _cell(points(flips.value), flips.low, flips.high, point_number, flips.reason)
    told = short_share(share)
    ends = (share.low, share.high) if told != "none found" else (None, None)
    yield _cell(told, *ends, percent, share.reason)
    yield _cell(percent(verdict.unscored.share), None, None, percent)
    label, class_ = EFFECTS[verdict.effect]
    worst = verdict.worst
    under = None if worst is None else tag("span", f"{worst.name} {loss_text(worst.loss)[0]}", class_="under")
    yield join([tag("span", label, class_=f"effect {class_}"), under])


def _cell(value: str, low: float | None, high: float | None, text: object, reason: str = "") -> Html:
    assert callable(text)
    if value == "—":
        return tag("span", "—", title=reason or None)
    under = None
    if low is not None and high is not None:
        under = tag("span", f"({text(low)} to {text(high)})", class_="under")
    return join([tag("span", value, class_="value"), under])


def loss_text(loss: Evidence) -> tuple[str, str]:
    """`loses 31 points` and `25 to 37`; a gain in words; an interval across 0 names both ends."""
    value, low, high = loss.value, loss.corrected_low, loss.corrected_high
    if value is None:
        return "not computed", loss.reason
    said = "loses" if value >= 0 else "gains"
    size = points(abs(value))
    if point_number(abs(value)) == "0":
        said, size = "loses", "0 points"
    if low is None or high is None:
        return f"{said} {size}", ""
    if low >= 0:
        return f"{said} {size}", f"{point_number(low)} to {point_number(high)}"
    if high <= 0:
        return f"{said} {size}", f"{point_number(-high)} to {point_number(-low)}"
    return f"{said} {size}", f"{point_number(-low)} gained to {point_number(high)} lost"


def changes_section(data: ReportData) -> Html:
    """For each agent the kinds of change with an effect, and the others folded."""
    blocks = [_changes_of(data, agent, verdict) for agent, verdict in by_severity(data)]
    return join(
        [
            tag("h2", "What breaks it", id="changes-title"),
            tag(
                "p",
                "Points of accuracy that each kind of change loses or gains against the original wording of "
                "the same items, by evidence. Intervals are corrected for the number of questions asked.",
                class_="lead",
            ),
            *blocks,
        ]
    )


def _changes_of(data: ReportData, agent: AgentRow, verdict: Verdict) -> Html:
    found = [one for one in verdict.changes if one.loss.excludes_zero]
    others = [one for one in verdict.changes if one.loss.is_tested and not one.loss.excludes_zero]
    untested = [one for one in verdict.changes if not one.loss.is_tested]
    reach = max(
        [0.05, *(abs(end) for one in verdict.changes for end in _ends(one.loss))],
    )
    parts: list[Html | None] = [tag("h3", agent_name(data, agent, data.name(agent)))]
    if not verdict.changes:
        parts.append(tag("p", "No kind of change has a score.", class_="quiet"))
    elif found:
        parts.append(_rows(data, agent, found, reach))
    for said, some in (("No detectable effect", others), ("Too few items to test", untested)):
        if some:
            summary = tag("summary", f"{said}: {of_things(len(some), 'change')}")
            parts.append(tag("details", summary, _rows(data, agent, some, reach)))
    return tag("div", *parts, class_="changes")


def _ends(loss: Evidence) -> list[float]:
    return [end for end in (loss.value, loss.corrected_low, loss.corrected_high) if end is not None]


def _rows(data: ReportData, agent: AgentRow, changes: Sequence[ChangeLoss], reach: float) -> Html:
    ends = f"{point_number(reach)} gained", "0 points", f"{point_number(reach)} lost"
    rows = [tag("li", tag("span", ""), tag("div", *(tag("span", end) for end in ends)), class_="scale")]
    for one in changes:
        said, between = loss_text(one.loss)
        class_ = "lost" if one.loss.is_loss else "gained" if one.loss.excludes_zero else None
        n = f"n = {of_things(one.loss.n_items, 'item')}".replace(" ", "\u00a0")
        rows.append(
            tag(
                "li",
                tag("a", one.name, href=item_link(data, agent, kind=one.name, different="1"), class_="kind"),
                _track(one.loss, reach, f"{one.name}: {said} ({between})"),
                tag("span", tag("b", said), f" ({between}), {n}" if between else f", {n}"),
                class_=class_,
            )
        )
    return tag("ul", *rows, class_="rows")


def _track(loss: Evidence, reach: float, said: str) -> Html:
    """The interval on a scale that all changes of the agent share; a loss points to the right."""

    def along(value: float) -> str:
        return f"{50 + 48 * max(-1.0, min(1.0, value / reach)):.2f}%"

    parts = [tag("line", x1="0%", x2="100%", y1=9, y2=9, class_="axis")]
    parts.append(tag("line", x1="50%", x2="50%", y1=1, y2=17, class_="zero"))
    if loss.value is not None:
        if loss.corrected_low is not None and loss.corrected_high is not None:
            ends = along(loss.corrected_low), along(loss.corrected_high)
            parts.append(tag("line", x1=ends[0], x2=ends[1], y1=9, y2=9, class_="range"))
        parts.append(tag("circle", cx=along(loss.value), cy=9, r=5, class_="point"))
    return tag("svg", *parts, width="100%", height=18, role="img", aria_label=said, class_="track")


def summary_html(data: ReportData) -> str:
    """What `ReportData` shows of itself in a notebook."""
    return join(
        [
            tag("h2", data.title),
            verdict_section(data),
            agents_section(data),
            tag("div", Html(costs(data).svg)),
        ]
    )
