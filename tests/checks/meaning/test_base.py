from __future__ import annotations

import pytest

from otherwords.checks.judge import PROMPT_VERSION
from otherwords.checks.meaning import MEANING_CHECKS, make_check
from otherwords.core.errors import InputError, UnknownNameError


def test_the_three_are_known_by_name() -> None:
    assert MEANING_CHECKS.names()[:3] == ["embedding", "entailment", "judge"]


@pytest.mark.parametrize(
    ("spec", "settings"),
    [
        ("embedding=some/model", {"model": "some/model", "floor": 0.75}),
        ("embedding=some/model,floor=0.5", {"model": "some/model", "floor": 0.5}),
        ("entailment", {"model": "cross-encoder/nli-MiniLM2-L6-H768", "floor": 0.5}),
        ("judge=openai/gpt-4o-mini,concurrency=3", {"model": "openai/gpt-4o-mini", "prompt": PROMPT_VERSION}),
    ],
)
def test_a_check_is_made_from_what_is_typed(spec: str, settings: dict[str, object]) -> None:
    assert make_check(spec).settings() == settings


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "embedding=model,loud",
            "cannot read 'loud' in the check 'embedding=model,loud'\n"
            "Write it as name, name=model or name=model,option=value.",
        ),
        (
            "embedding=colour=red",
            "the check 'embedding' has no option 'colour'. It has: model, floor.",
        ),
        ("judge", "the check 'judge' needs a model\nFor example: judge=openai/gpt-4o-mini"),
        (
            "judge=m/m,concurrency=0",
            "concurrency of the check 'judge' must be a whole number from 1, got 0",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(spec: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make_check(spec)
    assert str(caught.value) == message


def test_an_unknown_check_is_named_with_its_neighbours() -> None:
    with pytest.raises(UnknownNameError) as caught:
        make_check("embeding")
    assert str(caught.value) == "unknown meaning check 'embeding'. Did you mean: embedding?"
