"""What all families share: an item → candidates, a text → a variant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain, islice, zip_longest
from math import inf
from typing import Any

from otherwords.core.contract import HUMAN, KINDS, LLM, STRENGTHS
from otherwords.core.errors import InputError
from otherwords.core.registry import FAMILIES, Family, FamilyTraits, declared_traits
from otherwords.core.types import (
    Item,
    Prompt,
    Variant,
    derive_seed,
    original,
    variant_id,
    varied_text,
    with_varied_text,
)
from otherwords.english.language import is_english
from otherwords.english.lexicon import parse_yaml
from otherwords.english.parse import EnglishModelError, model_version

RULE_FAMILIES = tuple(kind for kind in KINDS if kind not in (LLM, HUMAN))
"""The names of our own families that need no model and no person."""
DEFAULT_FAMILIES = RULE_FAMILIES[:3]
PER_FAMILY = 2
MOST_WRITTEN = 1000
"""Wordings of an item that the dataset may bring along."""


@cache
def read_table(name: str) -> dict[str, Any]:
    """The content of `<name>.yaml` in this folder."""
    read: dict[str, Any] = parse_yaml((files(__package__) / f"{name}.yaml").read_text("utf-8"))
    return read


def declared(name: str, **more: str) -> tuple[int, FamilyTraits]:
    """The version and the traits of one of our families, as families.yaml and `more` say."""
    told = {**read_table("families")[name], **more}
    return told.pop("version"), FamilyTraits(**told)


def default_k(families: Sequence[str]) -> int:
    """Room for two of each family, so that every family is reached; a model's are of each strength.

    What people wrote needs no room: `k` does not bound it.
    """
    return sum(len(STRENGTHS) if name == LLM else PER_FAMILY for name in families if name != HUMAN)


def make_candidates(
    item: Item, families: Sequence[str] = DEFAULT_FAMILIES, *, k: int | None = None, seed: int = 0
) -> list[Variant]:
    """The original, what people wrote, then up to `k` candidates taken in turns, so that each has its share.

    Without a `k` there is room for two of each family. A `k` below the number of families is a bound like any
    other: the families named first are served first.
    """
    k = default_k(families) if k is None else require_whole("k", k, least=0)
    seed = require_whole("seed", seed)
    if len(set(families)) != len(families):
        raise InputError(f"a variant family is named twice: {', '.join(families)}")
    written = candidates_of(item, HUMAN, MOST_WRITTEN, seed) if HUMAN in families else []
    families = [name for name in families if name != HUMAN]
    share = -(-k // max(1, len(families)))
    made = {name: candidates_of(item, name, share, seed) for name in families}
    if sum(map(len, made.values())) < k:  # a family had less than its share, so the others may give more
        for name in [name for name in families if len(made[name]) == share]:
            made[name] = candidates_of(item, name, k, seed)
    in_turns = [one for one in chain.from_iterable(zip_longest(*made.values())) if one is not None]
    chosen = [original(item), *written, *in_turns[:k]]
    [(twice, times)] = Counter(variant.name for variant in chosen).most_common(1)
    if times > 1:
        raise InputError(f"two families made a variant named '{twice}'", item=item.id)
    return chosen


def candidates_of(item: Item, name: str, k: int, seed: int) -> list[Variant]:
    """What one family makes of `item`; nothing where its rules are for another language."""
    family = FAMILIES.get(name)
    if not applies_to(family, item):
        return []
    seeded = declared_traits(family).seeded
    return family.candidates(item, k=k, seed=derive_seed(seed, item.id, name) if seeded else 0)


def applies_to(family: Family, item: Item) -> bool:
    """Whether the family may make something of `item`: rules of English are for English prompts."""
    return not declared_traits(family).english_only or is_english(varied_text(item.prompt))


def language_model(items: Iterable[Item]) -> str:
    """The English model that the checks of these items read with; empty where none is in English."""
    try:
        return model_version() if any(is_english(varied_text(item.prompt)) for item in items) else ""
    except EnglishModelError:
        return ""


def why_none(item: Item, name: str) -> str:
    """Why the family makes nothing of `item`, in its own words where it has some (`why_none`)."""
    family = FAMILIES.get(name)
    if not applies_to(family, item):
        return "the prompt is not in English"
    if declared_traits(family).needs_model:
        return "the model wrote none that is accepted"
    if candidates_of(item, name, 1, 0):
        return "k leaves no room for it"
    reason: Callable[[Item], str] = getattr(family, "why_none", lambda item: "")
    return reason(item) or str(read_table("families")["why_none"].get(name, "none of its rules applies"))


def reworded(
    item: Item, text: Prompt, name: str, family: Family, change: str, params: dict[str, Any] | None = None
) -> Variant:
    """`item` with another text, or with other turns of a conversation; its options as they were."""
    return replace(
        original(item),
        id=variant_id(item.id, name),
        name=name,
        kind=family.name,
        prompt=with_varied_text(item.prompt, text) if isinstance(text, str) else text,
        change=change,
        generator=generator(family),
        params=params or {},
    )


class RuleFamily:
    """A family whose function gives the variants of an item, for a seed, one after the other."""

    def __init__(self, name: str, variants: Callable[[Item, int], Iterator[Variant]], **traits: str) -> None:
        """`traits` are those that families.yaml does not say."""
        self.name, self._variants = name, variants
        self.version, self.traits = declared(name, **traits)

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """The first `k` variants."""
        return list(islice(self._variants(item, seed), max(k, 0)))


def generator(family: Family) -> str:
    """The family with its version, such as `paraphrase/1`."""
    return f"{family.name}/{family.version}"


def require_text(name: str, value: Any) -> str:
    """`value`, which must be a text with something in it."""
    if not isinstance(value, str):
        raise InputError(f"{name} must be text, got {type(value).__name__}")
    if not value.strip():
        raise InputError(f"{name} must not be empty")
    return value


def require_whole(name: str, value: Any, *, least: float = -inf) -> int:
    """`value`, which must be a whole number, from `least` on."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, got {type(value).__name__}")
    if value < least:
        raise InputError(f"{name} must be {least} or more, got {value}")
    return value


def require_choices(value: Any) -> tuple[str, ...]:
    """`value`, which must be a list of at least two texts."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"choices must be a list of texts, got {type(value).__name__}")
    if len(value) < 2:
        raise InputError(f"choices must have at least 2 options, got {len(value)}")
    return tuple(require_text(f"choices[{place}]", choice) for place, choice in enumerate(value))
