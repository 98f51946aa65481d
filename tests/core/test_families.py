from __future__ import annotations

import subprocess
import sys

import pytest

from otherwords.core.contract import CONTROL, FAULT, HUMAN, KINDS, LLM, ORIG, STYLES
from otherwords.core.families import FAMILIES, FamilyTraits, is_wording, traits_of


def names_where(trait: str) -> list[str]:
    return [kind for kind in KINDS if getattr(traits_of(kind), trait)]


def test_our_families_declare_what_others_must_know() -> None:
    assert FAMILIES.names() == list(KINDS)
    assert [family.name for _, family in FAMILIES] == list(KINDS)
    assert names_where("keeps_words") == ["format", "options", "position"]
    assert names_where("changes_form") == ["format", "naturalistic", "voice", "position"]
    assert names_where("is_control") == [CONTROL]
    assert names_where("is_informal") == ["naturalistic", "typing", "voice", "register"]
    assert names_where("moves_options") == ["options"]
    assert names_where("moves_text") == ["position"]
    assert names_where("needs_model") == [LLM]
    assert names_where("shared_by_items") == ["format", "options", "position"]
    assert names_where("seeded") == ["options", "naturalistic", *STYLES, "position", CONTROL, LLM]
    assert [kind for kind in KINDS if not traits_of(kind).keeps_meaning] == [CONTROL, HUMAN, LLM]
    assert {kind: traits_of(kind).metadata_key for kind in KINDS if traits_of(kind).metadata_key} == {
        "paraphrase": "paraphrase_id",
        "format": "perturbation_kind",
        "options": "perturbation_kind",
    }


@pytest.mark.parametrize("kind", [ORIG, FAULT, "", "never heard of"])
def test_a_kind_without_a_family_has_the_defaults(kind: str) -> None:
    assert traits_of(kind) == FamilyTraits()


def test_controls_and_faults_are_no_wordings() -> None:
    assert [kind for kind in (ORIG, FAULT, "other", *KINDS) if not is_wording(kind)] == [FAULT, CONTROL]


def test_traits_of_paraphrases_need_no_rules_of_paraphrasing() -> None:
    code = (
        "import sys; from otherwords.core.families import traits_of; traits_of('paraphrase'); "
        "print([name for name in sys.modules if name.startswith('otherwords.variants.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == ("['otherwords.variants.base', 'otherwords.variants.paraphrase']\n")
