"""Item, variant → a pair of readings: what the checks need to know of both texts, found once."""

from __future__ import annotations

from functools import cached_property, lru_cache

from otherwords.core.contract import NATURALISTIC
from otherwords.core.registry import traits_of
from otherwords.core.types import Item, Variant, varied_text, whole_text
from otherwords.english.language import is_english
from otherwords.english.normalize import in_plain_english, sorted_paragraphs, without_surface_form
from otherwords.english.parse import LONGEST, parse
from otherwords.english.quantities import mentions
from otherwords.english.spans import change
from otherwords.english.words import content_lemmas, edit_distance, lemma, synonym_groups

_COMPARED = 800
"""Words whose distance is measured, since its time grows with their square."""


class Reading:
    """A text and what it says."""

    def __init__(self, text: str) -> None:
        self.text, self.doc = text, parse(text)
        self.tokens = [token for token in self.doc if not token.is_space]
        self.words = [token.lower_.replace("’", "'") for token in self.tokens if not token.is_punct]
        self.word_set = frozenset(self.words)
        self.lemmas = frozenset(token.lemma_.lower() for token in self.tokens) | self.word_set
        # "U.S." is "US", and "e-mail" is "email"
        self.undotted = frozenset(word.replace(".", "").replace("-", "") for word in text.lower().split())
        self.content = content_lemmas(self.doc)
        self.groups = synonym_groups(self.tokens)
        self.mentions = mentions(text)
        self.folded = " ".join(text.casefold().replace("’", "'").split())

    def new_groups(self, other: Reading) -> frozenset[int]:
        """The groups of synonyms of those of its words that the other text does not have."""
        new = [
            groups
            for token, groups in zip(self.tokens, self.groups, strict=True)
            if token.lower_ not in other.lemmas and lemma(token) not in other.lemmas
        ]
        return frozenset().union(*new)


read = lru_cache(maxsize=256)(Reading)
"""The reading of a text; an original is compared with many variants."""


class Pair:
    """A variant beside its original."""

    def __init__(self, item: Item, variant: Variant) -> None:
        self.item, self.variant = item, variant
        self.whole_before, self.whole_after = compared_texts(item, variant)
        start, end, new_end = change(self.whole_before, self.whole_after)
        self.parts = self.whole_before[start:end], self.whole_after[start:new_end]
        """The sentences in which the two differ: of the original, and of the variant."""

    @cached_property
    def unread(self) -> str:
        """Why the checks of English words do not read it; empty where they do."""
        if not is_english(self.whole_before):
            return "the prompt is not in English"
        too_long = max(map(len, self.parts)) > LONGEST
        return "more text changed than is compared word by word" if too_long else ""

    @property
    def is_parsed(self) -> bool:
        """Whether the checks of English words read it."""
        return not self.unread

    @property
    def before(self) -> Reading:
        """The original without the sentences that are the same at both ends."""
        return read(self.parts[0])

    @property
    def after(self) -> Reading:
        """The variant without them."""
        return read(self.parts[1])

    @cached_property
    def distance(self) -> float:
        """Word edit distance of the parts that differ, by the longer one."""
        was, now = self.before.words[:_COMPARED], self.after.words[:_COMPARED]
        return edit_distance(was, now) / max(len(was), len(now), 1)


def compared_texts(item: Item, variant: Variant) -> tuple[str, str]:
    """What the original and the variant say, without the surface form in which they may differ by design."""
    traits = traits_of(variant.kind)
    if traits.moves_text:
        return sorted_paragraphs(whole_text(item.prompt)), sorted_paragraphs(whole_text(variant.prompt))
    before, after = varied_text(item.prompt), varied_text(variant.prompt)
    if traits.keeps_words:
        return without_surface_form(before, after, variant.change)
    if (traits.is_informal or variant.change == NATURALISTIC) and is_english(before):
        return before, in_plain_english(after, before)
    return before, after
