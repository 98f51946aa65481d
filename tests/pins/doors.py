"""The only file of these tests that imports the code under test.

When something there gets another name, mend it here: what is pinned is how it behaves, not what it is called.
Names that are known to change are looked for under both.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import click

import otherwords
from otherwords import cli, metrics, results
from otherwords.variants import base

Item = otherwords.Item
Message = otherwords.Message
Variant = otherwords.Variant
InputError = otherwords.InputError
load_items = otherwords.load_items
load_all_results = results.load_all_results
read_results = results.read_results
read_variants = otherwords.read_variants
version: str = otherwords.__version__


def _under(module: types.ModuleType, *names: str) -> Callable[..., Any]:
    """The function that `module` has under the first of `names` that is one."""
    for name in names:
        found = getattr(module, name, None)
        if callable(found):
            return found  # type: ignore[no-any-return]
    raise AttributeError(f"{module.__name__} has none of {', '.join(names)}")


RULE_FAMILIES: tuple[str, ...] = tuple(base.RULE_FAMILIES)
METRIC_NAMES: tuple[str, ...] = tuple(metrics.METRICS.names())

summarise = _under(metrics, "summarise")
by_item = _under(metrics, "by_item")
by_change = _under(metrics, "by_change")
compare = _under(metrics, "compare")
check_thresholds = _under(metrics, "check", "gate")
fix = _under(metrics, "fix", "what_to_fix")
plan = _under(metrics, "plan")
pilot_components = _under(metrics, "pilot_components")
prior_components = _under(metrics, "prior_components")
phrasing_test = _under(metrics, "phrasing_test")
rank_stability = _under(metrics, "rank_stability")
enough_variants = _under(metrics, "enough_variants")
correlations = _under(metrics, "correlations")
benjamini_hochberg = _under(metrics, "benjamini_hochberg")


REWORDED: dict[str, str] = {
    "the side with fewer has more luck in its variance": (
        "the side with fewer has more run-to-run noise in its variance"
    ),
    "% phrasing, 25% luck": ("% phrasing, 25% run-to-run noise"),
    "what may be luck is counted as phrasing": ("what may be run-to-run noise is counted as phrasing"),
    "Luck moves the outcome more than wording does": (
        "Run-to-run noise (the same prompt asked again) moves the outcome more than wording does"
    ),
    "stability here may be not listening.": ("stability here may be insensitivity to the question."),
    "that is more than luck (q": ("that is more than run-to-run noise (q"),
    "with one repeat, which of them by luck cannot be told (--repeats 3)": (
        "with one repeat, this cannot be told from run-to-run noise (--repeats 3)"
    ),
    "and neither does luck": ("and neither does asking again"),
    "no luck in it": ("no run-to-run noise in it"),
    "deaf to the question": ("insensitive to the question"),
    "luck alone, p(1 − p) / 3, reads as sensitivity": (
        "run-to-run noise alone, p(1 − p) / 3, reads as sensitivity"
    ),
    "because it never listens": ("because it does not read the question"),
}
"""Sentences of 0.1, or parts of them, and what was put in their place on purpose.

Only sentences beside the numbers: notes, suggestions, sources, and why a threshold is met or not.
"""


def selftest(seed: int) -> list[list[Any]]:
    """Of each value whom it is about, the metric, its bounds, what it is, and whether that is right."""
    return [
        [getattr(one, "answerer", None) or one.model, one.metric, one.low, one.high, one.value, one.ok]
        for one in _under(metrics, "selftest")(seed)
    ]


def metric(name: str) -> Callable[..., Any]:
    """A metric as `otherwords.metrics` exports it."""
    return _under(metrics, name)


def said_of(result: Any) -> list[str]:
    """What a check says: its name, its status (once called verdict) and the reason."""
    status = result.status if hasattr(result, "status") else result.verdict
    return [result.check, status, result.reason]


class Ended(NamedTuple):
    code: int
    out: str
    err: str


def command(*arguments: str) -> Ended:
    """`otherwords …` in this process and this folder: the exit code and all that was printed."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            cli.main(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return Ended(code, out.getvalue(), err.getvalue())


def module_command(*arguments: str) -> list[str]:
    """The same as a command line, for a process of its own."""
    return [sys.executable, "-m", "otherwords", *arguments]


def _group() -> click.Group:
    """The group of all commands, in the package or in its module `app`."""
    found = getattr(cli, "app", None)
    if not isinstance(found, click.Group):
        found = importlib.import_module(f"{cli.__name__}.app").app
    assert isinstance(found, click.Group)
    return found


def command_options() -> dict[str, dict[str, Any]]:
    """Of each command its parameters: the flags, whether they are needed or repeatable, the choices."""
    app = _group()
    context = click.Context(app)
    found: dict[str, dict[str, Any]] = {}
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        assert command is not None
        found[name] = {
            (" ".join([*one.opts, *one.secondary_opts]) or str(one.name)): {
                "argument": isinstance(one, click.Argument),
                "required": one.required,
                "many": one.nargs == -1 or bool(getattr(one, "multiple", False)),
                "flag": bool(getattr(one, "is_flag", False)),
                "choices": list(getattr(one.type, "choices", [])),
            }
            for one in command.params
        }
    return found
