"""The command line: `main`, all commands by lazy import, errors → messages and exit codes; `completion`.

A command's file imports what is heavy only when the command runs, so that --help answers at once.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click

from otherwords import __version__
from otherwords.cli.config import name_variables, user_defaults
from otherwords.core.contract import BAD_INPUT, CRASHED, INTERRUPTED, OK
from otherwords.core.errors import OtherwordsError, OtherwordsWarning, UnknownNameError

TRACEBACK = "OTHERWORDS_TRACEBACK"

GROUPS = {
    "Start here": ("demo",),
    "Make wordings": ("audit", "vary", "vet", "review"),
    "Run": ("run", "shards", "benchmarks"),
    "Read results": ("aggregate", "report", "compare", "rank", "study", "check"),
    "Improve": ("fix", "repair", "worst", "plan", "selftest"),
    "Publish": ("scan", "salt", "bundle", "verify", "cite"),
    "Other": ("completion",),
}
COMMANDS = tuple(name for names in GROUPS.values() for name in names)
_FILES = {
    **dict.fromkeys(("aggregate", "scan", "salt"), "publish"),
    **dict.fromkeys(("fix", "plan"), "improve"),
    **dict.fromkeys(("repair", "worst"), "search"),
    **dict.fromkeys(("study", "bundle", "verify", "cite"), "papers"),
    "rank": "compare",
    "review": "report",
    "selftest": "demo",
}
"""Commands whose file has another name than theirs."""


class LazyGroup(click.Group):
    """Imports a command's module when the command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name == "completion":
            return completion
        module = importlib.import_module(f"{__name__}.{_FILES.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        name_variables(cmd_name, command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS)
        name, command, rest = super().resolve_command(ctx, args)
        asks_for_help = bool({"-h", "--help"} & set(rest))
        if name and command and not ctx.resilient_parsing and not asks_for_help:
            ctx.default_map = {name: user_defaults(ctx, name, command, COMMANDS)}
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by what one wants of them."""
        width = formatter.width - 6 - max(map(len, COMMANDS))
        for title, names in GROUPS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl(
                    [(name, one.get_short_help_str(width)) for name, one in commands if one is not None],
                    col_max=max(map(len, COMMANDS)),
                )

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            raise SystemExit(INTERRUPTED) from None
        except (click.exceptions.Exit, click.ClickException, click.Abort, OtherwordsError):
            raise
        except (SystemExit, OSError, MemoryError):
            raise
        except BaseException as error:  # noqa: BLE001 -- polars' panics are no Exception
            _crash(error, show=ctx.params["traceback"])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `otherwords demo`. Exit codes: 0 fine, 1 a check says no, 2 bad input, 70 a crash, "
    "130 interrupted. Any option can also be set in the environment (OTHERWORDS_RUN_MODEL for `run --model`) "
    "or in your configuration file.",
)
@click.option(
    "--root",
    type=click.Path(path_type=Path),
    envvar="OTHERWORDS_ROOT",
    help="Touch no file outside of this folder, whatever links and dots say.",
)
@click.option("--traceback", is_flag=True, envvar=TRACEBACK, help="Show where an unexpected error happened.")
@click.version_option(__version__, prog_name="otherwords")
@click.pass_context
def app(ctx: click.Context, root: Path | None, traceback: bool) -> None:
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


@click.command("completion", short_help="Print the shell completion script.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script for SHELL.

    \b
    bash:  otherwords completion bash > ~/.otherwords-complete && echo '. ~/.otherwords-complete' >> ~/.bashrc
    zsh:   otherwords completion zsh  > ~/.otherwords-complete && echo '. ~/.otherwords-complete' >> ~/.zshrc
    fish:  otherwords completion fish > ~/.config/fish/completions/otherwords.fish
    """
    from click.shell_completion import get_completion_class

    completer = get_completion_class(shell)
    assert completer is not None
    click.echo(completer(app, {}, "otherwords", "_OTHERWORDS_COMPLETE").source())


def main(args: list[str] | None = None) -> None:
    """Run a command and end with its exit code; errors are one message without a traceback."""
    from otherwords.cli.console import print_error

    shown = warnings.showwarning
    warnings.showwarning = partial(_show_warning, shown)
    try:
        typed = list(sys.argv[1:] if args is None else args)
        app.main(args=args, prog_name="otherwords", obj=typed)
    except OtherwordsError as error:
        print_error(str(error))
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(OK)
    except (OSError, MemoryError) as error:  # a full disk, a folder that may not be written to
        print_error(_system_error(error))
        sys.exit(BAD_INPUT)
    except Exception as error:  # noqa: BLE001 -- whatever it is, exit code 1 would mean that a check said no
        _crash(error, show=bool(os.environ.get(TRACEBACK)))
    finally:
        warnings.showwarning = shown


def _show_warning(show: Callable[..., None], message: object, category: type[Warning], *where: Any) -> None:
    """Ours without the line of code that tells it; those of others as ever."""
    from otherwords.cli.console import print_warning

    if issubclass(category, OtherwordsWarning):
        print_warning(str(message))
    else:
        show(message, category, *where)


def _system_error(error: OSError | MemoryError) -> str:
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error or type(error).__name__}"


def _crash(error: BaseException, *, show: bool) -> NoReturn:
    from otherwords.cli.console import print_error

    if show:
        import traceback

        traceback.print_exception(error)
    hint = "" if show else f" `otherwords --traceback …` (or {TRACEBACK}=1) shows where it happened."
    print_error(f"unexpected {type(error).__name__}: {error}\nThis is a bug in otherwords.{hint}")
    sys.exit(CRASHED)
