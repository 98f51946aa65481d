"""Items and their wordings, as an Inspect dataset and task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver

from otherwords.core.errors import InputError
from otherwords.core.hashing import stable_hash
from otherwords.core.letters import letter_of
from otherwords.core.types import Item, Message, Prompt, Variant
from otherwords.runs.scoring import answers
from otherwords.runs.solving import ask

PERTURBING = frozenset({"format", "options"})
_MESSAGES: dict[str, Any] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


def to_samples(
    items: Iterable[Item], variants: Iterable[Variant], *, seed: int | None = None
) -> list[Sample]:
    """One sample a wording, in the order of `variants`."""
    wordings = list(variants)
    known = {item.id for item in items}
    seen: set[str] = set()
    for variant in wordings:
        if variant.item_id not in known:
            raise InputError(f"variant '{variant.name}' belongs to no item of this run", item=variant.item_id)
        if variant.id in seen:
            raise InputError(f"variant '{variant.name}' is given twice", item=variant.item_id)
        seen.add(variant.id)
    kinds = {variant.kind for variant in wordings}
    return [_sample(variant, kinds, seed) for variant in wordings]


def build_task(
    name: str,
    items: Iterable[Item],
    variants: Iterable[Variant],
    *,
    solver: Solver | None = None,
    scorer: Scorer | Sequence[Scorer] | None = None,
    config: GenerateConfig | None = None,
    seed: int | None = None,
    metadata: dict[str, Any] | None = None,
) -> Task:
    """An Inspect task that asks every wording; multiple choice and short answers may be mixed.

    Its version is a hash of the samples and of `metadata`, so that another run never resumes this one.
    """
    samples = to_samples(items, variants, seed=seed)
    if not samples:
        raise InputError(f"there is nothing to run in '{name}': no item has an accepted variant")
    if scorer is None:
        for sample in samples:
            if not sample.target:
                raise InputError("has no answer to score against", item=(sample.metadata or {})["item_id"])
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=solver or ask(),
        scorer=scorer or answers(),
        config=config or GenerateConfig(),
        name=name,
        version=stable_hash([[_fingerprint(sample) for sample in samples], metadata]),
        metadata=metadata,
    )


def _sample(variant: Variant, kinds: set[str], seed: int | None) -> Sample:
    return Sample(
        id=variant.id,
        input=_input(variant.prompt),
        choices=list(variant.choices) or None,
        target=_target(variant),
        metadata=_metadata(variant, kinds, seed),
    )


def _input(prompt: Prompt) -> str | list[ChatMessage]:
    if isinstance(prompt, str):
        return prompt
    return [_message(message) for message in prompt]


def _message(message: Message) -> ChatMessage:
    built: ChatMessage = _MESSAGES[message.role](content=message.content)
    return built


def _target(variant: Variant) -> str | list[str]:
    if isinstance(variant.target, int):
        if not 0 <= variant.target < len(variant.choices):
            raise InputError(
                f"variant '{variant.name}' has {len(variant.choices)} choices and no choice {variant.target}",
                item=variant.item_id,
            )
        return letter_of(variant.target)
    return list(variant.target)


def _metadata(variant: Variant, kinds: set[str], seed: int | None) -> dict[str, Any]:
    metadata: dict[str, Any] = {
        "item_id": variant.item_id,
        "variant": variant.name,
        "kind": variant.kind,
        "change": variant.change,
    }
    if variant.kind == "paraphrase" or (variant.is_original and "paraphrase" in kinds):
        metadata["paraphrase_id"] = variant.name
    if variant.is_original and kinds & PERTURBING:
        metadata["perturbation_kind"] = variant.name
    elif variant.kind in PERTURBING:
        metadata["perturbation_kind"] = variant.change
    if variant.option_order:
        metadata["option_order"] = ",".join(map(str, variant.option_order))
    if seed is not None:
        metadata["seed"] = seed
    return metadata


def _fingerprint(sample: Sample) -> list[Any]:
    spoken = (
        sample.input if isinstance(sample.input, str) else [[turn.role, turn.text] for turn in sample.input]
    )
    return [sample.id, spoken, sample.choices, sample.target, sample.metadata]
