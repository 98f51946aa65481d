"""Hashes and seeds that are the same on every machine and in every process."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from json.encoder import encode_basestring
from typing import Any

from otherwords.core.types import Item

_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def stable_hash(value: Any, length: int = 16) -> str:
    """Hex digest of `value` as canonical JSON."""
    return _digest(_CANONICAL.encode(value)).hex()[:length]


def derive_seed(seed: int, *parts: str) -> int:
    """A seed of its own for each item and family, so that adding one changes no other.

    It is the first 15 digits of their `stable_hash`; their JSON is put together here, since an encoder takes
    longer than all the rest.
    """
    text = ",".join([int.__repr__(seed), *map(encode_basestring, parts)])
    return int.from_bytes(_digest(f"[{text}]")[:8], "big") >> 4


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


def items_hash(items: Iterable[Item]) -> str:
    """Over what is asked and what is right, not over metadata, source or the order of the items."""
    contents = [
        [
            item.id,
            item.prompt if isinstance(item.prompt, str) else [asdict(message) for message in item.prompt],
            item.choices,
            item.target,
        ]
        for item in items
    ]
    return stable_hash(sorted(contents, key=lambda content: str(content[0])))
