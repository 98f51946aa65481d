"""Items → candidate variants: the same problem in other words, in another dress, with its options moved."""

from __future__ import annotations

from otherwords.variants.base import FAMILIES, Family
from otherwords.variants.candidates import DEFAULT_FAMILIES, DEFAULT_K, make_candidates
from otherwords.variants.file import (
    VariantsFile,
    VariantsHeader,
    make_header,
    read_variants,
    write_variants,
)
from otherwords.variants.paraphrase import generate_paraphrases
from otherwords.variants.perturb import generate_perturbations
from otherwords.variants.protect import find_spans, protected_texts

__all__ = [
    "DEFAULT_FAMILIES",
    "DEFAULT_K",
    "FAMILIES",
    "Family",
    "VariantsFile",
    "VariantsHeader",
    "find_spans",
    "generate_paraphrases",
    "generate_perturbations",
    "make_candidates",
    "make_header",
    "protected_texts",
    "read_variants",
    "write_variants",
]
