"""The family `format`: the same words in another layout, and `generate_perturbations`.

A prompt with code, a table or a quotation keeps its lists as they are: its lines are its matter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original, varied_text
from otherwords.english.language import is_english
from otherwords.english.lexicon import Patterns
from otherwords.english.normalize import without_surface_form
from otherwords.english.spans import MASK, Masked, mask, same_spans
from otherwords.variants import base, prose
from otherwords.variants.options import OPTIONS

PREAMBLE = "Read this carefully and respond."
_SAYS = Patterns("format", MASK=MASK, MASKS=MASK[1:-1])
_LONGEST_ITEM = 6
_NEXT_STYLE = {("", "."): ("(", ")"), ("(", ")"): ("", ")"), ("", ")"): ("", ".")}


def change_mark(text: str) -> str:
    """`?` at the very end becomes `.`; a point goes, as no question mark belongs on an instruction.

    Not where the prompt ends with data, nor where a mark at the sentence's start, as in Spanish, would be
    left alone.
    """
    masked = mask(text)
    body = masked.text.rstrip()
    mark = {"?": ".", ".": ""}.get(body[-1:])
    if mark is None or body[-2:-1] in (".", "?", "!", "…") or "¿" in body or not prose.ends_in_prose(masked):
        return text
    place = len(text) - len(masked.text) + len(body) - 1
    return text[:place] + mark + text[place + 1 :]


def normalise_spaces(text: str) -> str:
    """One space between words and after punctuation, on lines of prose; the others and all breaks stay."""

    def tidy(line: str) -> str:
        if _SAYS.kept_line.match(line):
            return line
        single = _SAYS.spaces.sub(" ", line.rstrip())
        return _SAYS.tight.sub(r"\g<0> ", single) + ("\r" if line.endswith("\r") else "")

    masked = mask(text)
    return masked.unmask(prose.edit_prose_lines(masked, tidy))


def add_preamble(text: str) -> str:
    """On a line of its own where the prompt opens with a list, a table, a heading or code."""
    masked = mask(text)
    opening = masked.kind_of(masked.text.lstrip()[:1])
    structured = opening in ("label", "fence") or _SAYS.structured_start.match(masked.text)
    return f"{PREAMBLE}\n\n{text}" if structured or text[:1].isspace() else f"{PREAMBLE} {text}"


def change_case(text: str) -> str:
    """Every sentence opens in lower case; a prompt that has it so opens with capitals. Names keep theirs."""
    capitals = prose.capital_openers(text)
    places = capitals or prose.small_openers(text)
    return prose.with_case(text, places, upper=not capitals)


def change_labels(text: str) -> str:
    """`A.` → `(A)` → `A)` → `A.`; the letter or number stays, so that what refers to it still does."""
    lines = text.split("\n")
    labels = {place: label for place, line in enumerate(lines) if (label := _SAYS.label.match(line))}
    elsewhere = "\n".join(line for place, line in enumerate(lines) if place not in labels)
    one_list = _is_one_list(list(labels.values())) and not _SAYS.refers_to_label.search(elsewhere)
    if not one_list or _has_structure(mask(text)):
        return text
    for place, label in labels.items():
        opening, closing = _NEXT_STYLE[label["open"], label["close"]]
        lines[place] = f"{label['indent']}{opening}{label['mark']}{closing}{lines[place][label.end() :]}"
    return "\n".join(lines)


def _is_one_list(labels: Sequence[re.Match[str]]) -> bool:
    """Whether the labels count up from A, a or 1 in one style."""
    styles = {(label["indent"], label["open"], label["close"]) for label in labels}
    marks = [label["mark"] for label in labels]
    numbers = [str(number + 1) for number in range(len(marks))]
    in_order = any(marks == [*one[: len(marks)]] for one in (ascii_uppercase, ascii_lowercase, numbers))
    return len(marks) > 1 and in_order and len(styles) == 1 and styles.pop()[1:] in _NEXT_STYLE


def list_to_prose(text: str) -> str:
    """`…:` and the prompt's one list, of short items, becomes one line: `…: one; two; three`."""
    match = _SAYS.bullets.search(text)
    if match is None or _has_structure(mask(text)):
        return text
    items = [_SAYS.bullet.sub("", line).strip() for line in match["items"].strip("\n").split("\n")]
    short = all(len(item.split()) <= _LONGEST_ITEM and not _SAYS.no_short_item.search(item) for item in items)
    if len(items) != len(_SAYS.bullet.findall(text)) or not short:
        return text
    ending = "\n" if match["items"].endswith("\n") else ""
    return f"{text[: match.start()]}{match['intro']}: {'; '.join(items)}{ending}{text[match.end() :]}"


def prose_to_list(text: str) -> str:
    """`… these: one, two, three.` becomes a list; where a question ends so, its mark goes before the list."""
    body = text.rstrip()
    if body.count(": ") != 1 or "\n" in body.lstrip():
        return text
    masked = mask(text)
    intro, _, listed = masked.text.rstrip().partition(": ")
    match = _SAYS.enumerated.fullmatch(listed)
    if match is None or not _SAYS.introduces.search(intro) or _has_structure(masked):
        return text
    items = _items(match["items"])
    plain = all(_SAYS.item.fullmatch(item) and not _SAYS.not_item.search(item) for item in items)
    if len(items) < 3 or not plain:
        return text
    mark = "?" if match["end"] == "?" else ":"
    lines = "".join(f"\n- {item}" for item in items)
    return masked.unmask(intro + mark + lines + masked.text[len(masked.text.rstrip()) :])


def _items(text: str) -> list[str]:
    if ";" in text and "," in text:
        return []
    *others, last = _SAYS.between.split(text.strip())
    if not others or _SAYS.ends_joined.search(text):
        return [*others, last]
    return [*others, *_SAYS.last_joined.split(last, maxsplit=1)]


def _has_structure(masked: Masked) -> bool:
    return "fence" in masked.kinds or bool(_SAYS.structured_line.search(masked.text))


def change_separator(text: str) -> str:
    """`Question: …` becomes `Question - …`; a question of one line that has no label gets one.

    All labels of a prompt change alike, also those of its examples and the last `Answer:`, or none does.
    """
    masked = mask(text)
    labels = _SAYS.labelled.findall(masked.text)
    if labels and len(labels) == len(_SAYS.like_a_label.findall(masked.text)):
        return masked.unmask(
            _SAYS.labelled.sub(lambda label: f"{label[1]} -{'' if label[0][-1] == ':' else ' '}", masked.text)
        )
    label = _label(text)
    one_line = "\n" not in text and any(stretch.start == 0 for stretch in prose.prose(masked))
    return f"{label}: {text}" if label and one_line and not labels else text


def to_markdown(text: str) -> str:
    """Under a title in bold; a prompt that is Markdown already stays as it is."""
    return text if _SAYS.markdown.search(text) else f"**{_label(text) or 'Prompt'}**\n\n{text}"


def to_plain(text: str) -> str:
    """Words in bold without their asterisks."""
    if "**" not in text:
        return text
    masked = mask(text)
    return masked.unmask(prose.edit_prose_lines(masked, lambda line: _SAYS.bold.sub(r"\1", line)))


def to_json(text: str) -> str:
    """An object of one field; not where lines or backslashes would no longer look like themselves."""
    if "\n" in text or "\\" in text or text.lstrip()[:1] in ("{", "["):
        return text
    return json.dumps({(_label(text) or "Prompt").lower(): text}, ensure_ascii=False)


def _label(text: str) -> str:
    """`Question`, `Task`, or nothing for what is clearly neither."""
    if text.rstrip().endswith("?"):
        return "Question"
    return "Task" if prose.tells(text) else ""


CHANGES: dict[str, Callable[[str], str]] = {
    "punct": change_mark,
    "space": normalise_spaces,
    "preamble": add_preamble,
    "case": change_case,
    "separator": change_separator,
    "enumerator": change_labels,
    "prose": list_to_prose,
    "list": prose_to_list,
    "markdown": to_markdown,
    "plain": to_plain,
    "json": to_json,
}
"""By name, in the order in which they are made: text → the new text, or the same where it does not apply."""
_OF_ENGLISH = frozenset(("preamble", "case", "separator", "list", "markdown", "json"))
"""They add English words or go by them, and are not made of prompts in other languages."""


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    text = varied_text(item.prompt)
    for change, apply in CHANGES.items() if text.strip() else ():
        new = apply(text) if change not in _OF_ENGLISH or is_english(text) else text
        if new != text and same_spans(*without_surface_form(text, new, change)):
            yield base.reworded(item, new, f"pert:{change}", FORMAT, change)


def _why_none(item: Item) -> str:
    if not varied_text(item.prompt).strip():
        return "the prompt is empty"
    return "it has no last mark, space, list or label to change, and is not in English"


FORMAT = base.RuleFamily("format", _variants, _why_none, metadata_key=PERTURBATION_KIND)
"""Changes of layout, marks and spaces."""
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
    options = base.require_choices(choices)
    target = base.require_whole("target_index", target_index)
    if not 0 <= target < len(options):
        raise InputError(f"target_index must be from 0 to {len(options) - 1}, got {target}")
    item = Item(id="stem", prompt=base.require_text("stem", stem), choices=options, target=target)
    k = base.require_count("k", k)
    made = [*FORMAT.candidates(item, k=_ALL, seed=0), *OPTIONS.candidates(item, k=_ALL, seed=0)]
    return [original(item), *[one for one in made if one.name in NAMES][:k]]
