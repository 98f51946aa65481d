"""`agent/NAME`: the model of a run whose agent calls its own models.

Inspect's logs name a model, and results are told apart by it. This one is only a name; it cannot be asked.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, modelapi

from otherwords.core.errors import InputError
from otherwords.runs.agents.errors import AgentError

_PROVIDER = "agent"


def agent_model(name: str) -> str:
    """The model's name for a run of the agent called `name`."""
    plain = " ".join(name.split())
    if not plain:
        raise InputError("the agent needs a name")
    return f"{_PROVIDER}/{plain}"


@modelapi(name=_PROVIDER)
class NamedAgent(ModelAPI):
    async def generate(
        self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        raise AgentError(
            f"'{self.model_name}' is an agent and no model. What asks a model here, such as a scorer, needs "
            "one of its own, given by its role"
        )
