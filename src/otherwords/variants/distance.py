"""Two wordings → how far they are from each other: words changed, content words kept, frame or more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from otherwords.core.contract import FAIL
from otherwords.core.registry import traits_of
from otherwords.core.types import CheckResult, Distance, Item, Vetted, varied_text, whole_text
from otherwords.english.language import is_english
from otherwords.english.parse import LONGEST, EnglishModelError, parse, parse_many
from otherwords.english.words import content_lemmas, word_distance

CHECK = "distance"
"""The check that a wording is as far from the original as was asked for."""
PEOPLE = {"words": 0.64, "sibling": 0.80, "kept": 0.71, "frame_only": 0.0}
"""The figures of wordings that people wrote, for 62 prompts of all sorts (November 2026)."""


def is_frame_only(original: str, variant: str) -> bool:
    """Whether the original stands whole in the variant: without its last mark, and whatever the case."""
    return original.strip().rstrip(".?!:").casefold() in variant.casefold()


def lemmas_kept(original: str, variant: str) -> float:
    """The share of the original's nouns, verbs, adjectives and adverbs whose lemmas the variant has."""
    before, after = content_lemmas(parse(original)), content_lemmas(parse(variant))
    return (before & after).total() / before.total() if before else 1.0


def with_distances(item: Item, group: Sequence[Vetted], *, least: float = 0.0) -> list[Vetted]:
    """The vetted variants of an item with their distances; rewordings that are nearer than `least` fail."""
    # In a template, what changes may stand in any message.
    text_of = whole_text if any(one.variant.template for one in group) else varied_text
    original = text_of(item.prompt)
    texts = [text_of(one.variant.prompt) for one in group]
    english = len(original) <= LONGEST and is_english(original)
    try:
        parse_many([original, *texts] if english else [])  # all at once takes less than half the time
    except EnglishModelError:
        english = False
    rewords = [not one.variant.is_original and traits_of(one.variant.kind).rewords for one in group]
    siblings = [at for at, one in enumerate(group) if rewords[at] and one.accepted]
    measured: list[Vetted] = []
    for place, (one, text) in enumerate(zip(group, texts, strict=True)):
        if one.variant.is_original:
            measured.append(one)
            continue
        others = (round(word_distance(text, texts[at]), 4) for at in siblings if at != place)
        far = Distance(
            round(word_distance(original, text), 4),
            round(lemmas_kept(original, text), 4) if english else None,
            is_frame_only(original, text),
            min(others, default=None),
        )
        checks = tuple(check for check in one.checks if check.check != CHECK)
        if far.words < least and rewords[place]:
            differ = f"{far.words:.2f} of the words differ from the original"
            checks += (CheckResult(CHECK, FAIL, f"{differ}; at least {least:.2f} was asked for"),)
        measured.append(replace(one, variant=replace(one.variant, distance=far), checks=checks))
    return measured


@dataclass(frozen=True, slots=True)
class DistanceSummary:
    """How far the rewordings of a dataset go, on average."""

    n: int
    words: float
    sibling: float | None
    kept: float | None
    frame_only: float

    def __str__(self) -> str:
        said = {"words": "word distance", "sibling": "from the nearest sibling", "kept": "content words kept"}
        parts = [
            f"{label} {_short(value)} ({'people: ' if name == 'words' else ''}{_short(PEOPLE[name])})"
            for name, label in said.items()
            if (value := getattr(self, name)) is not None
        ]
        parts.append(f"original whole inside {self.frame_only:.0%} ({PEOPLE['frame_only']:.0%})")
        return f"How far {self.n:,} rewordings go: {', '.join(parts)}"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def summarise_distances(found: Sequence[Distance]) -> DistanceSummary | None:
    """The means over all of `found`; nothing where there is none."""
    means: dict[str, Any] = {}
    for name in PEOPLE:
        known = [value for one in found if (value := getattr(one, name)) is not None]
        means[name] = fmean(known) if known else None
    return DistanceSummary(len(found), **means) if found else None
