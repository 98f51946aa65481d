"""What an audit found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from otherwords.audit.balance import Length, Position, Share
from otherwords.audit.decide import LABELS, Decision
from otherwords.audit.reasons import REASONS
from otherwords.audit.settings import AuditSettings
from otherwords.audit.twins import TwinSearch


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
    name: str
    decisions: tuple[Decision, ...]
    """One for each item that has options, in the dataset's order."""
    without_options: int = 0
    """Items that have none, and so nothing to audit."""
    settings: AuditSettings = field(default_factory=AuditSettings)
    position: Position | None = None
    length: Length | None = None
    twins: TwinSearch = field(default_factory=lambda: TwinSearch((), 0, 0))
    critic: CriticCounts | None = None
    choices_only: ChoicesOnly | None = None

    @property
    def labels(self) -> dict[str, int]:
        found = Counter(one.label for one in self.decisions)
        return {label: found[label] for label in LABELS}

    @property
    def reasons(self) -> dict[str, int]:
        """Items by reason, the commonest first. An item may have several."""
        found = Counter(code for one in self.decisions for code in one.reasons)
        order = list(REASONS)
        return dict(sorted(found.items(), key=lambda one: (-one[1], order.index(one[0]))))

    @property
    def flagged(self) -> dict[str, Decision]:
        """The items that are not clean, by id."""
        return {one.id: one for one in self.decisions if one.label != "clean"}

    def worst(self, count: int) -> list[Decision]:
        """Unanswerable items first, then those with the most reasons."""
        order = list(REASONS)
        ranked = sorted(
            self.flagged.values(),
            key=lambda one: (
                one.label != "unanswerable",
                -len(one.reasons),
                min(order.index(code) for code in one.reasons),
            ),
        )
        return ranked[:count]
