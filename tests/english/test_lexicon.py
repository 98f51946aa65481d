from __future__ import annotations

import re
from pathlib import Path

import pytest

from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.quantities import fragments

SOURCE = Path(__file__).parents[2] / "src" / "otherwords"
SECTIONS = [name for name in read_lexicon("patterns") if name != "superlatives"]


@pytest.mark.parametrize("section", SECTIONS)
def test_every_pattern_compiles_and_is_used(section: str) -> None:
    patterns = Patterns(section, MASK="[m]", MASKS="m", OPPOSITES="most", OPENS="May", **fragments())
    users = [
        text
        for path in SOURCE.rglob("*.py")
        if f'Patterns("{section}"' in (text := path.read_text(encoding="utf-8"))
    ]
    names = [name for name in read_lexicon("patterns")[section] if name != "fragments"]
    assert names
    for name in names:
        assert isinstance(getattr(patterns, name), re.Pattern)
        assert section == "meta_options" or any(f".{name}" in text for text in users), name


def test_a_fragment_stands_for_any_of_its_words_and_a_given_one_for_itself() -> None:
    assert Patterns("options").named.search("see Option B")
    assert not Patterns("options").named.search("see Options Bar")
    assert Patterns("format", MASK="#").labelled.match("Question #: who?")


def test_an_unknown_pattern_is_no_attribute() -> None:
    with pytest.raises(AttributeError):
        _ = Patterns("options").nothing
