"""The things that pass from room to room. Frozen; `pydantic.TypeAdapter` reads them back from files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Callable[[T], T]:
        return lambda thing: thing


T = TypeVar("T")

ORIG = "orig"
"""The name of the variant that is the original, byte for byte."""

Role: TypeAlias = Literal["system", "user", "assistant"]
Verdict: TypeAlias = Literal["pass", "fail", "not_applicable"]
Status: TypeAlias = Literal["scored", "unscored", "error", "limit", "missing"]


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def _made_often(kind: type[T]) -> type[T]:
    """A dataclass that only type checkers keep from being changed: dozens are made of each item, and a frozen
    one takes five times as long to make."""
    return dataclass(slots=True)(kind)


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    content: str


Prompt: TypeAlias = "str | tuple[Message, ...]"


@dataclass(frozen=True, slots=True)
class Item:
    """One problem of a benchmark."""

    id: str
    prompt: Prompt
    choices: tuple[str, ...] = ()
    target: int | tuple[str, ...] = ()
    """Index of the right choice, or the accepted answers; empty when only the task's own scorer knows."""
    metadata: dict[str, Any] = field(default_factory=dict)
    source: str = ""
    """Where it was read: `file:line`, or the Inspect task's name."""


@_made_often
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
    params: dict[str, Any] = field(default_factory=dict)

    @property
    def is_original(self) -> bool:
        return self.name == ORIG


class CheckResult(NamedTuple):
    """What one check says of one variant. It does not name the variant, so that thousands can share one."""

    check: str
    verdict: Verdict
    reason: str = ""


@_made_often
class Vetted:
    """A candidate with what the checks said of it. One line of a variants file."""

    variant: Variant
    checks: tuple[CheckResult, ...]

    @property
    def accepted(self) -> bool:
        checks = self.checks
        return checks is _FAULTLESS[0] or checks is _FAULTLESS[1] or _has_no_fault(checks)

    @property
    def failures(self) -> tuple[CheckResult, ...]:
        return tuple(check for check in self.checks if check.verdict == "fail")


_FAULTLESS: list[tuple[CheckResult, ...]] = [(), ()]
"""The two that were last found to be without a fault: most candidates share the one, originals the other."""


def _has_no_fault(checks: tuple[CheckResult, ...]) -> bool:
    for check in checks:  # `all` takes three times as long
        if check.verdict == "fail":
            return False
    _FAULTLESS[:] = checks, _FAULTLESS[0]
    return True


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


def variant_id(item_id: str, name: str) -> str:
    """Names never contain `#`, so ids never clash; nobody parses them back."""
    return f"{item_id}#{name}"


@lru_cache(maxsize=64)
def in_order(count: int) -> tuple[int, ...]:
    """The option order of the original."""
    return tuple(range(count))


def original(item: Item) -> Variant:
    return Variant(
        id=variant_id(item.id, ORIG),
        item_id=item.id,
        name=ORIG,
        kind=ORIG,
        prompt=item.prompt,
        choices=item.choices,
        target=item.target,
        option_order=in_order(len(item.choices)),
        generator="original",
    )
