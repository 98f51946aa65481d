"""Names of models, looked at before anything is paid for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from inspect_ai.model import get_model

from otherwords.core.errors import InputError
from otherwords.runs.quiet import quiet_inspect

__all__ = ["HEAVY_PROVIDERS", "require_models"]

HEAVY_PROVIDERS = ("hf/", "nnterp/", "transformer_lens/", "llama-cpp-python/", "ollama/", "vllm/", "sglang/")
"""To make one of their models is to load it, or to start its server."""
_FORM = "Name a model as PROVIDER/MODEL, such as openai/gpt-4o-mini or gguf/smollm2."


def require_models(names: Iterable[str], model_args: Mapping[str, Any] | None = None) -> None:
    """Refuse names that no provider has, and arguments that it does not take."""
    for name in names:
        if "/" not in name:
            raise InputError(f"the model '{name}' is named without its provider", hint=_FORM)
        if name.startswith(HEAVY_PROVIDERS):
            continue
        try:
            with quiet_inspect():
                get_model(name, **(model_args or {}))
        except TypeError as error:
            if not model_args:
                continue
            raise InputError(
                f"the model '{name}' does not take its arguments: {error}", hint="They are given with -M."
            ) from error
        except Exception as error:  # a missing key or package is told when the run begins
            if f"of model '{name}' not recognized" in str(error):
                provider = name.split("/", 1)[0]
                raise InputError(
                    f"no provider of models is called '{provider}', as in '{name}'", hint=_FORM
                ) from error
