"""Options of `otherwords run` in groups, HAL's flags too → the agent, wordings and goal that they name.

HAL's flags are among them, with dashes or underscores.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.options import (
    COUNT,
    FILE,
    SECONDS,
    STRENGTH,
    F,
    SectionedCommand,
    dashes,
    dry_run_option,
    generalize_option,
    judge_option,
    key_values,
    model_args_option,
    pairs_option,
    strength_option,
    threshold_options,
    thresholds_from,
    together,
    variant_options,
    yes_option,
)
from otherwords.core import parse_size
from otherwords.core.contract import AGENT_SECONDS, DEFAULT_PARAPHRASER, LLM, USER_TRAITS
from otherwords.core.errors import InputError
from otherwords.runs.inspect_options import INSPECT_OPTIONS, InspectOption

if TYPE_CHECKING:
    from otherwords.pipeline.agents import Agent
    from otherwords.pipeline.rounds import Until
    from otherwords.pipeline.vary import Wordings

HAL_VARIATIONS = 3
HAL_FLAGS = {
    "--docker": "An agent's process is contained, but not in a container. For one, let an Inspect agent "
    "work in a sandbox (--solver NAME --sandbox docker), or run otherwords itself in a container",
    "--vm": "Run otherwords on that machine",
    "--upload": "Write HAL's file with --results-dir, and give it to HAL's own hal-upload",
    "--continue-run": "It is not needed: the same command again asks only what is missing",
    "--conda-env-name": "Name the environment's interpreter or its folder: --agent-python PATH",
    "--ignore-errors": "Use --keep-going",
    "--variation-strength": "Use --strength",
    "--variation-index": "Freeze the wordings with otherwords vary, keep in the file those that you want, "
    "and give it with --variants",
    "--task-timeout": "Use --agent-timeout",
    "--task-ids": "Use --sample-id",
    "-B": "Give the task's arguments with -T name=value",
    "-I": "Give limits with --message-limit, --token-limit and --time-limit, a model's arguments with -M "
    "name=value",
}
"""Flags of hal-eval that mean nothing here, with what to use instead."""


class HalCommand(SectionedCommand):
    """Says of HAL's flags that it does not have what to use instead."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            instead = HAL_FLAGS.get(error.option_name.replace("_", "-"))
            if instead is None:
                raise
            raise click.UsageError(
                f"{error.option_name} is a flag of hal-eval that is not taken here. {instead}.", ctx
            ) from error


asked_options = together(
    click.option(
        "--model",
        "models",
        multiple=True,
        metavar="NAME",
        help="An Inspect model, or gguf/smollm2. Repeatable.",
    ),
    model_args_option("An argument of the model."),
    pairs_option(
        "--model-role",
        "model_roles",
        "The model of a role that the task has, such as user or grader.",
        "ROLE=NAME",
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
    pairs_option("-S", "solver_args", "An argument of the solver or Inspect agent."),
    click.option(
        "--agent",
        metavar="NAME",
        help="An Inspect agent (react, file.py@agent), or a Python function, async or not, or an object with "
        "invoke or run: file.py:name, module:name.",
    ),
    click.option(
        "--agent-url",
        metavar="URL",
        help='An agent that is sent {"prompt": …} by POST and answers with JSON or text; or an address of '
        "OpenAI's chat API (…/v1).",
    ),
    click.option(
        "--agent-command",
        metavar="COMMAND",
        help="A program that reads the prompt on standard input and prints its answer.",
    ),
    click.option(
        "--agent-dir", type=FILE, help="The folder of an agent written for HAL, or of --agent-command."
    ),
    click.option("--agent-function", default="main.run", show_default=True, help="Its module and function."),
    click.option("--agent-name", help="What tables call the agent.  [default: the model's or folder's name]"),
    pairs_option("-A", "agent_args", "An argument of the HAL agent's function, or a field for --agent-url."),
    click.option(
        "--agent-python", metavar="PATH", help="The HAL agent's interpreter or virtual environment."
    ),
    click.option(
        "--agent-timeout",
        type=SECONDS,
        default=AGENT_SECONDS,
        show_default=True,
        help="Seconds that such an agent may take for a sample.",
    ),
    click.option(
        "--agent-memory",
        metavar="SIZE",
        help="Memory, such as 4GB, that the processes of such an agent may have together.  [default: any]",
    ),
    click.option(
        "--agent-env",
        multiple=True,
        metavar="NAME",
        help="A variable that an agent in a process of its own may have, such as a key; others that look "
        "like keys are withheld. With --agent-url, the one that is sent as a bearer token. Repeatable.",
    ),
    title="Model or agent",
)

wording_options = together(
    click.option(
        "--variants",
        "variants_file",
        type=FILE,
        help="A file that `otherwords vary` wrote; or `shipped`: hand-written wordings of tau-bench that "
        "come with otherwords.",
    ),
    variant_options,
    click.option(
        "--num-variations",
        type=COUNT,
        metavar="N",
        help="Let a model write N rewordings of each item, instead of the rules (as -k N --families llm).",
    ),
    click.option("--prompt-sensitivity", is_flag=True, help="HAL's flag: the same as --num-variations 3."),
    strength_option,
    click.option(
        "--user-style",
        type=STRENGTH,
        help="How a simulated user (tau-bench) talks, in every wording alike; the scenario stays as it is.",
    ),
    click.option(
        "--user-trait",
        type=click.Choice(USER_TRAITS),
        help="What a simulated user is like, in every wording alike; beside --user-style.",
    ),
    click.option(
        "--paraphraser",
        metavar="NAME",
        multiple=True,
        default=(DEFAULT_PARAPHRASER,),
        show_default=DEFAULT_PARAPHRASER,
        help="The model that writes them; given several times, the models take turns.",
    ),
    judge_option("the model that writes them"),
    title="Wordings",
)

limit_options = together(
    click.option("--message-limit", type=COUNT, help="Messages in a sample."),
    click.option("--token-limit", type=COUNT, help="Tokens in a sample."),
    click.option("--time-limit", type=COUNT, help="Seconds for a sample."),
    click.option("--working-limit", type=COUNT, help="Seconds for a sample, without waiting for others."),
    title="Limits of a sample",
)


price_option = click.option(
    "--price",
    "prices",
    multiple=True,
    metavar="IN,OUT",
    help="Dollars for a million tokens; MODEL=IN,OUT for one of several models; or Inspect's file of prices.",
)
spending_options = together(
    click.option(
        "--budget",
        multiple=True,
        metavar="WHAT=MOST",
        help="Stop there, with logs to go on from: calls=1000, tokens=2000000, usd=5. Repeatable.",
    ),
    price_option,
    yes_option,
    dry_run_option("Say what it would take, and stop."),
    title="Cost",
)


def _inspect_option(option: InspectOption) -> Callable[[F], F]:
    """The flag of one of Inspect's options; what it is given is checked where Inspect's own types are."""
    flag = f"--{dashes(option.name)}"
    shown: dict[str, Any] = {"metavar": option.metavar, "help": option.help}
    if option.kind == "pairs":
        return click.option(flag, option.name, multiple=True, callback=_pairs_or_none, **shown)
    if option.kind == "flag":
        return click.option(flag, option.name, is_flag=True, default=None, help=option.help)
    if option.kind == "optional":
        return click.option(flag, option.name, is_flag=False, flag_value="true", **shown)
    if option.kind == "texts":
        return click.option(flag, option.name, callback=_texts, **shown)
    return click.option(
        flag, option.name, type=click.IntRange(option.least) if option.kind == "count" else str, **shown
    )


def _pairs_or_none(
    ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any] | None:
    return key_values(ctx, parameter, values) or None


def _texts(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
    if value is None or not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a JSON list") from None


inspect_options = together(
    click.option(
        "--generate-config",
        type=FILE,
        metavar="FILE",
        help="Fields of Inspect's GenerateConfig, as YAML or JSON; flags overrule it.",
    ),
    *map(_inspect_option, INSPECT_OPTIONS),
    click.option(
        "--sample-id",
        "sample_ids",
        multiple=True,
        metavar="ID,ID",
        help="Run only these items, by id; * stands for any text. Repeatable.",
    ),
    pairs_option(
        "--inspect",
        "inspect",
        "Any other argument of Inspect's eval(), or field of GenerateConfig. Repeatable.",
    ),
    title="Inspect options",
)


until_options = together(
    click.option(
        "--until",
        metavar="GOAL",
        help="Stop as soon as it is known: METRIC:WIDTH for an interval of ± WIDTH (accuracy, loss, flips, "
        "excess-flips, s_prompt, phrasing), A-B:WIDTH for the accuracy of two models, or gate, with limits "
        "as `check` has them.",
    ),
    threshold_options,
    generalize_option,
    title="Stop when it is known",
)


def plan_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """What `plan_run` is told of what is asked and how, beside the source, the agent and the folder."""
    from otherwords.core.template import read_templates
    from otherwords.runs import Limits

    bounds = ("message_limit", "token_limit", "time_limit", "working_limit")
    names = ("variants_file", "repeats", "max_items", "sample_ids", "task_args", "prompt_field", "user_style")
    return {
        **{name: options[name] for name in (*names, "user_trait", "constrain_choices", "adopt", "scorer")},
        "wordings": wordings_from_options(options),
        "limits": Limits(*(options[name] for name in bounds)),
        "templates": read_templates(options["templates"]),
    }


def agent_from_options(options: Mapping[str, Any]) -> Agent:
    """The model or agent that `asked_options` name, with what `inspect_options` say of it."""
    from otherwords.pipeline.agents import Agent, read_generate_config

    named = options["agent"]
    is_function = named is not None and ":" in named
    if named is not None and not is_function and options["solver"] is not None:
        raise InputError("--solver and --agent cannot be given together: a run has one agent")
    generate = {
        "temperature": options["temperature"],
        "top_p": options["top_p"],
        "max_tokens": options["max_tokens"],
        "seed": options["model_seed"],
        "system_message": options["system_message"],
    }
    flags = {name: value for name, value in generate.items() if value is not None}
    others = {**options.get("inspect", {}), **_inspect_flags(options)}
    file = options.get("generate_config")
    fields = {} if file is None else read_generate_config(file)
    return Agent(
        models=options["models"],
        name=options["agent_name"],
        solver=options["solver"] if named is None or is_function else named,
        solver_args=options["solver_args"],
        function=named if is_function else None,
        agent_dir=options["agent_dir"],
        agent_function=options["agent_function"],
        agent_args=options["agent_args"],
        python=options["agent_python"],
        seconds=options["agent_timeout"],
        url=options["agent_url"],
        command=options["agent_command"],
        env=options["agent_env"],
        memory=None if options["agent_memory"] is None else parse_size(options["agent_memory"]),
        model_args=options["model_args"],
        model_roles=options["model_roles"],
        generate={name: value for name, value in fields.items() if name not in others} | flags,
        inspect={name: value for name, value in others.items() if name not in flags},
    )


def until_from_options(options: Mapping[str, Any]) -> Until | None:
    """When the run may stop, if it may."""
    from otherwords.pipeline.rounds import Until

    thresholds = thresholds_from(options)
    if options["until"] is None:
        if options["generalize"] is not None:
            raise InputError("--generalize is for --until", hint="Logs are read with it: see report, check.")
        if thresholds:
            name = next(iter(thresholds)).replace("_", "-")
            raise InputError(f"--{name} is for --until gate", hint="After a run, use otherwords check.")
        return None
    if "max_template_spread" in thresholds:
        raise InputError(
            "--max-template-spread is no threshold at which a run can stop",
            hint="After a run, use otherwords check.",
        )
    return Until(options["until"], thresholds, options["generalize"])


def _inspect_flags(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of Inspect that were given by flags of their own."""
    names = [option.name for option in INSPECT_OPTIONS]
    return {name: options[name] for name in names if options.get(name) is not None}


def wordings_from_options(options: Mapping[str, Any]) -> Wordings:
    """The wordings that `wording_options` name."""
    from otherwords.pipeline.vary import Wordings
    from otherwords.variants.base import DEFAULT_FAMILIES
    from otherwords.variants.llm import LlmFamily

    families, k = options["families"], options["k"]
    written = options["num_variations"] or (HAL_VARIATIONS if options["prompt_sensitivity"] else None)
    if written is not None:
        if families is not None or k is not None:
            raise InputError(
                "--num-variations cannot be given with --families or -k",
                hint=f"It stands for --families llm -k {written}.",
            )
        families, k = (LLM,), written
    families = DEFAULT_FAMILIES if families is None else families
    llm = LlmFamily(options["paraphraser"], options["strength"]) if LLM in families else None
    wordings = Wordings(families, k, options["seed"], llm, options["judge"], vary=options["vary"])
    return wordings.in_design(options["design"], options["fraction"])
