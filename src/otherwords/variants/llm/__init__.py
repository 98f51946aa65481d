"""The family `llm`: rewordings that models write, on any model that Inspect reaches.

prompt     protected spans → marks such as ⟦1⟧; the source, delimited as data → the messages that ask
reply      what the model wrote → the rewordings in it
asking     one call: cache, errors, counts
rewording  one item: ask, vet, ask again for what was rejected; what stays empty is missing

Here is the family itself: many items at a time, each with its rewordings, its rejects and its empty places.

Nothing here calls a model, or imports Inspect, before rewordings are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import DEFAULT_STRENGTH
from otherwords.core.errors import InputError
from otherwords.core.model_calls import run_all, wait_for
from otherwords.core.types import Item, MissingVariant, Variant, Vetted
from otherwords.variants.base import declared, require_count, require_whole
from otherwords.variants.llm.asking import Counts, asking, paraphraser
from otherwords.variants.llm.prompt import PROMPT_VERSION, strengths_of
from otherwords.variants.llm.rewording import Decide, Gate, LlmResult, Rewording, Vet

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = ["PROMPT_VERSION", "Counts", "LlmBatch", "LlmFamily", "Vet", "paraphraser"]


@dataclass(frozen=True, slots=True)
class LlmBatch:
    results: tuple[LlmResult, ...]
    """One for each item, in the order given."""
    counts: Counts

    @property
    def accepted(self) -> tuple[Vetted, ...]:
        return tuple(one for result in self.results for one in result.accepted)

    @property
    def rejected(self) -> tuple[Vetted, ...]:
        return tuple(one for result in self.results for one in result.rejected)

    @property
    def missing(self) -> tuple[MissingVariant, ...]:
        return tuple(one for result in self.results for one in result.missing)


@dataclass(frozen=True)
class LlmFamily:
    """Rewordings named by their strength: `mild1`, `mild2`, …

    Unlike other families it needs a model, takes many items at a time, and can fail: use `candidates_many`.
    """

    model: str | Model | Sequence[str | Model] | None = None
    """Any model that Inspect knows; None is the model role `paraphraser`, or else openai/gpt-4o-mini. Several
    share the rewordings of each item, in turn."""
    strength: str = DEFAULT_STRENGTH
    """mild, medium, strong or naturalistic; `spread`, the default, is one of each in turn."""
    max_attempts: int = 3
    """How often the model is asked about an item before what is missing stays missing."""
    max_connections: int = 10
    """Items at a time."""
    cache: bool = True

    name = "llm"
    version, traits = declared("llm")

    def __post_init__(self) -> None:
        strengths_of(self.strength, 0)
        if isinstance(self.model, Sequence) and not isinstance(self.model, str):
            several = tuple(self.model)
            object.__setattr__(self, "model", several if len(several) > 1 else next(iter(several), None))
        for name in ("max_attempts", "max_connections"):
            if require_count(name, getattr(self, name)) == 0:
                raise InputError(f"{name} must be 1 or more, got 0")

    @property
    def models(self) -> tuple[str | Model | None, ...]:
        """Each of the models; None where it is the default one."""
        return self.model if isinstance(self.model, tuple) else (self.model,)

    def settings(self) -> dict[str, Any]:
        """What the header of a variants file keeps of it."""
        named = ", ".join(str(model or "") for model in self.models)
        return {"model": named, "strength": self.strength, "prompt_version": PROMPT_VERSION}

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        raise InputError(
            "the family 'llm' asks a model and cannot be used where families only compute",
            item=item.id,
            hint="Use LlmFamily(model=…).candidates_many, or PromptVariationGenerator for single prompts.",
        )

    def candidates_many_sync(self, items: Sequence[Item], *, k: int, **more: Any) -> LlmBatch:
        """For callers that cannot await; works where an event loop is running, as in a notebook."""
        return wait_for(self.candidates_many(items, k=k, **more), "rewordings")

    async def candidates_many(
        self,
        items: Sequence[Item],
        *,
        k: int,
        seed: int = 0,
        vet: Vet | None = None,
        decide: Decide | None = None,
        on_item: Callable[[int, int], None] | None = None,
        known: Mapping[str, Sequence[Vetted]] | None = None,
    ) -> LlmBatch:
        """Up to `k` rewordings of each item that `vet` accepts.

        Without `vet` only protected spans and repetitions are looked at. `decide` is asked about what `vet`
        has not refused, for many items at a time, as a judge answers slowly. A model that cannot be asked at
        all raises; what fails for one item leaves its places empty, with the reasons. Of an item whose
        rewordings are partly `known`, by its id, only the others are asked for. `on_item` is called with how
        many items are done, and of how many.
        """
        k, seed = require_count("k", k), require_whole("seed", seed)
        counts = Counts()
        if k == 0 or not items:
            return LlmBatch(tuple(LlmResult(item) for item in items), counts)
        async with AsyncExitStack() as opened:
            askers = [
                await opened.enter_async_context(asking(model, seed=seed, cache=self.cache, counts=counts))
                for model in self.models
            ]
            gate, known = Gate(vet, decide), known or {}
            told: dict[str, Any] = {"strengths": strengths_of(self.strength, k), "seed": seed}
            work = [
                Rewording(item, self, askers, gate, known=known.get(item.id, ()), **told) for item in items
            ]
            results = tuple(await run_all([one.done for one in work], self.max_connections, on_item))
        counts.accepted = sum(len(result.accepted) for result in results)
        counts.missing = sum(len(result.missing) for result in results)
        return LlmBatch(results, counts)


LLM = LlmFamily()
