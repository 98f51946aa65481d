"""Hashes and seeds that are the same on every machine and in every process."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def stable_hash(value: Any, length: int = 16) -> str:
    """Hex digest of `value` as canonical JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]


def derive_seed(seed: int, *parts: str) -> int:
    """A seed of its own for each item and family, so that adding one changes no other."""
    return int(stable_hash([seed, *parts], 15), 16)
