"""The dress of a prompt: what a variant may change on purpose, so that the checks look at the rest.

A variant in JSON says its words inside quotation marks, one with other list labels has lost the old ones,
and one whose instruction moved says the same lines in another order. Each is taken back to what must have
stayed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from otherwords.core.changes import sentences
from otherwords.core.memory import OF_AN_ITEM
from otherwords.core.prompts import varied_text
from otherwords.core.spans import OPENS_SPAN, find_spans
from otherwords.core.types import Item, Prompt, Variant

_LABEL = r"[ \t]*(?:\([A-Za-z0-9]{1,2}\)|(?:[A-Za-z]|\d{1,2})[.)]|[-*•])[ \t]+"
_LABELLED_LINE = re.compile(rf"^{_LABEL}", re.MULTILINE)
_LIST_LINE = re.compile(rf"\n{_LABEL}")
_LAST_MARK = re.compile(r"[a-z]{2}[.?]")
_OPENER = re.compile(rf"(?!{OPENS_SPAN})([A-Z])(?:[a-z]+[ ,]| [a-z]{{2}})")
_BLANK_LINES = re.compile(r"(?:\A|\n)(?:[ \t]*\n)+")


def compared_texts(item: Item, variant: Variant) -> tuple[str, str]:
    """What the original says and what the variant says, with nothing in which they may differ by design."""
    if variant.kind == "position":
        return _paragraphs(item.prompt), _paragraphs(variant.prompt)
    before, after = varied_text(item.prompt), varied_text(variant.prompt)
    return bare_texts(before, after, variant.change) if variant.kind == "format" else (before, after)


@lru_cache(maxsize=OF_AN_ITEM)
def bare_texts(before: str, after: str, change: str) -> tuple[str, str]:
    """Both without what the change of format named `change` may alter."""
    if (change == "punct" and _differ_in_last_mark(before, after)) or (
        change == "case" and _differ_in_openers(before, after)
    ):
        return before, before
    return undressed(before, change), undressed(after, change)


def undressed(text: str, change: str) -> str:
    """`text` without what the change of format named `change` may alter."""
    if change == "json":
        return _inside_json(text)
    if change == "enumerator":
        return _LABELLED_LINE.sub("- ", text)
    if change in ("list", "prose"):
        return _LIST_LINE.sub(" ", text)
    return text


def _differ_in_last_mark(before: str, after: str) -> bool:
    """After a plain word."""
    return before[:-1] == after[:-1] and bool(_LAST_MARK.match(before[-3:]) and _LAST_MARK.match(after[-3:]))


def _differ_in_openers(before: str, after: str) -> bool:
    """Sentences that open with a plain word open with it in lower case."""
    start = 0
    for sentence in sentences(before):
        if not after.startswith(sentence, start):
            opener = _OPENER.match(sentence)
            if opener is None or not after.startswith(opener[1].lower() + sentence[opener.end(1) :], start):
                return False
        start += len(sentence)
    return 0 < start == len(after)


def _inside_json(text: str) -> str:
    """The one text in an object of one field; anything else is returned as it is."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    said = list(read.values()) if isinstance(read, dict) else []
    return said[0] if len(said) == 1 and isinstance(said[0], str) else text


def _paragraphs(prompt: Prompt) -> str:
    """Of all turns, in an order that does not depend on theirs; white space around them is not compared."""
    texts = [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
    parts = (part.rstrip() for text in texts for part in _parted(text))
    return "\n\n".join(sorted(part for part in parts if part))


def _parted(text: str) -> Iterator[str]:
    """At the blank lines, but for those in fenced code."""
    fences = [span for span in find_spans(text) if span.kind == "fence"]
    end = 0
    for gap in _BLANK_LINES.finditer(text):
        if not any(fence.start < gap.start() < fence.end for fence in fences):
            yield text[end : gap.start()]
            end = gap.end()
    yield text[end:]
