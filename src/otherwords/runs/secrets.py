"""Keeps API keys among a run's arguments out of its logs: hidden where possible, else refused.

Inspect writes the arguments of models, tasks and solvers into its logs. It leaves out a model's `api_key` and
`aws_…`; other keys are hidden here where that is possible, and refused where it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model

from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import REDACTED, find_keys, without_keys

__all__ = ["Hidden", "hidden", "models_with_hidden_keys", "refuse_keys", "revealed"]

LEFT_OUT = ("api_key", "aws_")
"""How the names of a model's arguments begin that Inspect leaves out of its logs."""


class Hidden(str):
    """A text that reads as redacted wherever it is written; `real` is what it is."""

    real: str

    def __new__(cls, real: str) -> Hidden:
        made = super().__new__(cls, REDACTED)
        made.real = real
        return made

    def __deepcopy__(self, _memo: Any) -> Hidden:
        return self

    def __reduce__(self) -> Any:
        return str, (REDACTED,)


def hidden(arguments: Any) -> Any:
    """`arguments`, however nested, with each key in it as `Hidden`."""
    if isinstance(arguments, Mapping):
        return {
            name: Hidden(value) if isinstance(value, str) and is_key(name, value) else hidden(value)
            for name, value in arguments.items()
        }
    if isinstance(arguments, list | tuple):
        return [hidden(value) for value in arguments]
    return Hidden(arguments) if isinstance(arguments, str) and is_key("", arguments) else arguments


def revealed(arguments: Any) -> Any:
    """`arguments` as they were before `hidden`."""
    if isinstance(arguments, Hidden):
        return arguments.real
    if isinstance(arguments, Mapping):
        return {name: revealed(value) for name, value in arguments.items()}
    if isinstance(arguments, list | tuple):
        return [revealed(value) for value in arguments]
    return arguments


def is_key(name: str, value: Any) -> bool:
    return any(True for text in (f"{name}={value}", str(value)) for _ in find_keys(text))


def refuse_keys(arguments: Mapping[str, Any], option: str) -> None:
    """Raise an InputError where an argument that Inspect records as it is looks like a key."""
    for name, value in arguments.items():
        if is_key(name, value):
            raise InputError(
                f"{option} {name}=… looks like a key, and Inspect writes these arguments into its logs",
                hint="Give it in a variable of the environment.",
            )


def models_with_hidden_keys(
    models: Sequence[str | Model], arguments: Mapping[str, Any], generate: Mapping[str, Any]
) -> tuple[list[str | Model], dict[str, Any]]:
    """The models, and the arguments that Inspect may write into its logs.

    With keys among the arguments they are made here, and what they tell of themselves has none.
    """
    address = arguments.get("base_url")
    if address is not None:
        refuse_keys({"base_url": address}, "-M")
    secret = [name for name, value in arguments.items() if is_key(name, value)]
    if all(name.startswith(LEFT_OUT) for name in secret):
        return list(models), dict(arguments)
    made: list[str | Model] = []
    for model in models:
        if isinstance(model, str):
            model = get_model(model, config=GenerateConfig(**generate), memoize=False, **arguments)  # noqa: PLW2901
            model.model_args = without_keys(model.model_args)
        made.append(model)
    return made, {}
