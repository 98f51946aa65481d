"""Words that open sentences and are no names, so that their first letter may be large or small."""

from __future__ import annotations

import re


def lexicon(text: str) -> frozenset[str]:
    """The words of a list that is written as a text."""
    return frozenset(text.split())


IMPERATIVES = lexicon("""
    add analyse analyze answer ask avoid be book build calculate change check choose classify compare
    complete compute convert correct count create debug decide define describe design determine discuss
    do draft draw edit estimate evaluate explain extract fill find fix follow generate give group handle
    highlight identify implement include infer keep label list make name optimise optimize paraphrase
    pick plan predict proofread prove provide put rank rate read refactor reply respond return review
    rewrite say select send set shorten show simplify solve sort start state stop summarise summarize
    tell translate use visit write
""")
"""Verbs with which a prompt tells somebody to do something."""

_OPENERS = IMPERATIVES | lexicon("""
    what which who whose whom when where why how the an this that these those there it he she they we
    you your his her its their our is are was were do does did can could would should has have if in
    on at for of by to from with as after before during while although because since until unless each
    every some any many most all both no not one two three four five given suppose assume imagine
    consider please let using according based here now then however also only
""")
_CAPITALISED = r"([A-Z][a-z]*)\b(?!['’](?!s\b|re\b|ll\b)|[.-])"
_FIRST_OPENING = re.compile(rf"[ \t]*{_CAPITALISED}")
_LATER_OPENING = re.compile(rf"[.?!] {_CAPITALISED}")
_A_THING = re.compile(r" (?!and\b|or\b|is\b|has\b|was\b)[a-z]{3,}")
_FIRST_WORD = re.compile(r"\s*([a-z]+)\b(?!['’./=_(-])")
_TELLING = re.compile(
    r"(?:Please |Now |Then |Carefully )?([A-Za-z]+) (?!of\b|is\b|are\b|was\b|were\b|has\b|had\b)"
)


def tells(text: str) -> bool:
    """`text` opens by telling somebody to do something."""
    match = _TELLING.match(text)
    return bool(match and match[1].lower() in IMPERATIVES and text[:1].isupper())


def lower_openers(text: str) -> str:
    """`text`, of one line, with its sentences opening in lower case where they open with such a word."""
    first = _FIRST_OPENING.match(text)
    if first:
        text = _lowered(first) + text[first.end() :]
    return _LATER_OPENING.sub(_lowered, text)


def _lowered(opening: re.Match[str]) -> str:
    word = opening[1]
    opens = word.lower() in _OPENERS or (word == "A" and _A_THING.match(opening.string, opening.end()))
    return opening[0].lower() if opens else opening[0]


def raise_opener(text: str) -> str:
    """`text` with the first letter of its first word large, where that is such a word."""
    match = _FIRST_WORD.match(text)
    if match is None or match[1] not in _OPENERS:
        return text
    return text[: match.start(1)] + match[1].capitalize() + text[match.end(1) :]
