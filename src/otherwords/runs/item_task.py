"""Items and variants → an Inspect task: samples, solver `ask`, scorers of options, short answers, assertions.

A response without a usable answer is wrong, as Inspect's own scorers have it, and its score has the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from inspect import iscoroutinefunction
from typing import Any, cast

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
)
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    Score,
    Scorer,
    Target,
    accuracy,
    choice,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, multiple_choice, solver

from otherwords.core.contract import (
    AGAIN_KEY,
    CHANGE,
    DISTANCE,
    INVALID_FORMAT,
    ITEM_ID,
    KIND,
    LEVELS,
    NO_RESPONSE,
    OPTION_ORDER,
    OWN_PREFIX,
    PARAPHRASE_ID,
    SEED,
    TEMPLATE,
    VARIANT,
    WORDING,
)
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.types import Item, Message, Prompt, Variant, letter_of, stable_hash
from otherwords.core.wording_names import levels_text
from otherwords.english.normalize import answer_words

__all__ = ["answers", "ask", "build_task", "sample_input", "sample_metadata", "short_answer", "to_samples"]

_MESSAGES: dict[str, Any] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
LONGEST_ANSWER = 300
"""Characters of a wrong answer that are kept beside its score; the whole is in the log."""


def to_samples(
    items: Iterable[Item], variants: Iterable[Variant], *, seed: int | None = None
) -> list[Sample]:
    """One sample for each variant, in the order of `variants`."""
    variants = list(variants)
    known = {item.id for item in items}
    seen: set[str] = set()
    for variant in variants:
        if variant.item_id not in known:
            raise InputError(f"variant '{variant.name}' belongs to no item of this run", item=variant.item_id)
        if variant.id in seen:
            raise InputError(f"variant '{variant.name}' is given twice", item=variant.item_id)
        seen.add(variant.id)
    kinds = {variant.kind for variant in variants}
    return [_sample(variant, kinds, seed) for variant in variants]


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
    """An Inspect task that asks every variant; multiple choice and short answers may be mixed.

    Its version is a hash of the samples and of `metadata`, so that another run never resumes this one.
    """
    samples = to_samples(items, variants, seed=seed)
    if not samples:
        raise InputError(f"there is nothing to run in '{name}': no item has an accepted variant")
    if scorer is None:
        for sample in samples:
            if not sample.target:
                raise InputError("has no answer to score against", item=(sample.metadata or {})[ITEM_ID])
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
        input=sample_input(variant.prompt),
        choices=list(variant.choices) or None,
        target=_target(variant),
        metadata=sample_metadata(variant, kinds, seed),
    )


def sample_input(prompt: Prompt) -> str | list[ChatMessage]:
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


def sample_metadata(variant: Variant, kinds: set[str], seed: int | None) -> dict[str, Any]:
    """What results are read from; `kinds` are those of all variants of the task."""
    metadata: dict[str, Any] = {
        ITEM_ID: variant.item_id,
        VARIANT: variant.name,
        KIND: variant.kind,
        CHANGE: variant.change,
    }
    # The original is among the variants of every family, under its own name.
    families = kinds if variant.is_original else {variant.kind}
    for key in sorted({traits_of(kind).metadata_key for kind in families}):
        if key:
            by_name = variant.is_original or key == PARAPHRASE_ID
            metadata[key] = variant.name if by_name else variant.change
    if variant.distance is not None:
        metadata[DISTANCE] = variant.distance.words
    ours = {TEMPLATE: variant.template, WORDING: variant.wording, LEVELS: levels_text(variant.levels)}
    metadata |= {OWN_PREFIX + name: text for name, text in ours.items() if text}
    if "again" in variant.params:
        metadata[AGAIN_KEY] = variant.params["again"]
    if variant.option_order:
        metadata[OPTION_ORDER] = ",".join(map(str, variant.option_order))
    if seed is not None:
        metadata[SEED] = seed
    return metadata


def _fingerprint(sample: Sample) -> list[Any]:
    messages = (
        sample.input if isinstance(sample.input, str) else [[turn.role, turn.text] for turn in sample.input]
    )
    return [sample.id, messages, sample.choices, sample.target, sample.metadata]


@solver
def ask(constrain_choices: bool = False) -> Solver:
    """Inspect's `multiple_choice` where the sample has choices, else the prompt as it stands.

    `constrain_choices` sends a grammar that admits only `ANSWER: ` and an option's letter, for models
    that take grammars and would not keep to the format by themselves.
    """
    choose = multiple_choice()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if len(state.choices) == 0:
            return await generate(state)
        if not constrain_choices:
            return await choose(state, generate)
        return await choose(state, _constrained(generate, choice_grammar(len(state.choices))))

    return solve


def choice_grammar(options: int) -> str:
    letters = " | ".join(f'"{letter_of(index)}"' for index in range(options))
    return f'root ::= "ANSWER: " ({letters})'


def _constrained(generate: Generate, grammar: str) -> Generate:
    async def constrained(state: TaskState, *arguments: Any, **settings: Any) -> TaskState:
        return await generate(state, *arguments, extra_body={"grammar": grammar}, **settings)

    return constrained


def contains_answer(response: str, accepted: Iterable[str]) -> bool:
    """Whether any accepted answer occurs in the response as whole words."""
    words = answer_words(response)
    return any(_occurs(answer_words(answer), words, answer, response) for answer in accepted)


def _occurs(wanted: list[str], words: list[str], answer: str, response: str) -> bool:
    if not wanted:  # an answer that is all punctuation or articles, such as "+": compared as it stands
        return bool(answer.strip()) and answer.strip().casefold() == response.strip().casefold()
    return any(words[at : at + len(wanted)] == wanted for at in range(len(words) - len(wanted) + 1))


def score_short_answer(response: str, accepted: list[str]) -> Score:
    if contains_answer(response, accepted):
        return Score(value=CORRECT, answer=accepted[0], explanation=response)
    if not response.strip():
        return Score(value=NOANSWER, answer="", explanation=response, reason=NO_RESPONSE)
    if not any(character.isalnum() for character in response):
        return Score(value=INCORRECT, answer="", explanation=response, reason=INVALID_FORMAT)
    return Score(value=INCORRECT, answer=response.strip()[:LONGEST_ANSWER], explanation=response)


@scorer(metrics=[accuracy(), stderr()])
def short_answer() -> Scorer:
    """Right when any accepted answer is said; `Score.answer` is then the first of them."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_short_answer(state.output.completion, list(target))

    return score


@scorer(metrics=[accuracy(), stderr()])
def answers() -> Scorer:
    """Inspect's `choice` where the sample has choices, `short_answer` elsewhere."""
    chosen = choice()

    async def score(state: TaskState, target: Target) -> Score | None:
        if len(state.choices) == 0:
            return score_short_answer(state.output.completion, list(target))
        return await chosen(state, target)

    return score


@scorer(metrics=[accuracy(), stderr()])
def says_right(judge: Callable[[str, str], Any]) -> Scorer:
    """The value that a function of the answer and the (first) target gives: true or false, or 0 to 1."""

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        value = judge(said, next(iter(target), ""))
        if isinstance(value, bool):
            value = float(value)
        if not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InputError(f"the scorer must give true, false or a number from 0 to 1, got {value!r}")
        if not said.strip():
            return Score(value=value, answer="", explanation=said, reason=NO_RESPONSE)
        return Score(value=value, answer=said.strip()[:LONGEST_ANSWER], explanation=said)

    return score


def judged_by(judge: Callable[..., Any]) -> Scorer:
    """An Inspect scorer as it is, which is asynchronous; another function as `says_right`."""
    is_inspects = iscoroutinefunction(judge) or iscoroutinefunction(getattr(judge, "__call__", None))  # noqa: B004
    return cast(Scorer, judge) if is_inspects else says_right(judge)


def assertion_holds(kind: str, values: Sequence[str], said: str) -> bool:
    """Whether an assertion of promptfoo holds for what the model said.

    Examples:
        >>> assertion_holds("icontains-any", ["paris", "lyon"], "It is Paris.")
        True
        >>> assertion_holds("not-equals", ["Paris"], "Paris")
        False
    """
    if kind.startswith("not-"):
        return not assertion_holds(kind.removeprefix("not-"), values, said)
    if kind == "regex":
        return re.search(values[0], said) is not None
    if kind == "equals":
        return said == values[0]
    if kind == "starts-with":
        return said.startswith(values[0])
    if kind.startswith("icontains"):
        kind, said, values = kind[1:], said.lower(), [value.lower() for value in values]
    found = [value in said for value in values]
    return any(found) if kind == "contains-any" else all(found)


@scorer(metrics=[accuracy(), stderr()])
def asserts(by_item: dict[str, list[dict[str, Any]]]) -> Scorer:
    """Right when every assertion of the sample's item holds; else the explanation names one that does not."""

    async def score(state: TaskState, target: Target) -> Score:
        said = state.output.completion
        wanted = by_item[str(state.metadata[ITEM_ID])]
        failed = next((one for one in wanted if not assertion_holds(one["type"], one["values"], said)), None)
        if failed is None:
            return Score(value=CORRECT, answer=next(iter(target), said)[:LONGEST_ANSWER], explanation=said)
        if not said.strip():
            return Score(value=NOANSWER, answer="", explanation=said, reason=NO_RESPONSE)
        why = f"{failed['type']}: {', '.join(failed['values'])}"
        return Score(value=INCORRECT, answer=said.strip()[:LONGEST_ANSWER], explanation=f"{said}\n\n{why}")

    return score
