"""The family `format`: the same words in another layout, and `generate_perturbations`.

A prompt with code, a table or a quotation keeps its lists as they are: its lines are its matter.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original, varied_text
from otherwords.english.language import is_english
from otherwords.english.lexicon import Patterns
from otherwords.english.normalize import without_surface_form
from otherwords.english.spans import MASK, mask, same_spans
from otherwords.variants import base
from otherwords.variants.options import OPTIONS
from otherwords.variants.prose import edit_prose_lines, prose, tells, with_small_openers

PREAMBLE = "Read this carefully and respond."
_SAYS = Patterns("format", MASK=MASK, MASKS=MASK[1:-1])
_NEXT_STYLE = {"A.": "(A)", "(A)": "A)", "A)": "A."}
_ORDERS = (ascii_uppercase, ascii_lowercase, "".join(map(str, range(1, 100))))


def change_mark(text: str) -> str:
    """`?` at the very end becomes `.`; a point goes, as no question mark belongs on an instruction.

    Not where the prompt ends with data, nor where a mark at the sentence's start, as in Spanish, would be
    left alone.
    """
    masked = mask(text)
    prose_end = max((end for _, end in prose(masked)), default=-1)
    if "¿" in text or prose_end < len(masked.text.rstrip()):
        return text
    return masked.unmask(_SAYS.last_mark.sub(lambda mark: "." if mark[0] == "?" else "", masked.text))


def normalise_spaces(text: str) -> str:
    """One space between words and after punctuation, on lines of prose; the others and all breaks stay."""

    def tidy(line: str) -> str:
        single = _SAYS.spaces.sub(" ", _SAYS.trailing.sub("", line))
        return line if _SAYS.kept_line.match(line) else _SAYS.tight.sub(r"\g<0> ", single)

    return edit_prose_lines(text, tidy)


def change_labels(text: str) -> str:
    """`A.` → `(A)` → `A)` → `A.`; the letter or number stays, so that what refers to it still does.

    Only where the labels of the whole prompt count up from A, a or 1 in one style.
    """
    labels = [*_SAYS.label.finditer(text)]
    marks = "".join(label["mark"] for label in labels)
    styles = {f"{label['open']}A{label['close']}" for label in labels}
    new = _NEXT_STYLE.get(styles.pop(), "") if len(labels) > 1 and len(styles) == 1 else ""
    in_order = any(order.startswith(marks) for order in _ORDERS)
    named = _SAYS.structured_line.search(text) or _SAYS.refers_to_label.search(_SAYS.label.sub("", text))
    if not new or not in_order or named:
        return text
    return _SAYS.label.sub(lambda label: label["indent"] + new.replace("A", label["mark"]), text)


def list_to_prose(text: str) -> str:
    """`…:` and the prompt's one list, of short items, becomes one line: `…: one; two; three`."""
    match = _SAYS.bullets.search(text)
    if match is None or _SAYS.structured_line.search(text):
        return text
    items = _SAYS.bullet.findall(match["items"])
    if len(items) != len(_SAYS.bullet.findall(text)) or not all(map(_SAYS.short_item.fullmatch, items)):
        return text
    ending = "\n" if match["items"].endswith("\n") else ""
    return f"{text[: match.start('items')].rstrip()} {'; '.join(items)}{ending}{text[match.end() :]}"


def prose_to_list(text: str) -> str:
    """`… these: one, two, three.` becomes a list; where a question ends so, its mark goes before the list."""
    masked = mask(text)
    match = _SAYS.enumerated.fullmatch(masked.text)
    if match is None or _SAYS.structured_line.search(text):
        return text
    *items, last = _SAYS.between.split(match["items"])
    joined = _SAYS.ends_joined.search(match["items"])
    items += [last] if joined else _SAYS.last_joined.split(last, maxsplit=1)
    if len(items) < 3 or not all(map(_SAYS.item.fullmatch, items)):
        return text
    mark = "?" if match["end"] == "?" else ":"
    return masked.unmask(match["intro"] + mark + "".join(f"\n- {item}" for item in items))


def change_separator(text: str) -> str:
    """`Question: …` becomes `Question - …`; a question of one line that has no label gets one.

    All labels of a prompt change alike, also those of its examples and the last `Answer:`, or none does.
    """
    masked = mask(text)
    labels = _SAYS.labelled.findall(masked.text)
    if labels and len(labels) == len(_SAYS.like_a_label.findall(masked.text)):
        return masked.unmask(_SAYS.labelled.sub(r"\1 -", masked.text))
    label = _label(text)
    one_line = "\n" not in text and any(start == 0 for start, _ in prose(masked))
    return f"{label}: {text}" if label != "Prompt" and one_line and not labels else text


def to_json(text: str) -> str:
    """An object of one field; not where lines or backslashes would no longer look like themselves."""
    if "\n" in text or "\\" in text or text.lstrip()[:1] in ("{", "["):
        return text
    return json.dumps({_label(text).lower(): text}, ensure_ascii=False)


def _label(text: str) -> str:
    """`Question`, `Task`, or `Prompt` for what is clearly neither."""
    if text.rstrip().endswith("?"):
        return "Question"
    return "Task" if tells(text) else "Prompt"


CHANGES: dict[str, Callable[[str], str]] = {
    "punct": change_mark,
    "space": normalise_spaces,
    "preamble": lambda text: PREAMBLE + ("\n\n" if _SAYS.structured_start.match(text) else " ") + text,
    "case": with_small_openers,
    "separator": change_separator,
    "enumerator": change_labels,
    "prose": list_to_prose,
    "list": prose_to_list,
    "markdown": lambda text: text if _SAYS.markdown.search(text) else f"**{_label(text)}**\n\n{text}",
    "plain": lambda text: edit_prose_lines(text, lambda line: _SAYS.bold.sub(r"\1", line)),
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


FORMAT = base.RuleFamily("format", _variants, metadata_key=PERTURBATION_KIND)
"""Changes of layout, marks and spaces."""
NAMES = ("pert:punct", "pert:space", "pert:preamble", "pert:order_swap", "pert:order_rev")


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
    made = [*_variants(item, 0), *OPTIONS.candidates(item, k=len(NAMES), seed=0)]
    k = base.require_whole("k", k, least=0)
    return [original(item), *[one for one in made if one.name in NAMES][:k]]
