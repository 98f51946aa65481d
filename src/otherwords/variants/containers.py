"""What a prompt is put into: a label and its separator, Markdown, JSON."""

from __future__ import annotations

import json
import re

from otherwords.variants.openers import tells
from otherwords.variants.prose import edit_prose_lines, prose
from otherwords.variants.protect import MASK, mask

_LABELS = """
    Question Q Problem Task Instruction Instructions Context Passage Text Input Premise Hypothesis
    Statement Sentence Title Document Article Review Fact Facts Background Scenario Topic Claim
"""
_LABELLED = re.compile(
    rf"^((?:{'|'.join(_LABELS.split())})(?: ?(?:\d{{1,2}}|{MASK}))?):[ \t]+(?=\S)", re.MULTILINE
)
_BOLD = re.compile(r"(?<![^\s(])\*\*(?=[^\s*])([^*\n]*[^\s*])\*\*(?![^\s).,;:?!])")
_MARKDOWN = re.compile(r"^ {0,3}#{1,6} |\*\*|^ {0,3}[=-]{3,}\s*$", re.MULTILINE)


def change_separator(text: str) -> str:
    """`Question: …` becomes `Question - …`; a question of one line that has no label gets one."""
    masked = mask(text)
    new, count = _LABELLED.subn(r"\1 - ", masked.text)
    if count:
        return masked.unmask(new)
    label = _label(text)
    opens_with_prose = label and "\n" not in text and any(stretch.start == 0 for stretch in prose(masked))
    return f"{label}: {text}" if opens_with_prose else text


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
