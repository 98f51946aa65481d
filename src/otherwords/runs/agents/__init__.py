"""Agents that are not Inspect's own, as Inspect solvers.

hal        `hal_agent`: an agent written for HAL, in a process of its own
plain      `callable_agent`: a Python callable `str -> str`
checking   what is wrong with an agent's folder, function or interpreter, before anything runs
handing    a sample → the task that a HAL agent is given; its answer → text
tau_bench  the task of HAL's tau-bench; the actions that an agent took, taken again on tau2's database
files      a sample's files, laid into the folder that the agent works in
process    the agent's process: time limit, captured output, no child left behind
worker     the script in that process; it imports nothing of ours
answering  the text that an agent is asked, and its answer as the sample's output
named      `agent/NAME`, the model of a run whose agent calls its own models
errors     why an agent gave no answer
"""

from __future__ import annotations

from otherwords.runs.agents.checking import agent_fingerprint
from otherwords.runs.agents.errors import EXTERNAL_AGENT, AgentError
from otherwords.runs.agents.hal import hal_agent
from otherwords.runs.agents.handing import HAL_PROMPT_FIELDS
from otherwords.runs.agents.named import agent_model
from otherwords.runs.agents.plain import callable_agent

__all__ = [
    "EXTERNAL_AGENT",
    "HAL_PROMPT_FIELDS",
    "AgentError",
    "agent_fingerprint",
    "agent_model",
    "callable_agent",
    "hal_agent",
]
