"""What must hold for every prompt."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otherwords.checks import vet
from otherwords.core.contract import ORIG
from otherwords.core.types import Item
from otherwords.english.spans import span_texts
from otherwords.variants.base import make_candidates
from otherwords.variants.format import generate_perturbations
from otherwords.variants.paraphrase import generate_paraphrases

pytestmark = pytest.mark.slow

PIECES = st.sampled_from(
    [
        "What is the capital of France?",
        "Which of the following is the most likely cause?",
        "How many legs does a spider have?",
        "Name the largest ocean.",
        "Please compute the sum.",
        "The ice melts because it is warm.",
        "The storm causes a flood.",
        "Each box holds six eggs.",
        "It  weighs -2.5 kg,and costs $1,000.50.",
        "Do NOT use `x  = 1` or {name}.",
        'He said "I have  a dream" at 10:30 am.',
        "See https://example.org/a?b=c or /etc/hosts.",
        "Balance KMnO4 + H2O; solve 3x²−4x = 0.",
        "```python\nprint('a  b')\n\nif x:  y()\n```",
        "A. red\nB. blue",
        "- one\n- two",
        "| a | b |\n|---|---|",
        "    indented  code",
        "",
    ]
)
PROMPTS = st.one_of(
    st.lists(st.tuples(PIECES, st.sampled_from([" ", "\n", "\n\n", "  "])), min_size=1, max_size=6)
    .map(lambda parts: "".join(piece + gap for piece, gap in parts))
    .filter(str.strip),
    st.text(min_size=1, max_size=80).filter(str.strip),
)


@given(PROMPTS)
def test_the_original_comes_first_and_nothing_is_a_no_op_or_breaks_a_span(stem: str) -> None:
    first, *others = generate_paraphrases(stem, k=50)
    texts = [str(other.prompt) for other in others]
    assert (first.name, first.prompt) == (ORIG, stem)
    assert len({" ".join(text.casefold().split()) for text in (stem, *texts)}) == len(texts) + 1
    assert all(span_texts(text) == span_texts(stem) for text in texts)
    assert all(text.count("\n") == stem.count("\n") for text in texts)
    assert [other.name for other in others] == [f"para{place}" for place in range(1, len(others) + 1)]
    assert generate_paraphrases(stem, k=50) == [first, *others]


@given(
    stem=PROMPTS,
    choices=st.lists(st.text(min_size=1).filter(str.strip), min_size=2, max_size=6),
    k=st.integers(0, 6),
    data=st.data(),
)
def test_the_target_follows_its_text(stem: str, choices: list[str], k: int, data: st.DataObject) -> None:
    target = data.draw(st.integers(0, len(choices) - 1))
    first, *others = made = generate_perturbations(stem, choices, target, k)
    assert (first.name, first.prompt, first.choices, first.target) == (ORIG, stem, tuple(choices), target)
    assert len(others) <= k
    assert len({(one.prompt, one.choices) for one in made}) == len(made)
    for one in made:
        assert isinstance(one.target, int)
        assert one.choices[one.target] == choices[target]
        assert one.option_order[one.target] == target
        assert one.choices == tuple(choices[place] for place in one.option_order)
        assert span_texts(str(one.prompt)) == span_texts(stem)
    assert generate_perturbations(stem, choices, target, k) == made


@given(PROMPTS)
@example("```  Name the largest ocean. ")
def test_the_checks_accept_what_the_rules_make(stem: str) -> None:
    item = Item("1", stem, ("an elm", "an oak", "a fir"), 2)
    refused = [one for one in vet(item, make_candidates(item, k=50)) if not one.accepted]
    assert [(one.variant.prompt, one.failures) for one in refused] == []
