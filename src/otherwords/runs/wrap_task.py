"""`vary_task`: an Inspect task → a copy with a sample for each variant, scored as before; what is refused."""

from __future__ import annotations

import copy
import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.core.contract import OWN_PREFIX, SAMPLE_KEYS
from otherwords.core.errors import InputError
from otherwords.core.types import Variant, index_of, letter_of, stable_hash
from otherwords.runs.item_task import sample_input, sample_metadata
from otherwords.runs.selectors import DEFAULT_SELECTOR, Selector, parse_selector
from otherwords.runs.shared_texts import SharedTexts, shared_texts, with_varied_steps

_STALE = (
    "Make the variants again from the task as it is now. If it shuffles its options, give it a fixed seed."
)


def vary_task(
    task: Task,
    variants: Sequence[Variant],
    *,
    selector: Selector | str | None = None,
    places: Sequence[str] = (),
    seed: int | None = None,
) -> Task:
    """Copy an Inspect task, with one sample for each variant of its prompts.

    The copy's solver, tools, files, sandbox and scorers are the task's own, and the scorers see the sample
    ids that the task was written with. Its version is a hash of prompts and samples, so that Inspect never
    resumes a run of other variants. `task` itself is not changed.

    Args:
        task: Any Inspect task whose samples are known before it runs.
        variants: What to ask, each made from the sample whose id is its `item_id`; for a comparison with the
            original prompt, `otherwords.core.types.original(item)` is among them.
        selector: Where a sample keeps its prompt, such as `"input"`, `"last_user"` (the default),
            `"message[0]/<scenario>"` or `"metadata.question"`.
        places: What variants change beside the prompt: `system`, `template`, `tools`.
        seed: What the variants were made with; recorded in each sample's metadata.

    Returns:
        A new task. Each sample's metadata say which item and variant it is.

    Raises:
        InputError: A variant belongs to no sample, is given twice, changes nothing, or was made from a prompt
            or from options that the task does not have any more.

    Example:
        >>> from inspect_ai import Task
        >>> from inspect_ai.dataset import Sample
        >>> from otherwords import Variant, vary_task
        >>> task = Task(dataset=[Sample(id="q1", input="What is the capital of France?", target="Paris")])
        >>> variant = Variant(
        ...     id="q1::para1",
        ...     item_id="q1",
        ...     name="para1",
        ...     kind="paraphrase",
        ...     prompt="Which city is the capital of France?",
        ...     target=("Paris",),
        ... )
        >>> [sample.input for sample in vary_task(task, [variant]).dataset]
        ['Which city is the capital of France?']
    """
    chosen = _selector(selector)
    sources = _Sources(task, chosen, places)
    _require_once_each(variants)
    kinds = {variant.kind for variant in variants}
    samples = [_with_metadata(sources.reworded(one), sample_metadata(one, kinds, seed)) for one in variants]
    if not samples:
        raise InputError(f"there is nothing to run in '{task.name}': no item has an accepted variant")
    about = {
        "source_version": task.version,
        "source_samples": len(sources.samples),
        "items": len({variant.item_id for variant in variants}),
        "prompt_field": str(chosen),
    }
    if sources.shared is not None:
        task = with_varied_steps(task, places)
    # A copy first, because `task_with` changes the task that it is given.
    return task_with(
        copy.copy(task),
        dataset=MemoryDataset(
            samples, name=task.dataset.name, location=task.dataset.location, shuffled=task.dataset.shuffled
        ),
        version=stable_hash([[_fingerprint(sample) for sample in samples], _prompts(variants), about]),
        metadata={**(task.metadata or {}), **{OWN_PREFIX + name: value for name, value in about.items()}},
        scorer=_scoring_by_source(task.scorer, sources.ids(variants)),
    )


def refused_variants(
    task: Task,
    variants: Sequence[Variant],
    *,
    selector: Selector | str | None = None,
    places: Sequence[str] = (),
) -> dict[str, str]:
    """Why `vary_task` would refuse a variant, by variant id, for each that it would refuse."""
    sources = _Sources(task, _selector(selector), places)
    reasons = {}
    for variant in variants:
        try:
            sources.reworded(variant)
        except InputError as error:
            reasons[variant.id] = error.problem
    return reasons


def _selector(given: Selector | str | None) -> Selector:
    if given is None:
        return DEFAULT_SELECTOR
    return parse_selector(given) if isinstance(given, str) else given


def _require_once_each(variants: Sequence[Variant]) -> None:
    seen: set[str] = set()
    for variant in variants:
        if variant.id in seen:
            raise InputError(f"variant '{variant.name}' is given twice", item=variant.item_id)
        seen.add(variant.id)


class _Sources:
    """The task's own samples by their id as text."""

    def __init__(self, task: Task, selector: Selector, places: Sequence[str] = ()) -> None:
        if getattr(task, "sample_source", None) is not None:
            raise InputError(f"task '{task.name}' makes its samples while it runs, so they cannot be varied")
        self.selector = selector
        self.shared = shared_texts(task, places) if places else None
        self.samples: dict[str, Sample] = {}
        self._prompts: dict[str, str] = {}
        for place, sample in enumerate(task.dataset, start=1):
            known = str(place if sample.id is None else sample.id)
            if known in self.samples:
                raise InputError(f"two samples of task '{task.name}' have this id", item=known)
            self.samples[known] = sample

    def ids(self, variants: Sequence[Variant]) -> dict[str, int | str]:
        """The id that each variant's sample had in the task."""
        found = {}
        for variant in variants:
            given = self.samples[variant.item_id].id
            found[variant.id] = int(variant.item_id) if given is None else given
        return found

    def reworded(self, variant: Variant) -> Sample:
        """A copy of the variant's source sample with the variant's prompt and options."""
        source = self.samples.get(variant.item_id)
        if source is None:
            raise InputError(
                f"variant '{variant.name}' belongs to no sample of this task", item=variant.item_id
            )
        if variant.item_id not in self._prompts:
            self._prompts[variant.item_id] = self.selector.get(source)
        original = self._prompts[variant.item_id]
        texts = variant.params.get("places") or {}
        if self.shared is not None:
            variant = _in_its_place(variant, original, self.shared)
        if variant.is_original:
            if variant.prompt != original or (variant.choices and list(variant.choices) != source.choices):
                raise InputError(
                    "the task now says something else than when the variants were made",
                    item=variant.item_id,
                    hint=_STALE,
                )
            reworded = source.model_copy(deep=True)
        else:
            reworded = self._reprompted(source, variant, original)
            _reorder(reworded, variant)
            if variant.prompt == original and reworded.choices == source.choices and not texts:
                raise InputError(f"variant '{variant.name}' changes nothing", item=variant.item_id)
        reworded.id = variant.id
        if texts and self.shared is not None:
            self.shared.put(reworded, texts)
        return reworded

    def _reprompted(self, source: Sample, variant: Variant, original: str) -> Sample:
        if variant.prompt == original:
            return source.model_copy(deep=True)
        if isinstance(variant.prompt, str):
            return self.selector.put(source, variant.prompt)
        if not self.selector.is_whole_input(source):
            raise InputError(
                f"variant '{variant.name}' is a chat, which cannot stand in for '{self.selector}'",
                item=variant.item_id,
            )
        reworded = source.model_copy(deep=True)
        reworded.input = sample_input(variant.prompt)
        return reworded


def _in_its_place(variant: Variant, original: str, shared: SharedTexts) -> Variant:
    """The variant with its wording of the item's own text alone as its prompt."""
    own = original if variant.is_original else str(variant.params.get("item", original))
    if variant.prompt == shared.rendered(own, variant.params.get("places") or {}):
        return replace(variant, prompt=own)
    if variant.is_original:
        return variant  # refused as stale
    raise InputError(
        f"variant '{variant.name}' was edited, or the task's own template was changed since",
        item=variant.item_id,
        hint="What stands in a task's own template cannot be edited: make the variants again.",
    )


def _reorder(sample: Sample, variant: Variant) -> None:
    """Give the sample the variant's options and move its target along."""
    if not variant.choices:
        return
    options = sample.choices or []
    order = variant.option_order or tuple(range(len(options)))
    stays = list(order) == list(range(len(options)))
    moved = [options[place] for place in order] if sorted(order) == list(range(len(options))) else []
    if len(variant.choices) != len(options) or not (stays or list(variant.choices) == moved):
        raise InputError(
            f"variant '{variant.name}' was made from other options than the task now has",
            item=variant.item_id,
            hint=_STALE,
        )
    sample.choices = list(variant.choices)
    if not stays:
        sample.target = _moved_target(sample.target, order, variant)


def _moved_target(target: str | list[str], order: Sequence[int], variant: Variant) -> str | list[str]:
    letters = [target] if isinstance(target, str) else target
    places = [index_of(letter) for letter in letters]
    known = [place for place in places if place is not None and place < len(order)]
    if not known or len(known) < len(places):
        shown = ", ".join(map(repr, letters))
        raise InputError(
            f"the target {shown} is no option's letter, so the options cannot be moved", item=variant.item_id
        )
    moved = [letter_of(order.index(place)) for place in known]
    if isinstance(variant.target, int) and moved != [letter_of(variant.target)]:
        raise InputError(
            f"variant '{variant.name}' has another right answer than the task now has",
            item=variant.item_id,
            hint=_STALE,
        )
    return moved[0] if isinstance(target, str) else moved


def _with_metadata(sample: Sample, ours: dict[str, Any]) -> Sample:
    theirs = sample.metadata or {}
    # With a prefix where the sample has one of these names itself, since its solver or scorer reads it.
    prefix = OWN_PREFIX if any(name in theirs for name in SAMPLE_KEYS) else ""
    sample.metadata = {
        **theirs,
        **{prefix + name.removeprefix(prefix): value for name, value in ours.items()},
    }
    return sample


def _fingerprint(sample: Sample) -> list[Any]:
    """What the model sees; message ids are left out, since they are new each time a task is loaded."""
    messages = (
        sample.input
        if isinstance(sample.input, str)
        else [turn.model_dump(mode="json", exclude={"id"}) for turn in sample.input]
    )
    return [sample.id, messages, sample.choices, sample.target]


def _prompts(variants: Sequence[Variant]) -> list[Any]:
    """Hashed too, because a prompt may stand in the metadata."""
    return [
        variant.prompt
        if isinstance(variant.prompt, str)
        else [[message.role, message.content] for message in variant.prompt]
        for variant in variants
    ]


def _scoring_by_source(scorers: list[Scorer] | None, source_ids: dict[str, int | str]) -> list[Scorer] | None:
    """Scorers look things up by the sample's id (SWE-bench does), so they are shown the one they know."""

    class AsSource(TaskState):
        @property
        def sample_id(self) -> int | str:
            given = super().sample_id
            return source_ids.get(str(given), given)

    def by_source(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def scored(state: TaskState, target: Target) -> Score | None:
            view = object.__new__(AsSource)
            view.__dict__ = state.__dict__  # one state under two ids: what the scorer writes is kept
            return await score(view, target)

        return scored

    return None if scorers is None else [by_source(one) for one in scorers]
