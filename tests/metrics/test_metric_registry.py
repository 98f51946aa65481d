"""`@metric`: one function becomes a public metric, ours or of another package."""

from __future__ import annotations

import importlib
import inspect
import os
import pickle
import pkgutil
import random
import subprocess
import sys
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from otherwords import metrics
from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics import METRICS, Measure, ScoreArrays, mean_over_groups, metric, summarise
from otherwords.metrics.intervals import RESAMPLES

SHARED = ["table", "task", "model", "resamples", "seed"]


@pytest.fixture
def forgets() -> Iterator[Callable[[str], None]]:
    """Metrics that a test adds are removed again."""
    added: list[str] = []
    yield added.append
    for name in added:
        METRICS.remove(name)


def highest(arrays: ScoreArrays, *, power: int = 1) -> Measure:
    """Mean over items of the best wording's score.

    Args:
        arrays: The scores.
        power: To which it is raised.

    Example:
        >>> 1 + 1
        2
    """
    values = np.zeros(arrays.n_groups)
    np.maximum.at(values, arrays.group, arrays.mean**power)
    return mean_over_groups(
        arrays,
        values,
        arrays.variants >= 1,
        name="" if power == 1 else f"highest_{power}",
        nothing="no row has a score",
        left_out="no score",
    )


def test_one_function_is_callable_on_tables_registered_and_summarised(
    table_of: Callable[..., pl.DataFrame], forgets: Callable[[str], None]
) -> None:
    forgets("highest")
    public = metric(also=[{"power": 2}])(highest)
    table = table_of({"a": [0.5, 0.0], "b": [0.5, 0.25], "c": [1.0, 1.0]})
    found = public(table, resamples=50, seed=3)
    assert isinstance(found, Estimate)
    assert (found.metric, found.value, found.n_items, found.n_rows) == ("highest", pytest.approx(2 / 3), 3, 6)
    assert public(table, power=2).value == pytest.approx(0.5)
    assert METRICS.get("highest") is public
    named = summarise(table.with_columns(model=pl.lit("m")), metrics=["highest"], resamples=50, seed=3)["m"]
    assert list(named) == ["highest", "highest_2"]
    assert named["highest"] == public(table.with_columns(model=pl.lit("m")), resamples=50, seed=3)
    with pytest.raises(TypeError, match=r"highest\(\) got an unexpected keyword argument 'powr'"):
        public(table, powr=2)
    with pytest.raises(InputError, match=r"^unknown model 'x': the table names no model$"):
        public(table, model="x")


def test_several_measures_are_several_estimates(
    table_of: Callable[..., pl.DataFrame], forgets: Callable[[str], None]
) -> None:
    @metric(by_kind=False)
    def ends(arrays: ScoreArrays) -> Iterator[Measure]:
        """Highest and lowest."""
        yield highest(arrays)
        yield highest(arrays, power=3)

    forgets("ends")
    table = table_of({"a": [0.5, 0.0], "b": [0.5, 0.5]}, kind="paraphrase", model="m")
    assert {name: one.value for name, one in ends(table).items()} == {"ends": 0.5, "highest_3": 0.125}
    found = summarise(table, metrics=["ends", "accuracy"], by_kind=True)
    assert {group: list(one) for group, one in found.items()} == {
        "m": ["ends", "highest_3", "accuracy"],
        "m / paraphrase": ["accuracy"],
    }


def test_a_result_that_is_no_measure_is_returned_as_it_is(
    table_of: Callable[..., pl.DataFrame], forgets: Callable[[str], None]
) -> None:
    @metric(summarised=False)
    def wordings(arrays: ScoreArrays, *, more: int = 0) -> int:
        """How many wordings there are."""
        return len(arrays.group) + more

    forgets("wordings")
    table = table_of({"a": [0.5, 0.0], "b": [0.5]})
    assert wordings(table, more=2) == 5
    assert "wordings" not in summarise(table)["all"]
    assert list(inspect.signature(wordings).parameters) == ["table", "task", "model", "more"]


def test_a_cell_of_a_notebook_may_be_run_again_and_a_name_has_one_owner(
    forgets: Callable[[str], None],
) -> None:
    forgets("highest")
    metric()(highest)
    again = metric()(highest)
    assert METRICS.get("highest") is again

    def s_norm(arrays: ScoreArrays) -> Measure:
        return highest(arrays)

    with pytest.raises(InputError, match=r"^metric 's_norm' is registered twice$"):
        metric()(s_norm)


@pytest.mark.parametrize("name", METRICS.names())
def test_help_and_signature_are_those_of_the_public_function(name: str) -> None:
    public = getattr(metrics, name)
    assert METRICS.get(name) is public
    assert inspect.isfunction(public)
    assert (public.__name__, public.__module__.rpartition(".")[0]) == (name, "otherwords.metrics")
    parameters = inspect.signature(public).parameters
    wanted = SHARED if public.measures else SHARED[:3]
    assert [one for one in parameters if one in wanted] == wanted
    assert [one.kind for one in parameters.values()][2:] == [inspect.Parameter.KEYWORD_ONLY] * (
        len(parameters) - 2
    )
    hints = typing.get_type_hints(public)
    assert list(hints) == [*parameters, "return"]
    if public.measures:
        assert hints["return"] in (Estimate, dict[str, Estimate])
        assert parameters["resamples"].default == RESAMPLES
    document = inspect.getdoc(public) or ""
    heads = [line for line in document.splitlines() if line in ("Args:", "Returns:", "Raises:", "Example:")]
    assert heads == ["Args:", "Returns:", "Raises:", "Example:"]
    for parameter in parameters:
        assert f"\n    {parameter}: " in document
    assert "arrays" not in document
    assert pickle.loads(pickle.dumps(public)) is public


def test_the_docstring_of_a_new_metric_is_complete(forgets: Callable[[str], None]) -> None:
    forgets("highest")
    assert inspect.getdoc(metric()(highest)) == (
        "Mean over items of the best wording's score.\n\n"
        "Args:\n"
        "    table: Outcome table: a polars or pandas frame with the columns id, variant and score at least."
        "\n"
        "    task: Only rows of this task; its name with or without the package before the slash.\n"
        "    model: Only rows of this model.\n"
        "    power: To which it is raised.\n"
        "    generalize: For whom the interval speaks: `items`, `wordings` or `both`; if None, by its "
        "wordings.\n"
        "    resamples: 0 for no interval; any other number is the same, since nothing is resampled.\n"
        "    seed: Without effect, since nothing is drawn at random; kept for callers that give one.\n\n"
        "Returns:\n"
        "    The value with its 95% interval, its counts, and a reason where there is something to keep in "
        "mind.\n\n"
        "Raises:\n"
        "    InputError: The table has no such task or model, or rows that cannot be measured.\n\n"
        "Example:\n    >>> 1 + 1\n    2"
    )


@pytest.mark.slow
def test_no_module_hides_a_function_in_any_order_of_imports() -> None:
    modules = [name for _, name, _ in pkgutil.iter_modules(metrics.__path__)]
    assert not set(modules) & set(metrics.__all__)
    random.Random(0).shuffle(modules)
    code = "import importlib, types\n" + "\n".join(f"import otherwords.metrics.{name}" for name in modules)
    code += "\nfrom otherwords import metrics"
    code += "\nhidden = [n for n in metrics.__all__ if isinstance(getattr(metrics, n), types.ModuleType)]"
    code += "\nassert not hidden, hidden"
    subprocess.run([sys.executable, "-c", code], check=True)
    for name in reversed(modules):
        importlib.import_module(f"otherwords.metrics.{name}")
    assert not [name for name in metrics.__all__ if isinstance(getattr(metrics, name), types.ModuleType)]


PLUGIN = '''
from otherwords.metrics import Measure, ScoreArrays, mean_over_groups, metric


@metric()
def zero_rate(arrays: ScoreArrays) -> Measure:
    """Share of wordings with the score 0."""
    zeros = arrays.sum_cells(arrays.mean == 0) / arrays.variants.clip(1)
    return mean_over_groups(arrays, zeros, arrays.variants >= 1, nothing="no score", left_out="no score")
'''
ASKED = """
import polars as pl
from otherwords.metrics import METRICS, s_prompt, summarise

table = pl.DataFrame({"id": ["a", "a", "b"], "variant": ["orig", "p", "orig"], "score": [1.0, 0.0, 1.0]})
found = summarise(table, resamples=0)["all"]
assert found["s_prompt"] == s_prompt(table, resamples=0)
assert found["zero_rate"].value == 0.25, found["zero_rate"]
assert METRICS.get("zero_rate")(table).value == 0.25
assert "broken_rate" in METRICS.names()
assert "broken_rate" not in found
"""


@pytest.mark.slow
def test_another_package_adds_a_metric_and_a_broken_one_is_named_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "extra_metrics.py").write_text(PLUGIN, encoding="utf-8")
    info = tmp_path / "extra_metrics-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-metrics\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[otherwords.metrics]\nzero_rate = extra_metrics:zero_rate\nbroken_rate = no_such_module:rate\n"
    )
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == (
        "Skipped: the metric 'broken_rate' of the package extra-metrics cannot be loaded "
        "(no_such_module:rate): ModuleNotFoundError: No module named 'no_such_module'\n"
    )
