"""Whatever happened to a file: it is read, or named with a reason. Nothing else is ever raised."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai import eval as inspect_eval

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.core.types import Item, original
from otherwords.results import Results, read_results
from otherwords.results.reader import outcomes_frame
from otherwords.results.tables import write_csv, write_parquet
from otherwords.runs import build_task

pytestmark = pytest.mark.fuzz

KINDS = ["eval", "json", "hal", "lm-eval", "llm-consistency", "promptfoo", "csv", "parquet", "jsonl"]
ROW = {
    "task": "t",
    "model": "m",
    "variant": "orig",
    "repeat": 1,
    "status": "scored",
    "score": 1.0,
    "log": "x",
}
TABLE = [{**ROW, "id": f"q{number}", "answer": 'a, "b"\nc'} for number in range(5)]
ITEMS = [
    Item(id="birds", prompt="Which flies?", choices=("Crow", "Cow"), target=0),
    Item(id="capital", prompt="What is the capital of France?", target=("Paris",)),
]


def tool_files() -> dict[str, Any]:
    variation = [{"variation_id": 0, "score": 1.0}, {"variation_id": 1, "score": 0.0}]
    scored = {"question_id": "q", "score": 1.0, "scoring_method": "m", "perturbation_type": "paraphrase"}
    cell = {
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"vars": {"a": 1}, "assert": [{"type": "equals"}]},
        "provider": {"id": "p"},
        "prompt": {"raw": "hi", "label": "hi"},
        "score": 1,
        "response": {"output": "yes"},
    }
    return {
        "hal": {
            "config": {"agent_name": "a", "benchmark_name": "b"},
            "raw_eval_results": {"1": variation, "2": variation},
            "prompt_sensitivity_metrics": {"mean_variance": 0.5, "num_tasks": 2},
        },
        "llm-consistency": {
            "config": {"model": "m", "perturbation_types": ["PARAPHRASE"]},
            "results": [{"question_id": "q", "scored_responses": [scored, scored]}],
        },
        "promptfoo": {"evalId": "e", "results": {"version": 3, "results": [cell]}, "config": {}},
        "lm-eval": {
            "doc_id": 0,
            "doc": {"q": "?"},
            "target": "1",
            "arguments": {"gen_args_0": {"arg_0": "?"}},
            "filtered_resps": [["-1.0", "False"], ["-2.0", "False"]],
            "filter": "none",
            "metrics": ["acc"],
            "acc": 0.0,
        },
        "jsonl": TABLE[0],
    }


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """One whole file of every kind."""
    from inspect_ai.model import ModelAPI, ModelOutput, modelapi

    @modelapi(name="sayer")
    class Sayer(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            return ModelOutput.from_content("sayer", "ANSWER: A Paris")

    folder = tmp_path_factory.mktemp("whole")
    found = {name: json.dumps(content).encode() for name, content in tool_files().items()}
    for kind in ("eval", "json"):
        task = build_task("zoo", ITEMS, [original(item) for item in ITEMS])
        (log,) = inspect_eval(
            task, model="sayer/x", log_dir=str(folder), log_format=kind, display="none", epochs=2
        )
        found[kind] = Path(log.location).read_bytes()
    found["csv"] = write_csv(outcomes_frame(TABLE), folder / "a.csv").read_bytes()
    found["parquet"] = write_parquet(outcomes_frame(TABLE), folder / "a.parquet").read_bytes()
    return found


def reader_in(folder: Path) -> Callable[..., Results | None]:
    """Reads content beside a good file and checks what must hold whatever the content is."""
    good = write_parquet(outcomes_frame([{**ROW, "task": "good", "id": "good"}]), folder / "good.parquet")

    def read(content: bytes, name: str = "file") -> Results | None:
        path = folder / name
        path.write_bytes(content)
        clash: InputError | None = None
        try:
            results = read_results([good, path])
        except InputError as error:
            clash = error
        if clash is not None:  # two rows contradict each other; which ones is said
            assert "has two different results" in clash.problem
            return None
        table = results.outcomes
        assert dict(table.schema) == OUTCOME_COLUMNS
        assert table.filter(id="good", task="good").height == 1
        if table.height == 1:
            assert any(str(one.path) == str(path) for one in results.skipped), "lost without a word"
        scored = table.filter(status="scored")["score"]
        assert scored.null_count() == 0
        assert scored.is_between(0, 1).all()
        assert table.filter(table["status"] != "scored")["score"].null_count() == table.height - len(scored)
        return results

    return read


@pytest.fixture
def attempt(tmp_path: Path) -> Callable[..., Results | None]:
    return reader_in(tmp_path)


@pytest.fixture(scope="module")
def attempt_many(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Results | None]:
    return reader_in(tmp_path_factory.mktemp("many"))


@pytest.mark.parametrize("kind", KINDS)
def test_whole_files_are_read(kind: str, whole: dict[str, bytes], attempt: Any) -> None:
    assert attempt(whole[kind]).outcomes.height > 1


@pytest.mark.parametrize("kind", KINDS)
def test_cut_anywhere(kind: str, whole: dict[str, bytes], attempt: Any) -> None:
    content = whole[kind]
    places = random.Random(kind).sample(range(len(content)), min(len(content), 25))
    for place in places:
        attempt(content[:place])


@pytest.mark.parametrize("kind", KINDS)
def test_bytes_changed_anywhere(kind: str, whole: dict[str, bytes], attempt: Any) -> None:
    rng = random.Random(kind)
    for _ in range(25):
        content = bytearray(whole[kind])
        for _ in range(rng.choice([1, 3, 30])):
            content[rng.randrange(len(content))] = rng.randrange(256)
        attempt(bytes(content))


@pytest.mark.parametrize("kind", KINDS)
def test_a_piece_taken_out_or_doubled(kind: str, whole: dict[str, bytes], attempt: Any) -> None:
    rng = random.Random(kind)
    for _ in range(12):
        content = whole[kind]
        start, stop = sorted(rng.sample(range(len(content)), 2))
        attempt(content[:start] + content[stop:])
        attempt(content[:stop] + content[start:])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "utf-8-sig"])
@pytest.mark.parametrize("kind", ["json", "hal", "lm-eval", "csv", "jsonl"])
def test_other_encodings(kind: str, encoding: str, whole: dict[str, bytes], attempt: Any) -> None:
    text = whole[kind].decode("utf-8").replace("Paris", "Zürich").replace("a, ", "ü, ")
    results = attempt(text.encode(encoding))
    if encoding == "utf-8-sig":
        assert results.outcomes.height > 1


STRANGE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([10**30, -1, 2**63, 2**64, 1e308, "NaN", "C", [], {}, [[]], {"value": {}}]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for name, one in inside for place in places(one, (*path, name)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied


@pytest.mark.parametrize("kind", ["hal", "lm-eval", "llm-consistency", "promptfoo", "jsonl"])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place(kind: str, data: st.DataObject, attempt_many: Any) -> None:
    content = tool_files()[kind]
    path = data.draw(st.sampled_from(places(content)))
    attempt_many(json.dumps(replaced(content, path, data.draw(STRANGE))).encode())


@pytest.mark.parametrize("zipped", [False, True])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_value_in_any_place_of_an_inspect_log(
    zipped: bool, data: st.DataObject, whole: dict[str, bytes], attempt_many: Any
) -> None:
    content = json.loads(whole["json"])
    for sample in content["samples"]:
        for name in ("messages", "events", "output", "store", "attachments"):
            sample.pop(name, None)
    kept = {name: content[name] for name in ("version", "status", "eval", "samples")}
    path = data.draw(st.sampled_from([one for one in places(kept) if one[:1] != ("eval",) or len(one) < 3]))
    changed = replaced(kept, path, data.draw(STRANGE))
    if not zipped or not isinstance(changed, dict):
        attempt_many(json.dumps(changed).encode())
        return
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("header.json", json.dumps({**changed, "samples": None}))
        archive.writestr("summaries.json", json.dumps(changed.get("samples")))
    attempt_many(buffer.getvalue(), "file.eval")


@pytest.mark.parametrize("depth", [500, 1_000, 3_000, 100_000])
def test_deep_nesting(depth: int, attempt: Any) -> None:
    for open_, close in (("[", "]"), ('{"a":', "}")):
        deep = open_ * depth + "1" + close * depth
        attempt(f'{{"eval": {{"task_id": "x"}}, "samples": {deep}}}'.encode())
        sample = f'{{"id": 1, "epoch": 1, "input": {deep}, "metadata": {deep}}}'
        attempt(f'{{"eval": {{"task_id": "x"}}, "samples": [{sample}]}}'.encode())
        attempt(
            f'{{"config": {{"agent_name": "a", "benchmark_name": "b"}}, "raw_eval_results": {deep}}}'.encode()
        )
        attempt(f'{{"id": "q", "variant": "orig", "score": {deep}}}'.encode())


@given(
    content=st.binary(max_size=300), start=st.sampled_from([b"", b"PK\x03\x04", b"PAR1", b'{"eval":', b"id,"])
)
def test_bytes_of_no_kind(content: bytes, start: bytes, attempt_many: Any) -> None:
    attempt_many(start + content, "file.eval")
