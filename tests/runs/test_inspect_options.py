"""Options of Inspect by name: which are known, which are otherwords' own, and what their values may be."""

from __future__ import annotations

import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

import inspect_ai
import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import BatchConfig, CachePolicy, GenerateConfig
from inspect_ai.util import SandboxEnvironmentSpec

from otherwords.core.contract import HOW_IT_IS_SENT
from otherwords.core.errors import InputError
from otherwords.runs import inspect_options
from otherwords.runs.inspect_options import (
    INSPECT_OPTIONS,
    OURS,
    changing_answers,
    checked_value,
    inspect_arguments,
)

OF_EVAL = set(inspect.signature(inspect_ai.eval).parameters) - {"kwargs"}
OF_EVAL_SET = set(inspect.signature(inspect_ai.eval_set).parameters)
FIELDS = set(GenerateConfig.model_fields)


def test_every_name_in_the_tables_is_inspects() -> None:
    assert {option.name for option in INSPECT_OPTIONS} <= OF_EVAL | FIELDS
    assert OURS.keys() <= OF_EVAL
    assert HOW_IT_IS_SENT <= FIELDS
    assert OF_EVAL - OURS.keys() >= inspect_options._HARMLESS


def test_what_is_handed_to_eval_set_is_an_argument_of_it() -> None:
    assert OF_EVAL - OURS.keys() <= OF_EVAL_SET


def test_what_changes_answers_is_all_that_is_not_known_to_be_harmless() -> None:
    given_all = dict.fromkeys(OF_EVAL - OURS.keys())
    assert changing_answers(given_all).keys() == {
        *("model_base_url", "sandbox", "approval", "review", "scanner", "sentinel", "checkpoint"),
        *("acp_server", "sample_shuffle", "retry_on_error", "turn_limit", "cost_limit"),
    }


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("epochs", "use --repeats"),
        ("limit", "use --max-items"),
        ("log_dir", "use --log-dir"),
        ("score", "every answer is scored; `inspect score` scores finished logs anew"),
        ("sample_id", "use --sample-id, which takes an item's id"),
        ("token_limit", "use --token-limit"),
        (
            "fail_on_error",
            "an error stays on its sample, and the next run tries that again; see --keep-going",
        ),
    ],
)
def test_what_otherwords_sets_itself_is_refused_with_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_value(name, 1)
    assert str(caught.value) == f"Inspect's option '{name}' is set by otherwords: {instead}"


def test_an_unknown_name_is_told_with_near_ones() -> None:
    with pytest.raises(InputError) as caught:
        checked_value("max_sampls", 3)
    assert str(caught.value) == (
        "unknown option of Inspect 'max_sampls'. Did you mean: max_samples, max_tasks, max_sandboxes?"
    )


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("top_k", 0, "top_k must be 1 or more, got 0"),
        ("max_retries", -1, "max_retries must be 0 or more, got -1"),
        ("max_samples", "many", "max_samples should be a valid integer, got 'many'"),
        ("max_samples", True, "max_samples cannot be true"),
        ("reasoning_tokens", 1.5, "reasoning_tokens should be a valid integer, got a number with a"),
        ("reasoning_effort", "hard", "reasoning_effort should be 'none', 'minimal', 'low', 'medium', "),
        ("logprobs", "perhaps", "logprobs should be a valid boolean, "),
        ("stop_seqs", "", "stop_seqs must be texts with commas between, or a list of texts, got ''"),
        ("stop_seqs", ["a", ""], "stop_seqs must be texts with commas between, or a list of texts, got"),
        ("tags", 3, "tags must be texts with commas between, or a list of texts, got 3"),
        ("metadata", "a", "metadata must be names and values, got 'a'"),
        ("metadata", {"otherwords_x": 1}, "metadata 'otherwords_x' cannot be given: otherwords_… are "),
        ("metadata", {"agent_name": "x"}, "metadata 'agent_name' is set by otherwords: use --agent-name"),
        ("cache", "soon", "cache must be a time such as 12h, 3D or 1W, or a file that exists, got 'soon'"),
        (
            "cache",
            {"per_epoch": False},
            "a cache without per_epoch cannot be used: every repeat of a wording",
        ),
        ("batch", "all", "batch must be a number of requests, or a file that exists, got 'all'"),
        ("batch", 0, "batch must be 1 or more, got 0"),
        ("sandbox", "nope", "Inspect knows no sandbox 'nope'\nThose that it brings are docker and local."),
        ("sandbox", 3, "sandbox must be a text such as docker or docker:compose.yaml, got 3"),
        ("approval", "nope", "approval must be a policy's file or an approver's name, got 'nope'"),
        ("approval", "human", "approval by a human cannot be used: Inspect's display, which asks, is not "),
        ("model_base_url", "localhost:8000", "model_base_url must begin with http:// or https://, got "),
        ("scanner", "mine", "Inspect's option 'scanner' takes Python objects, and not 'mine'"),
        ("extra_headers", {"x": f"sk-{'a1' * 20}"}, "extra_headers has what looks like a key, and Inspect "),
        ("metadata", {"x": f"sk-{'a1' * 20}"}, "metadata has what looks like a key, and Inspect writes it "),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_in_one_sentence(name: str, value: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        checked_value(name, value)
    said = str(caught.value)
    assert said.startswith(problem)
    assert "sk-" not in said


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("stop_seqs", "\n\n,END", ["\n\n", "END"]),
        ("stop_seqs", ["a,b"], ["a,b"]),
        ("tags", "night,small", ["night", "small"]),
        ("cache", "true", True),
        ("cache", "3D", CachePolicy(expiry="3D")),
        ("cache", {"expiry": None}, CachePolicy(expiry=None)),
        ("batch", "true", True),
        ("batch", "50", 50),
        ("batch", {"size": 9}, BatchConfig(size=9)),
        ("sandbox", "local", SandboxEnvironmentSpec("local")),
        ("sandbox", "docker:compose.yaml", SandboxEnvironmentSpec("docker", "compose.yaml")),
        ("approval", "auto", "auto"),
        ("max_samples", "4", 4),
        ("turn_limit", 9, 9),
        ("log_level", "info", "info"),
        ("cost_limit", 1, 1.0),
    ],
)
def test_a_value_is_given_as_inspect_takes_it(name: str, value: Any, expected: Any) -> None:
    assert checked_value(name, value) == expected


def test_policies_are_read_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cache.yaml").write_text("expiry: 2h\nscopes: {a: b}\n")
    assert checked_value("cache", "cache.yaml") == CachePolicy(expiry="2h", scopes={"a": "b"})
    Path("batch.json").write_text('{"size": 20, "max_batches": 2}')
    assert checked_value("batch", "batch.json") == BatchConfig(size=20, max_batches=2)
    Path("list.yaml").write_text("- 1\n")
    with pytest.raises(InputError, match=r"^list.yaml: must have names and values, as Inspect's settings"):
        checked_value("batch", "list.yaml")
    approvers = "approvers:\n  - name: {}\n    tools: '*'\n"
    Path("auto.yaml").write_text(approvers.format("auto"))
    assert checked_value("approval", "auto.yaml") == "auto.yaml"
    Path("human.yaml").write_text(approvers.format("human"))
    with pytest.raises(InputError, match=r"^approval by a human cannot be used"):
        checked_value("approval", "human.yaml")
    Path("wrong.yaml").write_text("approvers: 3\n")
    with pytest.raises(InputError, match=r"^wrong.yaml: is no approval policy: "):
        checked_value("approval", "wrong.yaml")


@given(
    st.sampled_from(sorted((OF_EVAL | FIELDS) - OURS.keys())),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
        max_leaves=4,
    ),
)
def test_any_value_is_taken_or_refused_in_words(name: str, value: Any) -> None:
    with suppress(InputError):
        checked_value(name, value)


def test_fields_and_arguments_go_where_inspect_has_them() -> None:
    found = inspect_arguments(
        {"temperature": 0}, {"top_k": 3, "max_samples": 2, "model_base_url": "http://localhost:1/v1"}
    )
    assert found.config == GenerateConfig(temperature=0, top_k=3)
    assert (found.base_url, found.arguments) == ("http://localhost:1/v1", {"max_samples": 2})


def test_the_same_name_twice_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        inspect_arguments({"top_k": 3}, {"top_k": 4})
    assert str(caught.value) == "top_k is given twice, as 3 and as 4: give it once"
    assert inspect_arguments({"top_k": 3}, {"top_k": 3}).config == GenerateConfig(top_k=3)
