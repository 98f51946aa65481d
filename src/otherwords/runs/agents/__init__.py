"""Agents that are not Inspect's own, as Inspect solvers: HAL agents and Python callables.

hal             `hal_agent`: an agent written for HAL, in a process of its own
callable_agent  `callable_agent`: a Python callable `str -> str`
answering       what both share: the question, the answer, the model's name `agent/NAME`
failures        whether the agent's own code failed, or its provider or the machine
hal_io          a sample → the task and files that a HAL agent is given; its answer → text
process         a HAL agent's process: time limit, captured output, no child left behind
worker          the script in that process; it imports nothing of ours
tau_bench       HAL's tau-bench task; an agent's actions, replayed on tau2's database and scored
"""

from __future__ import annotations

from otherwords.runs.agents.answering import AgentError, agent_model
from otherwords.runs.agents.callable_agent import callable_agent
from otherwords.runs.agents.hal import NOT_CODE, agent_fingerprint, hal_agent
from otherwords.runs.agents.hal_io import HAL_PROMPT_FIELDS

__all__ = [
    "HAL_PROMPT_FIELDS",
    "NOT_CODE",
    "AgentError",
    "agent_fingerprint",
    "agent_model",
    "callable_agent",
    "hal_agent",
]
