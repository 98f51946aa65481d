"""What a meaning check is, the registry of them, and how one is named on a command line."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from otherwords.core.errors import InputError
from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant


class MeaningCheck(Protocol):
    """Slow beside the other checks, so it sees many pairs at once, and only those that passed the others."""

    name: str

    def settings(self) -> Mapping[str, Any]:
        """The model and the thresholds: what a variants file keeps of it."""
        ...

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]: ...


Maker: TypeAlias = Callable[..., MeaningCheck]
"""Takes `model`, a name or a path, and options by name; loads nothing yet."""

MEANING_CHECKS: Registry[Maker] = Registry("meaning check", "otherwords.meaning_checks")


@MEANING_CHECKS.register("embedding")
def _embedding(**options: Any) -> MeaningCheck:
    from otherwords.checks.meaning.embedding import EmbeddingCheck

    return _made(EmbeddingCheck, "embedding", options)


@MEANING_CHECKS.register("entailment")
def _entailment(**options: Any) -> MeaningCheck:
    from otherwords.checks.meaning.entailment import EntailmentCheck

    return _made(EntailmentCheck, "entailment", options)


@MEANING_CHECKS.register("judge")
def _judge(**options: Any) -> MeaningCheck:
    from otherwords.checks.meaning.judge import JudgeCheck

    return _made(JudgeCheck, "judge", options)


def make_check(spec: str) -> MeaningCheck:
    """Make a meaning check as `--check` names it.

    Args:
        spec: `name`, `name=model`, `name=option=value` or `name=model,option=value,…`.

    Returns:
        The check, for `vary`, `freeze`, `vet` and `vet_file`.

    Raises:
        InputError: If the text cannot be read, or the check or one of its options is not known.
        MissingDependencyError: If the check needs a package or a model that is not installed.

    Example:
        >>> from otherwords import make_check
        >>> make_check("judge=mockllm/model").name
        'judge'
    """
    name, _, rest = spec.partition("=")
    options: dict[str, Any] = {}
    for number, part in enumerate(filter(None, rest.split(","))):
        key, equals, value = part.partition("=")
        if not equals and number == 0:
            options["model"] = part
        elif not equals or not key:
            raise InputError(f"cannot read '{part}' in the check '{spec}'", hint=_FORM)
        else:
            options[key] = _value(value)
    return MEANING_CHECKS.get(name)(**options)


_FORM = "Write it as name, name=model or name=model,option=value."


def _value(text: str) -> float | bool | str:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text)
    except ValueError:
        return text


def _made(kind: type[Any], name: str, options: Mapping[str, Any]) -> MeaningCheck:
    known = list(inspect.signature(kind).parameters)
    strange = next((option for option in options if option not in known), None)
    if strange is not None:
        raise InputError(f"the check '{name}' has no option '{strange}'. It has: {', '.join(known)}.")
    made: MeaningCheck = kind(**options)
    return made
