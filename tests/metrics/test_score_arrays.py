from __future__ import annotations

import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import s_prompt, s_task, summarise


def refusal(table: pl.DataFrame, *args: str, **kwargs: str) -> str:
    with pytest.raises(InputError) as caught:
        s_prompt(table, *args, **kwargs)
    return str(caught.value)


def test_scores_outside_the_range_are_refused_by_item(table_of):
    assert refusal(table_of({"a": [1, 0], "b": [0, 1.5]})) == (
        "item 'b': the score 1.5 of variant 'para1' is outside [0, 1]"
    )
    assert refusal(table_of({"a": [float("-inf"), 0]})) == (
        "item 'a': the score -inf of variant 'orig' is outside [0, 1]"
    )


def test_rounding_just_outside_the_range_and_nan_are_no_reason_to_refuse(table_of):
    estimate = s_prompt(table_of({"a": [1 + 1e-12, 0, float("nan")]}))
    assert (estimate.value, estimate.n_rows, estimate.n_missing) == (0.5, 2, 1)


def test_duplicated_rows_are_refused_by_the_first_one(table_of):
    table = table_of({"a": [1, 0], "b": [0, 1]}, task="t", model="m")
    assert refusal(pl.concat([table, table])) == (
        "item 'a': variant 'orig', repeat 1 is in the table more than once (task 't', model 'm')\n"
        "4 rows repeat another. Number repeats 1, 2, … or drop the copies."
    )


def test_a_row_without_an_item_is_refused(table_of):
    table = pl.concat(
        [table_of({"a": [1, 0]}), pl.DataFrame({"id": [None], "variant": ["orig"], "score": [1.0]})]
    )
    assert refusal(table) == "row 3 of the table has no id"


def test_a_task_is_found_with_and_without_its_package(table_of):
    table = pl.concat(
        [
            table_of({"a": [1, 0]}, task="otherwords/paraphrase_consistency"),
            table_of({"a": [1, 1]}, task="otherwords/perturbation_stability"),
        ]
    )
    assert s_prompt(table, "paraphrase_consistency").value == 0.5
    assert s_prompt(table, "otherwords/perturbation_stability").value == 1.0
    assert s_prompt(table).n_items == 2
    assert refusal(table, "paraphrase_consistancy") == (
        "unknown task 'paraphrase_consistancy'. Did you mean: otherwords/paraphrase_consistency?"
    )


def test_an_unknown_model_is_refused_with_the_nearest(table_of):
    table = table_of({"a": [1, 0]}, model="gpt-large")
    assert refusal(table, model="gpt-lrge") == "unknown model 'gpt-lrge'. Did you mean: gpt-large?"
    assert refusal(table_of({}), model="x") == "unknown model 'x': the table names no model"
    assert refusal(table_of({}), "x") == "unknown task 'x': the table names no task"


def test_pandas_gives_what_polars_gives(table_of):
    pd = pytest.importorskip("pandas")
    table = table_of({"a": [1, 0, None], "b": [1, 1, 0], "c": [0.5, 0, 1]}, model="m")
    frame = pd.DataFrame(table.to_dict(as_series=False))
    assert summarise(frame) == summarise(table)
    assert s_task(frame).equals(s_task(table))


def test_the_order_of_rows_does_not_matter(table_of):
    table = table_of({f"q{n}": [n % 2, n % 3 == 0, 1, 0.25] for n in range(12)}, model="m")
    assert summarise(table.sample(fraction=1, shuffle=True, seed=4)) == summarise(table)


def test_models_together_are_one_item_and_apart_what_they_are_alone(table_of):
    one = table_of({f"q{n}": [1, n % 2, n % 3 == 0] for n in range(9)}, model="one")
    two = table_of({f"q{n}": [0, n % 2, 1] for n in range(3, 12)}, model="two")
    both = pl.concat([one, two])
    assert summarise(both) == {**summarise(one), **summarise(two)}
    assert s_prompt(both, model="two") == s_prompt(two)
    together = s_prompt(both)
    assert (together.group, together.n_items, together.n_rows) == ("all", 12, 54)


def test_an_empty_table_gives_nulls_with_a_reason(table_of):
    for estimate in summarise(table_of({}))["all"].values():
        assert (estimate.value, estimate.low, estimate.n_items) == (None, None, 0)
        assert estimate.reason == "the table has no rows to measure"
    assert s_task(table_of({})).is_empty()


def test_controls_and_faults_are_counted_for_their_own_model(table_of):
    plain = table_of({f"q{n}": [1, n % 2] for n in range(4)}, model="plain", kind="paraphrase")
    only_controls = pl.DataFrame(
        {
            "id": ["q0"],
            "variant": ["control:n"],
            "score": [0.0],
            "model": ["odd"],
            "kind": ["control"],
        }
    )
    found = summarise(pl.concat([plain, only_controls]), by_kind=True)
    assert sorted(found) == ["odd", "plain", "plain / paraphrase"]
    assert found["plain"] == summarise(plain)["plain"]
    assert found["odd"]["accuracy"].reason == (
        "no row has a score; 1 rows of negative controls are not part of it"
    )
    assert set(found["plain"]) - set(found["plain / paraphrase"]) == {
        "r_fault",
        "r_fault_hal",
        "responsiveness",
    }
