"""An audit → sentences about what it found beside the labels, and the conditions of `--fail-on`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from otherwords.audit.balance import Length, Position, Share
from otherwords.audit.duplicates import DuplicateSearch
from otherwords.core.contract import AUDIT_GATES, UNANSWERABLE

if TYPE_CHECKING:
    from otherwords.audit.result import Audit, ChoicesOnly, CriticCounts

MOST_LETTERS = 8


def findings(audit: Audit) -> Iterator[tuple[str, str]]:
    """Each as its name and a sentence."""
    if audit.position is not None:
        yield "position", describe_position(audit.position, audit.settings.significance)
    if audit.length is not None:
        yield "length", describe_length(audit.length)
    if audit.duplicates.compared:
        yield "duplicates", describe_duplicates(audit.duplicates)
    if audit.choices_only is not None:
        yield "choices only", describe_choices_only(audit.choices_only)
    if audit.critic is not None:
        yield "critic", describe_critic(audit.critic)


def describe_position(found: Position, significance: float) -> str:
    letters = [f"{letter} in {count:,}" for letter, count in found.counts.items()]
    more = [f"{len(letters) - MOST_LETTERS} more letters"] if len(letters) > MOST_LETTERS else []
    even, best = _percent(found.expected[found.commonest] / found.n), found.commonest
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    text = (
        f"The right answer is {', '.join([*letters[:MOST_LETTERS], *more])} of {_items(found.n)}. "
        f"Evenly spread, {best} would have {even} and has {_percent(found.share)}"
    )
    if found.p < significance:
        return (
            f"{text}: more uneven than chance explains ({p}), and a model that always says {best} "
            f"scores {_percent(found.share)}"
        )
    return f"{text}, which chance explains ({p})"


def describe_length(found: Length) -> str:
    said = []
    for name, one in (("longest", found.longest), ("shortest", found.shortest)):
        if one is None:
            continue
        more = ", more than by chance" if one.is_above_chance else ""
        said.append(
            f"the {name} option in {_with_interval(one)} of {_items(one.n)}, "
            f"{_percent(one.chance)} by chance{more}"
        )
    return f"The right answer is {'; '.join(said)}"


def describe_duplicates(found: DuplicateSearch) -> str:
    extra = found.extra
    exact, near = extra.get("duplicate", 0), extra.get("near_duplicate", 0)
    text = (
        f"{_items(exact)} {'repeats' if exact == 1 else 'repeat'} an earlier one, "
        f"{near:,} nearly do, of {_items(found.compared)} with a question"
    )
    clash = sum(group.answers_differ for group in found.groups)
    if clash:
        text += (
            f". {clash:,} {'question has' if clash == 1 else 'questions have'} different right answers in "
            "different places"
        )
    if found.cut_short:
        text += f". {_items(found.cut_short)} had too many likenesses to compare with all of them"
    return text


def describe_choices_only(found: ChoicesOnly) -> str:
    left_out = f" {found.unscored:,} of {found.asked:,} could not be scored." if found.unscored else ""
    if found.right is None:
        return f"{found.model} gave no answer that could be scored.{left_out}".rstrip(".")
    verdict = (
        "above chance, so the options give something away"
        if found.right.is_above_chance
        else "not above chance"
    )
    return (
        f"Without the question, {found.model} is right in {_with_interval(found.right)} of "
        f"{_items(found.right.n)}; chance is {_percent(found.right.chance)}: {verdict}.{left_out}"
    ).rstrip(".")


def describe_critic(found: CriticCounts) -> str:
    unread = "1 reply" if found.unreadable == 1 else f"{found.unreadable:,} replies"
    more = ", which clears no item" if found.unreadable else ""
    return (
        f"{found.model} was asked about {_items(found.asked)}; {unread} had no verdict{more}. "
        f"{found.calls:,} calls, {found.input_tokens:,} tokens in, {found.output_tokens:,} out"
    )


def _with_interval(one: Share) -> str:
    return f"{_percent(one.value)} ({_percent(one.low)} to {_percent(one.high)})"


def _percent(value: float) -> str:
    return f"{100 * value:.0f}%"


def _items(count: int) -> str:
    return f"{count:,} item" if count == 1 else f"{count:,} items"


def _not_clean(audit: Audit) -> str | None:
    flagged, total = len(audit.flagged), len(audit.decisions)
    return f"{flagged:,} of {_items(total)} {_are(flagged)} not clean" if flagged else None


def _unanswerable(audit: Audit) -> str | None:
    count, total = audit.labels[UNANSWERABLE], len(audit.decisions)
    return f"{count:,} of {_items(total)} {_are(count)} unanswerable" if count else None


def _duplicates(audit: Audit) -> str | None:
    return describe_duplicates(audit.duplicates) if audit.duplicates.groups else None


def _position(audit: Audit) -> str | None:
    found, limit = audit.position, audit.settings.significance
    return describe_position(found, limit) if found and found.p < limit else None


def _length(audit: Audit) -> str | None:
    found = audit.length
    gives_away = found and (_is_above(found.longest) or _is_above(found.shortest))
    return describe_length(found) if found and gives_away else None


def _choices_only(audit: Audit) -> str | None:
    found = audit.choices_only
    return describe_choices_only(found) if found and _is_above(found.right) else None


_REASONS = (_not_clean, _unanswerable, _duplicates, _position, _length, _choices_only)
GATES: dict[str, Callable[[Audit], str | None]] = dict(zip(AUDIT_GATES, _REASONS, strict=True))
"""Each says why the audit does not pass, or nothing."""


def _is_above(found: Share | None) -> bool:
    return found is not None and found.is_above_chance


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
