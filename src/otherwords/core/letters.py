"""The letters that Inspect gives to options: A to Z, then 1, 2, …"""

from __future__ import annotations

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter_of(index: int) -> str:
    return _ALPHABET[index] if index < len(_ALPHABET) else str(index - len(_ALPHABET) + 1)


def index_of(letter: str) -> int | None:
    """The place that `letter` stands for, or None when it stands for none."""
    text = letter.strip().upper()
    if len(text) == 1 and text in _ALPHABET:
        return _ALPHABET.index(text)
    if text.isascii() and text.isdigit() and int(text) > 0:
        return len(_ALPHABET) + int(text) - 1
    return None
