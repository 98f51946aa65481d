"""Prompts → rewordings that a model wrote and the checks accepted."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from otherwords.checks import vet
from otherwords.core import wait_for
from otherwords.core.contract import DEFAULT_STRENGTH
from otherwords.core.errors import RunError
from otherwords.core.secret_patterns import redacted
from otherwords.core.types import Item, varied_text
from otherwords.pipeline.decisions import Deciding, with_judge
from otherwords.variants.base import require_count, require_text
from otherwords.variants.llm import Counts, LlmBatch, LlmFamily, OnItem, Vet

if TYPE_CHECKING:
    from inspect_ai.model import Model

_SHOWN = 60
"""Characters of a prompt in a warning."""


class PromptVariationGenerator:
    """Asks a model for rewordings of a prompt and keeps those that the checks accept.

    What could not be made is absent from the list, never filled with the original: a warning tells how much
    that is and why, and `last` has the reasons one by one. With `strict` it is an error.

    Args:
        num_variations: Rewordings wanted of each prompt.
        strength: How far the model may go: mild, medium, strong or naturalistic; `spread` is one of each in
            turn.
        model: Any that Inspect knows, by name or as its `Model`, or several that take turns; by default the
            model role `paraphraser`, or else openai/gpt-4o-mini.
        max_attempts: How often the model is asked about a prompt before what is missing stays missing.
        max_connections: Prompts at a time.
        cache: Keep replies in Inspect's cache, so that asking again is free and gives the same; only what was
            rejected is asked for anew.
        seed: Of the calls, for models that take one.
        checks: What accepts or rejects the rewordings of an item; `vet` by default.
        judge: The model that decides on rewordings that carry a flag, or `none`; by default the same model.
        strict: Raise where a rewording could not be made, in place of the warning.

    Raises:
        InputError: An argument is out of range.
        RunError: The model cannot be asked at all, or, with `strict`, a rewording could not be made.

    Example:
        >>> from inspect_ai.model import ModelOutput, ModelUsage, get_model
        >>> from otherwords import PromptVariationGenerator
        >>> reply = ModelOutput.from_content("mockllm/model", '{"rewordings": ["Compute the total revenue"]}')
        >>> reply.usage = ModelUsage(input_tokens=9, output_tokens=9)
        >>> model = get_model("mockllm/model", custom_outputs=[reply])
        >>> generator = PromptVariationGenerator(1, model=model, cache=False)
        >>> generator.generate_variations("Calculate the total revenue")
        ['Calculate the total revenue', 'Compute the total revenue']
    """

    def __init__(
        self,
        num_variations: int = 3,
        strength: str = DEFAULT_STRENGTH,
        model: str | Model | Sequence[str | Model] | None = None,
        *,
        max_attempts: int = 3,
        max_connections: int = 10,
        cache: bool = True,
        seed: int = 0,
        checks: Vet = vet,
        judge: str | Model | None = None,
        strict: bool = False,
    ) -> None:
        self.num_variations = require_count("num_variations", num_variations)
        self.seed, self.checks, self.judge, self.strict = seed, checks, judge, strict
        self.family = LlmFamily(model, strength, max_attempts, max_connections, cache)
        self.last = LlmBatch((), Counts())
        """What the last call made, rejected and could not make."""
        self.counts = Counts()
        """Of all calls together."""

    def generate_variations(self, prompt: str, *, strict: bool | None = None) -> list[str]:
        """Gives the prompt itself, then up to `num_variations` rewordings of it.

        Fewer are a warning; with `strict`, here or of the generator, a `RunError`.
        """
        return self.generate_many([prompt], strict=strict)[0]

    async def generate_variations_async(self, prompt: str, *, strict: bool | None = None) -> list[str]:
        """As `generate_variations`, where one can await."""
        return (await self.generate_many_async([prompt], strict=strict))[0]

    def generate_many(
        self, prompts: Sequence[str], on_item: OnItem | None = None, *, strict: bool | None = None
    ) -> list[list[str]]:
        """One list for each prompt. Works where an event loop is running, as in a notebook, too."""
        return wait_for(self.generate_many_async(prompts, on_item, strict=strict), "rewordings")

    async def generate_many_async(
        self, prompts: Sequence[str], on_item: OnItem | None = None, *, strict: bool | None = None
    ) -> list[list[str]]:
        """`max_connections` prompts at a time; `on_item` is told how many are done, and of how many."""
        items = [
            Item(id=f"prompt{number}", prompt=require_text("prompt", prompt))
            for number, prompt in enumerate(prompts, start=1)
        ]
        judges = with_judge((), self.judge, families=[self.family.name], llm=self.family)
        self.last = await self.family.candidates_many(
            items,
            k=self.num_variations,
            seed=self.seed,
            vet=self.checks,
            decide=Deciding(judges),
            on_item=on_item,
        )
        self.counts.add(self.last.counts)
        self._tell_missing(self.strict if strict is None else strict)
        return [result.texts for result in self.last.results]

    def _tell_missing(self, strict: bool) -> None:
        missing = self.last.missing
        if not missing:
            return
        wanted = self.num_variations * len(self.last.results)
        short = [result.item for result in self.last.results if result.missing]
        # By its prompt, too: Python shows a warning of the same text only once.
        prompt = shorten(varied_text(short[0].prompt), _SHOWN, placeholder="…")
        of = f"'{prompt}'" + (f" and {len(short) - 1} more" if len(short) > 1 else "")
        causes = Counter(reason for one in missing for reason in one.reasons)
        cause = f"; the most common cause: {causes.most_common(1)[0][0]}" if causes else ""
        message = redacted(f"{len(missing)} of {wanted} rewordings could not be made, of {of}{cause}")
        if strict:
            raise RunError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)
