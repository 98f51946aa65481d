"""The group of all commands. Imports nothing but click, so that --help answers at once."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

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
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    envvar="OTHERWORDS_ROOT",
    help="Touch no file outside of this folder, whatever links and dots say.",
)
@click.version_option(__version__, prog_name="otherwords")
@click.pass_context
def app(ctx: click.Context, root: Path | None) -> None:
    """Does your model or agent still work when you say it in other words?

    otherwords rewords prompts without changing their meaning, vets every rewording, runs a model or an
    agent on all of them through Inspect AI, and reports how much the wording matters.

    \b
    A usual day:
      otherwords vary questions.jsonl -o variants.jsonl      reword, vet, freeze
      otherwords run questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
      otherwords report logs -o report                       tables, figures, one page
    """
    if root is not None:
        before = os.environ.get("OTHERWORDS_ROOT")
        os.environ["OTHERWORDS_ROOT"] = str(root.absolute())
        ctx.call_on_close(lambda: _restore("OTHERWORDS_ROOT", before))


def _restore(name: str, before: str | None) -> None:
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before
