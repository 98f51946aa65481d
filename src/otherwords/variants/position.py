"""The family `position`: the instruction before the data or after it, in the user's turn or in the system's.

Only the order changes: every paragraph comes back byte for byte. A prompt is taken apart only where one
paragraph clearly asks and the others clearly are what it asks about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherwords.core.types import Item, Message, Variant, varied_text
from otherwords.english.lexicon import Patterns
from otherwords.english.spans import mask
from otherwords.variants.base import RuleFamily, reworded
from otherwords.variants.prose import enclosed, is_labelled_data, tells

_SAYS = Patterns("position")


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """The instruction at the other end, then in the system's turn, where each may be."""
    text = varied_text(item.prompt)
    parts = _take_apart(text)
    if parts is None:
        return
    said, between, data, is_first = parts
    points_back = _SAYS.points_back.search(said)
    before, after = text[: -len(text.lstrip("\n"))], text[len(text.rstrip()) :]
    if not (_SAYS.points_on.search(said) or points_back or said.endswith(":")):
        halves = (data, said) if is_first else (said, data)
        name = "instruction-last" if is_first else "instruction-first"
        yield reworded(item, before + between.join(halves) + after, name, POSITION, name)
    # Not where the options are shown below the user's turn, nor within a longer conversation.
    turns = () if isinstance(item.prompt, str) else item.prompt
    roles = [turn.role for turn in turns]
    if not item.choices and not points_back and roles in ([], ["user"], ["system", "user"]):
        told = f"{turns[0].content}\n\n{said}" if roles[:1] == ["system"] else said
        chat = (Message("system", told), Message("user", before + data + after))
        yield reworded(item, chat, "system", POSITION, "system")


POSITION = RuleFamily("position", _variants)


def _take_apart(text: str) -> tuple[str, str, str, bool] | None:
    """Instruction, blank lines, data, and whether they come in that order; None where they are not apart."""
    masked = mask(text.lstrip("\n").rstrip())
    closed = enclosed(masked)  # blank lines in tagged, quoted or ruled blocks part nothing
    gaps = [
        gap.span()
        for gap in _SAYS.blank_lines.finditer(masked.text)
        if not any(a < gap.start() < b for a, b in closed)
    ]
    edges = [0, *(edge for gap in gaps for edge in gap), len(masked.text)]
    blocks = [masked.unmask(masked.text[a:b]) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    first = _asks(blocks[0]) and _is_data(blocks[1:], blocks[0])
    if not first:
        # Plain paragraphs before a question are what it is about only if it has a label.
        plain = not any(_asks(block) or _SAYS.cue.fullmatch(block) for block in blocks[:-1])
        matter = plain and _SAYS.asking_label.match(blocks[-1])
        if not gaps or not _asks(blocks[-1]) or not (matter or _is_data(blocks[:-1], blocks[-1])):
            return None
    start, end = gaps[0] if first else gaps[-1]
    head, between, tail = map(masked.unmask, (masked.text[:start], masked.text[start:end], masked.text[end:]))
    return (head, between, tail, True) if first else (tail, between, head, False)


def _is_data(blocks: Sequence[str], asked: str) -> bool:
    """A list is data only where the instruction speaks of one; else it may be part of the instruction."""
    if not blocks or _SAYS.shows_form.search(asked) or not all(map(_is_given, blocks)):
        return False
    items = _SAYS.listed.findall("\n".join(blocks))
    return not any(map(tells, items)) and (not items or _SAYS.means_a_list.search(asked) is not None)


def _asks(block: str) -> bool:
    """At most three lines, none of them of a list, that ask or tell somebody to do something."""
    if block.count("\n") > 2 or _SAYS.listed.search(block) or _is_given(block) or _SAYS.cue.fullmatch(block):
        return False
    return bool(_SAYS.asking_label.match(block) or tells(block) or block.endswith("?"))


def _is_given(block: str) -> bool:
    """A fence, a tagged or quoted block, a table, a list, indented code, or a labelled passage."""
    labelled = is_labelled_data(block) and not _SAYS.cue.fullmatch(block)
    return labelled or _SAYS.given.fullmatch(block) is not None
