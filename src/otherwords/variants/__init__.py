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
        read_header,
        read_variants,
        write_variants,
    )
    from otherwords.variants.format import generate_perturbations
    from otherwords.variants.llm import LlmFamily
    from otherwords.variants.paraphrase import generate_paraphrases

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
    "generate_paraphrases",
    "generate_perturbations",
    "make_candidates",
    "make_header",
    "read_header",
    "read_variants",
    "write_variants",
]
_HOMES = {
    "base": "DEFAULT_FAMILIES DEFAULT_K RULE_FAMILIES default_k make_candidates",
    "file": "VariantsFile VariantsHeader add_variants make_header read_header read_variants write_variants",
    "format": "generate_perturbations",
    "llm": "LlmFamily",
    "paraphrase": "generate_paraphrases",
}
__getattr__, __dir__ = lazy_names(  # a family is loaded only when it is asked for
    __name__, {name: f"{__name__}.{home}" for home, names in _HOMES.items() for name in names.split()}
)
