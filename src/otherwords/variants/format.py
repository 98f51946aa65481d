"""The family `format`: the same words in another layout, and `generate_perturbations`.

A prompt with code, a table or a quotation keeps its lists as they are: its lines are its matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.errors import InputError
from otherwords.core.registry import FamilyTraits
from otherwords.core.types import Item, Variant, original, varied_text
from otherwords.english.language import is_english
from otherwords.english.normalize import without_surface_form
from otherwords.variants.base import require_choices, require_count, require_text, require_whole, reworded
from otherwords.variants.options import OPTIONS
from otherwords.variants.prose import (
    capital_openers,
    edit_prose_lines,
    ends_in_prose,
    prose,
    small_openers,
    tells,
    with_case,
)
from otherwords.variants.protect import MASK, Masked, keeps_spans, mask

PREAMBLE = "Read this carefully and respond."
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
    """`?` at the very end becomes `.`; a point goes, as no question mark belongs on an instruction.

    Not where the prompt ends with data, nor where a mark at the sentence's start, as in Spanish, would be
    left alone.
    """
    masked = mask(text)
    body = masked.text.rstrip()
    mark = {"?": ".", ".": ""}.get(body[-1:])
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
    """Every sentence opens in lower case; a prompt that has it so opens with capitals. Names keep theirs."""
    capitals = capital_openers(text)
    if capitals:
        return with_case(text, capitals, upper=False)
    return with_case(text, small_openers(text), upper=True)


_LABEL = re.compile(r"(?P<indent>[ \t]*)(?P<open>\(?)(?P<mark>[A-Za-z]|\d{1,2})(?P<close>[.)])")
_NEXT_STYLE = {("", "."): ("(", ")"), ("(", ")"): ("", ")"), ("", ")"): ("", ".")}
_STRUCTURED_LINE = re.compile(r"^(?:[ \t]*[|>]|    \S|\t)", re.MULTILINE)
_BULLETS = re.compile(
    r"(?P<intro>^[^\n]*\S):[ \t]*\n(?P<items>(?:[-*•][ \t]+[^\n]+(?:\n|\Z)){2,})", re.MULTILINE
)
_BULLET = re.compile(r"^[-*•][ \t]+", re.MULTILINE)
_LONGEST_ITEM = 6
_INTRODUCES = re.compile(r"\b(?:following|these|list)\b")
_ENUMERATED = re.compile(r"(?P<items>[^:.?!()]+)(?P<end>[.?]?)")
_BETWEEN = re.compile(r"; (?:and |or )?|, (?:and |or )?")
_LAST_JOINED = re.compile(r" (?:and|or) ")
_ITEM = re.compile(rf"(?:[\w'’-]|{MASK})+(?: (?:[\w'’-]|{MASK})+){{0,2}}")
_NOT_ITEM = re.compile(
    r"\b(?:is|are|was|were|has|have|had|do|does|did|can|could|will|would|may|might|must|should|however"
    r"|then|so|if|which"
    r"|that|because|respectively|etc)\b"
)


def change_labels(text: str) -> str:
    """`A.` → `(A)` → `A)` → `A.`; the letter or number stays, so that what refers to it still does."""
    masked = mask(text)
    if _has_structure(masked):
        return text
    lines = text.split("\n")
    run = _labelled_run(lines)
    if not run:
        return text
    first = run[0][1]
    style = (first["open"], first["close"])
    elsewhere = "\n".join(line for place, line in enumerate(lines) if place not in dict(run))
    if re.search(r"\([A-Za-z0-9]{1,2}\)|\b[A-Z][.)](?=\s)", elsewhere):
        return text
    opening, closing = _NEXT_STYLE[style]
    for place, label in run:
        lines[place] = f"{label['indent']}{opening}{label['mark']}{closing}{lines[place][label.end() :]}"
    return "\n".join(lines)


def _labelled_run(lines: list[str]) -> list[tuple[int, re.Match[str]]]:
    """The labels of the one list in `lines`, which count up from A, a or 1 in one style; else nothing."""
    found = [
        (place, label)
        for place, line in enumerate(lines)
        if (label := _LABEL.match(line)) and _spaced(line, label)
    ]
    if len(found) < 2:
        return []
    first = found[0][1]
    style = (first["indent"], first["open"], first["close"])
    counted = [_counted(first["mark"], number) for number in range(len(found))]
    same = all((label["indent"], label["open"], label["close"]) == style for _, label in found)
    in_order = [label["mark"] for _, label in found] == counted
    return found if same and in_order and style[1:] in _NEXT_STYLE else []


def _spaced(line: str, label: re.Match[str]) -> bool:
    return line[label.end() : label.end() + 1] in (" ", "\t")


def _counted(first: str, number: int) -> str:
    if first not in ("A", "a", "1"):
        return ""
    return str(1 + number) if first == "1" else chr(ord(first) + number)


def list_to_prose(text: str) -> str:
    """`…:` and the prompt's one list, of short items, becomes one line: `…: one; two; three`."""
    match = _BULLETS.search(text)
    if match is None or _has_structure(mask(text)):
        return text
    items = [_BULLET.sub("", line).strip() for line in match["items"].strip("\n").split("\n")]
    if len(items) != len(_BULLET.findall(text)) or not all(_short(item) for item in items):
        return text
    ending = "\n" if match["items"].endswith("\n") else ""
    return f"{text[: match.start()]}{match['intro']}: {'; '.join(items)}{ending}{text[match.end() :]}"


def _short(item: str) -> bool:
    return len(item.split()) <= _LONGEST_ITEM and ";" not in item and item[-1:] not in ".?!:,"


def prose_to_list(text: str) -> str:
    """`… these: one, two, three.` becomes a list; where a question ends so, its mark goes before the list."""
    body = text.rstrip()
    if body.count(": ") != 1 or "\n" in body.lstrip():
        return text
    masked = mask(text)
    intro, _, listed = masked.text.rstrip().partition(": ")
    match = _ENUMERATED.fullmatch(listed)
    if match is None or not _INTRODUCES.search(intro) or _has_structure(masked):
        return text
    items = _items(match["items"])
    if len(items) < 3 or not all(_ITEM.fullmatch(item) and not _NOT_ITEM.search(item) for item in items):
        return text
    mark = "?" if match["end"] == "?" else ":"
    lines = "".join(f"\n- {item}" for item in items)
    return masked.unmask(intro + mark + lines + masked.text[len(masked.text.rstrip()) :])


def _items(text: str) -> list[str]:
    if ";" in text and "," in text:
        return []
    *others, last = _BETWEEN.split(text.strip())
    if not others or re.search(r"[,;] (?:and|or) ", text):
        return [*others, last]
    return [*others, *_LAST_JOINED.split(last, maxsplit=1)]


def _has_structure(masked: Masked) -> bool:
    return "fence" in masked.kinds or bool(_STRUCTURED_LINE.search(masked.text))


_LABELS = """
    Question Q Problem Task Instruction Instructions Context Passage Text Input Premise Hypothesis Answer A
    Output Statement Sentence Title Document Article Review Fact Facts Background Scenario Topic Claim Label
    Response Sentiment Category Translation Summary Solution Goal Example Examples Explanation Reasoning
"""
_LABELLED = re.compile(
    rf"^((?:{'|'.join(_LABELS.split())})(?: ?(?:\d{{1,2}}|{MASK}))?):(?:[ \t]+(?=\S)|(?=[ \t]*$))",
    re.MULTILINE,
)
_LIKE_A_LABEL = re.compile(rf"^(?:[A-Z]|{MASK})(?:[\w ]|{MASK}){{0,24}}:(?=\s|$)", re.MULTILINE)
_BOLD = re.compile(r"(?<![^\s(])\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?![^\s).,;:?!])")
_MARKDOWN = re.compile(r"^ {0,3}#{1,6} |\*\*|^ {0,3}[=-]{3,}\s*$", re.MULTILINE)


def change_separator(text: str) -> str:
    """`Question: …` becomes `Question - …`; a question of one line that has no label gets one.

    All labels of a prompt change alike, also those of its examples and the last `Answer:`, or none does.
    """
    masked = mask(text)
    labels = _LABELLED.findall(masked.text)
    if labels and len(labels) == len(_LIKE_A_LABEL.findall(masked.text)):
        changed = _LABELLED.sub(
            lambda match: f"{match[1]} -{' ' if match[0][-1] != ':' else ''}", masked.text
        )
        return masked.unmask(changed)
    label = _label(text)
    opens_with_prose = label and "\n" not in text and any(stretch.start == 0 for stretch in prose(masked))
    return f"{label}: {text}" if opens_with_prose and not labels else text


def to_markdown(text: str) -> str:
    """Under a title in bold; a prompt that is Markdown already stays as it is."""
    return text if _MARKDOWN.search(text) else f"**{_label(text) or 'Prompt'}**\n\n{text}"


def to_plain(text: str) -> str:
    """Words in bold without their asterisks."""
    if "**" not in text:
        return text
    masked = mask(text)
    return masked.unmask(edit_prose_lines(masked, lambda line: _BOLD.sub(r"\1", line)))


def to_json(text: str) -> str:
    """An object of one field; not where lines or backslashes would no longer look like themselves."""
    if "\n" in text or "\\" in text or text.lstrip()[:1] in ("{", "["):
        return text
    return json.dumps({(_label(text) or "Prompt").lower(): text}, ensure_ascii=False)


def _label(text: str) -> str:
    """`Question`, `Task`, or nothing for what is clearly neither."""
    if text.rstrip().endswith("?"):
        return "Question"
    return "Task" if tells(text) else ""


class Change(NamedTuple):
    """One change of format."""

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
    """Changes of layout, marks and spaces."""

    name = "format"
    version = 2
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

    def why_none(self, item: Item) -> str:
        """Why none of the changes applies."""
        if not varied_text(item.prompt).strip():
            return "the prompt is empty"
        return "it has no last mark, space, list or label to change, and is not in English"


FORMAT = Format()


NAMES = ("pert:punct", "pert:space", "pert:preamble", "pert:order_swap", "pert:order_rev")
_ALL = 100


def generate_perturbations(stem: str, choices: Sequence[str], target_index: int, k: int = 3) -> list[Variant]:
    """Change the format of a multiple-choice question or the order of its options.

    Args:
        stem: The question.
        choices: Its options, at least two.
        target_index: Which of them is right.
        k: Most perturbations.

    Returns:
        The original as the variant `orig`, then up to `k` of punct, space, preamble, order_swap and
        order_rev, in that order, each with the right option where it is now. One that would change nothing
        is not made, and the next takes its place.

    Raises:
        InputError: An argument is of the wrong type or out of range.

    Example:
        >>> from otherwords import generate_perturbations
        >>> made = generate_perturbations("Which is a fish?", ["cod", "cow"], target_index=0, k=1)
        >>> [(one.name, one.prompt) for one in made]
        [('orig', 'Which is a fish?'), ('pert:punct', 'Which is a fish.')]
    """
    options = require_choices(choices)
    target = require_whole("target_index", target_index)
    if not 0 <= target < len(options):
        raise InputError(f"target_index must be from 0 to {len(options) - 1}, got {target}")
    item = Item(id="stem", prompt=require_text("stem", stem), choices=options, target=target)
    k = require_count("k", k)
    made = [*FORMAT.candidates(item, k=_ALL, seed=0), *OPTIONS.candidates(item, k=_ALL, seed=0)]
    return [original(item), *[one for one in made if one.name in NAMES][:k]]
