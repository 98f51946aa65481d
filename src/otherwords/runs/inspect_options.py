"""Options of Inspect by name → checked values for `GenerateConfig` and `eval()`, and which change answers.

`INSPECT_OPTIONS` are those with a flag of their own. Any other argument of `eval()` or field of
`GenerateConfig` may be given by its name. Importing this does not import Inspect.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from otherwords.core.contract import AGENT_NAME_KEY, OWN_PREFIX
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import within_root
from otherwords.core.secret_patterns import REDACTED, without_keys

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig

Kind: TypeAlias = Literal["count", "number", "flag", "text", "texts", "pairs", "optional"]
"""How a value is written; `optional` may stand without one, and means true."""


@dataclass(frozen=True, slots=True)
class InspectOption:
    """An option of Inspect that has a flag of its own and a name in a suite's file."""

    name: str
    """As Inspect has it; the flag has dashes."""
    kind: Kind
    help: str
    metavar: str | None = None
    least: int = 1
    """For counts."""
    of_agent: bool = True
    """Whether a suite gives it for an agent, and not for a benchmark."""


INSPECT_OPTIONS = (
    InspectOption("reasoning_effort", "text", "none, minimal, low, medium, high, xhigh or max.", "LEVEL"),
    InspectOption("reasoning_tokens", "count", "Tokens that a reasoning model may think for.", "N"),
    InspectOption("top_k", "count", "Sample from the N likeliest tokens.", "N"),
    InspectOption("stop_seqs", "texts", "Where answers end; with commas between, or a JSON list.", "TEXT"),
    InspectOption("logprobs", "flag", "Keep log probabilities in the logs, where the provider has them."),
    InspectOption(
        "cache",
        "optional",
        "Keep replies and use them again: for a week, for 12h, 3D, 6M, …, or as a policy's file says.",
        "[TIME|FILE]",
    ),
    InspectOption(
        "batch", "optional", "Use the provider's batch interface, for so many requests at once.", "[N|FILE]"
    ),
    InspectOption("max_retries", "count", "Of a request that fails.  [default: no limit]", "N", least=0),
    InspectOption("timeout", "count", "Seconds for a request, with its retries.", "N"),
    InspectOption("model_base_url", "text", "Where the model is served: http://localhost:8000/v1", "URL"),
    InspectOption(
        "approval", "text", "Who approves tool calls: a policy's file, or an approver's name.", "FILE"
    ),
    InspectOption("sandbox", "text", "docker, local, docker:compose.yaml, …", "TYPE[:FILE]", of_agent=False),
    InspectOption("max_samples", "count", "Samples at once.", "N", of_agent=False),
    InspectOption("max_sandboxes", "count", "Sandboxes at once.", "N", of_agent=False),
    InspectOption("tags", "texts", "Of the logs; with commas between.", "NAME,NAME", of_agent=False),
    InspectOption("metadata", "pairs", "Of the logs. Repeatable.", "NAME=VALUE", of_agent=False),
)
_BY_NAME = {option.name: option for option in INSPECT_OPTIONS}

_HARMLESS = frozenset(
    {
        *("tags", "metadata", "max_samples", "max_sandboxes", "max_subprocesses", "max_tasks"),
        *("max_dataset_memory", "sandbox_cleanup", "sandbox_prebuilt", "model_cost_config", "score_display"),
        *("log_level", "log_level_transcript", "log_images", "log_model_api", "log_refusals"),
        *("log_buffer", "log_shared", "notification"),
    }
)
"""Arguments of eval() of which the same holds; any other is part of what a run is known by."""

_PROGRESS = "otherwords shows its own progress"
_ERRORS = "an error stays on its sample, and the next run tries that again; see --keep-going"
_LOGS = "reports are made from all that the logs have"
_ONE_RUN = "the log folder tells what belongs to a run"
OURS = {
    "tasks": "the dataset or task is the first argument",
    "task_args": "use -T",
    "model": "use --model",
    "model_args": "use -M",
    "model_roles": "use --model-role",
    "solver": "use --solver or --agent",
    "epochs": "use --repeats",
    "limit": "use --max-items",
    "sample_id": "use --sample-id, which takes an item's id",
    "log_dir": "use --log-dir",
    "score": "every answer is scored; `inspect score` scores finished logs anew",
    "message_limit": "use --message-limit",
    "token_limit": "use --token-limit",
    "time_limit": "use --time-limit",
    "working_limit": "use --working-limit",
    **dict.fromkeys(("display", "trace", "ctl_server"), _PROGRESS),
    **dict.fromkeys(
        ("fail_on_error", "continue_on_fail", "score_on_error", "debug_errors", "task_retry_attempts"),
        _ERRORS,
    ),
    **dict.fromkeys(("log_format", "log_samples", "log_realtime", "log_header_only", "run_samples"), _LOGS),
    **dict.fromkeys(("eval_set_id", "eval_set_tasks", "scan_id"), _ONE_RUN),
}
"""Arguments of eval() that otherwords gives itself, with what to do instead."""


@dataclass(frozen=True)
class InspectArguments:
    """What Inspect is given beside the task, the model and the limits."""

    config: GenerateConfig
    base_url: str | None = None
    """Of the model."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Of eval()."""


def inspect_arguments(generate: Mapping[str, Any], options: Mapping[str, Any]) -> InspectArguments:
    """Check what is given by Inspect's names.

    Args:
        generate: Fields of GenerateConfig.
        options: Fields of GenerateConfig, and arguments of eval().

    Returns:
        The same, in the form that Inspect takes it.

    Raises:
        InputError: A name is unknown or otherwords' own, a value cannot be used, or both have the same name.
    """
    from inspect_ai.model import GenerateConfig

    for name in options:
        if generate.get(name, options[name]) != options[name]:
            raise InputError(
                f"{name} is given twice, as {generate[name]!r} and as {options[name]!r}: give it once"
            )
    checked = {name: checked_value(name, value) for name, value in {**generate, **options}.items()}
    fields = {name: value for name, value in checked.items() if name in GenerateConfig.model_fields}
    others = {name: value for name, value in checked.items() if name not in fields}
    return InspectArguments(GenerateConfig(**fields), others.pop("model_base_url", None), others)


def changing_answers(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of eval()'s arguments that are part of what a run is known by."""
    return {name: value for name, value in arguments.items() if name not in _HARMLESS}


def checked_value(name: str, value: Any) -> Any:
    """The value as Inspect takes it; raises an InputError that names the option where it cannot be used."""
    from inspect_ai.model import GenerateConfig

    if name in OURS:
        raise InputError(f"Inspect's option '{name}' is set by otherwords: {OURS[name]}")
    if name not in GenerateConfig.model_fields and name not in _eval_types():
        known = {*GenerateConfig.model_fields, *_eval_types()} - OURS.keys()
        raise UnknownNameError("option of Inspect", name, known)
    _refuse_keys(name, value)
    option = _BY_NAME.get(name)
    if option is not None and option.kind == "texts":
        value = _texts(name, value)
    if name in _READERS:
        return _READERS[name](value)
    value = _typed(name, value)
    if option is not None and option.kind == "count" and value is not None and value < option.least:
        raise InputError(f"{name} must be {option.least} or more, got {value}")
    return value


def _refuse_keys(name: str, value: Any) -> None:
    """Inspect writes its options into the logs as they are."""
    if REDACTED in repr(without_keys(value)):
        raise InputError(
            f"{name} has what looks like a key, and Inspect writes it into its logs",
            hint="Give the key in a variable of the environment.",
        )


@cache
def _eval_types() -> dict[str, Any]:
    from inspect_ai import eval as evaluate

    parameters = inspect.signature(evaluate).parameters.values()
    return {one.name: one.annotation for one in parameters if one.kind is not one.VAR_KEYWORD}


def _typed(name: str, value: Any) -> Any:
    """The value as the type that Inspect declares."""
    from inspect_ai.model import GenerateConfig
    from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
    from pydantic_core import SchemaError

    declared = GenerateConfig.model_fields.get(name)
    expected: Any = _eval_types()[name] if declared is None else declared.annotation
    if isinstance(value, str) and str in get_args(expected):
        return value
    if isinstance(value, bool) and "bool" not in str(expected):
        raise InputError(f"{name} cannot be {str(value).lower()}")
    try:
        return TypeAdapter(expected, config=ConfigDict(arbitrary_types_allowed=True)).validate_python(value)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Input ").partition(", unable")[0]
        raise InputError(f"{name} {said}, got {value!r}") from None
    except (PydanticUserError, SchemaError):  # a type of Inspect's own, which no text or number is
        raise InputError(f"Inspect's option '{name}' takes Python objects, and not {value!r}") from None


def _texts(name: str, value: Any) -> list[str]:
    """Texts with commas between, or a list of them."""
    found = value.split(",") if isinstance(value, str) else value
    if (
        not isinstance(found, list | tuple)
        or not found
        or not all(isinstance(one, str) and one for one in found)
    ):
        raise InputError(f"{name} must be texts with commas between, or a list of texts, got {value!r}")
    return list(found)


def _cache(value: Any) -> Any:
    from inspect_ai.model import CachePolicy

    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    if isinstance(value, str):
        policy = CachePolicy.from_string(value) or _from_file("cache", value, "a time such as 12h, 3D or 1W")
    else:
        policy = value
    policy = _typed("cache", policy)
    if not policy.per_epoch:
        raise InputError(
            "a cache without per_epoch cannot be used: every repeat of a wording would be a copy of the first"
        )
    return policy


def _batch(value: Any) -> Any:
    if isinstance(value, str) and value in ("true", "false"):
        return value == "true"
    if isinstance(value, str):
        value = int(value) if value.isdecimal() else _from_file("batch", value, "a number of requests")
    value = _typed("batch", value)
    if isinstance(value, int) and not isinstance(value, bool) and value < 1:
        raise InputError(f"batch must be 1 or more, got {value}")
    return value


def _from_file(name: str, value: str, other: str) -> Any:
    from otherwords.core.yaml_lines import load_yaml

    if not within_root(value).is_file():
        raise InputError(f"{name} must be {other}, or a file that exists, got '{value}'")
    content = load_yaml(Path(value))
    if not isinstance(content, dict):
        raise InputError(f"must have names and values, as Inspect's settings of {name} have them", file=value)
    return content


def _sandbox(value: Any) -> Any:
    from inspect_ai.util import SandboxEnvironmentSpec, registry_create

    if isinstance(value, SandboxEnvironmentSpec):
        return value
    if not isinstance(value, str):
        raise InputError(f"sandbox must be a text such as docker or docker:compose.yaml, got {value!r}")
    kind, _, config = value.partition(":")
    try:
        registry_create("sandboxenv", kind)
    except LookupError:
        raise InputError(
            f"Inspect knows no sandbox '{kind}'", hint="Those that it brings are docker and local."
        ) from None
    except TypeError:
        pass  # it is there, and takes arguments that a run gives it
    return SandboxEnvironmentSpec(kind, config or None)


def _approval(value: Any) -> Any:
    from inspect_ai.approval import read_approval_policies
    from inspect_ai.util import registry_create

    if not isinstance(value, str):
        return _typed("approval", value)
    try:
        if within_root(value).is_file():
            names = {_approver_name(one) for one in read_approval_policies(value)}
        else:
            registry_create("approver", value)
            names = {value}
    except LookupError:
        raise InputError(f"approval must be a policy's file or an approver's name, got '{value}'") from None
    except Exception as error:  # whatever a policy's file can have wrong
        raise InputError(f"is no approval policy: {error}", file=value) from error
    if any(name.rpartition("/")[2] == "human" for name in names):
        raise InputError("approval by a human cannot be used: Inspect's display, which asks, is not shown")
    return value


def _approver_name(policy: Any) -> str:
    from inspect_ai.util import registry_info

    return str(registry_info(policy.approver).name)


def _address(value: Any) -> str:
    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        raise InputError(f"model_base_url must begin with http:// or https://, got {value!r}")
    return value


def _metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"metadata must be names and values, got {value!r}")
    for name in value:
        if name == AGENT_NAME_KEY:
            raise InputError(f"metadata '{name}' is set by otherwords: use --agent-name")
        if str(name).startswith(OWN_PREFIX):
            raise InputError(f"metadata '{name}' cannot be given: {OWN_PREFIX}… are otherwords' own names")
    return {str(name): one for name, one in value.items()}


_READERS = {
    "cache": _cache,
    "batch": _batch,
    "sandbox": _sandbox,
    "approval": _approval,
    "metadata": _metadata,
    "model_base_url": _address,
}
"""Options whose values are not simply of the type that Inspect declares."""
