"""Agents written for HAL in tau-bench: the harness's own command line, on tau2's own tasks and databases."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")

from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessage, ChatMessageUser, ModelName
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.cli import main
from otherwords.results import read_results
from otherwords.runs.agents.tau_bench import (
    ACTIONS,
    BASIS,
    FAILED,
    NOTHING,
    NOTHING_DONE,
    OTHER_WORDING,
    OWN_REWARD,
    PROBLEM,
    REWARD,
    SAID,
    TAKEN,
    UNHEARD,
    only_where_the_agent_spoke,
    read_answer,
    replay_actions,
    tau_bench_fields,
)
from otherwords.runs.agents.tau_bench import OTHER_INSTRUCTION as NOT_ITS_TASK

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("small_databases")]

Scripted = Callable[[str, Callable[[str], str]], str]

SEED = """otherwords run --benchmark taubench_airline \
    --agent_dir agents/my_agent \
    --agent_function main.run \
    --agent_name "test_agent" \
    --prompt_sensitivity \
    --num_variations 1 \
    --max_tasks 3"""
AGENT = """
import json
from pathlib import Path


def run(input, **kwargs):
    (task_id, task), = input.items()
    Path({seen!r}, task_id + str(len(task["instruction"]))).write_text(json.dumps(task))
    if task["task_index"] == 0:
        raise RuntimeError("no such airline")
    if task["task_index"] == 1:
        return {{task_id: {{"reward": 1.0}}}}
    actions = json.loads(Path("actions.json").read_text()) if "You are willing" in task["instruction"] else []
    worked_on = {{"instruction": task["instruction"]}}
    return {{task_id: {{"reward": 0.25, "taken_actions": actions, "task": worked_on}}}}
"""
REWORDED = {
    "You want to cancel reservation": "You would like to cancel reservation",
    "The trip you want to cancel": "The trip that you would like to cancel",
    "You are willing to admit that you are wrong": "You are ready to admit that you are wrong",
}


def bundled(domain: str, item: str) -> dict[str, Any]:
    data = importlib.import_module("inspect_evals.tau2.utils").TAU2_DATA_DIR
    tasks = json.loads((data / "domains" / domain / "tasks.json").read_text(encoding="utf-8"))
    return next(task for task in tasks if task["id"] == item)


def expected_actions(domain: str, item: str) -> list[dict[str, Any]]:
    """In tau-bench's form, which has `kwargs`."""
    actions = bundled(domain, item)["evaluation_criteria"]["actions"]
    return [{"name": action["name"], "kwargs": action["arguments"]} for action in actions]


def rewords(prompt: str) -> str:
    """The text that is to be reworded, with the marks that it has, in slightly other words."""
    found = re.search(r"<text-(\w+)>\n(.*)\n</text-\1>", prompt, re.DOTALL)
    assert found is not None
    text = found[2]
    for old, new in REWORDED.items():
        text = text.replace(old, new)
    return json.dumps({"rewordings": [text]})


def test_the_seeds_command_line(
    tmp_path: Path, scripted: Scripted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    agent, seen = Path("agents/my_agent"), tmp_path / "seen"
    agent.mkdir(parents=True)
    seen.mkdir()
    (agent / "main.py").write_text(AGENT.format(seen=str(seen)))
    actions = [*expected_actions("airline", "2"), {"name": "think", "kwargs": {"thought": "Done."}}]
    (agent / "actions.json").write_text(json.dumps(actions))

    _, *words = shlex.split(SEED)
    with pytest.raises(SystemExit) as ended:
        main([*words, "--repeats", "1", "--paraphraser", scripted("writer", rewords)])
    told = capsys.readouterr()
    assert ended.value.code == 0, told.err
    assert "3 items, 6 wordings (3 of them reworded)" in told.out
    assert "Warning: 2 of 6 samples failed by the agent's own fault and count as 0 (" in told.err
    assert "the first with agent: raised RuntimeError: no such airline" in told.err
    assert "2 of 6 scores are the agent's own word" in told.err

    rows = read_results("logs").outcomes.sort("id", "variant")
    assert rows["model"].unique().to_list() == ["test_agent"]
    found = [
        (id, variant == "orig", score) for id, variant, score in rows["id", "variant", "score"].iter_rows()
    ]
    assert sorted(found, key=lambda row: (row[0], not row[1])) == [
        ("0", True, 0.0),  # the agent's code failed
        ("0", False, 0.0),
        ("1", True, 1.0),
        ("1", False, 1.0),
        ("2", True, 1.0),  # what the task expects was done, and tau2 says so
        ("2", False, 0.0),  # nothing was done
    ]
    (upload,) = Path("results").rglob("*_UPLOAD.json")
    metrics = json.loads(upload.read_text(encoding="utf-8"))["prompt_sensitivity_metrics"]
    assert (metrics["num_tasks"], metrics["max_min_max_gap"]) == (3, 1.0)

    samples = {str(sample.id): sample for sample in whole_samples()}
    right = samples["2#orig"]
    (score,) = (right.scores or {}).values()
    assert score.value == CORRECT
    assert score.metadata is not None
    assert [score.metadata[name] for name in (OWN_REWARD, TAKEN, FAILED, SAID)] == [0.25, 5, 1, 0]
    assert "self_scored" not in score.metadata
    assert [event.function for event in right.events if event.event == "tool"] == [
        action["name"] for action in actions
    ]
    infos = [event.data for event in right.events if event.event == "info"]
    assert {"place": 5, "name": "think", "problem": "Tool think not found"} in infos[-1]["failed_actions"]  # type: ignore[index,call-overload]
    (own,) = (samples["1#orig"].scores or {}).values()
    assert own.metadata == {OWN_REWARD: 1.0, "self_scored": True, "otherwords_outcome": "answered"}

    handed = json.loads(next(seen.glob("2*")).read_text())
    assert "evaluation_criteria" not in json.dumps(handed)
    assert len(list(seen.iterdir())) == 6  # each wording reached the agent

    with pytest.raises(SystemExit) as ended:
        main(["report", "logs", "-o", "report"])
    assert ended.value.code == 0
    assert any(Path("report").rglob("*.html"))


def whole_samples() -> list[EvalSample]:
    (info,) = list_eval_logs("logs")
    return read_eval_log(info, resolve_attachments=True).samples or []


def a_state(domain: str = "airline", item: str = "2", **known: Any) -> TaskState:
    told: list[ChatMessage] = [ChatMessageUser(content="Begin.")]
    return TaskState(
        model=ModelName("none/none"),
        sample_id=item,
        epoch=1,
        input=list(told),
        messages=list(told),
        metadata={"instance": f"{domain.title()}Agent", "task": bundled(domain, item), **known},
    )


def test_the_task_is_hals_with_policy_and_tools() -> None:
    task = tau_bench_fields(a_state("retail", "3"), "You want a refund.", "openai/gpt-4o")
    policy, tools = task.pop("policy"), task.pop("tools")
    assert task == {
        "env": "retail",
        "task_split": "test",
        "task_index": 3,
        "user_strategy": "llm",
        "user_model": "gpt-4o",
        "user_provider": "openai",
        "instruction": "You want a refund.",
    }
    assert policy.startswith("# Retail agent policy")
    cancel = next(tool["function"] for tool in tools if tool["function"]["name"] == "cancel_pending_order")
    assert cancel["description"].startswith("Cancel a pending order.")
    assert cancel["parameters"]["required"] == ["order_id", "reason"]
    assert cancel["parameters"]["properties"]["reason"]["type"] == "string"
    json.dumps(tools)


def test_without_a_model_for_the_customer_the_agent_chooses() -> None:
    task = tau_bench_fields(a_state(user_style="naturalistic"), "You want a refund.", "")
    assert (task["user_model"], task["user_provider"]) == ("", "")
    assert task["user_style"].startswith("Type as someone does on a phone")


def noted(answer: Any, prompt: str = "You want a refund.") -> dict[str, Any]:
    state = a_state()
    asyncio.run(replay_actions(state, answer, prompt))
    return {name: value for name, value in state.metadata.items() if name.startswith("agent_")}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("Your flight is booked.", "the answer is text, without taken_actions or a reward"),
        ({"answer": "Booked."}, "the answer is text, without taken_actions or a reward"),
        ({"task": {}}, "the answer has neither taken_actions nor a reward"),
        ({"reward": 3}, "the agent's reward is 3, not a number from 0 to 1"),
        ({"reward": float("nan")}, "the agent's reward is nan, not a number from 0 to 1"),
        ({"reward": 1.0, "taken_actions": "all"}, "taken_actions is str, not a list"),
    ],
)
def test_an_answer_that_cannot_be_judged_says_why(answer: Any, problem: str) -> None:
    assert noted(answer) == {BASIS: NOTHING, PROBLEM: problem}


def test_a_reward_alone_is_noted_as_such() -> None:
    assert noted({"reward": 0.5}) == {BASIS: REWARD, OWN_REWARD: 0.5}
    assert noted({"answer": {"reward": True}, "metrics": {}}) == {BASIS: REWARD, OWN_REWARD: 1.0}


def test_an_agent_that_worked_on_another_wording_is_found_out() -> None:
    answer = {"reward": 1.0, "taken_actions": [], "task": {"instruction": "Book a flight."}}
    assert noted(answer) == {BASIS: OTHER_WORDING, OWN_REWARD: 1.0}
    answer["task"] = {"instruction": "Be brief.  You want\na refund."}
    assert noted(answer)[BASIS] == ACTIONS


def test_actions_that_are_none_are_recorded_and_the_others_taken() -> None:
    actions = [
        "book",
        {"name": "calculate", "kwargs": "2 + 2"},
        {"name": "calculate", "arguments": {"expression": "2 + 2"}},
        {"name": "respond", "kwargs": {"content": "That is four."}},
    ]
    assert noted({"taken_actions": actions}) == {BASIS: ACTIONS, TAKEN: 4, FAILED: 2, SAID: 1}


def test_what_the_agent_wrote_to_the_customer() -> None:
    chat = [
        {"role": "system", "content": "You are an agent."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": None},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        "Bye.",
    ]
    hello = {"name": "respond", "kwargs": {"content": "Hello."}}
    assert read_answer({"taken_actions": [hello], "messages": chat}).said == ["Hello.", "Done.", "Bye."]
    assert read_answer({"taken_actions": [], "messages": "Bye."}).said == ["Bye."]
    assert read_answer({"taken_actions": [], "messages": 3}).said == []


def judged(value: str, item: str = "2", **known: Any) -> tuple[Score, list[str]]:
    """The score where tau2 would give `value`, and what tau2 was shown of the agent's messages."""
    shown: list[str] = []

    async def tau2(state: TaskState, target: Target) -> Score:
        shown.extend(message.text for message in state.messages if message.role == "user")
        return Score(value=value, explanation="as tau2 says")

    (scorer,) = only_where_the_agent_spoke([tau2])
    score = asyncio.run(asked(scorer, a_state("airline", item, **known)))
    return score, shown[1:]


async def asked(scorer: Scorer, state: TaskState) -> Score:
    score = await scorer(state, Target("x"))
    assert score is not None
    return score


def test_an_answer_that_is_none_is_the_agents_failure_and_another_wording_has_no_score() -> None:
    score, shown = judged(CORRECT, **{BASIS: NOTHING, PROBLEM: "the answer is text"})
    assert (score.value, score.reason, shown) == (0, "agent_error", [])
    assert score.explanation == "agent: the answer is text"
    assert score.metadata == {"otherwords_outcome": "agent_error"}
    score, _ = judged(CORRECT, **{BASIS: OTHER_WORDING, OWN_REWARD: 1.0})
    assert (score.reason, score.explanation) == ("wording not seen", NOT_ITS_TASK)
    assert score.metadata == {OWN_REWARD: 1.0, "unjudged": True}


def test_doing_nothing_is_wrong_or_has_no_score_but_is_never_right() -> None:
    nothing = {BASIS: ACTIONS, TAKEN: 0, FAILED: 0, SAID: 0}
    score, _ = judged(INCORRECT, **nothing)
    assert score.value == INCORRECT
    score, _ = judged(CORRECT, **nothing)
    assert (score.reason, score.explanation) == ("nothing done", NOTHING_DONE)
    score, _ = judged(CORRECT, **{**nothing, SAID: 1})
    assert score.value == CORRECT


def test_what_the_customer_must_be_told_is_judged_only_where_it_is_known() -> None:
    silent = {BASIS: ACTIONS, TAKEN: 2, FAILED: 0, SAID: 0}
    assert bundled("airline", "3")["evaluation_criteria"]["communicate_info"] == ["4"]
    score, shown = judged(CORRECT, "3", **silent)
    assert (score.reason, score.explanation, shown) == ("no messages to the customer", UNHEARD, ["4"])
    score, _ = judged(INCORRECT, "3", **silent)
    assert score.value == INCORRECT  # the database is wrong, whatever was said
    score, shown = judged(INCORRECT, "3", **{**silent, SAID: 1})
    assert (score.value, shown) == (INCORRECT, [])


def test_a_silent_agent_is_no_agent_of_hals() -> None:
    score, _ = judged(CORRECT)
    assert score.reason == "no model call"
