"""Tiny models of the same shape as the real ones, with weights that are the same on every machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

WIDTH, LAYERS, INNER, POSITIONS = 8, 2, 16, 20
VOCABULARY = "[PAD] [UNK] [CLS] [SEP] a man eats bread no it rains here is the sky blue".split()
LABELS = {"0": "contradiction", "1": "Entailment", "2": "neutral"}


@pytest.fixture
def tiny_model(tmp_path: Path) -> Callable[..., Path]:
    """`tiny_model("bert")` or `tiny_model("roberta")` gives a folder; settings change its `config.json`."""
    pytest.importorskip("tokenizers")
    pytest.importorskip("safetensors")

    def make(kind: str = "bert", **settings: Any) -> Path:
        folder = tmp_path / kind
        folder.mkdir()
        config = {
            "model_type": kind,
            "hidden_act": "gelu",
            "hidden_size": WIDTH,
            "num_hidden_layers": LAYERS,
            "num_attention_heads": 2,
            "intermediate_size": INNER,
            "max_position_embeddings": POSITIONS + (1 if kind == "roberta" else 0),
            "layer_norm_eps": 1e-12,
            "pad_token_id": 0,
            "id2label": LABELS,
        }
        (folder / "config.json").write_text(json.dumps(config | settings), encoding="utf-8")
        _write_tokenizer(folder / "tokenizer.json", kind)
        _write_weights(folder / "model.safetensors", kind)
        return folder

    return make


def _write_tokenizer(file: Path, kind: str) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace
    from tokenizers.processors import TemplateProcessing

    tokenizer = Tokenizer(WordLevel({word: at for at, word in enumerate(VOCABULARY)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    between = "[SEP] [SEP] $B:1" if kind == "roberta" else "[SEP] $B:1"
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair=f"[CLS] $A {between} [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_padding(length=12)
    tokenizer.enable_truncation(4)
    tokenizer.save(str(file))


def _write_weights(file: Path, kind: str) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    random = np.random.default_rng(7)

    def dense(name: str, out: int, width: int) -> dict[str, Any]:
        return {
            f"{name}.weight": random.normal(0, 0.6, (out, width)).astype(np.float32),
            f"{name}.bias": random.normal(0, 0.1, out).astype(np.float32),
        }

    def norm(name: str) -> dict[str, Any]:
        return {
            f"{name}.weight": random.normal(1, 0.1, WIDTH).astype(np.float32),
            f"{name}.bias": random.normal(0, 0.1, WIDTH).astype(np.float32),
        }

    def table(name: str, rows: int) -> dict[str, Any]:
        return {f"{name}.weight": random.normal(0, 1, (rows, WIDTH)).astype(np.float32)}

    tensors = {
        **table("embeddings.word_embeddings", len(VOCABULARY)),
        **table("embeddings.position_embeddings", POSITIONS + (1 if kind == "roberta" else 0)),
        **table("embeddings.token_type_embeddings", 1 if kind == "roberta" else 2),
        **norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            tensors |= dense(f"{name}.attention.{part}", WIDTH, WIDTH)
        tensors |= norm(f"{name}.attention.output.LayerNorm")
        tensors |= dense(f"{name}.intermediate.dense", INNER, WIDTH) | dense(
            f"{name}.output.dense", WIDTH, INNER
        )
        tensors |= norm(f"{name}.output.LayerNorm")
    if kind == "roberta":
        head = dense("classifier.dense", WIDTH, WIDTH) | dense("classifier.out_proj", len(LABELS), WIDTH)
    else:
        tensors |= dense("pooler.dense", WIDTH, WIDTH)
        head = dense("classifier", len(LABELS), WIDTH)
    save_file({**{f"{kind}.{name}": tensor for name, tensor in tensors.items()}, **head}, file)
