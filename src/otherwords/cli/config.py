"""Values of options from environment variables and the user's `config.yaml`, and which overrules which.

A value is looked for in this order: flag, suite file (`run --config`), environment, user's file, default.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import ROOT, within_root

if TYPE_CHECKING:
    from otherwords.core.yaml_lines import Mapped

PREFIX = "OTHERWORDS"
VARIABLE = "OTHERWORDS_CONFIG"
"""The variable that names the user's file; empty for none."""
_FLAGS_ONLY = ("config", "help")
"""Which suite is run is said on the command line alone."""


def option_names(command: click.Command) -> dict[str, click.Option]:
    """The command's options by their name in files: the first long flag, or else the parameter's."""
    found = {}
    for option in command.params:
        if isinstance(option, click.Option) and option.name not in _FLAGS_ONLY:
            long = [flag for flag in option.opts if flag.startswith("--")]
            found[(long[0][2:] if long else str(option.name)).replace("-", "_")] = option
    return found


def name_variables(command_name: str, command: click.Command) -> None:
    """Let every option be given by the environment too, as OTHERWORDS_RUN_MODEL is for `run --model`."""
    for name, option in option_names(command).items():
        if option.envvar is None:
            option.envvar = f"{PREFIX}_{command_name}_{name}".upper()


def user_file(
    environment: Mapping[str, str] = os.environ, platform: str = sys.platform
) -> tuple[Path | None, bool]:
    """Where the user's file is looked for, and whether it must be there because a variable names it."""
    if VARIABLE in environment:
        named = environment[VARIABLE]
        return (Path(named), True) if named else (None, False)
    folder = environment.get("APPDATA" if platform == "win32" else "XDG_CONFIG_HOME")
    if not folder:
        try:
            folder = str(Path.home() / ".config")
        except RuntimeError:  # nobody's home is known
            return None, False
    return Path(folder) / "otherwords" / "config.yaml", False


def user_defaults(
    ctx: click.Context, command_name: str, command: click.Command, known: Iterable[str]
) -> dict[str, Any]:
    """What the user's file says of one command, by parameter; `known` are the names of all commands.

    With a root, a file outside of it is not read.
    """
    path, must_exist = user_file()
    if path is None or not (must_exist or path.is_file()):
        return {}
    root = ctx.params.get("root") or os.environ.get(ROOT)
    try:
        within_root(path, root)
    except InputError:
        if must_exist:
            raise
        return {}
    from otherwords.core.yaml_lines import read_yaml

    top = read_yaml(path)
    top.only(*known)
    section = top.mapping(command_name)
    if section is None:
        return {}
    options = option_names(command)
    found = {}
    for key in section.nodes:
        name = key.replace("-", "_")
        if name not in options:
            raise section.refusal(key, UnknownNameError("setting", key, options).problem)
        found[str(options[name].name)] = _value(ctx, section, key, options[name])
    return found


def _value(ctx: click.Context, section: Mapped, key: str, option: click.Option) -> Any:
    """As the option would have it from the command line; refused with its line where it would not."""
    value = _as_given(section, key, option, section.plain(key))
    try:
        option.process_value(ctx, value)
    except click.UsageError as error:
        raise section.refusal(key, f"{key}: {error.message}") from None
    return value


def _as_given(section: Mapped, key: str, option: click.Option, value: Any) -> Any:
    if option.is_flag:
        if not isinstance(value, bool):
            raise section.refusal(key, f"{key} must be true or false, got {value!r}")
        return value
    if isinstance(value, bool) and option.flag_value == "true":
        return str(value).lower()  # an option whose value may be left out, such as --cache
    if isinstance(value, dict) and option.multiple:
        return [f"{name}={json.dumps(one)}" for name, one in value.items()]
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
        raise section.refusal(key, f"{key} must be text, a number or a list of these, got {value!r}")
    texts = [str(one) for one in values]
    return texts if option.multiple else ",".join(texts)


def is_flag_given(ctx: click.Context, name: str) -> bool:
    """Whether the parameter was given on the command line."""
    return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE


def fallbacks(ctx: click.Context) -> dict[str, Any]:
    """What the environment and the user's file give, by the name that it has in files."""
    sources = (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)
    return {
        name: ctx.params[str(option.name)]
        for name, option in option_names(ctx.command).items()
        if ctx.get_parameter_source(str(option.name)) in sources
    }


def drop_overruled(
    ctx: click.Context, options: dict[str, Any], *alternatives: tuple[tuple[str, ...], ...]
) -> None:
    """Where a flag is given, forget what the environment or the user's file says for its alternatives."""
    for sides in alternatives:
        given = [side for side in sides if any(is_flag_given(ctx, name) for name in side)]
        for name in (name for side in sides if given and side not in given for name in side):
            options[name] = False if isinstance(options.get(name), bool) else None
