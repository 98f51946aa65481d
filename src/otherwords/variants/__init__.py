"""Items → candidate variants: the same problem in other words, in another form, with its options moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names
from otherwords.core.registry import FAMILIES, Family

if TYPE_CHECKING:
    from otherwords.variants.base import (
        DEFAULT_FAMILIES,
        DEFAULT_K,
        RULE_FAMILIES,
        default_k,
        make_candidates,
    )
    from otherwords.variants.file import (
        VariantsFile,
        VariantsHeader,
        add_variants,
        make_header,
        read_variants,
        write_variants,
    )
    from otherwords.variants.format import generate_perturbations
    from otherwords.variants.llm import LlmFamily
    from otherwords.variants.paraphrase import generate_paraphrases
    from otherwords.variants.protect import find_spans, protected_texts

__all__ = [
    "DEFAULT_FAMILIES",
    "DEFAULT_K",
    "FAMILIES",
    "RULE_FAMILIES",
    "Family",
    "LlmFamily",
    "VariantsFile",
    "VariantsHeader",
    "add_variants",
    "default_k",
    "find_spans",
    "generate_paraphrases",
    "generate_perturbations",
    "make_candidates",
    "make_header",
    "protected_texts",
    "read_variants",
    "write_variants",
]

__getattr__, __dir__ = lazy_names(  # a family is loaded only when it is asked for
    __name__,
    {
        **dict.fromkeys(
            ("DEFAULT_FAMILIES", "DEFAULT_K", "RULE_FAMILIES", "default_k", "make_candidates"),
            f"{__name__}.base",
        ),
        **dict.fromkeys(
            (
                *("VariantsFile", "VariantsHeader"),
                *("add_variants", "make_header", "read_variants", "write_variants"),
            ),
            f"{__name__}.file",
        ),
        "LlmFamily": f"{__name__}.llm",
        "generate_paraphrases": f"{__name__}.paraphrase",
        "generate_perturbations": f"{__name__}.format",
        **dict.fromkeys(("find_spans", "protected_texts"), f"{__name__}.protect"),
    },
)
