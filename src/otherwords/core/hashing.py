"""Hashes of values and of sets of items, and seeds: the same on every machine and in every process."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from otherwords.core.types import Item, Prompt, Variant


def stable_hash(value: Any, length: int = 16) -> str:
    """Hex digest of `value` as canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def derive_seed(seed: int, *parts: str) -> int:
    """A seed of its own for each item and family, so that adding one changes no other."""
    return int(stable_hash([seed, *parts], 15), 16)


def items_hash(items: Iterable[Item]) -> str:
    """Over what is asked and what is right, not over metadata, source or the order of the items."""
    contents = [[item.id, _plain(item.prompt), item.choices, item.target] for item in items]
    return stable_hash(sorted(contents, key=lambda content: str(content[0])))


def wording_hash(original: Item | Variant, variant: Variant) -> str:
    """Over what a person sees who decides on a variant: the prompts and options of both."""
    shown = [[_plain(one.prompt), one.choices] for one in (original, variant)]
    return stable_hash(shown)


def _plain(prompt: Prompt) -> Any:
    return prompt if isinstance(prompt, str) else [asdict(message) for message in prompt]
