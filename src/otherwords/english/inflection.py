"""Forms of English words, by lemminflect."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def is_base_verb(word: str) -> bool:
    """Whether `word` is the base form of a verb that is known.

    Examples:
        >>> is_base_verb("differentiate"), is_base_verb("wrote")
        (True, False)
    """
    from lemminflect import getAllLemmas

    return word in getAllLemmas(word, upos="VERB").get("VERB", ())


@lru_cache(maxsize=4096)
def is_word(word: str) -> bool:
    """Whether `word` is a form of some word that is known."""
    from lemminflect import getAllLemmas

    return len(word) > 3 and bool(getAllLemmas(word))
