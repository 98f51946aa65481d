"""Verdicts and `check`'s decisions → lines for a terminal, JSON, JUnit XML, Markdown, GitHub annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otherwords.cli.console import speaks_for, wrapped
from otherwords.core.texts import (
    INTERVALS,
    about,
    agent_cells,
    by_severity,
    count_text,
    interval_note,
    of_things,
    percent,
    points_between,
    reason_text,
    unscored_sentence,
)
from otherwords.core.verdict import MOST_UNSCORED, Verdict

if TYPE_CHECKING:
    from otherwords.core.trajectory_results import TrajectorySummary
    from otherwords.core.verdict import Verdict
    from otherwords.metrics import Decision


_SENTENCES, _AGENTS, _CHANGES, _REASONS = 3, 5, 4, 3
_HEAD = (
    ("", "points lost", "flips", "phrasing", "no", ""),
    ("accuracy", "by rewording", "beyond noise", "share", "score", "effect"),
)
_WIDTHS = (9, 18, 19, 11, 9)
_SHARE = "Phrasing share: variation within items that is due to wording, not to noise."


def verdict_lines(verdicts: Iterable[Verdict], *, full: bool = False) -> list[str]:
    """What was found, what to do, the agents, what breaks them, why runs have no score."""
    ordered = by_severity(verdicts)
    lines = _sentences(ordered, full)
    note = interval_note(one.sentence for one in (ordered if full else ordered[:_SENTENCES]))
    lines += [note] if note else []
    if ordered and ordered[0].actions:
        lines += ["", "What to do:"]
        for action in ordered[0].actions:
            lines += wrapped(action, "    ", "  ")
    lines += ["", *([] if note else [f"{INTERVALS}."]), *agent_table(ordered, full)]
    for part in (change_lines(ordered, full), unscored_lines(ordered, full)):
        lines += ["", *part] if part else []
    return lines


def _sentences(ordered: Sequence[Verdict], full: bool) -> list[str]:
    shown = ordered if full else ordered[:_SENTENCES]
    lines = [line for one in shown for line in wrapped(one.sentence, "  ", "")]
    if full:
        return lines
    # a caution of the first is worth more than the headline of the fourth
    for caution in [] if len(shown) > 1 else shown[0].cautions[:2]:
        lines += wrapped(caution, "    ", "  · ")
    left = len(ordered) - len(shown)
    return [*lines, f"{of_things(left, 'more verdict')} in the table below."] if left else lines


def agent_table(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Agents and benchmarks as rows: the name whole, the numbers below it."""
    shown = ordered if full else ordered[:_AGENTS]
    lines = [_row(cells) for cells in _HEAD]
    for one in shown:
        lines += [*wrapped(one.name), _row(agent_cells(one))]
    lines += [_SHARE] if any(one.phrasing_share.value is not None for one in shown) else []
    left = len(ordered) - len(shown)
    return [*lines, f"{of_things(left, 'more row')}: --full"] if left else lines


def _row(cells: Sequence[str]) -> str:
    padded = [f"{text:<{width}}" for text, width in zip(cells, (*_WIDTHS, 0), strict=True)]
    return f"  {''.join(padded)}".rstrip()


def change_lines(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Kinds of change with an effect, the largest first; the others are counted."""
    found = [(one, change) for one in ordered for change in one.changes if change.loss.excludes_zero]
    asked = sum(len(one.changes) for one in ordered)
    if not asked:
        return []
    if not any(change.loss.is_tested for one in ordered for change in one.changes):
        return [f"What breaks it: too few items to test any kind of change ({count_text(asked)} asked)."]
    if not found:
        return [f"What breaks it: no kind of change has a detectable effect ({count_text(asked)} asked)."]
    found.sort(key=lambda pair: -abs(pair[1].loss.value or 0.0))
    shown = found if full else found[:_CHANGES]
    lines = ["What breaks it (points lost, intervals corrected for all that was asked):"]
    for one, change in shown:
        loss = change.loss
        size = points_between(loss.value, loss.corrected_low, loss.corrected_high)
        who = f", {one.name}" if len(ordered) > 1 else ""
        lines += wrapped(f"{change.name}: {size}{who}", "    ", "  ")
    rest = f"  {of_things(asked - len(found), 'other change')} without a detectable effect"
    more = f"; {count_text(len(found) - len(shown))} more with one" if len(found) > len(shown) else ""
    return [*lines, f"{rest}{more}."] if asked > len(shown) else lines


def trajectory_lines(found: Sequence[TrajectorySummary], *, full: bool = False) -> list[str]:
    """Where the tool calls of agents part; of several agents, unless `full`, the one that parts most."""
    ordered = sorted(found, key=lambda one: -(one["path_change"].excess.value or 0.0))
    lines: list[str] = []
    for one in ordered if full else ordered[:1]:
        who = f"{one.model}: " if len(found) > 1 else ""
        first, *rest = one.sentences
        lines += ["", *wrapped(f"{who}{first}", "  ", "")]
        lines += [line for text in (rest if full else rest[:2]) for line in wrapped(text, "    ", "  · ")]
    return lines


def unscored_lines(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Why runs have no score: reason × count × one example, and what to do."""
    found = [(one, reason) for one in ordered for reason in one.unscored.reasons]
    if not found:
        return []
    found.sort(key=lambda pair: -pair[1].count)
    without, runs = sum(one.unscored.count for one in ordered), sum(one.n_runs for one in ordered)
    mark = "[!] " if without > MOST_UNSCORED * runs else ""
    lines = [
        f"{mark}{count_text(without)} of {of_things(runs, 'run')} ({percent(without / runs)}) have no score:"
    ]
    for one, reason in found if full else found[:_REASONS]:
        who = f"{one.name}: " if len(ordered) > 1 else ""
        text = f"{count_text(reason.count)} {who}{reason_text(reason)} ({reason.example}); {reason.advice}"
        lines += wrapped(text, "      ", "    ") if full else wrapped(text, "      ", "    ")[:3]
    return lines


FORMAT, VERSION = "otherwords-check", 2
MARKS = {"pass": "PASS", "fail": "FAIL", "cannot tell": "CANNOT TELL"}
_ORDER = ("fail", "cannot tell", "pass")
_MARKDOWN_ROWS, _GATE_SENTENCES, _PASSES = 7, 2, 4


@dataclass(frozen=True)
class Checked:
    """What a gate said."""

    decisions: Sequence[Decision]
    verdicts: Sequence[Verdict]
    notes: Sequence[str]
    lenient: bool
    """What cannot be told passes."""

    @property
    def ordered(self) -> list[Decision]:
        """What failed first."""
        return sorted(self.decisions, key=lambda one: _ORDER.index(one.status))

    def counts(self, one: Decision) -> bool:
        """Whether it fails the gate."""
        return one.status == "fail" or (one.status == "cannot tell" and not self.lenient)

    def number(self, status: str) -> int:
        return sum(one.status == status for one in self.decisions)

    @property
    def outcome(self) -> str:
        """`fail`, `cannot tell` or `pass`, of the whole gate."""
        if self.number("fail"):
            return "fail"
        return "cannot tell" if self.number("cannot tell") and not self.lenient else "pass"

    @property
    def answer(self) -> str:
        """The gate in one sentence."""
        total, missed, left_open = len(self.decisions), self.number("fail"), self.number("cannot tell")
        of_all = f"{count_text(total)} thresholds"
        if self.outcome == "pass":
            still = f", {count_text(left_open)} cannot be told" if left_open else ""
            return f"PASS: {count_text(total - left_open)} of {of_all} are met{still}"
        if missed:
            still = f", and {count_text(left_open)} cannot be told" if left_open else ""
            return f"FAIL: {count_text(missed)} of {of_all} are not met{still}"
        more = max((one.more_calls or 0 for one in self.decisions if one.status == "cannot tell"), default=0)
        needs = f" (needs about {about(more)} more calls)" if more else ""
        return f"CANNOT TELL: {count_text(left_open)} of {of_all} are left open{needs}"


def place(one: Decision) -> str:
    """Whom it is about: `agent · benchmark`."""
    return " · ".join(part for part in (one.group, one.task) if part)


def threshold(one: Decision) -> str:
    """As the option is called."""
    return one.name.replace("_", "-")


def text_lines(found: Checked, *, full: bool = False) -> list[str]:
    """The answer, what failed and why, then what passed, the verdicts and the runs without a score."""
    lines = wrapped(found.answer, "  ", "")
    told = by_severity(found.verdicts)
    for verdict in told if full else told[:_GATE_SENTENCES]:
        lines += wrapped(verdict.sentence, "  ", "")
    lines.append("")
    ordered = found.ordered
    passed = [one for one in ordered if one.passed]
    for one in ordered[: len(ordered) - len(passed)]:
        lines += _decision(one)
    shown = passed if full else passed[:_PASSES]
    for one in shown:
        lines += _decision(one)
    if len(passed) > len(shown):
        lines.append(f"PASS  {of_things(len(passed) - len(shown), 'more threshold')} (--full)")
    lines.append("")
    without = unscored_lines(told, full)
    lines += without or [f"All {of_things(sum(one.n_runs for one in told), 'run')} have a score."]
    said = speaks_for((threshold(one), one.generalizes) for one in found.decisions)
    lines += wrapped(said) if said else []
    for note in found.notes:
        lines += wrapped(f"Note: {note}", "  ", "")
    return lines


def _decision(one: Decision) -> list[str]:
    return wrapped(f"{MARKS[one.status]}  {place(one)}: {threshold(one)}: {one.why}", "      ", "")


def check_json(found: Checked) -> dict[str, Any]:
    """See docs/json.md."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "passed": found.outcome == "pass",
        "outcome": found.outcome,
        "answer": found.answer,
        "decisions": list(found.decisions),
        "verdicts": [one.to_json() for one in found.verdicts],
        "notes": list(found.notes),
    }


def annotation_lines(found: Checked) -> Iterator[str]:
    """A line of GitHub's for each threshold that is not met."""
    for one in found.ordered:
        if not one.passed:
            level = "error" if found.counts(one) else "warning"
            yield _annotation(f"{place(one)}: {threshold(one)}", f"{MARKS[one.status]}: {one.why}", level)


def _annotation(title: str, message: str, level: str) -> str:
    """GitHub reads `::` lines; what comes from data may not begin a new one."""

    def escaped(text: str, also: str) -> str:
        codes = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
        return "".join(codes[c] if c in "%\r\n" + also else c for c in text)

    return f"::{level} title={escaped(title, ':,')}::{escaped(message, '')}"


def markdown_text(found: Checked) -> str:
    """For a pull request: the gate's answer, the verdicts, the thresholds; at most 59 lines."""
    from otherwords.report.escape import markdown
    from otherwords.report.verdict_markdown import MOST_LINES, table, verdict_markdown

    ordered = found.ordered
    shown = ordered[:_MARKDOWN_ROWS]
    rows = [
        [f"**{MARKS[one.status]}**", markdown(place(one)), f"`{threshold(one)}`", markdown(one.why)]
        for one in shown
    ]
    lines = [f"## otherwords check: {markdown(found.answer)}", ""]
    lines += verdict_markdown(found.verdicts)
    lines += table(("", "agent and benchmark", "threshold", "why"), rows)
    if len(ordered) > len(shown):
        lines.append(f"{of_things(len(ordered) - len(shown), 'more threshold')} not shown.")
    assert len(lines) <= MOST_LINES
    return "\n".join(lines).rstrip() + "\n"


def junit_xml(found: Checked) -> bytes:
    """One test case for each decision, as CI systems read them; what may stay open is skipped."""
    from xml.etree import ElementTree

    failed = sum(found.counts(one) for one in found.decisions)
    suite = ElementTree.Element(
        "testsuite",
        name="otherwords check",
        tests=str(len(found.decisions)),
        failures=str(failed),
        errors="0",
    )
    properties = ElementTree.SubElement(suite, "properties")
    for verdict in found.verdicts:
        for name, value in (("verdict", verdict.sentence), ("runs without a score", _unscored(verdict))):
            ElementTree.SubElement(
                properties, "property", name=_xml(f"{name}: {verdict.name}"), value=_xml(value)
            )
    for one in found.decisions:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=_xml(" / ".join(part for part in (one.task, one.group) if part)),
            name=_xml(f"{threshold(one)}: {place(one)}"),
        )
        if one.passed:
            ElementTree.SubElement(case, "system-out").text = _xml(one.why)
            continue
        tag = "failure" if found.counts(one) else "skipped"
        said = ElementTree.SubElement(case, tag, message=_xml(one.why))
        said.text = _xml(one.why)
        if tag == "failure":
            said.set("type", one.status)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _unscored(verdict: Verdict) -> str:
    if not verdict.unscored.count:
        return f"all {of_things(verdict.n_runs, 'run')} have a score"
    return unscored_sentence(verdict)


def _xml(text: str) -> str:
    """XML has no place for control characters."""
    return "".join(c if c in "\t\n" or ord(c) >= 32 else "\N{REPLACEMENT CHARACTER}" for c in text)
