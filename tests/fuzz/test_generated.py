"""Whatever a file or an argument holds, it is read, or refused with one of our errors and no other.

`make test` runs the number of cases that each test names, 5,000 together. `make fuzz` runs them again and
again with new seeds; OTHERWORDS_FUZZ is how many times more.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from otherwords.core.errors import InputError, OtherwordsError
from otherwords.core.secret_patterns import find_keys, redacted, without_keys
from otherwords.core.table import as_outcomes
from otherwords.core.types import Item
from otherwords.items import load_items
from otherwords.publish import TextPatterns
from otherwords.publish.file_parts import parts_of
from otherwords.publish.pseudonyms import Pseudonyms
from otherwords.publish.redact import public_outcomes
from otherwords.results import read_results
from otherwords.results.aggregate import parse_columns
from otherwords.results.reader import outcomes_frame
from otherwords.variants.file import make_header, read_variants, write_variants

pytestmark = pytest.mark.fuzz

F = TypeVar("F", bound=Callable[..., Any])

MORE = int(os.environ.get("OTHERWORDS_FUZZ", "1"))
WANTED = 5_000
PLANNED: list[int] = []


def cases(count: int) -> Callable[[F], F]:
    PLANNED.append(count)
    unhurried = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
    # The same cases every time in `make test`, others every time in `make fuzz`.
    return settings(
        max_examples=count * MORE, deadline=None, derandomize=MORE == 1, suppress_health_check=unhurried
    )


ODD_TEXT = st.text(max_size=40) | st.sampled_from(
    [
        *("", " ", "\0", "\ufeff", "\u2028", "\r", "=1+1", "'", '"', "a,b", "nan", "Infinity", "{}", "[x"),
        *("A", "0", "-1", "1e999", "9" * 400, "{{x}}", "<b>", "%s", "\u202e", "sk-0123456789abcdefgh"),
        *("orig", "a#b", "2026-13-45", "!!python/name:os.system", "1:2", "~"),
    ]
)
ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | ODD_TEXT
    | st.sampled_from([10**400, 2**63, 1e308]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ODD_TEXT, inner, max_size=4),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        "id",
        "question",
        "stem",
        "prompt",
        "input",
        "choices",
        "options",
        "answer",
        "target",
        "answers",
        "metadata",
        "x",
    ]
)
RECORD = st.dictionaries(FIELDS, ODD, max_size=6)
NEARLY = st.fixed_dictionaries(
    {"question": ODD_TEXT | st.just([{"role": "user", "content": "Who?"}])},
    optional={"id": ODD, "choices": st.lists(ODD_TEXT | ODD, max_size=5), "answer": ODD, "metadata": ODD},
)
"""Records that are often right, so that what comes after the first check is reached."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


def loaded(path: Path, content: bytes) -> list[Any]:
    path.write_bytes(content)
    try:
        items = load_items(path)
    except InputError as error:
        assert str(error).startswith(str(path))
        assert len(str(error)) < 4000
        return []
    assert items
    assert len({item.id for item in items}) == len(items)
    return items


@cases(700)
@given(content=st.binary(max_size=200), ending=st.sampled_from([".jsonl", ".json", ".csv", ".ndjson"]))
def test_datasets_of_bytes(content: bytes, ending: str, folder: Path) -> None:
    loaded(folder / f"bytes{ending}", content)


@cases(700)
@given(records=st.lists(RECORD | NEARLY, min_size=1, max_size=4), listed=st.booleans())
def test_datasets_of_odd_records(records: list[dict[str, Any]], listed: bool, folder: Path) -> None:
    if listed:
        loaded(folder / "records.json", json.dumps(records).encode("utf-8", "surrogatepass"))
    else:
        lines = "\n".join(json.dumps(record) for record in records)
        loaded(folder / "records.jsonl", lines.encode("utf-8", "surrogatepass"))


@cases(400)
@given(
    header=st.lists(FIELDS | st.sampled_from(["A", "B", "choice_0", "choice_1"]) | ODD_TEXT, max_size=6),
    rows=st.lists(st.lists(ODD_TEXT, max_size=6), max_size=4),
    quote=st.sampled_from(['"', "'", ""]),
)
def test_datasets_of_odd_cells(header: list[str], rows: list[list[str]], quote: str, folder: Path) -> None:
    lines = [",".join(f"{quote}{cell}{quote}" for cell in row) for row in (header, *rows)]
    loaded(folder / "cells.csv", "\n".join(lines).encode("utf-8", "replace"))


MUTATION = st.tuples(
    st.sampled_from(["cut", "flip", "insert", "double", "drop", "number"]),
    st.integers(0, 10_000),
    st.integers(0, 10_000),
    st.binary(min_size=1, max_size=8),
)


def mutated(content: bytes, changes: list[tuple[str, int, int, bytes]]) -> bytes:
    for how, first, second, piece in changes:
        if not content:
            break
        start, stop = sorted((first % len(content), second % len(content)))
        if how == "cut":
            content = content[:start]
        elif how == "flip":
            content = content[:start] + piece + content[start + len(piece) :]
        elif how == "insert":
            content = content[:start] + piece + content[start:]
        elif how == "double":
            content = content[:stop] + content[start:]
        elif how == "drop":
            content = content[:start] + content[stop:]
        else:
            numbers = [b"NaN", b"1e999", b"-1", b"null", b"9" * 400, b'"x"', b"[]", b"{}"]
            content = content.replace(b"1", numbers[first % len(numbers)], second % 3 + 1)
    return content


MUTATIONS = st.lists(MUTATION, min_size=1, max_size=4)


@pytest.fixture(scope="module")
def frozen(folder: Path) -> bytes:
    from otherwords.pipeline.templates import vary

    (folder / "set.jsonl").write_text(
        '{"id": "q1", "question": "Which of these flies?", "choices": ["Crow", "Cow"], "answer": "A"}\n'
        '{"id": "q2", "question": "What is the capital of France?", "answer": ["Paris", "paris"]}\n'
    )
    items = load_items(folder / "set.jsonl")
    header = make_header(items, families=("paraphrase", "options"), k=2, seed=0)
    write_variants(folder / "variants.jsonl", vary(items, ("paraphrase", "options"), k=2), header=header)
    return (folder / "variants.jsonl").read_bytes()


@cases(500)
@given(changes=MUTATIONS, verify=st.booleans())
def test_damaged_variants(changes: Any, verify: bool, frozen: bytes, folder: Path) -> None:
    path = folder / "damaged.jsonl"
    content = mutated(frozen, changes)
    path.write_bytes(content)
    try:
        read = read_variants(path, verify=verify)
    except InputError as error:
        assert str(error).startswith(str(path))
        return
    assert len(read.lines) == len(read.vetted)


@cases(400)
@given(data=st.data())
def test_variants_with_any_value_in_any_place(data: st.DataObject, frozen: bytes, folder: Path) -> None:
    lines = [json.loads(line) for line in frozen.splitlines()]
    place = data.draw(st.integers(0, len(lines) - 1))
    lines[place][data.draw(st.sampled_from(sorted(lines[place])))] = data.draw(ODD)
    path = folder / "odd.jsonl"
    path.write_bytes("\n".join(map(json.dumps, lines)).encode("utf-8", "surrogatepass"))
    try:
        read_variants(path, verify=False)
    except InputError as error:
        assert str(error).startswith(str(path))


TABLE = [
    {
        "task": "t",
        "model": "m",
        "id": f"q{n}",
        "variant": variant,
        "repeat": 1,
        "score": 1.0,
        "status": "scored",
    }
    for n in range(3)
    for variant in ("orig", "para1")
]


@pytest.fixture(scope="module")
def tables(folder: Path) -> dict[str, bytes]:
    from otherwords.results.tables import write_csv, write_parquet

    frame = outcomes_frame(TABLE)
    return {
        "csv": write_csv(frame, folder / "t.csv").read_bytes(),
        "parquet": write_parquet(frame, folder / "t.parquet").read_bytes(),
        "jsonl": "\n".join(map(json.dumps, TABLE)).encode(),
    }


@cases(500)
@given(kind=st.sampled_from(["csv", "parquet", "jsonl"]), changes=MUTATIONS)
def test_damaged_tables(kind: str, changes: Any, tables: dict[str, bytes], folder: Path) -> None:
    path = folder / "damaged"
    path.write_bytes(mutated(tables[kind], changes))
    try:
        outcomes = read_results(path).outcomes
    except InputError as error:
        assert str(path) in str(error)
        return
    assert outcomes.filter(status="scored")["score"].is_between(0, 1).all()


@cases(400)
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(
                ["id", "variant", "score", "model", "task", "repeat", "status", "reason", "pred_index"]
            ),
            ODD,
            max_size=9,
        ),
        min_size=1,
        max_size=4,
    )
)
def test_tables_of_odd_rows(rows: list[dict[str, Any]], folder: Path) -> None:
    path = folder / "odd-rows.jsonl"
    path.write_bytes("\n".join(map(json.dumps, rows)).encode("utf-8", "surrogatepass"))
    try:
        read_results(path)
    except InputError as error:
        assert "odd-rows.jsonl" in str(error)


WORDS = st.text(alphabet="abcdef", min_size=8, max_size=20).map(lambda text: f"zq{text}qz")
SECRETS = WORDS | st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@cases(200)
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "id": SECRETS,
                "variant": st.sampled_from(["orig", "para1"]) | SECRETS,
                "score": st.sampled_from([0.0, 1.0, None]),
                "answer": SECRETS | st.none(),
                "response": SECRETS | st.none(),
                "reason": SECRETS | st.none(),
                "log": SECRETS,
                "change": SECRETS.map(str.upper) | st.just("punct"),
                "paraphrase_id": SECRETS | st.none(),
                "pred_index": st.integers(0, 3) | st.none(),
            }
        ),
        min_size=1,
        max_size=5,
    )
)
def test_nothing_of_a_private_table_is_in_its_public_one(rows: list[dict[str, Any]]) -> None:
    table = as_outcomes(pl.DataFrame(rows, infer_schema_length=None))
    said = public_outcomes(table, Pseudonyms(b"0123456789abcdef")).write_csv()
    assert "zq" not in said
    assert "qz" not in said


FAMILIES = ("paraphrase", "format", "options", "naturalistic", "position", "control")
PROMPT = st.text(max_size=80) | st.lists(
    st.sampled_from(
        [
            *(
                "Which",
                "of",
                "the",
                "following",
                "is",
                "most",
                "likely",
                "because",
                "causes",
                "NOT",
                "don't",
                "\n\n",
            ),
            *(
                "3.5 kg",
                "`code`",
                '"quoted"',
                "A)",
                "- ",
                "```py\nx=1\n```",
                "http://a.b/c",
                "$x^2$",
                "{name}",
                "?",
            ),
        ]
    ),
    max_size=25,
).map(" ".join)


@cases(60)
@given(prompt=PROMPT, choices=st.lists(ODD_TEXT, max_size=4))
def test_any_prompt_is_varied_and_frozen(prompt: str, choices: list[str], folder: Path) -> None:
    from otherwords.pipeline.templates import vary

    options = tuple(choice for choice in choices if choice.strip())
    options = options if len(options) > 1 else ()
    item = Item("q", prompt or "?", options, 0 if options else ("x",))
    vetted = vary([item], FAMILIES, k=12)
    header = make_header([item], families=FAMILIES, k=12, seed=0)
    write_variants(folder / "made.jsonl", vetted, header=header)
    assert list(read_variants(folder / "made.jsonl").vetted) == vetted


@cases(8)
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "task": st.sampled_from(["t", "u", ""]),
                "model": st.sampled_from(["m", ""]) | ODD_TEXT,
                "id": ODD_TEXT,
                "variant": st.sampled_from(["orig", "para1"]) | ODD_TEXT,
                "kind": st.sampled_from(["orig", "paraphrase", "control"]) | ODD_TEXT,
                "change": ODD_TEXT,
                "score": st.sampled_from([0.0, 1.0, 0.5]),
                "answer": ODD_TEXT | st.none(),
                "repeat": st.integers(1, 3),
            }
        ),
        min_size=1,
        max_size=12,
    ),
    public=st.booleans(),
)
def test_any_table_is_reported(rows: list[dict[str, Any]], public: bool, folder: Path) -> None:
    from otherwords.pipeline.write_report import write_report
    from otherwords.results.tables import write_parquet

    table = outcomes_frame([{**row, "status": "scored"} for row in rows])
    path = write_parquet(table, folder / "any.parquet")
    try:
        _, written = write_report(path, folder / f"page-{public}", public=public, salt_file=folder / "salt")
    except InputError as error:
        assert "has two different results" in str(error)
        return
    assert written[0].stat().st_size > 10_000


SUITE_WORDS = st.sampled_from(
    [
        "agents",
        "benchmarks",
        "model",
        "task",
        "repeats",
        "k",
        "families",
        "log_dir",
        "budget",
        "price",
        "seed",
        "name",
    ]
)
SUITE = st.recursive(
    ODD_TEXT | st.integers() | st.none() | st.floats() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SUITE_WORDS, inner, max_size=4),
    max_leaves=8,
)


@cases(300)
@given(
    content=st.dictionaries(SUITE_WORDS, SUITE, max_size=5) | SUITE, changes=st.lists(MUTATION, max_size=2)
)
def test_suites(content: Any, changes: Any, folder: Path) -> None:
    from otherwords.pipeline.suite import read_suite

    path = folder / "suite.yaml"
    path.write_bytes(mutated(yaml.safe_dump(content).encode("utf-8", "replace"), changes))
    try:
        read_suite(path)
    except InputError as error:
        assert str(error).startswith(str(path)) or "cannot be given" in str(error)


@cases(300)
@given(
    content=st.binary(max_size=300),
    start=st.sampled_from([b"", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"\x89PNG\r\n\x1a\n", b"BZh", b"%PDF-"]),
)
def test_scanning_any_bytes(content: bytes, start: bytes) -> None:
    patterns = TextPatterns()
    patterns.add("stem", "the quick brown fox jumps over the lazy dog", 1)
    for part in parts_of(start + content):
        assert part.blind or patterns.find(part.text) == set()


@cases(200)
@given(text=ODD_TEXT, nested=ODD)
def test_keys_are_taken_out_once_and_for_all(text: str, nested: Any) -> None:
    once = redacted(text)
    assert redacted(once) == once
    assert not list(find_keys(once))
    without_keys(nested)


ARGUMENTS: dict[str, Callable[[str], Any]] = {}


def argument(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    ARGUMENTS[parse.__name__] = parse
    return parse


@argument
def budget(text: str) -> Any:
    from otherwords.runs import parse_budget

    return parse_budget([text])


@argument
def price(text: str) -> Any:
    from otherwords.pipeline.estimate import parse_prices

    return parse_prices([text], ["a/b"])


@argument
def selector(text: str) -> Any:
    from otherwords.runs import parse_selector

    return parse_selector(text)


@argument
def columns(text: str) -> Any:
    return parse_columns([text])


@argument
def pairs(text: str) -> Any:
    from otherwords.cli.options import key_values

    return key_values(None, None, (text,))  # type: ignore[arg-type]


@cases(400)
@given(
    name=st.sampled_from(sorted(ARGUMENTS)),
    text=ODD_TEXT,
    value=ODD_TEXT,
    sign=st.sampled_from(["=", ",", "/", "[0]"]),
)
def test_arguments(name: str, text: str, value: str, sign: str) -> None:
    for given_ in (text, f"{text}{sign}{value}", f"usd{sign}{value}", f"message[0]/<{text}>"):
        try:
            ARGUMENTS[name](given_)
        except (OtherwordsError, click.BadParameter) as error:
            assert str(error)


def test_so_many_cases() -> None:
    assert sum(PLANNED) >= WANTED
