"""The family `llm`: rewordings that models write, on any model that Inspect reaches.

prompt     protected spans → marks such as ⟦1⟧; the source, delimited as data → the messages that ask
reply      what the model wrote → the rewordings in it
asking     one call: cache, errors, counts
rewording  one item: ask, vet, ask again for what was rejected; what stays empty is missing
family     many items at a time

Nothing here calls a model, or imports Inspect, before rewordings are asked for.
"""

from __future__ import annotations

from otherwords.variants.llm.asking import PARAPHRASER, Counts, paraphraser
from otherwords.variants.llm.family import LlmBatch, LlmFamily, OnItem
from otherwords.variants.llm.prompt import PROMPT_VERSION
from otherwords.variants.llm.rewording import Decide, LlmResult, Vet

__all__ = [
    "PARAPHRASER",
    "PROMPT_VERSION",
    "Counts",
    "Decide",
    "LlmBatch",
    "LlmFamily",
    "LlmResult",
    "OnItem",
    "Vet",
    "paraphraser",
]
