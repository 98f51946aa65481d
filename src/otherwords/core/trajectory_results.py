"""Result types on agents' tool calls: how far and where paths part, what runs take; one sentence on them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from otherwords.core.texts import of_things, percent, points, points_between
from otherwords.core.tool_calls import ARGUMENTS, ENDS, GOES_ON
from otherwords.core.types import Estimate

FINDING = 0.05
"""The largest q, over all places that were tested, that is called a finding."""


SHARE_NAMES = {
    "path_change": "Any call",
    "tool_set_change": "Set of tools (1 − Jaccard)",
    "tool_order_change": "Order of tools (edits)",
    "tool_argument_change": "Arguments of the same call",
    "same_outcome_other_path": "Path, with the same outcome",
    "other_outcome_other_path": "Path, with another outcome",
    "tool_error_rate": "Calls that failed",
}
EFFORT_NAMES = {
    "steps": "tool calls",
    "model_calls": "model calls",
    "messages": "messages",
    "tokens": "tokens",
    "seconds": "seconds",
    "cost": "cost",
}


@dataclass(frozen=True, slots=True)
class TrajectoryShare:
    """One measure of how far two runs differ, as a share."""

    name: str
    wordings: Estimate
    """Runs of other wordings against runs of the original."""
    rerun: Estimate
    """Runs of the original against each other: the noise floor."""
    excess: Estimate
    """The first minus the second, on the items that have both."""


@dataclass(frozen=True, slots=True)
class PartingPoint:
    """Of the curve that tells after how many calls paths have parted."""

    call: int
    together: float | None
    """The share of pairs that made the same calls up to this one."""
    rerun_together: float | None
    excess: Estimate
    """How many more have parted by this call than of the original's own runs."""
    other_outcome: Estimate
    """How many more part at this call and come to another outcome."""


@dataclass(frozen=True, slots=True)
class PartingPlace:
    """A call of the original at which reworded runs leave its path."""

    call: int
    tool: str
    """What the original calls there; what the other run calls where the original has ended."""
    how: str
    """In most cases: another `tool`, other `arguments`, `ends`, or `goes on`."""
    instead: str
    """The tool that is called there in most cases, where it is another one."""
    excess: Estimate
    p: float | None
    q: float | None
    """By Benjamini and Hochberg over all places of all agents."""
    shrunk: float | None
    """What the excess is likely to be, given that it was picked for being large; null where it was not."""
    other_outcome: float
    """Of these partings, the share that comes to another outcome."""

    @property
    def found(self) -> bool:
        """Whether rewording does more here than asking again does."""
        return self.q is not None and self.q <= FINDING and (self.excess.value or 0.0) > 0

    @property
    def what(self) -> str:
        """What happens there, for a sentence."""
        if self.how == ARGUMENTS:
            return f"{self.tool} is called with other arguments"
        if self.how == ENDS:
            return f"{self.tool} is not called, the run ends"
        if self.how == GOES_ON:
            return f"{self.tool} is called where the original has ended"
        return f"{self.instead} is called instead of {self.tool}"


@dataclass(frozen=True, slots=True)
class ToolAgreement:
    """How far the arguments of one tool agree, over calls that stand at the same place of both paths."""

    tool: str
    share: TrajectoryShare


@dataclass(frozen=True, slots=True)
class Effort:
    """What runs take under rewording, against the original."""

    name: str
    """`steps`, `model_calls`, `messages`, `tokens`, `seconds` or `cost`."""
    kind: str
    """Of wording; empty for all of them."""
    original: float
    """Mean over items."""
    reworded: float
    change: Estimate
    """As a share of the original's."""


@dataclass(frozen=True, slots=True)
class TrajectorySummary:
    """All that is said of one agent's trajectories on one benchmark."""

    task: str
    model: str
    shares: tuple[TrajectoryShare, ...]
    curve: tuple[PartingPoint, ...]
    places: tuple[PartingPlace, ...]
    """The largest excess first."""
    tools: tuple[ToolAgreement, ...]
    effort: tuple[Effort, ...]
    n_runs: int
    """Runs with a score whose tool calls are known."""
    n_unknown: int
    """Runs with a score whose tool calls are not known."""
    n_cut: int
    """Runs whose record has no room for all calls; these are compared as far as it goes."""
    n_cut_calls: int

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model

    def __getitem__(self, name: str) -> TrajectoryShare:
        """One of the shares by its name."""
        return {one.name: one for one in self.shares}[name]

    @property
    def worst(self) -> PartingPlace | None:
        """Where rewording does most, of what noise does not explain."""
        return next((one for one in self.places if one.found), None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said of it first."""
        said = [self._parting()]
        if self.worst is not None:
            said.append(f"{place_sentence(self.worst)}.")
        hidden = self["same_outcome_other_path"].excess
        if hidden.low is not None and hidden.low > 0:
            size = points_between(hidden.value, hidden.low, hidden.high)
            said.append(f"Accuracy does not show {size} of it: the outcome is the same by another path.")
        if self.n_cut:
            lost = of_things(self.n_cut_calls, "call")
            said.append(f"The records of {of_things(self.n_cut, 'run')} have no room for their last {lost}.")
        return tuple(said)

    def _parting(self) -> str:
        one = self["path_change"]
        if one.wordings.value is None:
            return f"Tool calls of reworded runs cannot be compared: {one.wordings.reason}."
        seen = f"Tool calls part from the original's in {percent(one.wordings.value)} of reworded runs"
        if one.excess.value is None:
            return f"{seen}; how many would without rewording is not known: rerun with --repeats 3."
        floor = f"{seen}, and in {percent(one.rerun.value)} of its own repeats"
        size = points_between(one.excess.value, one.excess.low, one.excess.high)
        if one.excess.low is None or one.excess.high is None or one.excess.low <= 0 <= one.excess.high:
            return f"{floor}; the difference, {size}, is no more than noise explains."
        return f"{floor}: {size} beyond run-to-run noise."

    def to_json(self) -> dict[str, Any]:
        """What `--json` has; the names are in docs/json.md."""
        about = {"benchmark": self.task, "model": self.model, "sentences": list(self.sentences)}
        counts = {name: getattr(self, name) for name in ("n_runs", "n_unknown", "n_cut", "n_cut_calls")}
        parts = {
            name: [asdict(one) for one in getattr(self, name)]
            for name in ("shares", "curve", "tools", "effort")
        }
        places = [{**asdict(one), "found": one.found} for one in self.places]
        return {**about, **counts, **parts, "places": places}


def place_sentence(one: PartingPlace) -> str:
    """Where rewording does most, and how much of it noise does not explain, without a full stop."""
    size = points_between(one.excess.value, one.excess.low, one.excess.high)
    likely = f" (about {points(one.shrunk)}, given that the largest is picked)"
    likely = "" if one.shrunk is None or points(one.shrunk) == points(one.excess.value) else likely
    end = f"{percent(one.other_outcome)} of these come to another outcome"
    more = f"{size} more often than when the original is asked again{likely}"
    return f"Rewording breaks its tool calls most at call {one.call}: {one.what}, {more}; {end}"
