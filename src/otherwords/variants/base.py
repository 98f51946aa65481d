"""What all families share: an item → candidates, a text → a variant; and wordings in templates: cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import chain, zip_longest
from typing import Any

from otherwords.core.contract import FAIL, FLAG_STATUS, HUMAN, ITEM, KINDS, LLM, ORIG, PASS, STRENGTHS
from otherwords.core.errors import InputError
from otherwords.core.registry import FAMILIES, Family, FamilyTraits, declared_traits, traits_of
from otherwords.core.template import Template, case_fields
from otherwords.core.types import (
    CheckResult,
    Distance,
    Item,
    Params,
    Prompt,
    Variant,
    Vetted,
    derive_seed,
    original,
    variant_id,
    varied_text,
    whole_text,
    with_varied_text,
)
from otherwords.english.language import is_english
from otherwords.english.lexicon import parse_yaml
from otherwords.english.parse import EnglishModelError, model_version
from otherwords.english.words import word_distance

RULE_FAMILIES = tuple(kind for kind in KINDS if kind not in (LLM, HUMAN))
"""The names of our own families that need no model and no person."""
DEFAULT_FAMILIES = RULE_FAMILIES[:3]
PER_FAMILY = 2
MOST_WRITTEN = 1000
"""Wordings of an item that the dataset may bring along."""
NOT_ENGLISH = "the prompt is not in English"


@cache
def _families() -> dict[str, dict[str, Any]]:
    read: dict[str, dict[str, Any]] = parse_yaml((files(__package__) / "families.yaml").read_text("utf-8"))
    return read


def declared(name: str, **more: str) -> tuple[int, FamilyTraits]:
    """The version and the traits of one of our families, as families.yaml and `more` say."""
    told = {**_families()[name], **more}
    return told.pop("version"), FamilyTraits(**told)


def default_k(families: Sequence[str]) -> int:
    """Room for two of each family, so that every family is reached; a model's are of each strength.

    What people wrote needs no room: `k` does not bound it.
    """
    return sum(len(STRENGTHS) if name == LLM else PER_FAMILY for name in families if name != HUMAN)


DEFAULT_K = default_k(DEFAULT_FAMILIES)


def make_candidates(
    item: Item, families: Sequence[str] = DEFAULT_FAMILIES, *, k: int | None = None, seed: int = 0
) -> list[Variant]:
    """The original, what people wrote, then up to `k` candidates taken in turns, so that each has its share.

    Without a `k` there is room for two of each family. A `k` below the number of families is a bound like any
    other: the families named first are served first.
    """
    k = default_k(families) if k is None else require_count("k", k)
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
    names = [variant.name for variant in chosen]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
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
    if not any(is_english(varied_text(item.prompt)) for item in items):
        return ""
    try:
        return model_version()
    except EnglishModelError:
        return ""


def why_none(item: Item, name: str) -> str:
    """Why the family makes nothing of `item`, in its own words where it has some (`why_none`)."""
    family = FAMILIES.get(name)
    if not applies_to(family, item):
        return NOT_ENGLISH
    if declared_traits(family).needs_model:
        return "the model wrote none that is accepted"
    if candidates_of(item, name, 1, 0):
        return "k leaves no room for it"
    reason = getattr(family, "why_none", None)
    return (reason(item) if reason is not None else "") or "none of its rules applies"


def reworded(
    item: Item, text: str, name: str, family: Family, change: str, params: dict[str, Any] | None = None
) -> Variant:
    """`item` with other words; its options as they were."""
    return reprompted(item, with_varied_text(item.prompt, text), name, family, change, params)


def reprompted(
    item: Item,
    prompt: Prompt,
    name: str,
    family: Family,
    change: str,
    params: dict[str, Any] | None = None,
) -> Variant:
    """`item` with another prompt, whose turns may be other ones too; its options as they were."""
    return Variant(
        id=variant_id(item.id, name),
        item_id=item.id,
        name=name,
        kind=family.name,
        prompt=prompt,
        choices=item.choices,
        target=item.target,
        option_order=tuple(range(len(item.choices))),
        change=change,
        generator=generator(family),
        params=params or {},
    )


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


def require_count(name: str, value: Any) -> int:
    """`value`, which must be a whole number from 0 on."""
    number = require_whole(name, value)
    if number < 0:
        raise InputError(f"{name} must be 0 or more, got {number}")
    return number


def require_whole(name: str, value: Any) -> int:
    """`value`, which must be a whole number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, got {type(value).__name__}")
    return value


def require_choices(value: Any) -> tuple[str, ...]:
    """`value`, which must be a list of at least two texts."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"choices must be a list of texts, got {type(value).__name__}")
    if len(value) < 2:
        raise InputError(f"choices must have at least 2 options, got {len(value)}")
    return tuple(require_text(f"choices[{place}]", choice) for place, choice in enumerate(value))


# ---- cells: a wording of a case in a wording of its template

PLACEHOLDERS = "placeholders"
"""The check that a wording of a template has its placeholders, each as often, and no other braces."""
GIVEN = "given by the user"
"""What that check says of a template that is not compared with another."""

Assignment = Mapping[str, str]
"""The level of each factor of a design."""


@dataclass(frozen=True)
class Level:
    """One template of a design: the original, another one that the user gave, or a wording of one."""

    name: str
    template: Template
    kind: str = ""
    """Empty for the original, `template` for one that was given, else the place and family."""
    change: str = ""
    checks: tuple[CheckResult, ...] = ()
    levels: Mapping[str, str] = Params()
    texts: Mapping[str, object] = Params()
    """Of an Inspect task: its own texts that are other ones here, by place."""

    @property
    def is_original(self) -> bool:
        return not self.kind


def joined(*parts: str) -> str:
    """Those that say something, with `+` between."""
    return "+".join(part for part in parts if part)


_SEVERITY = {FAIL: 3, FLAG_STATUS: 2, PASS: 1}


def merged_checks(*results: Sequence[CheckResult]) -> tuple[CheckResult, ...]:
    """What each check said of either; where it spoke of both, the graver."""
    found: dict[str, CheckResult] = {}
    for result in (one for group in results for one in group):
        before = found.get(result.check)
        if before is None or _SEVERITY.get(result.status, 0) > _SEVERITY.get(before.status, 0):
            found[result.check] = result
    return tuple(found.values())


def cells_of(
    case: Item,
    item: Item,
    own: str,
    levels: Sequence[Level],
    group: Sequence[Vetted],
    *,
    least: float = 0.0,
    of_task: bool = False,
    wanted: Sequence[Assignment] | None = None,
) -> list[Vetted]:
    """Each wording of a case in each template, as variants of `item`: the case in the first template.

    Args:
        case: The case, with its own text as its prompt.
        item: The case in the original template.
        own: The field of its own text.
        levels: The templates; the first is the original.
        group: The vetted wordings of the case's own text, the original first.
        least: Rewordings are rejected of which a smaller share of the words differs from the original.
        of_task: The template is an Inspect task's own. Variants then tell their parts, to be put there.
        wanted: The cells of a design that are made; by default all.

    Returns:
        All wordings in the original template, the original wording in every other one, and of these also the
        accepted wordings that must not change the answer.
    """
    simple: list[Vetted] = []
    crossed: list[Vetted] = []
    for level in levels:
        for one in group:
            levels_here = cell_levels(level, one.variant, alone=len(group) == 1)
            if wanted is not None and levels_here not in wanted:
                continue
            if level.is_original or one.variant.is_original:
                simple.append(_cell(case, own, level, one, levels_here, of_task))
            elif one.accepted and not traits_of(one.variant.kind).is_control:
                crossed.append(_cell(case, own, level, one, levels_here, of_task))
    from otherwords.variants.distance import with_distances  # what a family declares needs no parser

    measured = with_distances(item, simple, least=least)
    before = whole_text(item.prompt)
    return [*measured, *(_with_word_distance(before, one) for one in crossed)]


def _with_word_distance(before: str, one: Vetted) -> Vetted:
    """The distance in words alone: a design has many cells, and parsing each of them takes long."""
    from otherwords.variants.distance import is_frame_only

    after = whole_text(one.variant.prompt)
    far = Distance(round(word_distance(before, after), 4), None, is_frame_only(before, after), None)
    return replace(one, variant=replace(one.variant, distance=far))


def _cell(case: Item, own: str, level: Level, one: Vetted, levels: Assignment, of_task: bool) -> Vetted:
    was = one.variant
    name = (
        ORIG
        if level.is_original and was.is_original
        else joined("" if level.is_original else level.name, "" if was.is_original else was.name)
    )
    checks = one.checks if level.is_original else merged_checks(level.checks, one.checks)
    text = whole_text(was.prompt)
    if not isinstance(was.prompt, str):
        checks += (CheckResult(PLACEHOLDERS, FAIL, "it became several messages, which a field cannot hold"),)
    parts = {"item": text} | ({"places": level.texts} if level.texts else {})
    kind = joined(level.kind, "" if was.is_original else was.kind) or ORIG
    variant = replace(
        was,
        id=variant_id(case.id, name),
        name=name,
        kind=kind,
        prompt=level.template.render({**case_fields(case, own), own: text}),
        change="" if level.change and was.change else level.change or was.change,
        generator=was.generator if level.is_original else "template/1",
        template=level.name,
        wording=was.name,
        levels=levels,
        params={**was.params, **parts} if of_task and name != ORIG else was.params,
    )
    return replace(one, variant=variant, checks=checks)


def cell_levels(level: Level, variant: Variant, *, alone: bool) -> dict[str, str]:
    """The levels of a cell: of its template and, unless it is the only one, of its wording of the item.

    None where only one thing is varied.
    """
    if not level.levels and not variant.levels:
        return {}
    return {**level.levels, **(variant.levels or ({} if alone else {ITEM: variant.name}))}
