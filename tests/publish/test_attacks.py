"""What an attacker with the public files can learn: attacks that succeed on the old layout, and fail now."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable

import polars as pl
import pytest

from otherwords.core.table import as_outcomes
from otherwords.publish.logs import coarse, coarse_time
from otherwords.publish.pseudonyms import Pseudonyms
from otherwords.publish.redact import PUBLIC_COLUMNS, public_outcomes

SALT = b"a salt of thirty-two bytes, here"
NAMES = Pseudonyms(SALT)
ITEMS, OPTIONS, WORDINGS = 200, 4, 4
KEY = random.Random(5).choices(range(OPTIONS), k=ITEMS)
"""The right option of each item."""


def private_table() -> pl.DataFrame:
    """A model that is right nine times in ten."""
    chance = random.Random(9)
    rows = []
    for number, right in enumerate(KEY):
        for wording in range(WORDINGS):
            chosen = right if chance.random() < 0.9 else chance.randrange(OPTIONS)
            rows.append(
                {
                    "task": "isles",
                    "model": "provider/m",
                    "id": f"isles-{number}",
                    "variant": "orig" if wording == 0 else f"para{wording}",
                    "kind": "orig" if wording == 0 else "paraphrase",
                    "status": "scored",
                    "outcome": "answered",
                    "score": float(chosen == right),
                    "correct": chosen == right,
                    "answer": "ABCD"[chosen],
                    "pred_index": chosen,
                    "target_index": right,
                    "tokens": 40 + 3 * number,
                    "seconds": 0.5 + 0.01 * number,
                    "seed": 7,
                    "distance": 0.1,
                    "response": "the text of an answer",
                    "tool_calls": "search",
                    "log": "/home/rsmith/logs/a.eval",
                }
            )
    return as_outcomes(pl.DataFrame(rows))


PRIVATE = private_table()
PUBLIC = public_outcomes(PRIVATE, NAMES)
TRUE_KEY = {NAMES.item(f"isles-{number}"): right for number, right in enumerate(KEY)}


def old_layout() -> pl.DataFrame:
    """As version 0.2 wrote it: one hash for an option in all of a benchmark."""
    hashed = [
        f"answer_{NAMES.digest('answer', 'isles', f'option {place}')}" for place in PRIVATE["pred_index"]
    ]
    ids = [NAMES.item(id_) for id_ in PRIVATE["id"]]
    return PRIVATE.with_columns(answer=pl.Series(hashed), id=pl.Series(ids)).select(PUBLIC_COLUMNS)


def key_recovered(table: pl.DataFrame) -> float:
    """Items of one right answer are put together; the share that is right, with the best names for groups."""
    right = table.filter("correct").unique(["id", "answer"])
    groups: dict[str, list[int]] = {}
    for id_, answer in right.select("id", "answer").iter_rows():
        groups.setdefault(answer, []).append(TRUE_KEY[id_])
    largest = sorted(groups.values(), key=len, reverse=True)[:OPTIONS]
    return sum(Counter(group).most_common(1)[0][1] for group in largest) / ITEMS


def test_the_letters_of_the_key_are_told_by_the_old_layout_and_not_by_the_new() -> None:
    assert key_recovered(old_layout()) > 0.95
    assert key_recovered(PUBLIC) < 0.05


def test_an_answer_of_one_item_is_the_same_over_wordings_and_models() -> None:
    """Or else agreement could not be computed by others."""
    per_item = PUBLIC.group_by("id").agg(pl.col("answer").n_unique())["answer"]
    assert per_item.max() <= OPTIONS
    both = pl.concat([PRIVATE, PRIVATE.with_columns(model=pl.lit("provider/n"))])
    by_model = public_outcomes(both, NAMES).group_by("id", "variant").agg(pl.col("answer").n_unique())
    assert by_model["answer"].max() == 1


def ids_recovered(table: pl.DataFrame, hash_of: Callable[[str], str]) -> float:
    guesses = {hash_of(f"isles-{number}") for number in range(ITEMS)}
    return len(guesses & set(table["id"])) / ITEMS


def test_a_list_of_ids_names_items_without_a_salt_and_not_with_one() -> None:
    unsalted = [f"item-{hashlib.sha256(id_.encode()).hexdigest()[:16]}" for id_ in PRIVATE["id"]]

    def plain(id_: str) -> str:
        return f"item-{hashlib.sha256(id_.encode()).hexdigest()[:16]}"

    assert ids_recovered(PRIVATE.with_columns(id=pl.Series(unsalted)), plain) == 1
    assert ids_recovered(PUBLIC, plain) == 0
    for salt in (b"0" * 32, b"otherwords-salt-v1:" + b"0" * 32, b"a salt of thirty-two bytes, herE"):
        assert ids_recovered(PUBLIC, Pseudonyms(salt).item) == 0
    assert ids_recovered(PUBLIC, NAMES.item) == 1  # whoever has the salt can


def test_the_order_of_the_rows_tells_nothing() -> None:
    ids = PUBLIC["id"].unique(maintain_order=True).to_list()
    assert ids == sorted(ids)
    shuffled = public_outcomes(PRIVATE.sample(fraction=1, shuffle=True, seed=1).sort("variant"), NAMES)
    assert shuffled["id"].to_list() == PUBLIC["id"].to_list()


def told_by(table: pl.DataFrame, column: str) -> float:
    """The share of items whose place in the set can be read from a number."""
    if column not in table.columns:
        return 0.0
    numbers = table.group_by("id").agg(pl.col(column).first())[column]
    return numbers.n_unique() / ITEMS


@pytest.mark.parametrize("column", ["tokens", "seconds"])
def test_lengths_and_times_of_single_runs_are_not_told(column: str) -> None:
    assert told_by(PRIVATE, column) == 1
    assert told_by(PUBLIC, column) == 0


def test_what_is_not_listed_is_dropped() -> None:
    strange = PRIVATE.with_columns(secret=pl.lit("anthrax"), tool_calls=pl.lit("anthrax"))
    table = public_outcomes(strange, NAMES)
    assert tuple(table.columns) == PUBLIC_COLUMNS
    assert "anthrax" not in table.write_csv()
    assert table["seed"].null_count() == table.height
    private = {"tokens", "seconds", "distance", "response", "pred_index", "target_index", "log"}
    assert not private & set(PUBLIC_COLUMNS)


def test_words_of_others_are_in_no_column() -> None:
    strings = [name for name, kind in PRIVATE.schema.items() if kind == pl.String and name != "status"]
    foreign = PRIVATE.with_columns(pl.lit("anthrax in /home/rsmith").alias(name) for name in strings)
    named = foreign.with_columns(
        model=pl.lit("/home/rsmith/anthrax/m"), task=pl.lit("/home/rsmith/anthrax/t")
    )
    said = public_outcomes(named, NAMES).write_csv()
    for word in ("anthrax", "rsmith", "/home"):
        assert word not in said, word


def test_sums_and_times_of_a_run_are_coarse() -> None:
    """One prompt more or less, or a guess of another length, gives the same number."""
    assert coarse(123_456) == coarse(123_456 + 40) == 120_000
    assert coarse(0.012345) == 0.012
    assert (coarse(0), coarse(7)) == (0, 7)
    assert coarse_time("2026-11-15T01:30:12.123+02:00") == "2026-11-14T00:00:00+00:00"
    assert coarse_time("yesterday") == "1970-01-01T00:00:00+00:00"


def test_a_guess_of_a_text_can_be_compared_with_the_shape_of_its_rows() -> None:
    """What stays possible, as docs/publishing.md says: the names of rules tell how a question began."""
    of_item = {"isles-1": ["what-which", "tell-me"], "isles-2": ["number-there", "want-the"]}
    rows = [
        {"id": id_, "variant": f"para{place}", "kind": "paraphrase", "change": change, "score": 1.0}
        for id_, changes in of_item.items()
        for place, change in enumerate(changes, start=1)
    ]
    table = public_outcomes(pl.DataFrame(rows), NAMES)
    shapes = {str(id_): sorted(part["change"]) for (id_,), part in table.group_by("id")}
    assert shapes == {NAMES.item(id_): sorted(changes) for id_, changes in of_item.items()}
