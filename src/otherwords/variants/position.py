"""The family `position`: the instruction before the data or after it, in the user's turn or in the system's.

Only the order changes: every paragraph comes back byte for byte. A prompt is taken apart only where one
paragraph clearly asks and the others clearly are what it asks about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from otherwords.core.types import Item, Message, Variant, varied_text
from otherwords.english.lexicon import Patterns
from otherwords.english.spans import MASK, Masked, mask
from otherwords.variants.base import RuleFamily, reworded
from otherwords.variants.prose import enclosed, is_labelled_data, tells

_SAYS = Patterns("position")
_MOST_INSTRUCTION_LINES = 3


class Parts(NamedTuple):
    instruction: str
    data: str
    between: str
    """The blank lines that part them."""
    before: str
    after: str
    """White space around the whole."""
    first: bool
    """The instruction comes before the data."""


def _why_none(item: Item) -> str:
    if take_apart(varied_text(item.prompt)) is None:
        return "the instruction does not clearly stand apart from the data"
    return "the instruction points at what stands before or after it"


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """The instruction at the other end, then in the system's turn, where each may be."""
    parts = take_apart(varied_text(item.prompt))
    if parts is None:
        return
    said, points_back = parts.instruction, _SAYS.points_back.search(parts.instruction)
    if not (_SAYS.points_on.search(said) or points_back or said.endswith(":")):
        halves = (parts.data, said) if parts.first else (said, parts.data)
        text = parts.before + parts.between.join(halves) + parts.after
        name = "instruction-last" if parts.first else "instruction-first"
        yield reworded(item, text, name, POSITION, name)
    # Not where the options are shown below the user's turn, nor within a longer conversation.
    turns = () if isinstance(item.prompt, str) else item.prompt
    roles = [turn.role for turn in turns]
    if not item.choices and not points_back and roles in ([], ["user"], ["system", "user"]):
        told = f"{turns[0].content}\n\n{said}" if roles[:1] == ["system"] else said
        chat = (Message("system", told), Message("user", parts.before + parts.data + parts.after))
        yield reworded(item, chat, "system", POSITION, "system")


POSITION = RuleFamily("position", _variants, _why_none)


def take_apart(text: str) -> Parts | None:
    """Instruction and data, or None where they are not clearly apart."""
    masked = mask(text)
    start = len(masked.text) - len(_SAYS.blank_start.sub("", masked.text))
    end = max(start, len(masked.text.rstrip()))
    closed = enclosed(masked)  # blank lines in tagged, quoted or ruled blocks part nothing
    gaps = [
        gap
        for gap in _SAYS.blank_lines.finditer(masked.text, start, end)
        if not any(a < gap.start() < b for a, b in closed)
    ]
    if not gaps:
        return None
    edges = [start, *(edge for gap in gaps for edge in gap.span()), end]
    blocks = [masked.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    if _asks(masked, blocks[0]) and _all_data(masked, blocks[1:], asked=blocks[0]):
        first, cut = True, gaps[0]
    elif _asks(masked, blocks[-1]) and _is_matter(masked, blocks[:-1], asked=blocks[-1]):
        first, cut = False, gaps[-1]
    else:
        return None
    head, tail = masked.unmask(masked.text[start : cut.start()]), masked.unmask(masked.text[cut.end() : end])
    said, data = (head, tail) if first else (tail, head)
    return Parts(said, data, cut.group(), masked.text[:start], masked.text[end:], first)


def _is_matter(masked: Masked, blocks: list[str], *, asked: str) -> bool:
    """What stands before a question; plain paragraphs are a passage only if the question has a label."""
    plain = not any(_asks(masked, block) or _SAYS.cue.fullmatch(block) for block in blocks)
    return bool(plain and _SAYS.asking_label.match(asked)) or _all_data(masked, blocks, asked=asked)


def _all_data(masked: Masked, blocks: list[str], *, asked: str) -> bool:
    """A list is data only where the instruction speaks of one; else it may be part of the instruction."""
    if _SAYS.shows_form.search(asked) or not all(_is_data(masked, block) for block in blocks):
        return False
    lines = masked.unmask("\n".join(blocks)).split("\n")
    items = [line for line in lines if _SAYS.listed.match(line)]
    told = any(tells(_SAYS.listed.sub("", item, count=1)) for item in items)
    return not told and (not items or bool(_SAYS.means_a_list.search(asked)))


def _asks(masked: Masked, block: str) -> bool:
    lines = block.split("\n")
    if len(lines) > _MOST_INSTRUCTION_LINES or any(_SAYS.listed.match(masked.unmask(line)) for line in lines):
        return False
    if _is_data(masked, block) or _SAYS.cue.fullmatch(block):
        return False
    labelled = _SAYS.asking_label.match(block) or _SAYS.opens_with_phrase.match(block)
    return bool(labelled or tells(block) or block.endswith("?"))


def _is_data(masked: Masked, block: str) -> bool:
    """A fence, a tagged or quoted block, a table, a list, indented code, or a labelled passage."""
    if re.fullmatch(rf"\s*{MASK}\s*", block):
        return masked.kind_of(block.strip()) in ("fence", "quoted", "formula")
    if _SAYS.quoted.fullmatch(block) or _SAYS.tagged.fullmatch(masked.unmask(block)):
        return True
    if is_labelled_data(block) and not _SAYS.cue.fullmatch(block):
        return True
    lines = block.split("\n")
    first = {line.lstrip()[:1] for line in lines}
    indented = all(line.startswith(("    ", "\t")) for line in lines)
    listed = all(_SAYS.listed.match(masked.unmask(line)) for line in lines)
    return first in ({"|"}, {">"}) or indented or listed
