"""The name `gguf` for Inspect. Importing this loads neither the runtime nor the weights."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="gguf")
def gguf() -> type[ModelAPI]:
    from otherwords.runs.gguf.provider import GgufAPI

    return GgufAPI
