"""The family `paraphrase`: the same prompt in other words, by rules."""

from __future__ import annotations

from collections.abc import Iterator

from otherwords.core.prompts import varied_text
from otherwords.core.types import Item, Variant, original
from otherwords.variants.base import FAMILIES, reworded
from otherwords.variants.protect import keeps_spans, mask
from otherwords.variants.rules import RULES
from otherwords.variants.sentences import read_passage
from otherwords.variants.validate import require_count, require_text


class Paraphrase:
    name = "paraphrase"
    version = 1

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """The first `k` rules that apply, in the rules' order; `seed` changes nothing."""
        made: list[Variant] = []
        for rule, text in rewordings(varied_text(item.prompt)):
            if len(made) == k:
                break
            made.append(
                reworded(
                    item,
                    text,
                    name=f"para{len(made) + 1}",
                    family=self,
                    change=rule,
                    params={"rules": [rule]},
                )
            )
        return made


PARAPHRASE = Paraphrase()
FAMILIES.add(PARAPHRASE.name, PARAPHRASE)


def rewordings(text: str) -> Iterator[tuple[str, str]]:
    """(rule, new text) for each rule that changes `text` into something not yet given."""
    masked = mask(text)
    passage = read_passage(masked)
    given = {_plain(text)}
    for rule in RULES:
        new = rule.rewrite(passage)
        if new is None:
            continue
        new = masked.unmask(new)
        if _plain(new) not in given and keeps_spans(text, new):
            given.add(_plain(new))
            yield rule.name, new


def generate_paraphrases(stem: str, k: int = 2) -> list[Variant]:
    """`orig`, byte for byte, then up to `k` paraphrases `para1`, `para2`, … in a fixed order."""
    item = Item(id="stem", prompt=require_text("stem", stem))
    return [original(item), *PARAPHRASE.candidates(item, k=require_count("k", k), seed=0)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
