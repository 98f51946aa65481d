"""Frozen types of all rooms (items, variants, check results, estimates), with ids, hashes, seeds, letters.

`pydantic.TypeAdapter` reads them back from files. Hashes and seeds are the same on every machine and in every
process.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from html import escape
from typing import Any, Literal, NamedTuple, TypeAlias

from otherwords.core.contract import (
    FAIL,
    FLAG,
    FLAG_STATUS,
    INVARIANT,
    JUDGE,
    JUDGING,
    ORIG,
    PASS,
    PERSON,
    CheckStatus,
    Layer,
    VettedStatus,
)

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat prompt."""

    role: Role
    content: str


Prompt: TypeAlias = "str | tuple[Message, ...]"


def varied_text(prompt: Prompt) -> str:
    """The text itself, or the last user message of a chat; empty when no user speaks."""
    if isinstance(prompt, str):
        return prompt
    return next((message.content for message in reversed(prompt) if message.role == "user"), "")


def whole_text(prompt: Prompt) -> str:
    """All that is said, with an empty line between messages."""
    return prompt if isinstance(prompt, str) else "\n\n".join(message.content for message in prompt)


def with_varied_text(prompt: Prompt, text: str) -> Prompt:
    """`prompt` with that part replaced and every other message as it was."""
    if isinstance(prompt, str):
        return text
    last = max(place for place, message in enumerate(prompt) if message.role == "user")
    return (*prompt[:last], replace(prompt[last], content=text), *prompt[last + 1 :])


@dataclass(frozen=True, slots=True)
class Item:
    """One problem of a benchmark."""

    id: str
    prompt: Prompt
    choices: tuple[str, ...] = ()
    target: int | tuple[str, ...] = ()
    """Index of the right choice, or the accepted answers; empty when only the task's own scorer knows."""
    metadata: dict[str, Any] = field(default_factory=dict, hash=False)
    source: str = ""
    """Where it was read: `file:line`, or the Inspect task's name."""


@dataclass(frozen=True, slots=True, eq=False)
class Params(Mapping[str, Any]):
    """What a variant was made with: a mapping that cannot change and can be hashed.

    Lists in it become tuples, and mappings become `Params`. It equals any mapping of the same content.
    """

    pairs: tuple[tuple[str, Any], ...] = ()
    """Each name with its value, sorted by name."""
    names: tuple[str, ...] = ()
    """The names in the order in which they were given, which is the order in which they are written."""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Params:
        """`given`, frozen."""
        if isinstance(given, Params):
            return given
        pairs = tuple((name, _frozen(given[name])) for name in sorted(given))
        return cls(pairs, tuple(given))

    def __getitem__(self, name: str) -> Any:
        return dict(self.pairs)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.pairs)

    def __eq__(self, other: object) -> bool:
        return self.pairs == Params.of(other).pairs if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __repr__(self) -> str:
        return f"Params({dict(self)!r})"


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return Params.of(value)
    if isinstance(value, list | tuple):
        return tuple(_frozen(one) for one in value)
    return frozenset(value) if isinstance(value, set) else value


def plain_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """`params` as dictionaries all the way down, for JSON."""
    return {name: _plain(value) for name, value in params.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return plain_params(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a variant is from its original, and from the other variants of its item."""

    words: float
    """Levenshtein's distance of the lower-case words, divided by the longer length: 0 to 1."""
    kept: float | None
    """The share of the original's content lemmas that the variant has; null where it is not in English."""
    frame_only: bool
    """The original stands in it whole, case and last mark aside."""
    sibling: float | None
    """The word distance from the nearest other accepted wording of the item; null where it has none."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording of an item. The original is one too, so that all share one path."""

    id: str
    item_id: str
    name: str
    """Unique within the item: `orig`, `para1`, `pert:punct`, `pert:order_rev`, …"""
    kind: str
    """The family that made it: `orig`, `paraphrase`, `format`, `options`, …"""
    prompt: Prompt
    choices: tuple[str, ...] = ()
    target: int | tuple[str, ...] = ()
    option_order: tuple[int, ...] = ()
    """`option_order[shown] = original`: the option shown at place `shown` was at `original`."""
    change: str = ""
    """What was done, finer than `kind`: a rule's name, `punct`, `order:reverse`, …"""
    generator: str = ""
    """Family and version that made it, such as `paraphrase/1`."""
    params: Mapping[str, Any] = Params()
    """What it was made with. Any mapping may be given; it is kept as `Params`."""
    distance: Distance | None = None
    """How far it is from the original; null for the original, and where nobody has measured it."""

    template: str = ""
    """Which wording of the template it has: `orig`, `t1`, …, or a name; empty where there is no template."""
    wording: str = ""
    """Which wording of the item's own text it has, in a template or a design: `orig`, `para1`, …"""
    levels: Mapping[str, str] = Params()
    """In a design, the level of each factor: `{"wording": "para1", "format": "orig"}`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", Params.of(self.params))
        object.__setattr__(self, "levels", Params.of(self.levels))

    @property
    def is_original(self) -> bool:
        return self.name == ORIG


class CheckResult(NamedTuple):
    """What one check says of one variant."""

    check: str
    status: CheckStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided of a variant."""

    accepted: bool
    person: str
    date: str
    """Of the decision, as `YYYY-MM-DD`."""
    wording_hash: str
    """Of the original and the variant that the person saw; for other texts the decision does not count."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Vetted:
    """A candidate with what was said of it. One line of a variants file."""

    variant: Variant
    checks: tuple[CheckResult, ...]
    decision: Decision | None = None

    @property
    def status(self) -> VettedStatus:
        """`accepted`, `rejected`, or `undecided` where a flag was raised and nobody decided.

        Invariants come first, then a person, then the judge.
        """
        if any(check.status == FAIL and check.check not in JUDGING for check in self.checks):
            return "rejected"
        if self.decision is not None:
            return "accepted" if self.decision.accepted else "rejected"
        if self.failures:
            return "rejected"
        judged = any(check.check == JUDGE and check.status == PASS for check in self.checks)
        return "undecided" if self.flags and not judged else "accepted"

    @property
    def accepted(self) -> bool:
        return self.status == "accepted"

    @property
    def decided_by(self) -> Layer:
        """The layer that spoke last: invariants, a flag that nobody decided, the judge, or a person."""
        if any(check.status == FAIL and check.check not in JUDGING for check in self.checks):
            return INVARIANT
        if self.decision is not None:
            return PERSON
        if any(check.check in JUDGING and check.status in (PASS, FAIL) for check in self.checks):
            return JUDGE
        return FLAG if self.flags else INVARIANT

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if check.status == FAIL)

    @property
    def flags(self) -> tuple[CheckResult, ...]:
        """The checks that ask for a look, and a judge that could not decide."""
        return tuple(check for check in self.checks if check.status == FLAG_STATUS)


@dataclass(frozen=True, slots=True)
class MissingVariant:
    """A wording that was asked for and could not be made. Its place stays empty: it is never the original."""

    item_id: str
    name: str
    """The name that it would have had."""
    reasons: tuple[str, ...]
    """Why each attempt failed, as `check: reason`."""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that knows how sure it is, what it was computed from and why it may be absent."""

    metric: str
    group: str
    """Whom it is about: a model's name, `model / kind`, or `all`."""
    value: float | None
    low: float | None
    high: float | None
    n_items: int
    n_rows: int
    n_missing: int
    """Rows of the group that were not used because they have no score or no answer."""
    method: str = ""
    reason: str = ""
    """Why `value` is null, or what to keep in mind about it."""
    generalizes: str = ""
    """For whom the interval speaks: other `items`, other `wordings` of these, or `both`; empty: nobody."""
    low_if_missing: float | None = None
    """The least that the value could be if every run without a score had one; null where none is missing, and
    for metrics without such bounds."""
    high_if_missing: float | None = None
    """The most that it could be."""

    def __str__(self) -> str:
        name = _DISPLAY_NAMES.get(self.metric, self.metric)
        if self.value is None:
            return f"{name} not available: {self.reason}" if self.reason else f"{name} not available"
        value, low, high = (f"{round(end or 0, 2) + 0.0:.2f}" for end in (self.value, self.low, self.high))
        interval = "" if self.low is None or self.high is None else f" ({low} to {high})"
        items = f"{self.n_items:,} item" + ("" if self.n_items == 1 else "s")
        return f"{name} {value}{interval}, {items}"

    def cut_to_share(self) -> Estimate:
        """As a share between 0 and 1; unbiased estimates of small ones may lie below."""
        ends = (self.value, self.low, self.high)
        value, low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in ends)
        return replace(self, value=value, low=low, high=high)

    def __float__(self) -> float:
        if self.value is None:
            raise ValueError(str(self))
        return float(self.value)

    def __format__(self, spec: str) -> str:
        """As the number is formatted; without a `spec`, the whole sentence."""
        if not spec:
            return str(self)
        return "not available" if self.value is None else format(self.value, spec)

    def _repr_html_(self) -> str:
        return f'<span title="{escape(self.method)}">{escape(str(self))}</span>'


_DISPLAY_NAMES = {
    "s_prompt": "S_prompt",
    "s_norm": "S_norm",
    "c_out": "C_out",
    "r_prompt": "R_prompt",
    "r_fault": "R_fault",
    "pdr": "PDR",
}
"""Metrics that are written otherwise than their functions are called."""


def variant_id(item_id: str, name: str, again: int = 0) -> str:
    """Names never contain `#`, so ids never clash; nobody parses them back. `again`: asked once more."""
    return f"{item_id}#{name}#{again}" if again else f"{item_id}#{name}"


def original(item: Item) -> Variant:
    return Variant(
        id=variant_id(item.id, ORIG),
        item_id=item.id,
        name=ORIG,
        kind=ORIG,
        prompt=item.prompt,
        choices=item.choices,
        target=item.target,
        option_order=tuple(range(len(item.choices))),
        generator="original",
    )


_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter_of(index: int) -> str:
    """The letter that Inspect gives to the option at `index`; numbers after Z."""
    return _ALPHABET[index] if index < len(_ALPHABET) else str(index - len(_ALPHABET) + 1)


def index_of(letter: str) -> int | None:
    """The place that `letter` stands for, or None when it stands for none."""
    text = letter.strip().upper()
    if len(text) == 1 and text in _ALPHABET:
        return _ALPHABET.index(text)
    if text.isascii() and text.isdigit() and int(text) > 0:
        return len(_ALPHABET) + int(text) - 1
    return None


def stable_hash(value: Any, length: int = 16) -> str:
    """Hex digest of `value` as canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def derive_seed(seed: int, *parts: str) -> int:
    """A seed of its own for each item and family, so that adding one changes no other."""
    return int(stable_hash([seed, *parts], 15), 16)


def items_hash(items: Iterable[Item]) -> str:
    """Over what is asked and what is right, not over metadata, source or the order of the items."""
    contents = [[item.id, _plain_prompt(item.prompt), item.choices, item.target] for item in items]
    return stable_hash(sorted(contents, key=lambda content: str(content[0])))


def wording_hash(original: Item | Variant, variant: Variant) -> str:
    """Over what a person sees who decides on a variant: the prompts and options of both."""
    shown = [[_plain_prompt(one.prompt), one.choices] for one in (original, variant)]
    return stable_hash(shown)


def _plain_prompt(prompt: Prompt) -> Any:
    return prompt if isinstance(prompt, str) else [asdict(message) for message in prompt]
