"""A prompt → which parts are prose that a person typed, and where its sentences open.

Typing mistakes, chat style and letter case belong to the person's own words. Code, tables, lists, quotations,
tagged or fenced blocks, labelled passages and whatever follows a colon are the matter of the problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.parse import LONGEST, parse
from otherwords.english.spans import MASK, Masked, mask
from otherwords.english.words import is_base_verb, is_word


class Stretch(NamedTuple):
    start: int
    end: int


_SAYS = Patterns("prose")
_GIVEN_KINDS = frozenset({"label", "fence", "date"})


@lru_cache(maxsize=256)
def prose(masked: Masked) -> tuple[Stretch, ...]:
    """Left to right, never over a line break."""
    lines = masked.text.split("\n")
    alone = len(lines) - lines.count("") == 1
    blocks = enclosed(masked)
    found: list[Stretch] = []
    passage = False
    start = 0
    for line in lines:
        end = start + len(line)
        passage = bool(line) and (passage or is_labelled_data(line))
        given = passage or (bool(blocks) and any(begin <= start < stop for begin, stop in blocks))
        if line and not given and not _is_data(masked, line, alone=alone):
            own = _own_words(line, start) if ":" in line else Stretch(start, end)
            if own.end > own.start:
                found.append(own)
        start = end + 1
    return tuple(found)


def is_labelled_data(text: str) -> bool:
    """Whether it opens with a label of data, such as `Passage:`."""
    return ":" in text and _SAYS.data_label.match(text) is not None


def own_words(text: str) -> list[tuple[int, int]]:
    """Where a person's own words stand in `text`, without protected spans."""
    masked = mask(text)
    found: list[tuple[int, int]] = []
    for start, end in prose(masked):
        inside = [place for place in masked.places if start <= place < end]
        edges = [start, *(edge for place in inside for edge in (place, place + 1)), end]
        found += [
            (masked.in_original(a), masked.in_original(b))
            for a, b in zip(edges[::2], edges[1::2], strict=True)
            if a < b
        ]
    return found


def is_about_form(text: str) -> bool:
    """Whether a prompt is about letters, spelling or forms of words, so that these may not change."""
    return _SAYS.about_form.search(text) is not None


def ends_in_prose(masked: Masked) -> bool:
    stretches = prose(masked)
    return bool(stretches) and stretches[-1].end >= len(masked.text.rstrip())


def edit_prose_lines(masked: Masked, change: Callable[[str], str]) -> str:
    """The masked text, with `change` applied to each line that holds some prose."""
    own = {masked.text.count("\n", 0, stretch.start) for stretch in prose(masked)}
    lines = masked.text.split("\n")
    return "\n".join([change(line) if place in own else line for place, line in enumerate(lines)])


def _own_words(line: str, offset: int) -> Stretch:
    """The line after a label such as `Question:`, up to the next colon."""
    label = _SAYS.asking_label.match(line)
    start = label.end() if label else 0
    colon = _SAYS.colon.search(line, start)
    end = colon.start() if colon else len(line)
    if colon and len(line[start:end].split()) < 2:  # another label, such as `Answer:`
        end = start
    return Stretch(offset + start, offset + end)


def _is_data(masked: Masked, line: str, *, alone: bool) -> bool:
    body = line.strip()
    opening = body[:1]
    if line.startswith(("    ", "\t")) or (not alone and opening and masked.kind_of(opening) in _GIVEN_KINDS):
        return True
    if not alone and _SAYS.statement.match(masked.unmask(line[:12])):
        return True
    if opening in ("|", ">") or body.endswith((";", "{", "}")) or _SAYS.code.match(line):
        return True
    return (" " not in body and bool(_SAYS.record.fullmatch(body))) or not _SAYS.letters.search(line)


def enclosed(masked: Masked) -> list[Stretch]:
    """Where tags, triple quotes or rules enclose something, unless they enclose the whole prompt."""
    text = masked.text
    paired = (_SAYS.ruled, _SAYS.triple)
    blocks = [Stretch(*match.span()) for pattern in paired for match in pattern.finditer(text)]
    if "placeholder" in masked.kinds:
        blocks += _tagged(masked)
    if not blocks:
        return []
    outside = "".join(char for place, char in enumerate(text) if not any(a <= place < b for a, b in blocks))
    return blocks if outside.strip() else []


def _tagged(masked: Masked) -> Iterator[Stretch]:
    opened: dict[str, int] = {}
    for match in re.finditer(MASK, masked.text):
        original = masked.unmask(match.group())
        tag = _SAYS.tag.fullmatch(original)
        if tag:
            opened.setdefault(tag[1], match.start())
        elif original.startswith("</") and original[2:-1].strip() in opened:
            yield Stretch(opened.pop(original[2:-1].strip()), match.end())


_FUNCTION_WORDS = frozenset(("PRON", "DET", "ADP", "SCONJ", "CCONJ", "AUX", "ADV", "PART"))


@cache
def imperatives() -> frozenset[str]:
    """Verbs with which a prompt tells somebody to do something."""
    words = f"{read_lexicon('requests')['commands']} {read_lexicon('openers')['verbs']}"
    return frozenset(words.split()) - {"for"}


@cache
def _openers() -> frozenset[str]:
    return imperatives() | frozenset(read_lexicon("openers")["others"].split())


def tells(text: str) -> bool:
    """`text` opens by telling somebody to do something."""
    match = _SAYS.telling.match(text)
    return bool(match and match[1].lower() in imperatives() and text[:1].isupper())


def capital_openers(text: str) -> list[int]:
    """Where the sentences of a person's own words open with a capital that is no part of a name."""
    return [at for at, word, after in _opened(text, _SAYS.opening) if _is_no_name(text, at, word, after)]


def small_openers(text: str) -> list[int]:
    """Where they open with a small letter, in a word that may have a large one."""
    return [at for at, word, _ in _opened(text, _SAYS.small_opening) if word in _openers()]


def _opened(text: str, opening: re.Pattern[str]) -> Iterator[tuple[int, str, str]]:
    """Where sentences of a person's own words open by the pattern, the word there, and what follows it."""
    masked = mask(text)
    for start, end in prose(masked):
        for match in opening.finditer(masked.text[start:end]):
            at = masked.in_original(start + match.start("word"))
            yield at, match["word"], masked.text[start + match.end() :]


def _is_no_name(text: str, at: int, word: str, after: str) -> bool:
    if word.lower() in _openers() or (word == "A" and _SAYS.a_thing.match(after)):
        return True
    if len(word) == 1 or len(text) > LONGEST:
        return False
    token = next((token for token in parse(text) if token.idx == at), None)
    if token is None or token.text != word or token.pos_ in ("PROPN", "X"):
        return False
    if token.pos_ in ("ADJ", "NOUN") and _SAYS.of_places.search(word):  # "Polish", "Romans"
        return False
    return token.pos_ in _FUNCTION_WORDS or is_base_verb(word.lower()) or is_word(word.lower())


def with_case(text: str, places: list[int], *, upper: bool) -> str:
    """`text` with the letters at `places` large or small."""
    for at in places:
        text = text[:at] + (text[at].upper() if upper else text[at].lower()) + text[at + 1 :]
    return text
