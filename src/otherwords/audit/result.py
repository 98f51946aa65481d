"""The result of an audit, written to and read from a JSON file of labels and counts.

The file holds no text of the dataset but the ids.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from otherwords.audit.balance import Length, Position, Share
from otherwords.audit.decide import REASONS, AuditSettings, Decision
from otherwords.audit.duplicates import DuplicateSearch
from otherwords.audit.messages import findings
from otherwords.core.contract import AUDIT_LABELS, CLEAN, UNANSWERABLE
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
