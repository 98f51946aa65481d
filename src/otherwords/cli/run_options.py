"""The options of `otherwords run`, in groups. HAL's flags are among them, with dashes or underscores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from otherwords.cli.options import key_values, variant_options

F = TypeVar("F", bound=Callable[..., Any])

STRENGTHS = click.Choice(["mild", "medium", "strong", "naturalistic"])
COUNT = click.IntRange(min=1)
SECONDS = click.FloatRange(min=0, min_open=True)
ASK_ABOVE_CALLS = 1000
ASK_ABOVE_USD = 10.0


def dashes(name: str) -> str:
    """`--agent_dir` is `--agent-dir`."""
    return name.replace("_", "-")


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _pairs(flag: str, name: str, text: str) -> Callable[[F], F]:
    return click.option(flag, name, multiple=True, callback=key_values, metavar="NAME=VALUE", help=text)


asked_options = _all(
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="An Inspect model, or gguf/smollm2. Repeatable.",
    ),
    _pairs("-M", "model_args", "An argument of the model."),
    click.option(
        "--model-role",
        "model_roles",
        multiple=True,
        callback=key_values,
        metavar="ROLE=NAME",
        help="The model of a role that the task has, such as user or grader.",
    ),
    click.option("--temperature", type=float, help="Of the model."),
    click.option("--top-p", type=float, help="Of the model."),
    click.option("--max-tokens", type=COUNT, help="Of each answer."),
    click.option("--model-seed", type=int, help="For models that take one."),
    click.option("--system-message", help="Put before every prompt."),
    click.option(
        "--constrain-choices",
        is_flag=True,
        help="Force `ANSWER: letter` on multiple choice with a grammar, where the model takes one (gguf/…).",
    ),
    click.option(
        "--solver", metavar="NAME", help="An Inspect solver instead of the task's: react, file.py@solver."
    ),
    _pairs("-S", "solver_args", "An argument of the solver or Inspect agent."),
    click.option(
        "--agent",
        metavar="NAME",
        help="An Inspect agent (react, file.py@agent), or a Python function str -> str: file.py:function, "
        "module:function.",
    ),
    click.option(
        "--agent-dir", type=click.Path(path_type=Path), help="The folder of an agent written for HAL."
    ),
    click.option("--agent-function", default="main.run", show_default=True, help="Its module and function."),
    click.option("--agent-name", help="What tables call the agent.  [default: the model's or folder's name]"),
    _pairs("-A", "agent_args", "An argument of the HAL agent's function."),
    click.option(
        "--agent-python", metavar="PATH", help="The HAL agent's interpreter or virtual environment."
    ),
    click.option(
        "--agent-timeout",
        type=SECONDS,
        default=600.0,
        show_default=True,
        help="Seconds that such an agent may take for a sample.",
    ),
)

wording_options = _all(
    click.option(
        "--variants",
        "variants_file",
        type=click.Path(path_type=Path),
        help="A file that `otherwords vary` wrote.",
    ),
    variant_options,
    click.option(
        "--num-variations",
        type=COUNT,
        metavar="N",
        help="Let a model write N rewordings of each item, instead of the rules (as -k N --families llm).",
    ),
    click.option("--prompt-sensitivity", is_flag=True, help="HAL's flag: the same as --num-variations 3."),
    click.option(
        "--strength",
        type=STRENGTHS,
        default="mild",
        show_default=True,
        help="How far that model may go.",
    ),
    click.option(
        "--user-style",
        type=STRENGTHS,
        help="How a simulated user (tau-bench) talks, in every wording alike; the scenario stays as it is.",
    ),
    click.option(
        "--paraphraser",
        metavar="NAME",
        default="openai/gpt-4o-mini",
        show_default=True,
        help="The model that writes them.",
    ),
)

limit_options = _all(
    click.option("--message-limit", type=COUNT, help="Messages in a sample."),
    click.option("--token-limit", type=COUNT, help="Tokens in a sample."),
    click.option("--time-limit", type=COUNT, help="Seconds for a sample."),
    click.option("--working-limit", type=COUNT, help="Seconds for a sample, without waiting for others."),
)


spending_options = _all(
    click.option(
        "--budget",
        multiple=True,
        metavar="WHAT=MOST",
        help="Stop there, with logs to go on from: calls=1000, tokens=2000000, usd=5. Repeatable.",
    ),
    click.option(
        "--price",
        "prices",
        multiple=True,
        metavar="IN,OUT",
        help="Dollars for a million tokens; MODEL=IN,OUT for one of several models; or Inspect's file of "
        "prices.",
    ),
    click.option(
        "--yes",
        "-y",
        is_flag=True,
        help=f"Do not ask above {ASK_ABOVE_CALLS:,} calls or ${ASK_ABOVE_USD:,.0f}.",
    ),
    click.option("--dry-run", is_flag=True, help="Say what it would take, and stop."),
)
