"""Item, variant → a pair of readings: what the checks need to know of both texts, found once."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from otherwords.core.contract import NATURALISTIC
from otherwords.core.registry import traits_of
from otherwords.core.types import Item, Prompt, Variant, varied_text
from otherwords.english.language import is_english
from otherwords.english.normalize import in_plain_english, sorted_paragraphs, without_surface_form
from otherwords.english.parse import parse
from otherwords.english.quantities import Mention, mentions
from otherwords.english.spans import change
from otherwords.english.words import content_lemmas, edit_distance, lemma, synonym_groups

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

LONGEST = 20_000
"""Characters that changed beyond which a text is not parsed: time and memory stay bounded."""


class Reading:
    """A text and what it says."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def doc(self) -> Doc:
        """The parsed text."""
        return parse(self.text)

    @cached_property
    def tokens(self) -> list[Token]:
        """Its words and marks, without white space."""
        return [token for token in self.doc if not token.is_space]

    @cached_property
    def words(self) -> list[str]:
        """Its words in lower case, without marks."""
        return [token.lower_.replace("’", "'") for token in self.tokens if not token.is_punct]

    @cached_property
    def word_set(self) -> frozenset[str]:
        """The same, each once."""
        return frozenset(self.words)

    @cached_property
    def undotted(self) -> frozenset[str]:
        """Its words without points and hyphens, so that "U.S." is "US" and "e-mail" is "email"."""
        return frozenset(word.replace(".", "").replace("-", "") for word in self.text.lower().split())

    @cached_property
    def lemmas(self) -> frozenset[str]:
        """The lemmas of all its words, and the words themselves."""
        return frozenset(token.lemma_.lower() for token in self.tokens) | self.word_set

    @cached_property
    def content(self) -> Counter[str]:
        """Lemmas of its nouns, verbs, adjectives and adverbs."""
        return content_lemmas(self.doc)

    @cached_property
    def groups(self) -> list[set[int]]:
        """The groups of synonyms of each of its tokens."""
        return synonym_groups(self.tokens)

    @cached_property
    def groups_of(self) -> dict[str, set[int]]:
        """The groups of each word, by its lower-case form."""
        found: dict[str, set[int]] = {}
        for token, groups in zip(self.tokens, self.groups, strict=True):
            found.setdefault(token.lower_, set()).update(groups)
        return found

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Its numbers and units."""
        return mentions(self.text)

    @cached_property
    def folded(self) -> str:
        """In lower case, with single spaces and straight apostrophes."""
        return " ".join(self.text.casefold().replace("’", "'").split())

    @lru_cache(maxsize=256)  # noqa: B019  readings are few and live as long
    def new_groups(self, other: Reading) -> frozenset[int]:
        """The groups of synonyms of those of its words that the other text does not have."""
        new = [
            groups
            for token, groups in zip(self.tokens, self.groups, strict=True)
            if token.lower_ not in other.lemmas and lemma(token) not in other.lemmas
        ]
        return frozenset().union(*new)


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    """The reading of a text; an original is compared with many variants."""
    return Reading(text)


_COMPARED = 800
"""Words whose distance is measured, since its time grows with their square."""


class Pair:
    """A variant beside its original."""

    def __init__(self, item: Item, variant: Variant) -> None:
        self.item, self.variant = item, variant
        self.whole_before, self.whole_after = compared_texts(item, variant)
        start, end, new_end = change(self.whole_before, self.whole_after)
        self._parts = self.whole_before[start:end], self.whole_after[start:new_end]

    @property
    def parts(self) -> tuple[str, str]:
        """The sentences in which the two differ: of the original, and of the variant."""
        return self._parts

    @cached_property
    def before(self) -> Reading:
        """The original without the sentences that are the same at both ends."""
        return read(self._parts[0])

    @cached_property
    def after(self) -> Reading:
        """The variant without them."""
        return read(self._parts[1])

    @cached_property
    def distance(self) -> float:
        """Word edit distance of the parts that differ, by the longer one."""
        was, now = self.before.words[:_COMPARED], self.after.words[:_COMPARED]
        return edit_distance(was, now) / max(len(was), len(now), 1)

    @cached_property
    def unchanged(self) -> bool:
        """Whether both say the same, letter by letter."""
        return self.whole_before == self.whole_after

    @cached_property
    def english(self) -> bool:
        """Whether the original is in English."""
        return is_english(self.whole_before)

    @property
    def is_parsed(self) -> bool:
        """Whether the checks of words will read it."""
        return self.english and not self.too_long

    @property
    def too_long(self) -> bool:
        """Whether more has changed than is parsed."""
        return max(map(len, self._parts)) > LONGEST


def compared_texts(item: Item, variant: Variant) -> tuple[str, str]:
    """What the original and the variant say, without the surface form in which they may differ by design."""
    traits = traits_of(variant.kind)
    if traits.moves_text:
        return sorted_paragraphs(_texts(item.prompt)), sorted_paragraphs(_texts(variant.prompt))
    before, after = varied_text(item.prompt), varied_text(variant.prompt)
    if traits.keeps_words:
        return without_surface_form(before, after, variant.change)
    if (traits.is_informal or variant.change == NATURALISTIC) and is_english(before):
        return before, in_plain_english(after, before)
    return before, after


def _texts(prompt: Prompt) -> list[str]:
    return [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
