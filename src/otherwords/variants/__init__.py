"""Items → candidate variants: the same problem in other words, in another dress, with its options moved."""

from __future__ import annotations

from otherwords.variants.base import FAMILIES, Family
from otherwords.variants.candidates import DEFAULT_FAMILIES, DEFAULT_K, default_k, make_candidates
from otherwords.variants.control import CONTROL
from otherwords.variants.file import (
    VariantsFile,
    VariantsHeader,
    make_header,
    read_variants,
    write_variants,
)
from otherwords.variants.format import FORMAT
from otherwords.variants.llm import LlmFamily
from otherwords.variants.naturalistic import NATURALISTIC
from otherwords.variants.options import OPTIONS
from otherwords.variants.paraphrase import PARAPHRASE, generate_paraphrases
from otherwords.variants.perturb import generate_perturbations
from otherwords.variants.position import POSITION
from otherwords.variants.protect import find_spans, protected_texts

RULE_FAMILIES = tuple(
    family.name for family in (PARAPHRASE, FORMAT, OPTIONS, NATURALISTIC, POSITION, CONTROL)
)
"""The names of the families that need no model."""

__all__ = [
    "DEFAULT_FAMILIES",
    "DEFAULT_K",
    "FAMILIES",
    "RULE_FAMILIES",
    "Family",
    "LlmFamily",
    "VariantsFile",
    "VariantsHeader",
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
