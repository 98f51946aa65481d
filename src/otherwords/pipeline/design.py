"""A design such as `wording×format` → its factors, levels, a balanced part of the cells, and their variants.

Each case has all cells, or a part of them in which each pair of levels is as frequent as any other.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product
from typing import Any, TypeAlias

import numpy as np

from otherwords.core.contract import FLAG_STATUS, FORMAT, OPTIONS, ORIG, PARAPHRASE, POSITION, WORDING
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.registry import FAMILIES, traits_of
from otherwords.core.types import Item, MissingVariant, Variant, Vetted, original, variant_id
from otherwords.pipeline.cells import Assignment, joined, merged_checks
from otherwords.variants.base import PER_FAMILY, candidates_of

ORDER = "order"
"""The factor of the order of options, or where there are none of the parts of the prompt."""
MOST_LEVELS = 12
"""Candidates of one family among which the levels of a factor are chosen."""


@dataclass(frozen=True)
class Factor:
    """One kind of change that a design crosses with others."""

    name: str
    families: tuple[str, ...]

    @property
    def stage(self) -> int:
        """When it is applied: other words first, then slips, places, layout, and the options last."""
        traits = traits_of(self.families[0])
        late = (traits.is_informal, traits.moves_text, traits.changes_form, traits.moves_options)
        return max((place for place, holds in enumerate(late, start=1) if holds), default=0)


def parse_design(text: str) -> tuple[str, ...]:
    """The names of the factors in `wording×format×order`, also written with `x` or commas.

    Raises:
        InputError: A factor is not known, or is named twice.

    Example:
        >>> parse_design("wording x format"), parse_design("wordingxformat×order")
        (('wording', 'format'), ('wording', 'format', 'order'))
    """
    known = list(dict.fromkeys([WORDING, FORMAT, ORDER, *FAMILIES.names()]))
    names: list[str] = []
    for part in re.split(r"\s*[×,]\s*|\s+x\s+", text.strip()):
        names += [part] if part in known else part.split("x")
    for place, name in enumerate(names):
        base = name.partition("=")[0]
        if base not in known:
            raise UnknownNameError("factor", name, known)
        if name in names[:place]:
            raise InputError(f"--design names '{name}' twice")
        if base in FAMILIES.names() and traits_of(name).is_control:
            raise InputError(f"'{name}' changes the answer on purpose and cannot be a factor of a design")
    return tuple(names)


def factors_of(names: Sequence[str], families: Sequence[str], cases: Sequence[Item]) -> list[Factor]:
    """The factors with their families; `wording` has those of `families` that are other words."""
    worded = tuple(name for name in families if traits_of(name.partition("=")[0]).rewords) or (PARAPHRASE,)
    order = OPTIONS if any(case.choices for case in cases) else POSITION
    usual = {WORDING: worded, ORDER: (order,)}
    return [Factor(name, usual.get(name, (name,))) for name in names]


def factor_levels(
    factor: Factor, groups: Sequence[Sequence[Vetted]], k: int | None
) -> list[dict[str, Vetted]]:
    """For each case the accepted variants that are the factor's levels, by the names that all cases share.

    A layout or an order of options has the same name in every case: those that most cases have are taken.
    Wordings are each case's own, and are counted: `para1` is its first accepted one.
    """
    k = PER_FAMILY if k is None else k
    accepted = [[one for one in group if one.accepted and not one.variant.is_original] for group in groups]
    names = Counter(one.variant.name for group in accepted for one in group)
    first = list(names)
    chosen = sorted(names, key=lambda name: (-names[name], first.index(name)))[:k]
    if traits_of(factor.families[0]).shared_by_items:
        return [{one.variant.name: one for one in group if one.variant.name in chosen} for group in accepted]
    ranked = [name for name in first if name in chosen]
    return [dict(zip(ranked, group, strict=False)) for group in accepted]


def assignments(levels: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Every cell of the full design; the first has the original of each factor."""
    return [
        dict(zip(levels, cell, strict=True)) for cell in product(*([ORIG, *one] for one in levels.values()))
    ]


def choose_cells(
    available: Sequence[Sequence[Assignment]], fraction: float, seed: int
) -> list[list[Assignment]]:
    """The part of the cells that each case is asked, with each pair of levels as often as any other.

    The cell with the original of every factor, the first one, is always among them. The others are chosen
    one by one: that whose pairs of levels, and then levels, the case has least often, and of these the one
    that all cases before have least often. What is then equal is drawn.

    Args:
        available: The cells that each case can have.
        fraction: How much of them, from above 0 to 1.
        seed: Of what is drawn.
    """
    if not 0 < fraction <= 1:
        raise InputError(f"--fraction must be more than 0 and at most 1, got {fraction:g}")
    if fraction == 1:
        return [list(cells) for cells in available]
    rng = np.random.default_rng(seed)
    ids: dict[object, int] = {}
    overall = np.zeros(0)
    chosen: list[list[Assignment]] = []
    for cells in available:
        pairs = np.array([[ids.setdefault(key, len(ids)) for key in _pairs(cell)] for cell in cells])
        singles = np.array([[ids.setdefault(one, len(ids)) for one in cell.items()] for cell in cells])
        overall = np.concatenate([overall, np.zeros(len(ids) - len(overall))])
        here = np.zeros(len(ids))
        left = np.ones(len(cells), dtype=bool)
        taken: list[int] = []
        for number in range(min(len(cells), max(1, math.ceil(fraction * len(cells) - 1e-9)))):
            cost = np.lexsort(
                (
                    rng.random(len(cells)),
                    overall[singles].sum(axis=1),
                    overall[pairs].sum(axis=1),
                    here[singles].sum(axis=1),
                    here[pairs].sum(axis=1),
                    ~left,
                )
            )
            place = 0 if number == 0 else int(cost[0])
            taken.append(place)
            left[place] = False
            for keys in (pairs[place], singles[place]):
                np.add.at(here, keys, 1)
                np.add.at(overall, keys, 1)
        chosen.append([cells[place] for place in sorted(taken)])
    return chosen


def _pairs(cell: Assignment) -> list[object]:
    """Each pair of levels; of a design with one factor the level itself."""
    return list(combinations(cell.items(), 2)) or list(cell.items())


def compose(
    case: Item,
    cell: Assignment,
    factors: Sequence[Factor],
    levels: Mapping[str, Mapping[str, Vetted]],
    seed: int,
) -> Variant | MissingVariant:
    """The variant with all changes of `cell`, one after the other; or why there is none.

    Args:
        case: The item.
        cell: The level of each factor.
        factors: In the order in which names and kinds list them.
        levels: For each factor the case's variants of its levels, each made of the original.
        seed: Of everything that is drawn.
    """
    parts = {one.name: levels[one.name][cell[one.name]].variant for one in factors if cell[one.name] != ORIG}
    name = joined(*(cell[factor] for factor in parts)) or ORIG
    kinds = joined(*(part.kind for part in parts.values())) or ORIG
    now = original(case)
    for factor in sorted(factors, key=lambda one: one.stage):
        part = parts.get(factor.name)
        if part is None:
            continue
        if now.is_original:
            now = part
            continue
        item = replace(case, prompt=now.prompt, choices=now.choices, target=now.target)
        made = candidates_of(item, part.generator.partition("/")[0], MOST_LEVELS, seed)
        found = next((one for one in made if one.name == part.name), None)
        if found is None:
            reason = f"{factor.name}: '{part.name}' cannot be made of the wording with {now.name}"
            return MissingVariant(case.id, name, (reason,), kinds)
        moved = found.option_order if traits_of(found.kind).moves_options else now.option_order
        now = replace(found, option_order=moved)
    return replace(
        now,
        id=variant_id(case.id, name),
        name=name,
        kind=kinds,
        change=now.change if len(parts) < 2 else "",
        generator=now.generator if len(parts) < 2 else "design/1",
        params=now.params if len(parts) < 2 else {},
        levels=dict(cell),
        wording=name,
    )


Make: TypeAlias = Callable[[Sequence[Item], Sequence[str], int], list[Vetted]]
"""Makes and vets so many variants of each item by some families."""
Vet: TypeAlias = Callable[[Item, Sequence[Variant]], list[Vetted]]
Each: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Iterable[Any]]
"""Applies a function to each of many, as `map` does."""


@dataclass(frozen=True)
class Crossed:
    """The cells of each case."""

    groups: list[list[Vetted]]
    missing: list[MissingVariant]
    """Cells that cannot be made."""
    chosen: list[list[Assignment]]
    """The cells of each case, with the levels that all cases share."""


def cross(
    cases: Sequence[Item],
    factors: Sequence[Factor],
    *,
    k: int | None,
    shared: Sequence[Assignment] = ({},),
    prefix: str = "",
    fraction: float = 1.0,
    seed: int = 0,
    make: Make,
    vet: Vet,
    each: Each = map,
) -> Crossed:
    """Each case changed by the factors, in all cells or a balanced part of them.

    Args:
        cases: What is changed.
        factors: The kinds of change.
        k: Levels of each factor beside the original.
        shared: Levels of what all cases share, such as templates, with which the cells are crossed.
        prefix: Of the names of the factors in the levels of variants.
        fraction: How many of the cells each case has.
        seed: Of everything that is drawn.
        make: Makes the variants that change one thing, and vets them.
        vet: Vets those that change several.
        each: How the cases are gone through, as by several processes.
    """
    levels: list[dict[str, dict[str, Vetted]]] = [{} for _ in cases]
    for factor in factors:
        groups: dict[str, list[Vetted]] = {case.id: [] for case in cases}
        for one in make(cases, factor.families, MOST_LEVELS * len(factor.families)):
            groups[one.variant.item_id].append(one)
        tables = factor_levels(factor, list(groups.values()), k)
        for known, table in zip(levels, tables, strict=True):
            known[factor.name] = table
    cells = [assignments({name: list(table) for name, table in known.items()}) for known in levels]
    named = [[{prefix + name: level for name, level in cell.items()} for cell in own] for own in cells]
    available = [[{**one, **cell} for one in shared for cell in own] for own in named]
    chosen = choose_cells(available, fraction, seed)
    wanted = [
        [
            cell
            for cell, name in zip(own, names, strict=True)
            if any(name.items() <= one.items() for one in kept)
        ]
        for own, names, kept in zip(cells, named, chosen, strict=True)
    ]
    work = partial(_compose_all, factors=factors, prefix=prefix, vet=vet, seed=seed)
    composed = list(each(work, list(zip(cases, wanted, levels, strict=True))))
    missing = [one for _, lacking in composed for one in lacking]
    return Crossed([group for group, _ in composed], missing, chosen)


def _compose_all(
    given: tuple[Item, Sequence[Assignment], Mapping[str, Mapping[str, Vetted]]],
    *,
    factors: Sequence[Factor],
    prefix: str,
    vet: Vet,
    seed: int,
) -> tuple[list[Vetted], list[MissingVariant]]:
    """The vetted variants of the cells of one case, and those that cannot be made."""
    case, cells, levels = given
    made = [compose(case, cell, factors, levels, seed) for cell in cells]
    vetted = []
    for one in vet(case, [variant for variant in made if isinstance(variant, Variant)]):
        changed = {name: level for name, level in one.variant.levels.items() if level != ORIG}
        parts = [levels[name][level].checks for name, level in changed.items()]
        # What raised a flag in a part was decided there.
        own = [check for check in one.checks if not parts or check.status != FLAG_STATUS]
        named = {prefix + name: level for name, level in one.variant.levels.items()}
        variant = replace(one.variant, levels=named)
        vetted.append(replace(one, variant=variant, checks=merged_checks(own, *parts)))
    return vetted, [one for one in made if isinstance(one, MissingVariant)]
