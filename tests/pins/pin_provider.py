"""A model for Inspect whose answer depends on the prompt alone, and that writes down what it is asked."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

_OPTION = re.compile(r"^([A-Z])\) ", re.MULTILINE)
_WORDS = ("Paris", "It is William Shakespeare, I think.", "Rome")


@modelapi(name="pinned")
class Pinned(ModelAPI):
    async def generate(
        self, input: list[ChatMessage], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        prompt = input[-1].text
        note(prompt)
        drawn = hashlib.sha256(f"{self.model_name} {prompt}".encode()).digest()
        letters = _OPTION.findall(prompt)
        said = _WORDS[drawn[0] % len(_WORDS)]
        if letters:
            said = f"ANSWER: {letters[drawn[0] % len(letters)]}" if drawn[1] % 5 else "None that I can see."
        output = ModelOutput.from_content(self.model_name, said)
        output.usage = ModelUsage(
            input_tokens=len(prompt), output_tokens=len(said), total_tokens=len(prompt + said)
        )
        return output


def note(asked: Any) -> None:
    with Path(os.environ["PINS_ASKED"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(asked) + "\n")


def all_asked() -> list[Any]:
    """What was asked since `forget_asked`."""
    file = Path(os.environ["PINS_ASKED"])
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def forget_asked() -> None:
    Path(os.environ["PINS_ASKED"]).unlink(missing_ok=True)
