"""Text → comparable tokens with signs of meaning; negations, antonyms and options on other options in it.

`-5` is not `5`, `x < 3` is not `x > 3`, and `Na+` is not `Na`. Also negations, antonyms, and options that are
about other options.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from otherwords.english.lexicon import read_lexicon

_APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u0060\u00b4]")
_NOT_WORD = re.compile(r"[\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
# A number with its separators (1,000.5 or 12:30), else a run of letters and digits, else one sign.
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)+(?![^\W_])|[^\W_]+|[^\w\s]")
# A number keeps its sign and its decimals; everything else is split at what is not a letter or a digit.
_ANSWER_WORD = re.compile(r"(?<![\w.])[-\u2212]\d+(?:\.\d+)?|\d+(?:\.\d+)+|[^\W_]+")
_ANSWER_APOSTROPHES = re.compile("['\u2019]")
_SUPERSCRIPTS = str.maketrans({raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_JOINING = frozenset("-/\u2010\u2011\u2012\u2013\u2014")
"""Between two words these join or part them; beside a number or at one end of a word they are signs."""
_MEANING = frozenset("%#*&")
"""Punctuation to Unicode, but not to a reader of options."""
_SYMBOLS = ("Sm", "Sc", "Sk", "So")
_SHORT = 3


def words_only(text: str) -> str:
    """The words alone. Contractions lose their apostrophe and stay one word: `don't` → `dont`."""
    lower = unicodedata.normalize("NFKC", text).casefold()
    return _NOT_WORD.sub(" ", _APOSTROPHES.sub("", lower)).strip()


def tokens(text: str) -> tuple[str, ...]:
    """Words, numbers and signs in their order.

    A text of up to three letters keeps its case: `AA`, `Aa` and `aa` are different genes.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).strip()
    if len(plain) > _SHORT or plain.casefold() in boolean_words():
        plain = plain.casefold()
    plain = _THOUSANDS.sub("", _APOSTROPHES.sub("", plain)).replace("\u2212", "-")
    return tuple(
        match[0]
        for match in _TOKEN.finditer(plain)
        if match[0][0].isalnum() or _is_sign(plain, match.start(), match.end())
    )


def _is_sign(text: str, start: int, end: int) -> bool:
    sign = text[start:end]
    if sign not in _JOINING:
        return sign in _MEANING or unicodedata.category(sign) in _SYMBOLS
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalpha() and after.isalpha():
        return False
    if before.strip() or after.strip():
        return True
    return text[:start].rstrip()[-1:].isdigit() or text[end:].lstrip()[:1].isdigit()


def token_text(text: str) -> str:
    """The tokens as one text; two options for which it is equal say the same."""
    return " ".join(tokens(text)) or text.strip()


def singular_tokens(text: str) -> tuple[str, ...]:
    """The tokens, plurals as singulars."""
    return tuple(singular(token) for token in tokens(text))


def singular(word: str) -> str:
    """The word without a plural's ending, by rules of spelling alone."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def answer_words(text: str) -> list[str]:
    """What short answers are compared by: words in lower case without articles, numbers as digits."""
    articles, digits = _short_answers()
    flat = _ANSWER_APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    words = _ANSWER_WORD.findall(_THOUSANDS.sub("", flat))
    return [digits.get(word, word.replace("\u2212", "-")) for word in words if word not in articles]


@cache
def _short_answers() -> tuple[frozenset[str], dict[str, str]]:
    read = read_lexicon("short_answers")
    return frozenset(read["articles"]), {word: str(number) for number, word in enumerate(read["numbers"])}


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity of two sets; 0 when either is empty."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def without_negation(text: str) -> tuple[frozenset[str], bool]:
    """The text's words without articles and negations, and whether it is negated."""
    negations, contractions, auxiliaries = _negations()
    words = tokens(text)
    negated = any(word in negations or word in contractions for word in words)
    left = (contractions.get(word, word) for word in words if word not in negations)
    return frozenset(singular(word) for word in left if word not in auxiliaries), negated


@cache
def _negations() -> tuple[frozenset[str], dict[str, str], frozenset[str]]:
    read = read_lexicon("negations")
    return frozenset(read["words"]), read["contractions"], frozenset(read["auxiliaries"])


def are_antonyms(words: frozenset[str]) -> bool:
    """Whether the two words (in the singular) are a pair of opposites."""
    return words in _antonyms()


@cache
def _antonyms() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(singular, pair)) for pair in read_lexicon("antonyms")["pairs"])


@cache
def boolean_words() -> frozenset[str]:
    """Words that answer a question by themselves: yes, no, true, false, maybe."""
    return frozenset(read_lexicon("answer_options")["boolean"])


def meta_options(text: str) -> list[str]:
    """What an option says of the other options or of not knowing, such as `all_of_the_above`."""
    words = words_only(text.replace("&", " and "))
    return [name for name, pattern in _meta_patterns().items() if pattern.match(words)]


@cache
def _meta_patterns() -> dict[str, re.Pattern[str]]:
    read = read_lexicon("answer_options")

    def filled(pattern: str) -> str:
        for name, fragment in read["fragments"].items():
            pattern = pattern.replace(f"<{name}>", fragment)
        return pattern

    return {
        name: re.compile(rf"(?:{'|'.join(map(filled, patterns))})\Z")
        for name, patterns in read["meta"].items()
    }
