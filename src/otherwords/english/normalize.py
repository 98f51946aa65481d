"""Texts without their format → normal forms, tokens to compare; antonyms, negation, slips, meta options.

Without its form, a text in JSON has its words inside quotation marks, one with other list labels has lost the
old ones, and one whose instruction moved has the same paragraphs in another order. A slip in a word that
turns a meaning round is not mended: "nit" for "not" is no variant worth running.

Tokens keep signs of meaning: `-5` is not `5`, `x < 3` is not `x > 3`, and `Na+` is not `Na`. Also negations,
antonyms, and options that are about other options.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.spans import OPENS_SPAN, find_spans, sentences
from otherwords.english.words import shared_start

_SAYS = Patterns("normalize", OPENS=OPENS_SPAN)
_SHORTEST_MENDED = 4
_SUPERSCRIPTS = str.maketrans({raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_JOINING = frozenset("-/\u2010\u2011\u2012\u2013\u2014")
"""Between two words these join or part them; beside a number or at one end of a word they are signs."""
_MEANING = frozenset("%#*&")
"""Punctuation to Unicode, but not to a reader of options."""
_SHORT = 3


def folded(text: str) -> str:
    """`text` in lower case, with single spaces for all white space."""
    return " ".join(text.casefold().split())


def unmarked(text: str) -> str:
    """As `folded`, without its last mark: two rewordings that share it are one."""
    return folded(text).rstrip(".?! ")


def without_surface_form(before: str, after: str, change: str) -> tuple[str, str]:
    """Both without what the change of format named `change` may alter."""
    last_marks = (_SAYS.last_mark.match(text[-3:]) for text in (before, after))
    if change == "punct" and before[:-1] == after[:-1] and all(last_marks):
        return before, before
    if change == "case" and _differ_in_openers(before, after):
        return before, before
    return without_form(before, change), without_form(after, change)


def without_form(text: str, change: str) -> str:
    """`text` without what the change of format named `change` may alter."""
    if change == "json":
        return _inside_json(text)
    if change == "enumerator":
        return _SAYS.labelled_line.sub("- ", text)
    if change in ("list", "prose"):
        return _SAYS.list_line.sub(" ", text)
    return text


def _differ_in_openers(before: str, after: str) -> bool:
    """Sentences that open with a plain word open with it in lower case."""
    start = 0
    for sentence in sentences(before):
        if not after.startswith(sentence, start):
            opener = _SAYS.opener.match(sentence)
            if opener is None or not after.startswith(opener[1].lower() + sentence[opener.end(1) :], start):
                return False
        start += len(sentence)
    return 0 < start == len(after)


def _inside_json(text: str) -> str:
    """The one text in an object of one field; anything else is returned as it is."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    said = list(read.values()) if isinstance(read, dict) else []
    return said[0] if len(said) == 1 and isinstance(said[0], str) else text


def sorted_paragraphs(texts: Iterable[str]) -> str:
    """The paragraphs of all `texts` in alphabetical order, without space at their ends."""
    parts = (part.rstrip() for text in texts for part in _parted(text))
    return "\n\n".join(sorted(part for part in parts if part))


def _parted(text: str) -> Iterator[str]:
    """At the blank lines, but for those in fenced code."""
    fences = [span for span in find_spans(text) if span.kind == "fence"]
    end = 0
    for gap in _SAYS.blank_lines.finditer(text):
        if not any(fence.start < gap.start() < fence.end for fence in fences):
            yield text[end : gap.start()]
            end = gap.end()
    yield text[end:]


@cache
def _short_forms() -> tuple[dict[str, str], re.Pattern[str]]:
    long_of: dict[str, str] = read_lexicon("informal")["short_forms"]
    any_of = "|".join(map(re.escape, sorted(long_of, key=len, reverse=True)))
    return long_of, re.compile(rf"(?<![\w/'’])(?:{any_of})(?![\w/'’])", re.IGNORECASE)


def in_plain_english(text: str, original: str) -> str:
    """Short forms that the original does not have are written out; words with one slip become its words."""
    known = {word.lower() for word in _SAYS.word.findall(original)}
    long_of, pattern = _short_forms()
    long = pattern.sub(
        lambda short: short[0] if short[0].lower() in known else long_of[short[0].lower()], text
    )
    words = {word.lower() for word in _SAYS.word.findall(long)}
    missing = known - words - word_set("negations", "words")
    slips = {
        strange: right
        for strange in words - known
        for right in sorted(missing)
        if len(right) >= _SHORTEST_MENDED and is_one_slip(right, strange)
    }
    return _SAYS.word.sub(lambda word: slips.get(word[0].lower(), word[0]), long) if slips else long


def is_one_slip(right: str, typed: str) -> bool:
    """One letter dropped, added or changed, or two neighbours swapped."""
    start = shared_start(right, typed)
    if len(right) == len(typed):
        swapped = right[start + 1 : start + 2] + right[start : start + 1] + right[start + 2 :]
        return right[start + 1 :] == typed[start + 1 :] or swapped == typed[start:]
    longer, shorter = (right, typed) if len(right) > len(typed) else (typed, right)
    return longer[start + 1 :] == shorter[start:]


def words_only(text: str) -> str:
    """The words alone. Contractions lose their apostrophe and stay one word: `don't` → `dont`."""
    lower = unicodedata.normalize("NFKC", text).casefold()
    return _SAYS.no_word.sub(" ", _SAYS.apostrophe.sub("", lower)).strip()


def tokens(text: str) -> tuple[str, ...]:
    """Words, numbers and signs in their order.

    A text of up to three letters keeps its case: `AA`, `Aa` and `aa` are different genes.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).strip()
    if len(plain) > _SHORT or plain.casefold() in boolean_words():
        plain = plain.casefold()
    plain = _SAYS.thousands.sub("", _SAYS.apostrophe.sub("", plain)).replace("\u2212", "-")
    return tuple(
        match[0]
        for match in _SAYS.token.finditer(plain)
        if match[0][0].isalnum() or _is_sign(plain, match.start(), match.end())
    )


def _is_sign(text: str, start: int, end: int) -> bool:
    sign = text[start:end]
    if sign not in _JOINING:
        return sign in _MEANING or unicodedata.category(sign).startswith("S")
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
    numbers = read_lexicon("numbers")
    digits = {word: str(value) for value, word in enumerate((*numbers["ones"], numbers["tens"][0]))}
    flat = re.sub("['\u2019]", "", unicodedata.normalize("NFKC", text).casefold())
    words = _SAYS.answer_word.findall(_SAYS.thousands.sub("", flat))
    return [digits.get(word, word.replace("\u2212", "-")) for word in words if word not in ("a", "an", "the")]


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity of two sets; 0 when either is empty."""
    if not one or not other:
        return 0.0
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def without_negation(text: str) -> tuple[frozenset[str], bool]:
    """The text's words without articles and negations, and whether it is negated."""
    read, words = read_lexicon("negations"), tokens(text)
    negated = any(word in read["words"] or word in read["contractions"] for word in words)
    left = (read["contractions"].get(word, word) for word in words if word not in read["words"])
    return frozenset(singular(word) for word in left if word not in read["auxiliaries"]), negated


@cache
def _antonyms() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(map(singular, pair)) for pair in read_lexicon("antonyms")["pairs"])


def are_antonyms(words: frozenset[str]) -> bool:
    """Whether the two words (in the singular) are a pair of opposites."""
    return words in _antonyms()


def boolean_words() -> frozenset[str]:
    """Words that answer a question by themselves: yes, no, true, false, maybe."""
    return word_set("answer_options", "boolean")


_META = Patterns("meta_options")


def meta_options(text: str) -> list[str]:
    """What an option says of the other options or of not knowing, such as `all_of_the_above`."""
    words = words_only(text.replace("&", " and "))
    names = (name for name in read_lexicon("patterns")["meta_options"] if name != "fragments")
    return [name for name in names if getattr(_META, name).fullmatch(words)]
