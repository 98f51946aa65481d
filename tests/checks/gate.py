"""The corpus of known good and known bad rewrites, and how the gate does on it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from otherwords.checks import MeaningCheck, vet_all
from otherwords.core.types import Item, Variant, Vetted, original, variant_id

CORPUS = Path(__file__).parent / "corpus"
HALVES = ("tuned", "held_out", "fresh_even", "fresh_odd")
"""`fresh` is one file: the checks were mended with its even lines in sight, then with its odd ones."""
GOOD = "good"
MECHANICAL = ("negation", "number", "unit", "quantifier", "code", "lines", "refusal", "leak")
"""Kinds of bad rewrites that the checks must find without a model."""
OTHERS = ("constraint", "entity", "answered")
LOWEST_CATCH, HIGHEST_REJECTION = 0.95, 0.03


class Case(NamedTuple):
    kind: str
    item: Item
    variant: Variant


class Rate(NamedTuple):
    rejected: int
    total: int

    @property
    def share(self) -> float:
        return self.rejected / self.total


def cases(half: str) -> Iterator[Case]:
    name, _, parity = half.partition("_") if half.startswith("fresh") else (half, "", "")
    with (CORPUS / f"{name}.jsonl").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if parity and parity != ("even", "odd")[number % 2]:
                continue
            row = json.loads(line)
            target = row.get("target", ())
            item = Item(
                id=f"{name}{number}",
                prompt=row["prompt"],
                choices=tuple(row.get("choices", ())),
                target=target if isinstance(target, int) else tuple(target),
            )
            for kind, texts in ((GOOD, row.get("good", ())), *row.get("bad", {}).items()):
                for place, text in enumerate(texts, start=1):
                    name = f"{kind}{place}"
                    new = replace(
                        original(item), id=variant_id(item.id, name), name=name, kind="llm", prompt=text
                    )
                    yield Case(kind, item, new)


def measure(
    half: str, extra: Sequence[MeaningCheck] = (), rejects: Callable[[Vetted], bool] | None = None
) -> dict[str, Rate]:
    """For each kind of rewrite, how many were rejected; each is vetted by itself."""
    every = list(cases(half))
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    groups = vet_all([(case.item, [case.variant]) for case in every], extra)
    for case, [vetted] in zip(every, groups, strict=True):
        counts[case.kind][0] += rejects(vetted) if rejects else not vetted.accepted
        counts[case.kind][1] += 1
    return {kind: Rate(*counts[kind]) for kind in (GOOD, *MECHANICAL, *OTHERS)}
