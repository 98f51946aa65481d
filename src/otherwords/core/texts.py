"""Numbers as text (points, intervals, p); sentences, table cells on outcomes, verdicts, templates, gates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from otherwords.core.contract import NOT_RUN
from otherwords.core.types import Estimate
from otherwords.core.verdict import (
    CANNOT_TELL,
    FAILS,
    LARGE,
    NONE_FOUND,
    PASSES,
    SMALL,
    UNDECIDED,
    DecisionStatus,
    Evidence,
    Limit,
    UnscoredReason,
    Verdict,
)

if TYPE_CHECKING:
    from otherwords.core.template_results import RankedTemplate, Share, TemplateSummary

_SEVERITY = (LARGE, SMALL, CANNOT_TELL, NONE_FOUND)


_OUTCOMES = {
    "unreadable": "with an answer that could not be read",
    "refused": "refused by the model",
    "filtered": "stopped by the provider's content filter",
    "truncated": "cut off at the limit of tokens",
    "limit": "stopped at a limit of the run",
    "agent_error": "ended by an error of the agent",
    "provider_error": "ended by an error of the provider",
    "missing": "never run",
}


def outcome_name(outcome: str) -> str:
    """What happened in a run, in words that say by whom."""
    return _OUTCOMES.get(outcome) or outcome.replace("_", " ")


def outcome_counts(counts: Mapping[str, int]) -> str:
    """`37 stopped at a limit of the run, 12 refused by the model`; the most frequent first."""
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{count_text(count)} {outcome_name(outcome)}" for outcome, count in ordered)


def unscored_sentence(verdict: Verdict) -> str:
    """How many runs have no score, why, and what accuracy would be with them."""
    unscored = verdict.unscored
    causes: dict[str, int] = {}
    for one in unscored.reasons:
        causes[one.outcome] = causes.get(one.outcome, 0) + one.count
    bounds = ""
    if unscored.accuracy_low is not None and unscored.accuracy_high is not None:
        bounds = (
            f" Accuracy is {percent(unscored.accuracy_low)} if all of them were wrong, "
            f"{percent(unscored.accuracy_high)} if all were right"
        )
        low, high = verdict.loss.low_if_missing, verdict.loss.high_if_missing
        if low is not None and high is not None:
            bounds += f"; the loss by rewording is from {point_number(low)} to {points(high)}"
        bounds += "."
    runs = of_things(unscored.n_runs, "run")
    return f"{count_text(unscored.count)} of {runs} have no score ({outcome_counts(causes)}).{bounds}"


def evidence_lines(verdict: Verdict) -> list[str]:
    """What the headline rests on, a line for each number that is known."""
    lines = [
        f"accuracy {percent_between(verdict.accuracy.value, verdict.accuracy.low, verdict.accuracy.high)}, "
        f"original wording {percent(verdict.accuracy_orig.value)}"
    ]
    if verdict.loss.value is not None:
        loss = verdict.loss
        lines.append(f"lost by rewording: {points_between(loss.value, loss.low, loss.high)}")
    flips = verdict.excess_flips
    if flips.value is not None:
        lines.append(f"flips beyond noise: {points_between(flips.value, flips.low, flips.high)}")
    lines.append(f"phrasing share of the variance between runs: {share_text(verdict)}")
    differing = verdict.differing
    if differing is not None:
        lines.append(
            f"score differs between wordings on {count_text(differing.observed)} of "
            f"{of_things(differing.n_items, 'item')}; noise alone gives {count_text(differing.expected)} "
            f"({count_text(differing.low)} to {count_text(differing.high)})"
        )
    if verdict.permutation_p is not None:
        lines.append(f"all differences between wordings, against noise: {p_text(verdict.permutation_p)}")
    if verdict.distance is not None:
        far = verdict.distance
        lines.append(
            f"wordings differ from the original in {percent(far.median)} of the words "
            f"({percent(far.low)} to {percent(far.high)})"
        )
    return lines


def share_text(verdict: Verdict) -> str:
    """The phrasing share between 0 and 100%; a negative estimate is no effect."""
    share = verdict.phrasing_share
    if short_share(share) == "—":
        return "not known with one repeat" if verdict.n_repeats <= 1 else f"not known: {share.reason}"
    if not share.value:
        return "no effect of wording found"
    return percent_between(share.value, share.low, share.high)


INTERVALS = "In brackets: 95% intervals"
_INTERVAL = re.compile(r"\([^()]* to [^()]*\)")


def interval_note(sentences: Iterable[str]) -> str:
    """What the brackets in verdicts are; empty where none of the sentences has an interval."""
    told = any(_INTERVAL.search(sentence) for sentence in sentences)
    return f"{INTERVALS}, here corrected for the number of questions asked." if told else ""


AGENT_COLUMNS = (
    "accuracy",
    "points lost by rewording",
    "flips beyond noise",
    "phrasing share",
    "no score",
    "effect",
)
"""What a table of agents and benchmarks says of each, in the order of `agent_cells`."""


def agent_cells(verdict: Verdict) -> tuple[str, ...]:
    """One row of a table of agents: a text for each of `AGENT_COLUMNS`."""
    return (
        percent(verdict.accuracy.value),
        _short(verdict.loss),
        _short(verdict.excess_flips),
        short_share(verdict.phrasing_share),
        percent(verdict.unscored.share),
        verdict.effect,
    )


def short_share(share: Evidence) -> str:
    """`12%`; `none found` where an interval says so, and a dash where none can be made."""
    if share.value is None or (share.value <= 0 and share.low is None):
        return "—"
    return percent(share.value) if share.value > 0 else "none found"


def _short(evidence: Evidence) -> str:
    """`31 (25 to 37)`, in points."""
    if evidence.value is None:
        return "—"
    if evidence.low is None or evidence.high is None:
        return point_number(evidence.value)
    return f"{point_number(evidence.value)} ({point_number(evidence.low)} to {point_number(evidence.high)})"


def severity(verdict: Verdict) -> tuple[int, float]:
    """Sorts what was found before what was not, and the largest loss or gain first within each."""
    loss = verdict.worst.loss if verdict.worst else verdict.loss
    return _SEVERITY.index(verdict.effect), -abs(loss.value or 0.0)


def by_severity(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The worst first: see `severity`."""
    return sorted(verdicts, key=severity)


def reason_text(reason: UnscoredReason) -> str:
    """`stopped at a limit of the run: time`."""
    if reason.outcome == NOT_RUN and reason.reason:
        return reason.reason  # it says so itself
    return ": ".join(part for part in (outcome_name(reason.outcome), reason.reason) if part)


TEMPLATE_COLUMNS = ("Template", "Accuracy", "Lost when users reword", "Worst 5% of wordings")


def template_cells(one: RankedTemplate) -> tuple[str, ...]:
    """A template's row of a table, under `TEMPLATE_COLUMNS`."""
    accuracy, loss, worst = one.accuracy, one.loss, one.worst
    return (
        one.template,
        percent_between(accuracy.value, accuracy.low, accuracy.high),
        points_between(loss.value, loss.low, loss.high),
        percent_between(worst.value, worst.low, worst.high),
    )


def template_lines(found: TemplateSummary) -> list[str]:
    """What is said below the table of templates: how far they are apart, and where variance comes from."""
    lines = []
    if found.ranking is not None:
        real, pairs = len(found.ranking.real), of_things(len(found.ranking.differences), "pair")
        lines.append(f"{real:,} of {pairs} differ by more than noise (paired by item, Holm over all pairs).")
    spread = found.spread
    if spread is not None and spread.value is not None:
        between = points_between(spread.value, spread.low, spread.high)
        lines.append(f"Spread, the best template minus the worst without what noise adds: {between}.")
    known = [one for one in found.quantiles if one.value is not None]
    if known:
        each = [f"{one.group} of them below {percent_between(one.value, one.low, one.high)}" for one in known]
        lines.append(f"Accuracy over templates: {', '.join(each)}.")
    elif found.quantiles:
        lines.append(f"Quantiles over templates are not known: {found.quantiles[0].reason}.")
    if found.attribution is not None:
        notes = (f"{note[:1].upper()}{note[1:]}." for note in found.attribution.notes)
        lines += [found.attribution.sentence, *notes]
    return lines


def share_cells(one: Share) -> tuple[str, str, str]:
    """A term, its share between 0 and 100%, and the p that there is no such effect."""
    share = one.estimate.cut_to_share()
    return one.term, percent_between(share.value, share.low, share.high), p_number(one.p)


MINUS = "−"


def count_text(count: float) -> str:
    """Thousands separated by a comma: `1,200`."""
    return f"{count:,.0f}".replace("-", MINUS)


def of_things(count: int, one: str, many: str | None = None) -> str:
    """`1 item`, `1,200 items`."""
    return f"{count_text(count)} {one if count == 1 else many or f'{one}s'}"


def percent(value: float | None) -> str:
    """A share of 1 as a percentage; a dash where there is none. Never 0% or 100% of what is not that."""
    if value is None:
        return "—"
    if 0 < value < 0.005:
        return "<1%"
    if 0.995 <= value < 1:
        return ">99%"
    return f"{100 * value:.0f}%".replace("-0%", "0%").replace("-", MINUS)


def point_number(difference: float) -> str:
    """A difference of two shares in percentage points, without the unit: `31`, `0.4`, `−2`."""
    size = abs(100 * difference)
    text = f"{size:.1f}" if 0.05 <= size < 1 else f"{size:.0f}"
    return f"{MINUS}{text}" if difference < 0 and float(text) > 0 else text


def signed_points(difference: float) -> str:
    """A gain or a loss in whole percentage points, without the unit: `+8`, `−3`."""
    return f"{100 * difference:+.0f}".replace("-", MINUS)


def points(difference: float | None) -> str:
    """`31 points`, `1 point`; a dash where there is none."""
    if difference is None:
        return "—"
    number = point_number(difference)
    return f"{number} point" if number in ("1", f"{MINUS}1") else f"{number} points"


def points_between(difference: float | None, low: float | None, high: float | None) -> str:
    """`31 points (25 to 37)`."""
    if difference is None or low is None or high is None:
        return points(difference)
    return f"{points(difference)} ({point_number(low)} to {point_number(high)})"


def percent_between(value: float | None, low: float | None, high: float | None) -> str:
    """`92% (88% to 95%)`."""
    if value is None or low is None or high is None:
        return percent(value)
    return f"{percent(value)} ({percent(low)} to {percent(high)})"


def p_text(p: float | None) -> str:
    """`p = .004`, `p < .001`; never 0, since no test can say that."""
    if p is None:
        return "p not known"
    return "p < .001" if p < 0.001 else f"p = {p:.3f}".replace("0.", ".", 1)


def p_number(p: float | None) -> str:
    """For a column of p values: `.004`, `< .001`."""
    return "—" if p is None else p_text(p).removeprefix("p ").removeprefix("= ")


def user_error_counts(by_wording: Mapping[str, tuple[int, int]]) -> str:
    """In how many conversations a simulated user erred.

    Example:
        >>> from otherwords.core.texts import user_error_counts
        >>> user_error_counts({"orig": (1, 8), "para1": (3, 8)})
        '4 of 16 conversations (orig 1 of 8, para1 3 of 8)'
    """
    erred, known = (sum(one[place] for one in by_wording.values()) for place in (0, 1))
    each = ", ".join(f"{name} {errors:,} of {of:,}" for name, (errors, of) in by_wording.items())
    return f"{erred:,} of {known:,} conversations ({each})"


def about(count: int) -> str:
    """Two digits of a count that is not known better: `1,400`."""
    if count < 100:
        return count_text(count)
    size = 10 ** (len(str(count)) - 2)
    return count_text(round(count / size) * size)


# ---- thresholds


def why_decided(limit: Limit, estimate: Estimate, worse: float | None, *, plain: bool = False) -> str:
    """What was wanted and what was found; `worse` is the end of the interval that decides, unless `plain`."""
    value = estimate.value
    if value is None:
        return f"wanted {limit.text}, and there is no value: {estimate.reason}"
    if plain:
        return f"wanted {limit.text}, the estimate is {_number(value)}"
    if worse is None:
        return f"wanted {limit.text}, the estimate is {_number(value)}, and {estimate.reason}"
    end = "low" if limit.at_least else "high"
    text = f"wanted {limit.text}, the {end} end is {_number(worse)} (estimate {_number(value)})"
    if estimate.low_if_missing is not None and estimate.high_if_missing is not None:
        low, high = _number(estimate.low_if_missing), _number(estimate.high_if_missing)
        text += f"; {low} to {high} if every run had a score"
    return text


def why_fall(limit: Limit, change: Estimate, status: DecisionStatus) -> str:
    """How far a metric may fall below a baseline, and how it changed."""
    value, low, high = change.value, change.low, change.high
    if value is None:
        return f"there is nothing to compare with the baseline: {change.reason}"
    between = "" if low is None or high is None else f" ({_signed(low)} to {_signed(high)})"
    said = f"may fall by {abs(limit.number):g}, the change is {_signed(value)}{between}"
    if status == FAILS:
        return f"{said}; it fell"
    if low is None and status == UNDECIDED:
        return f"{said}, and {change.reason}"
    return f"{said}; not a fall beyond doubt" if status == PASSES and not limit.meets(value) else said


def could_change(limit: Limit, estimate: Estimate, shifts: Sequence[float], worse: float | None) -> str:
    """Why runs without a score leave it open.

    `shifts` is how far they could move the value, `worse` the end of the interval that decides.
    """
    runs = "1 run" if estimate.n_missing == 1 else f"{estimate.n_missing:,} runs"
    low, high = _number(estimate.low_if_missing or 0.0), _number(estimate.high_if_missing or 0.0)
    ends = f"{low} to {high}"
    if estimate.metric.startswith("accuracy") and not limit.is_fall:
        ends = f"all wrong {low}, all right {high}"
    at_worst = [limit.meets((estimate.value or 0.0) + one) for one in shifts]
    if worse is not None and not limit.is_fall and len(set(at_worst)) == 1:
        end = worse + (min(shifts) if limit.at_least else max(shifts))
        ends += f"; the {'low' if limit.at_least else 'high'} end {_number(end)} at worst"
    return f"cannot tell: {runs} without a score could change this ({ends})"


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".").replace("-", MINUS)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", MINUS)
