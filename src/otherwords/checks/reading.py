"""What the checks need to know of a text, found once and kept: each original is compared with many variants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from otherwords.checks.informal import in_plain_english
from otherwords.checks.lexicon import HEADS, is_superlative
from otherwords.checks.people import find_names
from otherwords.checks.quantities import NUMBER_WORDS, numbers_in_digits, numbers_in_words, units_in
from otherwords.core.dress import compared_texts
from otherwords.core.types import Item, Variant

_SEPARATORS = str.maketrans(
    {
        **dict.fromkeys('.,;:!?()[]{}"“”…—–-/|*`<>=+_~\\#‘', " "),
        "’": "'",
        "−": " ",
        **{sign: f" {sign} " for sign in "$€£¥₹%"},
    }
)


class Reading:
    """`words` in lower case without punctuation; `said` counts the phrases of `lexicon` in them."""

    __slots__ = (
        "digits",
        "firm",
        "length",
        "may_have_code",
        "measured",
        "named_units",
        "names",
        "said",
        "spelled",
        "text",
        "word_set",
        "words",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        lower = text.lower()
        if ".m" in lower:
            lower = lower.replace("a.m.", "am ").replace("p.m.", "pm ")
        self.words = words = lower.translate(_SEPARATORS).split()
        self.word_set = frozenset(words)
        self.length = len(text.split())
        self.may_have_code = "\n" in text or "`" in text or "(" in text or "_" in text or "/" in text
        self.said = _said(words)
        self.spelled: Counter[str] = Counter()
        if not NUMBER_WORDS.isdisjoint(self.word_set):
            self.spelled = numbers_in_words(
                words, [at for at, word in enumerate(words) if word in NUMBER_WORDS]
            )
        self.digits = numbers_in_digits(text)
        self.names = find_names(text)
        self.measured, self.named_units = units_in(words)


_NEARLY = frozenset(("about", "around"))


def _said(words: list[str]) -> Counter[str]:
    found: list[str] = []
    free_from = 0
    for place, word in enumerate(words):
        phrases = HEADS.get(word)
        if phrases is None:
            if word.endswith("est") and is_superlative(word):
                found.append(word)
            continue
        if place < free_from:
            continue
        for rest, phrase in phrases:
            if not rest or words[place + 1 : place + 1 + len(rest)] == rest:
                if word in _NEARLY and _is_number(words, place + 1):
                    phrase = "approximately"
                found.append(phrase)
                free_from = place + 1 + len(rest)
                break
    return Counter(found)


def _is_number(words: Sequence[str], place: int) -> bool:
    return place < len(words) and (words[place][0].isdigit() or words[place] in NUMBER_WORDS)


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    return Reading(text)


class _Latest:
    """The pair that was read last: a dozen checks look at one after the other."""

    def __init__(self) -> None:
        self.known: tuple[Item, Variant, tuple[Reading, Reading]] | None = None


_LATEST = _Latest()


def readings(item: Item, variant: Variant) -> tuple[Reading, Reading]:
    """The original's and the variant's. What a hurried typist writes is first put into plain English."""
    known = _LATEST.known
    if known is not None and known[1] is variant and known[0] is item:
        return known[2]
    before, after = compared_texts(item, variant)
    if variant.kind == "naturalistic" or variant.change == "naturalistic":
        after = in_plain_english(after, before)
    pair = read(before), read(after)
    _LATEST.known = (item, variant, pair)
    return pair
