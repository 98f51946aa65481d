"""`spans`: code, numbers, units, names in capitals, quotations … are all there, as often as they were."""

from __future__ import annotations

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.spans import protected_texts
from otherwords.core.types import CheckResult, Item, Variant

NAME = "spans"


@CHECKS.register(NAME)
def spans(item: Item, variant: Variant) -> CheckResult:
    before, after = protected_texts(varied_text(item.prompt)), protected_texts(varied_text(variant.prompt))
    if before == after:
        return result(variant, NAME, None)
    lost, added = sorted((before - after).elements()), sorted((after - before).elements())
    said = [f"{what}: {', '.join(_short(one) for one in ones)}" for what, ones in _named(lost, added)]
    return result(variant, NAME, "; ".join(said))


def _named(lost: list[str], added: list[str]) -> list[tuple[str, list[str]]]:
    return [(what, ones) for what, ones in (("lost", lost), ("added", added)) if ones]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
