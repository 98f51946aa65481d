"""The family `format`: the same words in another dress."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.families import FamilyTraits
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.language import is_english
from otherwords.english.normalize import without_surface_form
from otherwords.variants.base import reworded
from otherwords.variants.containers import change_separator, to_json, to_markdown, to_plain
from otherwords.variants.layout import change_labels, list_to_prose, prose_to_list
from otherwords.variants.openers import lower_openers, raise_opener
from otherwords.variants.prose import edit_prose, edit_prose_lines, ends_in_prose, prose
from otherwords.variants.protect import MASK, keeps_spans, mask

PREAMBLE = "Read this carefully and respond."
_OTHER_MARK = {"?": ".", ".": "?"}
_MARKS = frozenset(".?!…")
_SPACES = re.compile(r"(?<=\S)(?: [ \t]+|\t[ \t]*)")
_TIGHT = re.compile(
    rf"[,;?!](?=[A-Za-z])(?<=[a-z{MASK[1:-1]}].)"
    r"|\.(?=(?:The|A|An|It|He|She|They|What|Which|Who|When|How|Why|In|If)\b)(?<=[a-z]{2}\.)"
)
_MAY_BE_TIGHT = re.compile(r"[.,;?!][A-Za-z]")
_KEPT_LINE = re.compile(r"    |\t|.*\||.*\S\t")
_STRUCTURED_START = re.compile(r"\s*(?:[|>#]|\n)")


def change_mark(text: str) -> str:
    """`?` at the very end becomes `.`, and the other way round; not where the prompt ends with data.

    Nor where a mark at the sentence's start, as in Spanish, would be left alone.
    """
    masked = mask(text)
    body = masked.text.rstrip()
    mark = _OTHER_MARK.get(body[-1:])
    if mark is None or body[-2:-1] in _MARKS or "¿" in body or not ends_in_prose(masked):
        return text
    place = len(text) - len(masked.text) + len(body) - 1
    return text[:place] + mark + text[place + 1 :]


def normalise_spaces(text: str) -> str:
    """One space between words and after punctuation, on lines of prose; the others and all breaks stay."""
    masked = mask(text)
    if _is_tidy(masked.text):
        return text
    return masked.unmask(edit_prose_lines(masked, _normalise_line))


def _is_tidy(text: str) -> bool:
    """One line, and nothing in it that `_normalise_line` could change."""
    loose = "\n" in text or "  " in text or "\t" in text or text[-1:].isspace()
    return not loose and not _MAY_BE_TIGHT.search(text)


def _normalise_line(line: str) -> str:
    if _KEPT_LINE.match(line):
        return line
    ending = "\r" if line.endswith("\r") else ""
    line = line.rstrip()
    if "  " in line or "\t" in line:
        line = _SPACES.sub(" ", line)
    if _MAY_BE_TIGHT.search(line):
        line = _TIGHT.sub(lambda match: match.group() + " ", line)
    return line + ending


def add_preamble(text: str) -> str:
    """On a line of its own where the prompt opens with a list, a table, a heading or code."""
    masked = mask(text)
    opening = masked.text.lstrip()[:1]
    structured = _STRUCTURED_START.match(masked.text) or (
        opening and masked.kind_of(opening) in ("label", "fence")
    )
    return f"{PREAMBLE}\n\n{text}" if structured or text[:1].isspace() else f"{PREAMBLE} {text}"


def change_case(text: str) -> str:
    """Sentences open in lower case; a prompt that has it so opens with a capital. Names keep theirs."""
    masked = mask(text)
    new = edit_prose(masked, lower_openers)
    if new == masked.text:
        first = next((stretch.start for stretch in prose(masked)), 0)
        new = masked.text[:first] + raise_opener(masked.text[first:])
    return masked.unmask_all(new)


class Change(NamedTuple):
    name: str
    apply: Callable[[str], str]
    """The new text; the same text where the change does not apply."""
    english: bool = False
    """It adds English words or goes by them, and is not made of prompts in other languages."""


CHANGES = (
    Change("punct", change_mark),
    Change("space", normalise_spaces),
    Change("preamble", add_preamble, english=True),
    Change("case", change_case, english=True),
    Change("separator", change_separator, english=True),
    Change("enumerator", change_labels),
    Change("prose", list_to_prose),
    Change("list", prose_to_list, english=True),
    Change("markdown", to_markdown, english=True),
    Change("plain", to_plain),
    Change("json", to_json, english=True),
)
"""In the order in which they are made: the three that were named first come first."""


class Format:
    name = "format"
    version = 1
    traits = FamilyTraits(
        keeps_meaning=True,
        summary="punctuation, spaces, labels and layout",
        keeps_words=True,
        changes_form=True,
        shared_by_items=True,
        seeded=False,
        metadata_key=PERTURBATION_KIND,
        advice="layout matters: build prompts from one template and tidy spaces and punctuation first",
    )

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """The first `k` changes that apply; `seed` changes nothing."""
        text = varied_text(item.prompt)
        made: list[Variant] = []
        for change in CHANGES if text.strip() else ():
            if len(made) == k:
                break
            if change.english and not is_english(text):
                continue
            new = change.apply(text)
            if new != text and keeps_spans(*without_surface_form(text, new, change.name)):
                name = f"pert:{change.name}"
                made.append(reworded(item, new, name, self, change.name))
        return made


FORMAT = Format()
