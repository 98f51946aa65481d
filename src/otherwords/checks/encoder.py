"""BERT and RoBERTa in numpy: the two kinds of small model that sentence embeddings and entailment need.

They are a few matrix products. A deep-learning framework would cost the user two gigabytes for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KINDS = ("bert", "roberta", "xlm-roberta")
_BATCH_TOKENS = 1024
"""Few enough that a layer stays in the processor's cache."""
_ERF_SCALE = 0.3275911
_ERF_SERIES = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


class Encoder:
    """Loads `config.json`, `tokenizer.json` and `model.safetensors` of `folder`."""

    def __init__(self, folder: Path) -> None:
        import numpy as np
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.config: dict[str, Any] = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._require_known(folder)
        for name in ("tokenizer.json", "model.safetensors"):
            if not (folder / name).is_file():
                raise InputError(f"{name} is missing", file=folder)
        tensors = load_file(folder / "model.safetensors")
        prefix = next(
            (name.split(".")[0] + "." for name in tensors if name.startswith(("bert.", "roberta."))), ""
        )
        self.tensors: dict[str, Floats] = {
            name.removeprefix(prefix): tensor.astype(np.float32) for name, tensor in tensors.items()
        }
        self.tokenizer: Any = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        offset = self.config.get("pad_token_id", 1) + 1 if self.is_roberta else 0
        self.first_position = offset
        self.longest: int = self.config["max_position_embeddings"] - offset

    @property
    def is_roberta(self) -> bool:
        return bool(self.config["model_type"] != "bert")

    def _require_known(self, folder: Path) -> None:
        kind, act = self.config.get("model_type"), self.config.get("hidden_act", "gelu")
        positions = self.config.get("position_embedding_type", "absolute")
        if kind not in KINDS or act != "gelu" or positions != "absolute":
            raise InputError(
                f"a model of type '{kind}' ({act}, {positions} positions) cannot be run",
                file=folder,
                hint=f"Types that can be run: {', '.join(KINDS)}, with gelu and absolute positions.",
            )

    def run(
        self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]]
    ) -> Iterator[tuple[int, Floats]]:
        """The last hidden states of each sequence, with its place; in batches of like length."""
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        while order:
            size = max(1, _BATCH_TOKENS // max(1, len(ids[order[-1]])))
            batch, order = order[-size:], order[:-size]
            hidden = self._forward([ids[place] for place in batch], [types[place] for place in batch])
            for row, place in enumerate(batch):
                yield place, hidden[row, : len(ids[place])]

    def _forward(self, ids: Sequence[Sequence[int]], types: Sequence[Sequence[int]]) -> Floats:
        import numpy as np

        longest = max(map(len, ids))
        shape = (len(ids), longest)
        tokens, kinds, real = (np.zeros(shape, kind) for kind in (np.int64, np.int64, np.float32))
        for row, (own, own_types) in enumerate(zip(ids, types, strict=True)):
            tokens[row, : len(own)], kinds[row, : len(own)], real[row, : len(own)] = own, own_types, 1
        words, positions, types_of = (
            self.tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        x = words[tokens] + positions[self.first_position : self.first_position + longest]
        x = self._norm(x + types_of[kinds], "embeddings.LayerNorm")
        hidden_away = (1 - real)[:, None, None, :] * np.float32(-1e9)
        for layer in range(self.config["num_hidden_layers"]):
            x = self._layer(x, f"encoder.layer.{layer}.", hidden_away)
        return x

    def _layer(self, x: Floats, name: str, hidden_away: Floats) -> Floats:
        import numpy as np

        rows, length, width = x.shape
        heads = int(self.config["num_attention_heads"])

        def split(part: str) -> Floats:
            projected = self.dense(x, f"{name}attention.self.{part}")
            by_head: Floats = projected.reshape(rows, length, heads, width // heads).transpose(0, 2, 1, 3)
            return by_head

        scores = split("query") @ split("key").transpose(0, 1, 3, 2) / np.float32((width // heads) ** 0.5)
        mixed = (softmax(scores + hidden_away) @ split("value")).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self._norm(
            x + self.dense(mixed, f"{name}attention.output.dense"), f"{name}attention.output.LayerNorm"
        )
        inner = _gelu(self.dense(x, f"{name}intermediate.dense"))
        return self._norm(x + self.dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def dense(self, x: Floats, name: str) -> Floats:
        import numpy as np

        weight = self.tensors[f"{name}.weight"]
        # One product of two matrices: numpy would make one for each row of the batch.
        product: Floats = x.reshape(-1, x.shape[-1]) @ weight.T
        product += self.tensors[f"{name}.bias"]
        return np.reshape(product, (*x.shape[:-1], len(weight)))

    def _norm(self, x: Floats, name: str) -> Floats:
        import numpy as np

        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        scaled: Floats = centred / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]
        return scaled


def softmax(x: Floats) -> Floats:
    import numpy as np

    raised = np.exp(x - x.max(-1, keepdims=True))
    shares: Floats = raised / raised.sum(-1, keepdims=True)
    return shares


def _gelu(x: Floats) -> Floats:
    """With the error function of Abramowitz and Stegun, 7.1.26, which is exact to 1.5e-7."""
    import numpy as np

    # Beyond 5 the function is 1, and the tiny numbers on the way are slow.
    size = np.minimum(np.abs(x) * np.float32(0.5**0.5), np.float32(5))
    t = 1 / (1 + np.float32(_ERF_SCALE) * size)
    series = np.polyval(np.array((*_ERF_SERIES, 0), np.float32), t)
    erf = np.copysign(1 - series * np.exp(-size * size), x)
    gelu: Floats = x * (1 + erf) * np.float32(0.5)
    return gelu
