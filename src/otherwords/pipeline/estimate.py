"""Reads and looks up prices; a task, models, prices → estimated samples, tokens and dollars of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.errors import InputError

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget

CHARACTERS_A_TOKEN = 4
ASSUMED_ANSWER = 256
"""Tokens of an answer where --max-tokens does not say."""
_FORM = "Write it as IN,OUT or MODEL=IN,OUT in dollars for a million tokens, or name a file of prices."


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What a run is expected to take."""

    samples: int
    """Wordings times repeats times models."""
    finished: int
    """Samples that an earlier run finished, and that are not paid for again."""
    input_tokens: int
    output_tokens: int
    """Of what is left, if each sample takes one call."""
    answer_tokens: int
    """Tokens that an answer was taken to have."""
    answer_is_assumed: bool
    usd: float | None
    """None where a model's price is not known."""
    unpriced: tuple[str, ...]

    @property
    def calls(self) -> int:
        """What is left to ask, if each sample takes one call."""
        return self.samples - self.finished


def estimate_run(
    task: Task,
    models: Sequence[str],
    *,
    repeats: int,
    left: Mapping[str, Mapping[str, int]] | None = None,
    max_tokens: int | None = None,
    system_message: str | None = None,
    prices: Mapping[str, ModelCost] | None = None,
) -> RunEstimate:
    """From the length of every prompt that is still to be asked, four characters a token.

    `left` says for each model how often each sample is still to be asked; by default nothing has finished.
    """
    always = len(system_message or "")
    lengths = {
        str(place if sample.id is None else sample.id): _length(sample) + always
        for place, sample in enumerate(task.dataset, start=1)
    }
    if left is None:
        left = dict.fromkeys(models, dict.fromkeys(lengths, repeats))
    an_answer = ASSUMED_ANSWER if max_tokens is None else max_tokens
    known = dict(prices or {})
    characters, calls, usd = 0, 0, 0.0
    unpriced = []
    for model in models:
        asked = left.get(model, {})
        said, count = sum(lengths[sample] * times for sample, times in asked.items()), sum(asked.values())
        characters, calls = characters + said, calls + count
        cost = known.get(model) or known_price(model)
        if cost is None:
            unpriced.append(model)
        else:
            tokens_in = said / CHARACTERS_A_TOKEN
            usd += (tokens_in * cost.input + count * an_answer * cost.output) / 1_000_000
    samples = len(lengths) * repeats * len(models)
    return RunEstimate(
        samples=samples,
        finished=samples - calls,
        input_tokens=math.ceil(characters / CHARACTERS_A_TOKEN),
        output_tokens=calls * an_answer,
        answer_tokens=an_answer,
        answer_is_assumed=max_tokens is None,
        usd=None if unpriced else usd,
        unpriced=tuple(unpriced),
    )


def _length(sample: Any) -> int:
    said = sample.input if isinstance(sample.input, str) else "".join(turn.text for turn in sample.input)
    return len(said) + sum(len(choice) for choice in sample.choices or [])


def known_price(model: str) -> ModelCost | None:
    """What was registered with Inspect's `set_model_cost`; a model in this process costs nothing."""
    from inspect_ai.model import ModelCost, get_model_info

    if model.startswith(("gguf/", "mockllm/")):
        return ModelCost(input=0, output=0, input_cache_write=0, input_cache_read=0)
    from otherwords.runs.resolve import HEAVY_PROVIDERS, suppress_output

    if model.startswith(("agent/", "none/", *HEAVY_PROVIDERS)):
        return None

    with suppress_output():  # it may make the model, and tell of its hooks
        info = get_model_info(model)
    return None if info is None else info.cost


def require_prices(
    budget: Budget | None, models: Sequence[str], prices: Mapping[str, ModelCost] | None
) -> None:
    """Refuse a budget in money where the price of a model is not known."""
    if budget is None or budget.usd is None:
        return
    unpriced = [model for model in models if model not in (prices or {}) and not known_price(model)]
    if unpriced:
        raise InputError(
            f"a budget in money needs the price of {unpriced[0]}",
            hint="Give it in dollars for a million tokens: --price IN,OUT",
        )


def parse_prices(texts: Iterable[str], models: Sequence[str]) -> dict[str, ModelCost]:
    """`IN,OUT` for every model, `MODEL=IN,OUT` for one, or a YAML or JSON file as Inspect's own."""
    prices: dict[str, ModelCost] = {}
    for text in texts:
        if Path(text).suffix.lower() in (".yaml", ".yml", ".json"):
            prices.update(_read_prices(Path(text)))
            continue
        model, _, amounts = text.rpartition("=")
        for name in [model] if model else models:
            prices[name] = _cost(amounts, text)
    return prices


def _cost(amounts: str, text: str) -> ModelCost:
    from inspect_ai.model import ModelCost

    try:
        price_in, price_out = (float(part) for part in amounts.split(","))
    except ValueError:
        raise InputError(f"cannot read the price '{text}'", hint=_FORM) from None
    if not (0 <= price_in < math.inf and 0 <= price_out < math.inf):
        raise InputError(f"cannot read the price '{text}'", hint=_FORM)
    # What a provider's cache saves is not known, so that nothing is assumed to be saved.
    return ModelCost(input=price_in, output=price_out, input_cache_write=price_in, input_cache_read=price_in)


def _read_prices(path: Path) -> dict[str, ModelCost]:
    from inspect_ai.model import ModelCost
    from pydantic import TypeAdapter, ValidationError

    from otherwords.core.yaml_lines import load_yaml

    content = load_yaml(path)
    if not content:
        raise InputError("is no file of prices: it is empty", file=path)
    try:
        return TypeAdapter(dict[str, ModelCost]).validate_python(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        problem = f"{where}: {first['msg']}" if where else first["msg"]
        raise InputError(f"is no file of prices: {problem}", file=path) from None
