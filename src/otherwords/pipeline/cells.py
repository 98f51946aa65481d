"""Wordings of a case × templates (`Level`) → cells: variants with the checks and level names of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from otherwords.core.contract import FAIL, FLAG_STATUS, ITEM, ORIG, PASS
from otherwords.core.registry import traits_of
from otherwords.core.template import Template, case_fields
from otherwords.core.types import CheckResult, Distance, Item, Params, Variant, Vetted, variant_id, whole_text
from otherwords.english.words import word_distance
from otherwords.variants.distance import is_frame_only, with_distances

PLACEHOLDERS = "placeholders"
"""The check that a wording of a template has its placeholders, each as often, and no other braces."""
GIVEN = "given by the user"
"""What that check says of a template that is not compared with another."""

Assignment: TypeAlias = Mapping[str, str]
"""The level of each factor of a design."""


def joined(*parts: str) -> str:
    """Those that say something, with `+` between."""
    return "+".join(part for part in parts if part)


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
    measured = with_distances(item, simple, least=least)
    before = whole_text(item.prompt)
    return [*measured, *(_with_word_distance(before, one) for one in crossed)]


def _with_word_distance(before: str, one: Vetted) -> Vetted:
    """The distance in words alone: a design has many cells, and parsing each of them takes long."""
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
