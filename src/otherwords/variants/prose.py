"""A prompt → which parts are prose that a person typed, and where its sentences open.

Typing mistakes, chat style and letter case belong to the person's own words. Code, tables, lists, quotations,
tagged or fenced blocks, labelled passages and whatever follows a colon are the matter of the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import LONGEST, Range, parse
from otherwords.english.spans import MASK, Masked, mask
from otherwords.english.words import is_base_verb, is_word

_SAYS = Patterns("prose", MASKS=MASK[1:-1])


@lru_cache(maxsize=256)
def prose(masked: Masked) -> tuple[Range, ...]:
    """Where it is in the masked text: left to right, never over a line break."""
    lines = masked.text.split("\n")
    alone = len(lines) - lines.count("") == 1
    blocks = enclosed(masked)
    found: list[Range] = []
    passage = False
    start = 0
    for line in lines:
        passage = bool(line) and (passage or is_labelled_data(line))
        kind = "" if alone else masked.kind_of(line.strip()[:1])
        inside = passage or any(a <= start < b for a, b in blocks)
        given = inside or kind in ("label", "fence", "date") or _SAYS.data_line.match(line)
        own = _SAYS.own.match(line)  # after a label such as `Question:`, up to the next colon, if this is one
        if own and own["own"] and not given:
            found.append((start + own.start("own"), start + own.end("own")))
        start += len(line) + 1
    return tuple(found)


def enclosed(masked: Masked) -> list[Range]:
    """Where tags, triple quotes or rules enclose something, unless they enclose the whole prompt."""
    text = masked.text
    blocks = [match.span() for match in _SAYS.block.finditer(text)]
    opened: dict[str, int] = {}
    for place, span in zip(masked.places, masked.spans, strict=True):
        tag = _SAYS.tag.fullmatch(masked.original, span.start, span.end)
        if tag and not tag["closes"]:
            opened.setdefault(tag["name"], place)
        elif tag and tag["name"] in opened:
            blocks.append((opened.pop(tag["name"]), place + 1))
    outside = "".join(char for place, char in enumerate(text) if not any(a <= place < b for a, b in blocks))
    return blocks if outside.strip() else []


def is_labelled_data(text: str) -> bool:
    """Whether it opens with a label of data, such as `Passage:`."""
    return _SAYS.data_label.match(text) is not None


def own_words(text: str) -> list[Range]:
    """Where a person's own words stand in `text`, without protected spans."""
    masked = mask(text)
    pieces = (piece for one in prose(masked) for piece in _SAYS.unmasked.finditer(masked.text, *one))
    return [(masked.in_original(piece.start()), masked.in_original(piece.end())) for piece in pieces]


def edit_prose_lines(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` applied to each masked line that holds some prose."""
    masked = mask(text)
    own = {masked.text.count("\n", 0, start) for start, _ in prose(masked)}
    lines = masked.text.split("\n")
    return masked.unmask("\n".join(change(line) if at in own else line for at, line in enumerate(lines)))


def _commands() -> frozenset[str]:
    return word_set("requests", "commands") | word_set("openers", "verbs")


def tells(text: str) -> bool:
    """`text` opens by telling somebody to do something."""
    match = _SAYS.telling.match(text)
    return match is not None and match[1].lower() in _commands()


def with_small_openers(text: str) -> str:
    """The sentences of a person's own words open in lower case, but for names."""
    masked, small = mask(text), text
    for start, end in prose(masked):
        for match in _SAYS.opening.finditer(masked.text[start:end]):
            at = masked.in_original(start + match.start("word"))
            if _is_no_name(text, at, match["word"]):
                small = small[:at] + small[at].lower() + small[at + 1 :]
    return small


def _is_no_name(text: str, at: int, word: str) -> bool:
    lower = word.lower()
    known = lower in _commands() or lower in word_set("openers", "others")
    if known or len(text) > LONGEST:
        return known
    token = next((token for token in parse(text) if token.idx == at), None)
    if token is None or token.text != word or token.pos_ in ("PROPN", "X"):
        return False
    may_be = token.pos_ in ("ADJ", "NOUN") and _SAYS.of_places.search(word)  # "Polish", "Romans"
    return not may_be and (is_base_verb(lower) or is_word(lower))
