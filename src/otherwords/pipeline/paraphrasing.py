"""Rewordings of single prompts by a model, vetted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from otherwords.checks import vet
from otherwords.core.types import Item
from otherwords.core.waiting import wait_for
from otherwords.variants.llm import Counts, LlmBatch, LlmFamily, OnItem, Vet
from otherwords.variants.validate import require_count, require_text

if TYPE_CHECKING:
    from inspect_ai.model import Model


class PromptVariationGenerator:
    """Asks a model for rewordings of a prompt and keeps those that the checks accept.

    `model` is any that Inspect knows, by name or as its `Model`; without one it is the model role
    `paraphraser`, or else openai/gpt-4o-mini. Replies are kept in Inspect's cache, so that asking again is
    free and gives the same. What could not be made is absent from the list, never filled with the original;
    `last` says why.
    """

    def __init__(
        self,
        num_variations: int = 3,
        strength: str = "mild",
        model: str | Model | None = None,
        *,
        max_attempts: int = 3,
        max_connections: int = 10,
        cache: bool = True,
        seed: int = 0,
        checks: Vet = vet,
    ) -> None:
        self.num_variations = require_count("num_variations", num_variations)
        self.seed, self.checks = seed, checks
        self.family = LlmFamily(model, strength, max_attempts, max_connections, cache)
        self.last = LlmBatch((), Counts())
        """What the last call made, rejected and could not make."""
        self.counts = Counts()
        """Of all calls together."""

    def generate_variations(self, prompt: str) -> list[str]:
        """The prompt itself, then up to `num_variations` rewordings of it."""
        return self.generate_many([prompt])[0]

    async def generate_variations_async(self, prompt: str) -> list[str]:
        return (await self.generate_many_async([prompt]))[0]

    def generate_many(self, prompts: Sequence[str], on_item: OnItem | None = None) -> list[list[str]]:
        """One list for each prompt. Works where an event loop is running, as in a notebook, too."""
        return wait_for(self.generate_many_async(prompts, on_item), "rewordings")

    async def generate_many_async(
        self, prompts: Sequence[str], on_item: OnItem | None = None
    ) -> list[list[str]]:
        """`max_connections` prompts at a time; `on_item` is told how many are done, and of how many."""
        items = [
            Item(id=f"prompt{number}", prompt=require_text("prompt", prompt))
            for number, prompt in enumerate(prompts, start=1)
        ]
        self.last = await self.family.candidates_many(
            items, k=self.num_variations, seed=self.seed, vet=self.checks, on_item=on_item
        )
        self.counts.add(self.last.counts)
        return [result.texts for result in self.last.results]
