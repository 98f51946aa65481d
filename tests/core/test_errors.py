from __future__ import annotations

import pickle

import pytest

from otherwords.core.errors import (
    GateFailed,
    InputError,
    MissingDependencyError,
    OtherwordsError,
    RunError,
    UnknownNameError,
    first_cause,
)


def test_an_input_error_says_where() -> None:
    assert str(InputError("no answer")) == "no answer"
    assert str(InputError("no answer", line=3)) == "line 3: no answer"
    assert str(InputError("no answer", item="q1")) == "item 'q1': no answer"
    full = InputError("no answer", file="a.jsonl", line=3, item="q1", hint="Add one.")
    assert str(full) == "a.jsonl:3, item 'q1': no answer\nAdd one."
    assert isinstance(full, ValueError)


def test_an_unknown_name_suggests_near_ones() -> None:
    known = ["paraphrase", "format", "options"]
    assert str(UnknownNameError("family", "paraphrases", known)) == (
        "unknown family 'paraphrases'. Did you mean: paraphrase?"
    )
    assert str(UnknownNameError("family", "zzz", known)) == (
        "unknown family 'zzz'. Known: format, options, paraphrase."
    )
    assert str(UnknownNameError("family", "zzz", [])) == "unknown family 'zzz'. None are registered."


def test_a_missing_dependency_says_what_to_type() -> None:
    error = MissingDependencyError("The runtime is not installed.", "pip install 'otherwords[local]'")
    assert str(error) == "The runtime is not installed.\nInstall it with: pip install 'otherwords[local]'"


def test_exit_codes() -> None:
    assert InputError("x").exit_code == 2
    assert GateFailed("x").exit_code == 1


class Several(Exception):
    """As an exception group is, which Python 3.10 does not know."""

    exceptions: tuple[BaseException, ...]


def test_the_first_cause_is_one_sentence() -> None:
    several = Several()
    several.exceptions = (ValueError("no\n such  model"), KeyError("x"))
    found = first_cause(several, "cannot ask the judge m")
    assert isinstance(found, RunError)
    assert str(found) == "cannot ask the judge m: ValueError: no such model"
    long = str(first_cause(ValueError("x" * 300), "cannot ask"))
    assert long == f"cannot ask: ValueError: {'x' * 199}…"


def test_our_own_errors_and_interruptions_stay_as_they_are() -> None:
    for error in (InputError("no answer"), KeyboardInterrupt()):
        assert first_cause(error, "cannot ask") is error


@pytest.mark.parametrize(
    "error",
    [
        OtherwordsError("plain"),
        InputError("bad", file="a.csv", line=3, item="q1", hint="Mend it."),
        UnknownNameError("family", "fromat", ["format"]),
        MissingDependencyError("a model", "pip install it"),
        GateFailed("no"),
    ],
)
def test_an_error_comes_whole_from_another_process(error: OtherwordsError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.exit_code, vars(again)) == (str(error), error.exit_code, vars(error))
