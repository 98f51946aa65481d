"""`entailment`: each wording follows from the other, says a model of natural-language inference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from otherwords.checks.base import ON_PURPOSE, is_control, not_applicable
from otherwords.checks.meaning.encoder import Encoder, softmax
from otherwords.checks.meaning.models import model_folder, require_packages, require_share
from otherwords.checks.reading import readings
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant

NAME = "entailment"
DEFAULT_MODEL = "cross-encoder/nli-MiniLM2-L6-H768"
FLOOR = 0.5


class EntailmentCheck:
    name = NAME

    def __init__(self, model: str = DEFAULT_MODEL, floor: float = FLOOR) -> None:
        self.model, self.floor = model, require_share(NAME, "floor", floor)

    def settings(self) -> Mapping[str, Any]:
        return {"model": self.model, "floor": self.floor}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        texts = [(before.text, after.text) for before, after in (readings(*pair) for pair in pairs)]
        both_ways = self._classifier.entailment([*texts, *((after, before) for before, after in texts)])
        forth, back = both_ways[: len(pairs)], both_ways[len(pairs) :]
        return [
            self._result(variant, there, here)
            for (_, variant), there, here in zip(pairs, forth, back, strict=True)
        ]

    @cached_property
    def _classifier(self) -> Classifier:
        require_packages(NAME, "tokenizers", "safetensors")
        return Classifier(self.model)

    def _result(self, variant: Variant, forth: float, back: float) -> CheckResult:
        if is_control(variant):
            return not_applicable(NAME, ON_PURPOSE)
        said = f"follows from the original {forth:.2f}, the original from it {back:.2f}"
        passed = min(forth, back) >= self.floor
        return CheckResult(
            NAME,
            "pass" if passed else "fail",
            said if passed else f"{said}; the floor is {self.floor:.2f}",
        )


class Classifier:
    """A cross-encoder with the labels entailment, neutral and contradiction, in any order."""

    def __init__(self, model: str) -> None:
        folder = model_folder(NAME, model)
        self._encoder = Encoder(folder)
        self._encoder.tokenizer.enable_truncation(self._encoder.longest)
        labels = {
            str(name).lower(): int(place) for place, name in self._encoder.config.get("id2label", {}).items()
        }
        if "entailment" not in labels:
            raise InputError(
                f"no model for the check '{NAME}': its labels are {', '.join(labels) or 'not named'}",
                file=folder,
            )
        self._entailment = labels["entailment"]

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How sure it is that the second text follows from the first."""
        import numpy as np

        encodings = self._encoder.tokenizer.encode_batch(list(pairs))
        first = np.zeros((len(pairs), self._encoder.config["hidden_size"]), np.float32)
        types = [[0] * len(one.ids) if self._encoder.is_roberta else one.type_ids for one in encodings]
        for place, hidden in self._encoder.run([one.ids for one in encodings], types):
            first[place] = hidden[0]
        if self._encoder.is_roberta:
            logits = self._encoder.dense(
                np.tanh(self._encoder.dense(first, "classifier.dense")), "classifier.out_proj"
            )
        else:
            logits = self._encoder.dense(np.tanh(self._encoder.dense(first, "pooler.dense")), "classifier")
        return [float(row[self._entailment]) for row in softmax(logits)]
