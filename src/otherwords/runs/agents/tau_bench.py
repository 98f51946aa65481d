"""tau-bench: the fields HAL agents get, their actions replayed in tau2, no score where an agent was silent.

In HAL an agent makes tau-bench's environment and simulated customer itself, in its own process, and returns
the actions that it took, a reward and the task. tau2's scorers read a database that lives in Inspect's
sample. So the actions are replayed there, with tau2's own tools, and tau2 scores what comes of them.
"""

from __future__ import annotations

import copy
import functools
import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, execute_tools
from inspect_ai.scorer import CORRECT, Score, Scorer, Target
from inspect_ai.solver import TaskState
from inspect_ai.tool import Tool, ToolCall, ToolDef
from inspect_ai.util import LimitExceededError

from otherwords.core.contract import NO_MODEL_CALL, WORDING_NOT_SEEN
from otherwords.core.secret_patterns import without_keys
from otherwords.runs.agents import (
    AgentError,
    ProviderError,
    agent_failure,
    describe_exception,
    shortened,
)
from otherwords.runs.progress import SELF_SCORED, UNJUDGED
from otherwords.runs.simulated_user import (
    USER_STYLE,
    USER_STYLES,
    USER_TRAIT,
    USER_TRAITS,
    with_user_errors,
)

__all__ = ["only_where_the_agent_spoke", "replay_actions", "tau_bench_fields"]

BASIS = "agent_basis"
"""Sample metadata: what the agent's answer can be judged by, one of the next four."""
ACTIONS, REWARD, OTHER_WORDING, NOTHING = "actions", "reward", "another wording", "nothing"
PROBLEM = "agent_problem"
"""Sample metadata: why an answer can be judged by nothing."""
OWN_REWARD = "agent_reward"
"""Sample metadata: the reward that the agent gave itself, where it did."""
TAKEN, FAILED, SAID = "agent_actions", "agent_actions_failed", "agent_messages"
"""Sample metadata: how many actions, how many of them failed here, how many messages to the customer."""

_DOMAINS = {"AirlineAgent": "airline", "RetailAgent": "retail"}
_RESPOND = "respond"
"""tau-bench's name for the action of writing to the customer."""
_OPENED = ("answer", "response")
SILENT = "The agent said nothing to the simulated user: it was never asked, or each of its calls failed."
OWN_REWARD_USED = "the agent's own reward; its answer has no taken_actions that tau2 could judge"
OTHER_INSTRUCTION = "the task in the agent's answer has another instruction than the one that it was given"
NOTHING_DONE = (
    "the agent took no action and wrote nothing to the customer, and the task asks for no change: doing "
    "nothing cannot be told from solving it"
)
UNHEARD = (
    "the database is right, but the task also asks what the customer is told, and the answer has no "
    "messages: neither respond among its taken_actions nor a field messages"
)


@dataclass(frozen=True)
class Answer:
    """An agent's answer, as far as it can be read."""

    actions: list[Any] | None
    said: list[str]
    reward: float | None
    instruction: str | None
    """What the agent's own task says, where the answer has it."""
    problem: str
    """Why there is neither a list of actions nor a reward."""


def tau_bench_fields(state: TaskState, prompt: str, user: str) -> dict[str, Any]:
    """What HAL's tau-bench tasks have, and policy and tools for an agent without an environment of its own.

    `user` is Inspect's name of the model that plays the customer; empty where the agent may choose.
    """
    domain = _domain(state)
    provider, _, model = user.rpartition("/")
    item = str(state.metadata["task"]["id"])
    fields: dict[str, Any] = {
        "env": domain,
        "task_split": "test",
        "task_index": int(item) if item.isdecimal() else None,
        "user_strategy": "llm",
        "user_model": model,
        "user_provider": provider,
        "instruction": prompt,
        "policy": _policy(domain),
        "tools": [_described(tool) for tool in _tools(domain)],
    }
    if USER_STYLE in state.metadata:
        fields[USER_STYLE] = USER_STYLES[state.metadata[USER_STYLE]]
    if USER_TRAIT in state.metadata:
        fields[USER_TRAIT] = USER_TRAITS[state.metadata[USER_TRAIT]]
    return fields


async def replay_actions(state: TaskState, answer: Any, prompt: str) -> None:
    """Replay the answer's actions on the sample's own database, and note in its metadata what there was."""
    read = read_answer(answer)
    if read.reward is not None:
        state.metadata[OWN_REWARD] = read.reward
    if read.instruction is not None and _plain(prompt) not in _plain(read.instruction):
        state.metadata[BASIS] = OTHER_WORDING
    elif read.actions is not None:
        failures = await _replay(read.actions, _tools(_domain(state)))
        state.messages.extend(ChatMessageUser(content=text) for text in read.said)
        state.metadata |= {
            BASIS: ACTIONS,
            TAKEN: len(read.actions),
            FAILED: len(failures),
            SAID: len(read.said),
        }
        if failures:
            transcript().info(without_keys({"failed_actions": failures}), source="hal_agent")
    elif read.reward is not None:
        state.metadata[BASIS] = REWARD
    else:
        state.metadata |= {BASIS: NOTHING, PROBLEM: read.problem}


def read_answer(answer: Any) -> Answer:
    """HAL's `{"reward": …, "taken_actions": […], "task": {…}}`, and `messages` where there are any."""
    if isinstance(answer, Mapping) and not {"taken_actions", "reward"} & answer.keys():
        answer = next((answer[name] for name in _OPENED if name in answer), answer)
    if not isinstance(answer, Mapping):
        return Answer(None, [], None, None, "the answer is text, without taken_actions or a reward")
    actions, reward, task = answer.get("taken_actions"), answer.get("reward"), answer.get("task")
    problem = "the answer has neither taken_actions nor a reward"
    if reward is not None and not (isinstance(reward, int | float) and 0 <= reward <= 1):
        problem = f"the agent's reward is {shortened(repr(reward))}, not a number from 0 to 1"
        reward = None
    if actions is not None and not isinstance(actions, list):
        problem = f"taken_actions is {type(actions).__name__}, not a list"
        actions = reward = None
    instruction = task.get("instruction") if isinstance(task, Mapping) else None
    said = list(_responses(actions or ()))
    said += [text for text in _messages(answer.get("messages")) if text not in said]
    return Answer(
        actions=actions,
        said=said,
        reward=None if reward is None else float(reward),
        instruction=instruction if isinstance(instruction, str) else None,
        problem=problem,
    )


async def _replay(actions: Iterable[Any], tools: list[Tool]) -> list[dict[str, Any]]:
    """One after the other, as a model's calls would be; those that failed, with their place and why."""
    failures = []
    for place, action in enumerate(actions, start=1):
        name, arguments, problem = _call_of(action)
        if not problem and name != _RESPOND:
            problem = await _call(ToolCall(id=f"action-{place}", function=name, arguments=arguments), tools)
        if problem:
            failures.append({"place": place, "name": name, "problem": shortened(problem)})
    return failures


def _call_of(action: Any) -> tuple[str, dict[str, Any], str]:
    """An action's name and arguments, and what is wrong with it."""
    if not isinstance(action, Mapping) or not isinstance(action.get("name"), str):
        return "", {}, f"is no action with a name: {action!r}"
    arguments: Any = next((action[name] for name in ("kwargs", "arguments") if name in action), {})
    if not isinstance(arguments, Mapping):
        return action["name"], {}, f"its kwargs are {type(arguments).__name__}, not a dict"
    return action["name"], dict(arguments), ""


async def _call(call: ToolCall, tools: list[Tool]) -> str:
    """What went wrong, if anything did."""
    try:
        done = await execute_tools([ChatMessageAssistant(content="", tool_calls=[call])], tools)
    except LimitExceededError:
        raise  # a limit of the sample, which Inspect records by itself
    except Exception as error:  # noqa: BLE001 -- recorded as the action's failure
        return describe_exception(error)
    errors = [getattr(message, "error", None) for message in done.messages]
    return next((error.message for error in errors if error is not None), "")


def _responses(actions: Iterable[Any]) -> Iterable[str]:
    for action in actions:
        name, arguments, _ = _call_of(action)
        if name == _RESPOND and isinstance(arguments.get("content"), str):
            yield arguments["content"]


def _messages(given: Any) -> Iterable[str]:
    """What the agent wrote to the customer: texts, or a chat's messages with the role `assistant`."""
    for one in [given] if isinstance(given, str) else given if isinstance(given, list) else ():
        if isinstance(one, Mapping) and one.get("role", "assistant") in ("assistant", "agent"):
            one = one.get("content")  # noqa: PLW2901
        if isinstance(one, str) and one.strip():
            yield one
        elif isinstance(one, list):
            parts = [part["text"] for part in one if isinstance(part, Mapping) and "text" in part]
            yield "\n".join(map(str, parts))


def _domain(state: TaskState) -> str:
    domain = _DOMAINS.get(str(state.metadata.get("instance")))
    if domain is None:
        raise ProviderError("this is no task of tau-bench's airline or shop, which are the ones HAL has")
    return domain


@functools.cache
def _policy(domain: str) -> str:
    policy: str = importlib.import_module(f"inspect_evals.tau2.{domain}.agents").get_domain_policy()
    return policy.removeprefix("<policy>").removesuffix("</policy>").strip()


@functools.cache
def _tools(domain: str) -> list[Tool]:
    module = importlib.import_module(f"inspect_evals.tau2.{domain}.tools")
    return [make() for make in getattr(module, f"all_{domain}_tools")]


def _described(tool: Tool) -> dict[str, Any]:
    """As a function in the form that models are given, and that tau-bench's own environments have."""
    known = ToolDef(tool)
    parameters = known.parameters.model_dump(mode="json", exclude_none=True)
    return {
        "type": "function",
        "function": {"name": known.name, "description": known.description, "parameters": parameters},
    }


def _plain(text: str) -> str:
    return " ".join(text.split())


def only_where_the_agent_spoke(scorers: list[Scorer]) -> list[Scorer]:
    """The same scorers; they are not asked where the simulated user got no reply.

    tau2 goes on after errors, its user may end a conversation at once, and a task that asks for no change to
    the database is then solved by nobody. An agent of HAL's that has its own user is judged by what it did.
    """

    def guarded(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def scored(state: TaskState, target: Target) -> Score | None:
            if BASIS in state.metadata:
                return await _by_what_it_did(score, state, target)
            if not _agent_spoke(state):
                return Score.unscored(reason=NO_MODEL_CALL, explanation=SILENT)
            given = await score(state, target)
            return None if given is None else with_user_errors(given, state)

        return scored

    return [guarded(one) for one in scorers]


async def _by_what_it_did(score: Scorer, state: TaskState, target: Target) -> Score | None:
    known, basis = state.metadata, state.metadata[BASIS]
    numbers = (OWN_REWARD, TAKEN, FAILED, SAID)
    about = {name: known[name] for name in numbers if name in known}
    if basis == ACTIONS:
        return await _by_its_actions(score, state, target, about)
    if basis == REWARD:
        return Score(
            value=known[OWN_REWARD], explanation=OWN_REWARD_USED, metadata={**about, SELF_SCORED: True}
        )
    if basis == OTHER_WORDING:
        return _unjudged(WORDING_NOT_SEEN, OTHER_INSTRUCTION, about)
    failed = agent_failure(AgentError(known[PROBLEM]).message)
    return failed.model_copy(update={"metadata": {**about, **(failed.metadata or {})}})


async def _by_its_actions(
    score: Scorer, state: TaskState, target: Target, about: dict[str, Any]
) -> Score | None:
    to_tell = (state.metadata["task"].get("evaluation_criteria") or {}).get("communicate_info") or []
    is_silent = not about[SAID]
    given = await score(_as_if_told(state, to_tell) if is_silent else state, target)
    if given is None:
        return None
    if is_silent and given.value == CORRECT and to_tell:
        return _unjudged("no messages to the customer", UNHEARD, about)
    if is_silent and given.value == CORRECT and not about[TAKEN]:
        return _unjudged("nothing done", NOTHING_DONE, about)
    given.metadata = {**(given.metadata or {}), **about}
    return given


def _unjudged(reason: str, explanation: str, about: dict[str, Any]) -> Score:
    return Score.unscored(reason=reason, explanation=explanation, metadata={**about, UNJUDGED: True})


def _as_if_told(state: TaskState, to_tell: list[str]) -> TaskState:
    """As if the customer had been told all that the task asks: what is wrong even so is wrong in any case."""
    view = copy.copy(state)
    view.messages = [*state.messages, *(ChatMessageUser(content=text) for text in to_tell)]
    return view


def _agent_spoke(state: TaskState) -> bool:
    """In the simulated user's chat the agent is the user, whose first message is the task's own."""
    at_first = [] if isinstance(state.input, str) else state.input
    return sum(message.role == "user" for message in state.messages) > sum(
        message.role == "user" for message in at_first
    )
