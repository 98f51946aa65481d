"""BERT and RoBERTa in numpy, where a deep-learning framework would cost the user two gigabytes.

Imported when a check first needs it, as its packages are optional.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from thinc.api import NumpyOps
from tokenizers import Encoding, Tokenizer

from otherwords.core.errors import InputError

Floats = NDArray[np.float32]

KINDS = ("bert", "roberta", "xlm-roberta")
_OPS: Any = NumpyOps()


class Encoder:
    """Loads `config.json`, `tokenizer.json` and `model.safetensors` of `folder`."""

    def __init__(self, folder: Path) -> None:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            if not (folder / name).is_file():
                raise InputError(f"no complete model in this folder: {name} is missing", file=folder)
        self.folder, self.config = folder, _settings(folder / "config.json")
        kind, act = self.config.get("model_type"), self.config.get("hidden_act", "gelu")
        positions = self.config.get("position_embedding_type", "absolute")
        if kind not in KINDS or act != "gelu" or positions != "absolute":
            raise InputError(
                f"a model of type '{kind}' ({act}, {positions} positions) cannot be run",
                file=folder,
                hint=f"Types that can be run: {', '.join(KINDS)}, with gelu and absolute positions.",
            )
        self.tensors: dict[str, Floats] = {
            re.sub(r"^(?:bert|roberta)\.", "", name): tensor.astype(np.float32)
            for name, tensor in load_file(folder / "model.safetensors").items()
        }
        self.is_roberta = kind != "bert"
        self.first_position = self.config.get("pad_token_id", 1) + 1 if self.is_roberta else 0
        self.longest = self.config["max_position_embeddings"] - self.first_position
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()

    def embed(self, texts: Sequence[str]) -> list[Floats]:
        """A unit vector for each text; one longer than the model's window is read in windows."""
        window = _settings(self.folder / "sentence_bert_config.json").get("max_seq_length") or self.longest
        is_first = _settings(self.folder / "1_Pooling/config.json").get("pooling_mode_cls_token", False)
        self.tokenizer.enable_truncation(min(window, self.longest))
        vectors = []
        for text in self.tokenizer.encode_batch(list(texts)):
            states = map(self._states, (text, *text.overflowing))
            total = np.sum([some[0] if is_first else some.sum(0) for some in states], axis=0)
            vectors.append(total / np.linalg.norm(total))
        return vectors

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How sure a classifier of entailment, neutral and contradiction is that each second text follows."""
        labels = {str(name).lower(): int(at) for at, name in self.config.get("id2label", {}).items()}
        if "entailment" not in labels:
            named = ", ".join(labels) or "not named"
            problem = f"no model for the check 'entailment': its labels are {named}"
            raise InputError(problem, file=self.folder)
        bert, roberta = ("pooler.dense", "classifier"), ("classifier.dense", "classifier.out_proj")
        inner, outer = roberta if self.is_roberta else bert
        self.tokenizer.enable_truncation(self.longest)
        sure = []
        for pair in self.tokenizer.encode_batch(list(pairs)):
            pooled = np.tanh(self._dense(self._states(pair)[0], inner))
            sure.append(float(_OPS.softmax(self._dense(pooled, outer))[labels["entailment"]]))
        return sure

    def _states(self, text: Encoding) -> Floats:
        """The last hidden state of each token."""
        words, positions, types = (
            self.tensors[f"embeddings.{name}_embeddings.weight"]
            for name in ("word", "position", "token_type")
        )
        x = words[text.ids] + positions[self.first_position : self.first_position + len(text.ids)]
        x = self._norm(x + types[0 if self.is_roberta else text.type_ids], "embeddings.LayerNorm")
        for layer in range(self.config["num_hidden_layers"]):
            x = self._layer(x, f"encoder.layer.{layer}.")
        return x

    def _layer(self, x: Floats, name: str) -> Floats:
        length, width = x.shape
        heads = int(self.config["num_attention_heads"])
        query, key, value = (
            self._dense(x, f"{name}attention.self.{part}").reshape(length, heads, -1).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = query @ key.swapaxes(1, 2) / np.float32((width // heads) ** 0.5)
        mixed = (_OPS.softmax(scores) @ value).swapaxes(0, 1).reshape(x.shape)
        attention = self._dense(mixed, f"{name}attention.output.dense")
        x = self._norm(x + attention, f"{name}attention.output.LayerNorm")
        inner = _OPS.gelu(self._dense(x, f"{name}intermediate.dense"))
        return self._norm(x + self._dense(inner, f"{name}output.dense"), f"{name}output.LayerNorm")

    def _dense(self, x: Floats, name: str) -> Floats:
        mapped: Floats = x @ self.tensors[f"{name}.weight"].T + self.tensors[f"{name}.bias"]
        return mapped

    def _norm(self, x: Floats, name: str) -> Floats:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self.config["layer_norm_eps"])
        scaled: Floats = centred / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]
        return scaled


def _settings(file: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return read
