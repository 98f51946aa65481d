"""What the tests of checks share: a pair of texts, vetted."""

from __future__ import annotations

from dataclasses import replace

from otherwords.checks import vet
from otherwords.core.types import Item, Vetted, original, variant_id


def vetted(before: str, after: str, kind: str = "llm", **item: object) -> Vetted:
    """What the gate says of `after` as another wording of `before`."""
    problem = Item("i", before, **item)  # type: ignore[arg-type]
    variant = replace(original(problem), id=variant_id("i", "v"), name="v", kind=kind, prompt=after)
    [one] = vet(problem, [variant])
    return one


def objections(before: str, after: str, kind: str = "llm", **item: object) -> dict[str, str]:
    """The checks that refuse or flag, with their reasons."""
    return {
        one.check: one.reason
        for one in vetted(before, after, kind, **item).checks
        if one.status in ("fail", "flag")
    }
