"""Public tables and logs: every number stays, and no text of the set, of an answer or of an error."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalSampleLimit, list_eval_logs, read_eval_log, read_eval_log_sample_summaries

from otherwords.core.contract import NO_MODEL_CALL, SWALLOWED_ERRORS
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.metrics import summarise
from otherwords.pipeline.publish import aggregate
from otherwords.publish.logs import FEWEST_SUMMED, write_public_logs
from otherwords.publish.pseudonyms import Pseudonyms, kept_salt
from otherwords.publish.redact import LIMITS, PUBLIC_COLUMNS, public_outcomes, public_reason
from otherwords.results import read_inspect_runs, read_results
from otherwords.runs import build_task

pytestmark = pytest.mark.slow

Scripted = Callable[[str, Callable[[str], str]], str]

SALT = b"a salt of thirty-two bytes, here"
KEY = "sk-planted-0123456789abcdef"
MARK = "zanzibar"
"""In every text of the set, in the ids and in what the model says."""
ITEMS = [
    Item(
        id=f"{MARK}-{number}",
        prompt=f"In {MARK}, what is {number} and {number}?",
        choices=tuple(f"{MARK} {number * place}" for place in range(3)),
        target=2,
        metadata={"note": f"{MARK} note"},
    )
    for number in range(1, 7)
] + [Item(id=f"free {MARK}", prompt=f"Name the {MARK} island.", target=(f"Unguja {MARK}",))]


def wordings(item: Item) -> list[Variant]:
    first = original(item)
    named = {"para1": ("paraphrase", "frame"), "pert:order_rev": ("options", "order:reverse")}
    named[f"my {MARK} wording"] = ("paraphrase", f"by {MARK}")
    others = []
    for name, (kind, change) in named.items():
        turned = kind == "options" and bool(item.choices)
        places = range(len(item.choices) - 1, -1, -1) if turned else range(len(item.choices))
        order = tuple(places)
        others.append(
            Variant(
                id=variant_id(item.id, name),
                item_id=item.id,
                name=name,
                kind=kind,
                change=change,
                prompt=f"{name}: {item.prompt}",
                choices=tuple(item.choices[place] for place in order),
                target=order.index(item.target) if isinstance(item.target, int) else item.target,
                option_order=order,
            )
        )
    return [first, *others]


def answer(prompt: str) -> str:
    if "para1" in prompt and "3 and 3" in prompt:
        raise RuntimeError(f"the {MARK} service refused {KEY}")
    if "Name the" in prompt:
        return f"Unguja {MARK}" if "my" in prompt else f"Pemba in {MARK}"
    if "4 and 4" in prompt:
        return f"I would rather not, {MARK}"
    return f"ANSWER: {'ABC'[len(prompt) % 3]}"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    @modelapi(name="islander")
    class Islander(ModelAPI):
        def __init__(
            self, model_name: str, base_url: Any = None, api_key: Any = None, config: Any = None, **_: Any
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            output = ModelOutput.from_content(self.model_name, answer(input[-1].text))
            output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
            return output

    folder = tmp_path_factory.mktemp("logs")
    task = build_task(
        "isles", ITEMS, [one for item in ITEMS for one in wordings(item)], metadata={"m": MARK}, seed=3
    )
    for model in ("islander/one", "islander/two"):
        inspect_eval(
            task,
            model=model,
            model_args={"api_key": KEY, "hint": MARK},
            system_message=f"You know {MARK}.",
            epochs=2,
            fail_on_error=False,
            log_dir=str(folder),
            log_format="eval",
            display="none",
            tags=[MARK],
            metadata={"from": MARK},
        )
    return sorted(folder.glob("*.eval"))


def everything_in(path: Path) -> str:
    """All of a log's members, unpacked, with their names."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return "\n".join(name + archive.read(name).decode("utf-8") for name in archive.namelist())


def test_the_private_logs_hold_what_the_public_ones_must_not(logs: list[Path]) -> None:
    assert len(logs) == 2
    for log in logs:
        said = everything_in(log)
        assert said.count(MARK) > 100
        assert "service refused [redacted]" in said  # before Inspect writes it
        assert KEY not in said


def test_nothing_of_the_set_is_in_a_public_log_and_inspect_reads_it(logs: list[Path], tmp_path: Path) -> None:
    written = write_public_logs(read_inspect_runs(logs), tmp_path / "public", Pseudonyms(SALT))
    assert sorted(path.name for path in (tmp_path / "public").iterdir()) == sorted(p.name for p in written)
    assert len(list_eval_logs(str(tmp_path / "public"))) == 2
    for path in written:
        said = everything_in(path)
        assert MARK not in path.name + said
        assert KEY not in said
        assert SALT.decode() not in said
        log = read_eval_log(str(path))
        assert log.status == "success"
        assert log.eval.dataset.samples == 28
        assert log.eval.model in ("one", "two")
        assert log.eval.created.endswith("T00:00:00+00:00")
        assert (log.stats.started_at, log.stats.completed_at) == ("", "")
        assert set(log.eval.packages) <= {"inspect_ai", "otherwords"}
        assert log.eval.model_generate_config.seed is None
        assert log.eval.model_args == {}
        assert log.stats.model_usage[log.eval.model].total_tokens > 0
        assert log.results is not None
        assert log.results.total_samples == 56
        assert len(log.samples or []) == 56
        assert len(read_eval_log_sample_summaries(str(path))) == 56


@pytest.mark.skipif(os.name != "posix", reason="a time zone is set by POSIX means")
def test_a_public_log_has_no_time_of_day_and_no_time_zone(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, written = read_inspect_runs(logs[:1]), []
    try:
        for zone in ("UTC", "Asia/Tokyo"):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            written += write_public_logs(runs, tmp_path / zone, Pseudonyms(SALT))
    finally:
        monkeypatch.undo()
        time.tzset()
    one, other = (path.read_bytes() for path in written)
    assert one == other
    with zipfile.ZipFile(logs[0]) as private, zipfile.ZipFile(written[0]) as public:
        assert {member.date_time[0] for member in private.infolist()} != {1980}
        assert {member.date_time for member in public.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_sums_of_a_few_samples_are_not_told(logs: list[Path], tmp_path: Path) -> None:
    """Of one sample the sum is its length, with two digits as well."""
    (run,) = read_inspect_runs(logs[:1])
    few = replace(run[0], samples=run[0].samples[: FEWEST_SUMMED - 1]), run[1][: FEWEST_SUMMED - 1]
    for runs, told in (([run], 1), ([few], 0)):
        (path,) = write_public_logs(runs, tmp_path / str(told), Pseudonyms(SALT))
        assert len(read_eval_log(str(path)).stats.model_usage) == told


def test_tables_made_of_public_logs_and_of_private_ones_are_the_same(
    logs: list[Path], tmp_path: Path
) -> None:
    names = Pseudonyms(SALT)
    public = write_public_logs(read_inspect_runs(logs), tmp_path / "public", names)
    order = ["model", "id", "variant", "repeat"]
    from_private = public_outcomes(read_results(logs).outcomes, names).sort(order)
    from_public = read_results(public).outcomes.select(PUBLIC_COLUMNS).sort(order)
    assert from_private.equals(from_public)
    statuses = dict(from_public["status"].value_counts().iter_rows())
    assert set(statuses) == {"scored", "error"}
    assert set(from_public.filter(status="error")["reason"]) == {"RuntimeError"}
    assert set(from_public.filter(outcome="unreadable")["answer"]) == {"(unreadable)"}
    outcomes = dict(from_public["outcome"].value_counts().iter_rows())
    assert outcomes == {"answered": 92, "unreadable": 16, "provider_error": 4}


def test_every_metric_is_the_same(logs: list[Path]) -> None:
    private = read_results(logs).outcomes
    public = public_outcomes(private, Pseudonyms(SALT))

    def values(table: pl.DataFrame) -> dict[str, dict[str, Any]]:
        return {
            group.removeprefix("islander/"): {
                name: (one.value and round(one.value, 9), one.n_items, one.n_rows, one.n_missing)
                for name, one in found.items()
                if name != "fleiss_kappa"  # which needs to know which items share an answer
            }
            for group, found in summarise(table).items()
        }

    assert values(public) == values(private)
    kappa = summarise(public)["one"]["fleiss_kappa"]
    why = "answers are hashed for each item, so that agreement by chance is not known"
    assert (kappa.value, kappa.reason) == (None, why)


def test_a_public_table_has_safe_columns_only(logs: list[Path], tmp_path: Path) -> None:
    summary = aggregate(logs, tmp_path / "public", public=True, salt_file=tmp_path / "salt")
    assert [path.name for path in summary.files] == ["outcomes.csv", "outcomes.parquet"]
    said = (tmp_path / "public" / "outcomes.csv").read_text()
    assert MARK not in said
    assert KEY not in said
    table = pl.read_parquet(tmp_path / "public" / "outcomes.parquet")
    assert tuple(table.columns) == PUBLIC_COLUMNS
    assert MARK not in table.write_csv()
    assert table.height == 112
    told = table.select("model", "id").rows()
    assert told == sorted(told)
    assert set(table["variant"]) >= {"orig", "para1", "pert:order_rev"}
    again = aggregate(logs, tmp_path / "again", public=True, salt_file=tmp_path / "salt")
    assert again.files[0].read_bytes() == summary.files[0].read_bytes()
    other = aggregate(logs, tmp_path / "other", public=True)
    assert kept_salt("isles").exists()
    assert other.files[0].read_bytes() != summary.files[0].read_bytes()
    kept = aggregate(logs, tmp_path / "kept", public=True)
    assert kept.files[0].read_bytes() == other.files[0].read_bytes()


def test_the_salt_may_be_in_the_environment(
    logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "salt").write_bytes(SALT)
    monkeypatch.setenv("OTHERWORDS_SALT", SALT.decode())
    by_environment = aggregate(logs, tmp_path / "a", public=True)
    by_file = aggregate(logs, tmp_path / "b", public=True, salt_file=tmp_path / "salt")
    assert by_environment.files[0].read_bytes() == by_file.files[0].read_bytes()
    monkeypatch.setenv("OTHERWORDS_SALT", "short")
    with pytest.raises(InputError) as caught:
        aggregate(logs, tmp_path / "c", public=True)
    assert str(caught.value) == "the salt has 5 bytes, which could be guessed; it takes 16"
    assert not (tmp_path / "c").exists()


def test_a_public_table_can_be_read_again(logs: list[Path], tmp_path: Path) -> None:
    summary = aggregate(logs, tmp_path / "public", public=True, salt_file=tmp_path / "salt")
    tables = [read_results(path).outcomes.select(PUBLIC_COLUMNS) for path in summary.files]
    assert tables[0].equals(tables[1])
    assert tables[1].equals(pl.read_parquet(summary.files[1]))


def test_reasons() -> None:
    assert set(get_args(EvalSampleLimit.model_fields["type"].annotation)) == LIMITS
    for own in ("format", "time", NO_MODEL_CALL, SWALLOWED_ERRORS, "never ran: the run ended as 'error'"):
        assert public_reason(own) == own
    assert public_reason("RateLimitError('429 for What is the capital of Kenya?')") == "RateLimitError"
    assert public_reason("openai.APIConnectionError: x") == "APIConnectionError"
    assert public_reason("agent: raised KeyError: 'nairobi'") == "agent: KeyError"
    assert public_reason("provider or machine: raised ReadTimeout: nairobi") == (
        "provider or machine: ReadTimeout"
    )
    assert public_reason("agent: returned nairobi") == "agent: withheld"
    assert public_reason("What is the capital of Kenya?") == "withheld"
    assert public_reason("nairobi") == "withheld"
    assert public_reason("AnthraxError('x')") == "withheld"
    assert public_reason("never ran: the run ended as 'a stem'") == "withheld"
