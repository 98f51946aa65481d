"""The group of all commands. Imports nothing but click, so that --help answers at once."""

from __future__ import annotations

import importlib

import click

from otherwords import __version__

COMMANDS = {
    "demo": "otherwords.cli.demo",
    "audit": "otherwords.cli.audit",
    "vary": "otherwords.cli.vary",
    "vet": "otherwords.cli.vet",
    "review": "otherwords.cli.review",
    "run": "otherwords.cli.run",
    "benchmarks": "otherwords.cli.benchmarks",
    "aggregate": "otherwords.cli.aggregate",
    "report": "otherwords.cli.report",
    "fix": "otherwords.cli.fix",
    "compare": "otherwords.cli.compare",
    "check": "otherwords.cli.check",
    "plan": "otherwords.cli.plan",
    "selftest": "otherwords.cli.selftest",
    "scan": "otherwords.cli.scan",
    "completion": "otherwords.cli.completion",
}


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from otherwords.core.errors import UnknownNameError

            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `otherwords demo`. Exit codes: 0 fine, 1 a gate failed, 2 bad input.",
)
@click.version_option(__version__, prog_name="otherwords")
def app() -> None:
    """Does your model or agent still work when you say it in other words?

    otherwords rewords prompts without changing their meaning, vets every rewording, runs a model or an
    agent on all of them through Inspect AI, and reports how much the wording matters.

    \b
    A usual day:
      otherwords vary questions.jsonl -o variants.jsonl      reword, vet, freeze
      otherwords run questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
      otherwords report logs -o report                       tables, figures, one page
    """
