"""`Audit`, what an audit found: its JSON file, written and read; sentences; conditions of `--fail-on`.

The file holds no text of the dataset but the ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from otherwords.audit.dataset_checks import DuplicateSearch, Length, Position, Share
from otherwords.audit.decide import REASONS, AuditSettings, Decision
from otherwords.core.contract import AUDIT_GATES, AUDIT_LABELS, CLEAN, UNANSWERABLE
from otherwords.core.errors import InputError

FORMAT, VERSION = "otherwords-audit", 1
MAKE_AGAIN = "Make it again with `otherwords audit DATASET --json FILE`."


@dataclass(frozen=True, slots=True)
class CriticCounts:
    """What was asked of the model critic and what came of it."""

    model: str
    asked: int = 0
    unreadable: int = 0
    """Replies without a verdict; their items are not called clean."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChoicesOnly:
    """A run in which a model saw the options without the question."""

    model: str
    asked: int
    unscored: int
    """Answers that could not be read, and samples that failed; they count as neither right nor wrong."""
    right: Share | None
    """None where no answer could be scored."""
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True)
class Audit:
    """The labels of a dataset's items, and what its right answers and questions show beside them."""

    name: str
    decisions: tuple[Decision, ...]
    """One for each item that has options, in the dataset's order."""
    without_options: int = 0
    """Items that have none, and so nothing to audit."""
    settings: AuditSettings = field(default_factory=AuditSettings)
    position: Position | None = None
    length: Length | None = None
    duplicates: DuplicateSearch = field(default_factory=lambda: DuplicateSearch((), 0, 0))
    critic: CriticCounts | None = None
    choices_only: ChoicesOnly | None = None

    @property
    def labels(self) -> dict[str, int]:
        found = Counter(one.label for one in self.decisions)
        return {label: found[label] for label in AUDIT_LABELS}

    @property
    def reasons(self) -> dict[str, int]:
        """Items by reason, the commonest first. An item may have several."""
        found = Counter(code for one in self.decisions for code in one.reasons)
        order = list(REASONS)
        return dict(sorted(found.items(), key=lambda one: (-one[1], order.index(one[0]))))

    @property
    def flagged(self) -> dict[str, Decision]:
        """The items that are not clean, by id."""
        return {one.id: one for one in self.decisions if one.label != CLEAN}

    def worst(self, count: int) -> list[Decision]:
        """Unanswerable items first, then those with the most reasons."""
        order = list(REASONS)
        ranked = sorted(
            self.flagged.values(),
            key=lambda one: (
                one.label != UNANSWERABLE,
                -len(one.reasons),
                min(order.index(code) for code in one.reasons),
            ),
        )
        return ranked[:count]


@dataclass(frozen=True, slots=True)
class AuditLabels:
    """What others need of an audit."""

    name: str
    """Of the dataset or task."""
    decisions: Mapping[str, Decision]
    """By id; items without options are not among them."""
    path: Path | None = None

    @property
    def flagged(self) -> dict[str, Decision]:
        return {id_: one for id_, one in self.decisions.items() if one.label != CLEAN}


def audit_json(audit: Audit) -> str:
    """In ASCII: what a terminal would obey is written as its number."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "name": audit.name,
        "items": len(audit.decisions),
        "without_options": audit.without_options,
        "labels": audit.labels,
        "reasons": audit.reasons,
        "findings": dict(findings(audit)),
        "settings": asdict(audit.settings),
        "position": audit.position and asdict(audit.position),
        "length": audit.length and asdict(audit.length),
        "duplicates": asdict(audit.duplicates),
        "critic": audit.critic and asdict(audit.critic),
        "choices_only": audit.choices_only and asdict(audit.choices_only),
        "decisions": [asdict(one) for one in audit.decisions],
    }
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def read_audit(path: str | Path) -> AuditLabels:
    """The labels of a file that `otherwords audit --json` wrote."""
    path = Path(path)
    try:
        content = orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=error.lineno) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError("is no audit", file=path, hint=MAKE_AGAIN)
    if content.get("version") != VERSION:
        raise InputError(
            f"an audit of format version {content.get('version')}; this otherwords reads version {VERSION}",
            file=path,
            hint=MAKE_AGAIN,
        )
    found = content.get("decisions")
    if not isinstance(found, list) or not isinstance(content.get("name"), str):
        raise InputError("has no decisions", file=path, hint=MAKE_AGAIN)
    decisions: dict[str, Decision] = {}
    for place, one in enumerate(found, start=1):
        decision = _decision(one, place, path)
        if decision.id in decisions:
            raise InputError("has two decisions", file=path, item=decision.id, hint=MAKE_AGAIN)
        decisions[decision.id] = decision
    return AuditLabels(content["name"], decisions, path)


def _decision(given: Any, place: int, path: Path) -> Decision:
    """A label that a person changed by hand stands; reasons are codes that we know."""
    if not isinstance(given, dict) or not isinstance(given.get("id"), str):
        raise InputError(f"decision {place} has no id", file=path, hint=MAKE_AGAIN)
    label, reasons = given.get("label"), given.get("reasons", [])
    if label not in AUDIT_LABELS:
        raise InputError(
            f"the label {label!r} is none of {', '.join(AUDIT_LABELS)}",
            file=path,
            item=given["id"],
            hint=MAKE_AGAIN,
        )
    if not isinstance(reasons, list) or any(code not in REASONS for code in reasons):
        raise InputError("has a reason that is not known", file=path, item=given["id"], hint=MAKE_AGAIN)
    return Decision(given["id"], label, tuple(reasons))


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
