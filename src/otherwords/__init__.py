"""Does it still work when you say it in other words?

from otherwords import load_all_results, s_prompt
print(s_prompt(load_all_results("logs")))
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.core.errors import InputError, OtherwordsError
    from otherwords.core.types import CheckResult, Estimate, Item, Message, Variant, Vetted
    from otherwords.items import load_items
    from otherwords.metrics import s_prompt, summarise
    from otherwords.pipeline import PromptVariationGenerator, vary
    from otherwords.results import load_all_results, read_results
    from otherwords.runs import vary_task
    from otherwords.variants import generate_paraphrases, generate_perturbations

__version__ = "0.1.0"

__all__ = [
    "CheckResult",
    "Estimate",
    "InputError",
    "Item",
    "Message",
    "OtherwordsError",
    "PromptVariationGenerator",
    "Variant",
    "Vetted",
    "__version__",
    "generate_paraphrases",
    "generate_perturbations",
    "load_all_results",
    "load_items",
    "read_results",
    "s_prompt",
    "summarise",
    "vary",
    "vary_task",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("InputError", "OtherwordsError"), "otherwords.core.errors"),
        **dict.fromkeys(
            ("CheckResult", "Estimate", "Item", "Message", "Variant", "Vetted"), "otherwords.core.types"
        ),
        "load_items": "otherwords.items",
        **dict.fromkeys(("generate_paraphrases", "generate_perturbations"), "otherwords.variants"),
        **dict.fromkeys(("load_all_results", "read_results"), "otherwords.results"),
        **dict.fromkeys(("s_prompt", "summarise"), "otherwords.metrics"),
        **dict.fromkeys(("PromptVariationGenerator", "vary"), "otherwords.pipeline"),
        "vary_task": "otherwords.runs",
    },
)
