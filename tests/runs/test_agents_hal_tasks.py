from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import ChatMessageUser, ModelName
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from otherwords.runs.agents.hal import answer_text, hal_task, task_id_of

SECRET = "the secret that nobody may be told"
NAMES = st.sampled_from(
    ["level", "Question", "problem_statement", "task", "steps", "repo", "contest", "latest", "notes"]
)
TELLTALES = st.sampled_from(
    ["answer", "Final answer", "goldAnswer", "solutions", "test_patch", "PASS_TO_PASS", "Annotator Metadata"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("aß {\n", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | TELLTALES, inner, max_size=3),
    max_leaves=10,
)


def state(metadata: dict[str, Any], sample_id: str = "q") -> TaskState:
    return TaskState(
        model=ModelName("agent/x"),
        sample_id=sample_id,
        epoch=1,
        input="the wording",
        messages=[ChatMessageUser(content="the wording")],
        target=Target(SECRET),
        metadata=metadata,
    )


def secrets_in(value: Any, name: str) -> Any:
    """The value with the secret put wherever a telltale name leads to it."""
    return {name: SECRET, "inner": [{name: SECRET, "kept": value}]}


@pytest.mark.slow
@given(metadata=st.dictionaries(NAMES, VALUES, max_size=5), telltale=TELLTALES, fields=st.lists(NAMES))
def test_the_prompt_is_there_and_the_secret_is_not(
    metadata: dict[str, Any], telltale: str, fields: list[str]
) -> None:
    given_metadata = {**metadata, telltale: SECRET, "nested": secrets_in(1, telltale), "copy": SECRET}
    task, withheld = hal_task(state(given_metadata), "the wording", fields, None)
    assert SECRET not in json.dumps(task)
    assert {telltale, "copy"} <= set(withheld)
    assert task["nested"] == {"inner": [{"kept": 1}]}
    for name in ["prompt", "question", "input", *fields]:
        assert task[name] == "the wording"
    for name in {"Question", "problem_statement"} & metadata.keys():
        assert task[name] == "the wording"
    assert task.keys() >= metadata.keys()


@pytest.mark.slow
@given(metadata=st.dictionaries(NAMES, VALUES, max_size=5))
def test_our_own_metadata_are_not_told(metadata: dict[str, Any]) -> None:
    ours = {"item_id": "q", "variant": "para1", "kind": "paraphrase", "change": "x", "seed": 1}
    worded = state({**metadata, **ours}, "q#para1")
    task, withheld = hal_task(worded, "the wording", [], None)
    assert task_id_of(worded) == task["id"] == "q"
    assert not ours.keys() & task.keys()
    assert not withheld


def test_values_that_are_not_json_are_withheld() -> None:
    task, withheld = hal_task(state({"thing": object(), "level": 1}), "the wording", [], None)
    assert withheld == ["thing"]
    assert task["level"] == 1


@given(st.text('aß {}:\n\u2028ERO"', max_size=30).filter(lambda text: not text.lstrip().startswith("ERROR:")))
def test_text_is_handed_back_as_it_is(text: str) -> None:
    assert answer_text(text, "q") == answer_text({"answer": text}, "q") == text
