"""The family `position`: the instruction before the data or after it, in the user's turn or in the system's.

Only the order changes: every paragraph comes back byte for byte. A prompt is taken apart only where one
paragraph clearly asks and the others clearly are what it asks about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from otherwords.core.registry import FamilyTraits
from otherwords.core.types import Item, Message, Prompt, Variant, varied_text, with_varied_text
from otherwords.variants.base import reprompted
from otherwords.variants.prose import DATA_LABEL, enclosed, tells
from otherwords.variants.protect import MASK, Masked, mask

_BLANK_START = re.compile(r"\A(?:[ \t]*\n)+")
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_ASKING_LABEL = re.compile(r"(?:Question|Q|Task|Instructions?|Request)(?: ?\d{1,2})?:\s*\S", re.IGNORECASE)
_POINTS_ON = re.compile(r"\b(?:following|below|beneath|next|here (?:is|are)|as follows)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"\b(?:above|preceding|previous|foregoing|aforementioned|earlier|you (?:just )?read)\b", re.IGNORECASE
)
_CUE = re.compile(
    r"(?:The )?(?:Answers?|A|Output|Response|Solution|Summary|Translation|Result|Label)(?: is)?:?\s*",
    re.IGNORECASE,
)
_SHOWS_FORM = re.compile(
    r"\b(?:format|templates?|examples?|like this|as shown|schema|in the form)\b", re.IGNORECASE
)
"""What follows such an instruction is part of it."""
_MEANS_A_LIST = re.compile(
    r"\b(?:these|following|below|each of"
    r"|the (?:list|items|words|names|numbers|sentences|statements|options))\b",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:[A-Za-z]|\d{1,2})[.)])[ \t]")
_OPENS_WITH_PHRASE = re.compile(r"(?:Using|Based on|According to|Given) ")
_MOST_INSTRUCTION_LINES = 3


@dataclass(frozen=True, slots=True)
class Parts:
    instruction: str
    data: str
    between: str
    """The blank lines that part them."""
    before: str
    after: str
    """White space around the whole."""
    first: bool
    """The instruction comes before the data."""


class Position:
    """The instruction in another place."""

    name = "position"
    version = 1
    traits = FamilyTraits(
        keeps_meaning=True,
        summary="the order of question and context",
        keeps_words=True,
        changes_form=True,
        moves_text=True,
        english_only=True,  # it is English words that tell whether a part may move: "the text above"
        shared_by_items=True,
        advice="where the question stands in the prompt matters: keep instructions and question together",
    )

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """`instruction-last` or `instruction-first`, then `system`; `seed` changes nothing."""
        parts = take_apart(varied_text(item.prompt))
        if parts is None:
            return []
        moved = [*_other_end(item, parts), *_to_system(item, parts)]
        return [
            reprompted(item, prompt, name=name, family=self, change=name)
            for name, prompt in moved[: max(k, 0)]
        ]

    def why_none(self, item: Item) -> str:
        """Why nothing can be moved."""
        if take_apart(varied_text(item.prompt)) is None:
            return "the instruction does not clearly stand apart from the data"
        return "the instruction points at what stands before or after it"


POSITION = Position()


def _other_end(item: Item, parts: Parts) -> Iterator[tuple[str, Prompt]]:
    if _POINTS_ON.search(parts.instruction) or _POINTS_BACK.search(parts.instruction):
        return
    if parts.instruction.endswith(":"):
        return
    halves = (parts.data, parts.instruction) if parts.first else (parts.instruction, parts.data)
    text = parts.before + parts.between.join(halves) + parts.after
    name = "instruction-last" if parts.first else "instruction-first"
    yield name, with_varied_text(item.prompt, text)


def _to_system(item: Item, parts: Parts) -> Iterator[tuple[str, Prompt]]:
    """Not where the options are shown below the user's turn, nor within a longer conversation."""
    turns = () if isinstance(item.prompt, str) else item.prompt
    roles = [turn.role for turn in turns]
    if (
        item.choices
        or _POINTS_BACK.search(parts.instruction)
        or roles not in ([], ["user"], ["system", "user"])
    ):
        return
    told = f"{turns[0].content}\n\n{parts.instruction}" if roles[:1] == ["system"] else parts.instruction
    yield "system", (Message("system", told), Message("user", parts.before + parts.data + parts.after))


def take_apart(text: str) -> Parts | None:
    """Instruction and data, or None where they are not clearly apart."""
    masked = mask(text)
    start = len(masked.text) - len(_BLANK_START.sub("", masked.text))
    end = max(start, len(masked.text.rstrip()))
    gaps = _gaps(masked, start, end)
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
    return Parts(
        instruction=head if first else tail,
        data=tail if first else head,
        between=cut.group(),
        before=masked.text[:start],
        after=masked.text[end:],
        first=first,
    )


def _gaps(masked: Masked, start: int, end: int) -> list[re.Match[str]]:
    """The blank lines that stand in no tagged, quoted or ruled block."""
    blocks = enclosed(masked)
    return [
        gap
        for gap in _BLANK_LINES.finditer(masked.text, start, end)
        if not any(a < gap.start() < b for a, b in blocks)
    ]


def _is_matter(masked: Masked, blocks: list[str], *, asked: str) -> bool:
    """What stands before a question; plain paragraphs are a passage only if the question has a label."""
    if _ASKING_LABEL.match(asked) and not any(
        _asks(masked, block) or _CUE.fullmatch(block) for block in blocks
    ):
        return True
    return _all_data(masked, blocks, asked=asked)


def _all_data(masked: Masked, blocks: list[str], *, asked: str) -> bool:
    """A list is data only where the instruction speaks of one; else it may be part of the instruction."""
    if _SHOWS_FORM.search(asked) or not all(_is_data(masked, block) for block in blocks):
        return False
    items = [line for block in blocks for line in masked.unmask(block).split("\n") if _LISTED.match(line)]
    if any(tells(_LISTED.sub("", item, count=1)) for item in items):
        return False
    return not items or bool(_MEANS_A_LIST.search(asked))


def _asks(masked: Masked, block: str) -> bool:
    lines = block.split("\n")
    if len(lines) > _MOST_INSTRUCTION_LINES or any(_LISTED.match(masked.unmask(line)) for line in lines):
        return False
    if _is_data(masked, block) or _CUE.fullmatch(block):
        return False
    labelled = _ASKING_LABEL.match(block) or _OPENS_WITH_PHRASE.match(block)
    return bool(labelled or tells(block) or block.endswith("?"))


def _is_data(masked: Masked, block: str) -> bool:
    """A fence, a tagged or quoted block, a table, a list, indented code, or a labelled passage."""
    lines = block.split("\n")
    if re.fullmatch(rf"\s*{MASK}\s*", block):
        return masked.kind_of(block.strip()) in ("fence", "quoted", "formula")
    if block.lstrip().startswith(('"""', "'''", '""', "''")) and block.rstrip().endswith(('"', "'")):
        return True
    if _tagged(masked, block) or (DATA_LABEL.match(block) and not _CUE.fullmatch(block)):
        return True
    return any(
        all(test(line) for line in lines)
        for test in (
            lambda line: line.lstrip().startswith("|"),
            lambda line: line.lstrip().startswith(">"),
            lambda line: line.startswith(("    ", "\t")),
            lambda line: bool(_LISTED.match(masked.unmask(line))),
        )
    )


def _tagged(masked: Masked, block: str) -> bool:
    whole = masked.unmask(block).strip()
    opening = re.match(r"<(\w[\w-]*)[^>\n]*>", whole)
    return bool(opening and whole.endswith(f"</{opening[1]}>"))
