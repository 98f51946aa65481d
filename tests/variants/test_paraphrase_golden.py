"""Real-looking prompts of many sorts and everything the rules make of them, written down to be read.

    python tests/variants/test_paraphrase_golden.py

writes golden/paraphrases.txt again after a change to a rule. Read its diff line by line: each line has to be
good English and has to mean what the prompt means.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from otherwords.checks import vet
from otherwords.core.types import Item, Message, Variant, varied_text
from otherwords.english.spans import protected_texts
from otherwords.variants.paraphrase import PARAPHRASE

FOLDER = Path(__file__).with_name("golden")
PROMPTS = [json.loads(line) for line in (FOLDER / "prompts.jsonl").read_text(encoding="utf-8").splitlines()]
GOLDEN = FOLDER / "paraphrases.txt"
SHOWN = 6
SORTS = sorted({prompt["sort"] for prompt in PROMPTS})


def item_of(place: int, prompt: dict[str, Any]) -> Item:
    said = prompt["prompt"]
    chat = said if isinstance(said, str) else tuple(Message(one["role"], one["content"]) for one in said)
    return Item(str(place), chat)


ITEMS = [item_of(place, prompt) for place, prompt in enumerate(PROMPTS)]


def made_of(item: Item, k: int = SHOWN) -> list[Variant]:
    return PARAPHRASE.candidates(item, k=k, seed=0)


def changes(before: str, after: str) -> str:
    """Each change with a word on either side; a line break as ⏎."""
    old, new = (re.findall(r"\s*\S+", text) for text in (before, after))
    said = []
    for kind, start, end, begin, stop in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            left, right = "".join(old[max(0, start - 1) : start]), "".join(old[end : end + 1])
            pair = f"[{''.join(old[start:end]).strip()} → {''.join(new[begin:stop]).strip()}]"
            said.append(f"{left.strip()} {pair} {right.strip()}".strip())
    return " | ".join(said).replace("\n", "⏎")


def golden() -> str:
    """Short prompts are reworded in full; of long ones only the changes are shown."""
    lines: list[str] = []
    for prompt, item in zip(PROMPTS, ITEMS, strict=True):
        text = varied_text(item.prompt)
        lines.append(f"# {prompt['sort']}: {text}".replace("\n", "\n  "))
        for variant in made_of(item):
            new = varied_text(variant.prompt)
            short = len(text) < 120 and "\n" not in text
            lines.append(f"    {variant.change}: {new if short else changes(text, new)}")
    return "\n".join(lines) + "\n"


def test_a_change_to_a_rule_shows_as_a_diff() -> None:
    assert golden() == GOLDEN.read_text(encoding="utf-8")


def test_there_are_enough_prompts_of_every_sort() -> None:
    counts = Counter(prompt["sort"] for prompt in PROMPTS)
    assert len(PROMPTS) >= 200
    assert min(counts.values()) >= 10
    assert sum(len(varied_text(item.prompt).split()) >= 130 for item in ITEMS) >= 12


@pytest.mark.parametrize("sort", SORTS)
def test_three_are_accepted_on_nearly_every_prompt(sort: str) -> None:
    items = [item for prompt, item in zip(PROMPTS, ITEMS, strict=True) if prompt["sort"] == sort]
    reached = sum(sum(one.accepted for one in vet(item, made_of(item))) >= 3 for item in items)
    assert reached / len(items) >= 0.95


@pytest.mark.parametrize("item", ITEMS, ids=[f"{prompt['sort']}-{n}" for n, prompt in enumerate(PROMPTS)])
def test_spans_lines_and_the_rest_of_the_chat_stay_and_nothing_is_made_twice(item: Item) -> None:
    text = varied_text(item.prompt)
    seen = {" ".join(text.casefold().split())}
    for variant in made_of(item, k=40):
        new = varied_text(variant.prompt)
        assert protected_texts(new) == protected_texts(text)
        assert new.count("\n") == text.count("\n")
        plain = " ".join(new.casefold().split())
        assert plain not in seen
        seen.add(plain)
        if not isinstance(item.prompt, str):
            assert variant.prompt[:-1] == item.prompt[:-1]


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
