"""How likely it is that two wordings do not ask the same, by a small model that is shipped.

`benchmarks/train_pair_model.py` makes it from labelled rewrites. The flag `wording` weighs it with others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import as_file, files
from typing import Any

from otherwords.core.errors import MissingDependencyError

LONGEST = 256
"""Tokens of a pair that are read; of two long texts the first half of them each."""
WEIGHTS = files("otherwords.checks") / "pair_weights"
_CLS, _SEP, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"


def log_odds(before: str, after: str) -> float:
    """Above 0 where it is more likely that the two do not ask the same; 0 where one of them is empty."""
    import numpy as np

    if not (before.strip() and after.strip()):
        return 0.0
    ids = _vocabulary()
    sides = [[ids[_CLS], *tokens(before)], tokens(after)]
    least = min(map(len, sides))
    longest = max(LONGEST // 2 - 1, LONGEST - 2 - least)
    sides = [[*side[:longest], ids[_SEP]] for side in sides]
    inputs = {"ids": [sides[0] + sides[1]], "types": [[0] * len(sides[0]) + [1] * len(sides[1])]}
    [[said]] = _session().run(None, {name: np.array(given) for name, given in inputs.items()})
    return float(said)


def tokens(text: str) -> list[int]:
    """The text as BERT's tokens: words and pieces of words, in lower case and without accents."""
    spaced = "".join(map(_spaced, unicodedata.normalize("NFD", text.lower())))
    return [piece for word in spaced.split() for piece in _pieces(word)]


def _spaced(char: str) -> str:
    """Punctuation and signs of Chinese stand alone; accents and control characters are left out."""
    kind = unicodedata.category(char)
    if kind in ("Mn", "Cf") or (kind == "Cc" and not char.isspace()):
        return ""
    is_sign = kind[0] == "P" or (char.isascii() and not char.isalnum() and not char.isspace())
    return f" {char} " if is_sign or "\u4e00" <= char <= "\u9fff" else char


def _pieces(word: str) -> Iterator[int]:
    """The longest pieces that are known, one after the other."""
    ids, found, start = _vocabulary(), list[int](), 0
    while start < len(word) <= 100:
        opens = "##" if start else ""
        ends = range(len(word), start, -1)
        end = next((one for one in ends if opens + word[start:one] in ids), 0)
        if not end:
            break
        found.append(ids[opens + word[start:end]])
        start = end
    yield from found if start == len(word) else [ids[_UNKNOWN]]


@cache
def _vocabulary() -> dict[str, int]:
    lines = (WEIGHTS / "vocabulary.txt").read_text("utf-8").splitlines()
    return {piece: place for place, piece in enumerate(lines)}


@cache
def _session() -> Any:
    """The model, loaded once per process, and run on one core: others run at the same time."""
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingDependencyError("The checks need onnxruntime.", "pip install onnxruntime") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    with as_file(WEIGHTS / "model.onnx") as path:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
