"""Texts without their format → normal forms, tokens to compare; antonyms, negation, slips, meta options.

Tokens keep signs of meaning: `-5` is not `5`, `x < 3` is not `x > 3`, and `Na+` is not `Na`.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable

from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.words import differing

_SAYS = Patterns("normalize")
_SHORTEST_MENDED = 4
_SUPERSCRIPTS = str.maketrans({raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_SHORT = 3


def unmarked(text: str) -> str:
    """`text` in lower case, with single spaces and no last mark: two rewordings that share it are one."""
    return " ".join(text.casefold().split()).rstrip(".?! ")


def _inside_json(text: str) -> str:
    """The one text in an object of one field; anything else is returned as it is."""
    try:
        [said] = json.loads(text).values()
    except (ValueError, AttributeError, RecursionError):
        return text
    return said if isinstance(said, str) else text


_WITHOUT_FORM: dict[str, Callable[[str], str]] = {
    "json": _inside_json,
    "enumerator": lambda text: _SAYS.labelled_line.sub("- ", text),
    "list": lambda text: _SAYS.list_line.sub(" ", text),
    "prose": lambda text: _SAYS.list_line.sub(" ", text),
    "punct": lambda text: _SAYS.last_mark.sub("", text),
    "case": lambda text: _SAYS.opener.sub(lambda opener: opener[0].lower(), text),
}


def without_surface_form(before: str, after: str, change: str) -> tuple[str, str]:
    """Both without what the change of format named `change` may alter."""
    plain = _WITHOUT_FORM.get(change, str)
    return plain(before), plain(after)


def sorted_paragraphs(text: str) -> str:
    """The paragraphs in alphabetical order, without space at their ends."""
    return "\n\n".join(sorted(filter(None, map(str.rstrip, _SAYS.blank_lines.split(text)))))


def in_plain_english(text: str, original: str) -> str:
    """Short forms that the original does not have are written out; words with one slip become its words.

    A slip in a word that turns a meaning round is not mended: "nit" for "not" is no variant worth running.
    """
    known = {word.lower() for word in _SAYS.word.findall(original)}
    long_of = {**read_lexicon("informal")["short_forms"], **dict.fromkeys(known, "")}
    long = _SAYS.short_form.sub(lambda short: long_of.get(short[0].lower()) or short[0], text)
    words = {word.lower() for word in _SAYS.word.findall(long)}
    missing = sorted(known - words - word_set("negations", "words"))
    mended = [right for right in missing if len(right) >= _SHORTEST_MENDED]
    slips = {strange: right for strange in words - known for right in mended if is_one_slip(right, strange)}
    return _SAYS.word.sub(lambda word: slips.get(word[0].lower(), word[0]), long) if slips else long


def is_one_slip(right: str, typed: str) -> bool:
    """One letter dropped, added or changed, or two neighbours swapped."""
    one, other = differing(right, typed)
    return max(len(one), len(other)) < 2 or (len(one) == 2 and one == other[::-1])


def words_only(text: str) -> str:
    """The words alone. Contractions lose their apostrophe and stay one word: `don't` → `dont`."""
    lower = unicodedata.normalize("NFKC", text).casefold()
    return _SAYS.no_word.sub(" ", _SAYS.apostrophe.sub("", lower)).strip()


def tokens(text: str) -> tuple[str, ...]:
    """Words, numbers and signs in their order.

    A text of up to three letters keeps its case: `AA`, `Aa` and `aa` are different genes.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).strip()
    if len(plain) > _SHORT or plain.casefold() in word_set("answer_options", "boolean"):
        plain = plain.casefold()
    plain = _SAYS.thousands.sub("", _SAYS.apostrophe.sub("", plain)).replace("\u2212", "-")
    return tuple(_SAYS.token.findall(plain))


def token_text(text: str) -> str:
    """The tokens as one text; two options for which it is equal say the same."""
    return " ".join(tokens(text)) or text.strip()


def singular_tokens(text: str) -> tuple[str, ...]:
    """The tokens, plurals as singulars."""
    return tuple(singular(token) for token in tokens(text))


def singular(word: str) -> str:
    """The word without a plural's ending, by rules of spelling alone."""
    return f"{word[:-3]}y" if len(word) > 4 and word.endswith("ies") else _SAYS.plural.sub("", word)


def answer_words(text: str) -> list[str]:
    """What short answers are compared by: words in lower case without articles, numbers as digits."""
    numbers = read_lexicon("numbers")
    digits = {word: str(value) for value, word in enumerate((*numbers["ones"], numbers["tens"][0]))}
    flat = _SAYS.apostrophe.sub("", unicodedata.normalize("NFKC", text).casefold())
    words = _SAYS.answer_word.findall(_SAYS.thousands.sub("", flat))
    return [digits.get(word, word.replace("\u2212", "-")) for word in words if word not in ("a", "an", "the")]


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard similarity of two sets; 0 when either is empty."""
    return len(one & other) / (len(one | other) or 1)


def without_negation(text: str) -> tuple[frozenset[str], bool]:
    """The text's words without articles and negations, and whether it is negated."""
    read, words = read_lexicon("negations"), tokens(text)
    negated = any(word in read["words"] or word in read["contractions"] for word in words)
    left = (read["contractions"].get(word, word) for word in words if word not in read["words"])
    return frozenset(singular(word) for word in left if word not in read["auxiliaries"]), negated


def are_antonyms(words: frozenset[str]) -> bool:
    """Whether the two words (in the singular) are a pair of opposites."""
    return any(words == set(map(singular, pair)) for pair in read_lexicon("antonyms")["pairs"])


_META = Patterns("meta_options")


def meta_options(text: str) -> list[str]:
    """What an option says of the other options or of not knowing, such as `all_of_the_above`."""
    words = words_only(text.replace("&", " and "))
    names = (name for name in read_lexicon("patterns")["meta_options"] if name != "fragments")
    return [name for name in names if getattr(_META, name).fullmatch(words)]
