"""Reading 2,000 agent samples of 20 tool calls each, with trajectories, beside Inspect's `read_eval_log`.

    python benchmarks/bench_trajectories.py

A scripted model calls tools 20 times in each of 20 samples of a real run of ours, and each sample is copied a
hundred times under new ids into a log of the same layout. The log is kept in the system's temporary folder
for the next time. Both readers take turns, the median of each is compared, and the tool calls must be those
of the events. Wanted: ten times as fast. Beside it, what it takes to read the calls from the events of a log
whose run did not write them down; no bar is set for that. Ratios are printed and no seconds.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench_read import copied
from otherwords.core.contract import TOOL_CALLS_KEY
from otherwords.core.tool_calls import Call, tool_call_record
from otherwords.core.types import variant_id
from otherwords.results import read_results, with_logged_calls

SAMPLES, CALLS, ITEMS, ROUNDS, WANTED = 2_000, 20, 5, 3, 10.0
WORDINGS = ("orig", "para1", "para2", "para3")
FOLDER = Path(tempfile.gettempdir()) / "otherwords-bench"
LOG, FOREIGN = (FOLDER / f"trajectories-{SAMPLES}-{name}.eval" for name in ("ours", "foreign"))


def run_small(folder: Path) -> Path:
    """A log of 20 samples, by a model that calls three tools in turn."""
    from inspect_ai import Task
    from inspect_ai import eval as inspect_eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
    from inspect_ai.scorer import includes
    from inspect_ai.solver import generate, use_tools
    from inspect_ai.tool import Tool, tool

    from otherwords.runs.outcomes import telling_outcomes

    def make_tool(name: str) -> Tool:
        @tool(name=name)
        def made() -> Tool:
            async def execute(query: str) -> str:
                """Looks something up.

                Args:
                    query: What is looked up.
                """
                return f"{name} found 3 results for {query}: " + "a line of a result, " * 10

            return execute

        return made()

    tools = ["search_flights", "get_reservation_details", "update_reservation"]

    @modelapi(name="caller")
    class Caller(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            step = sum(message.role == "tool" for message in input)
            if step < CALLS:
                query = f"{input[0].text[:40]} {step}"
                output = ModelOutput.for_tool_call("caller", names[step % 3], {"query": query})
            else:
                output = ModelOutput.from_content("caller", "done")
            output.usage = ModelUsage(input_tokens=300 + step, output_tokens=20, total_tokens=320 + step)
            return output

    names = tools
    samples = [
        Sample(
            input=f"Wording {wording} of request {item}: please move my flight. " * 4,
            id=variant_id(f"item-{item}", wording),
            target="done",
            metadata={
                "item_id": f"item-{item}",
                "variant": wording,
                "kind": "orig" if wording == "orig" else "paraphrase",
            },
        )
        for item in range(ITEMS)
        for wording in WORDINGS
    ]
    task = Task(
        dataset=MemoryDataset(samples, name="flights"),
        solver=[use_tools([make_tool(name) for name in tools]), generate()],
        scorer=includes(),
        name="flights",
    )
    (watched,), _ = telling_outcomes([task])
    inspect_eval(watched, model="caller/one", log_dir=str(folder), display="none", log_realtime=False)
    (log,) = folder.glob("*.eval")
    return log


def make_logs() -> None:
    """Each sample under new ids, in a log of ours and in one without what our run wrote down."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(run_small(Path(folder))) as small:
        header, summaries = (json.loads(small.read(f"{name}.json")) for name in ("header", "summaries"))
        whole = [json.loads(small.read(name)) for name in small.namelist() if name.startswith("samples/")]
        method, start = small.infolist()[0].compress_type, small.read("_journal/start.json")
    copies = range(SAMPLES // len(whole))
    for path, noted in ((LOG, True), (FOREIGN, False)):
        many = [forgotten(copied(one, copy, True), noted) for copy in copies for one in summaries]
        dataset = header["eval"]["dataset"]
        dataset["sample_ids"] = [one["id"] for one in many]
        dataset["samples"] = len(many)
        unfinished = path.with_name(f"unfinished-{path.name}")
        with zipfile.ZipFile(unfinished, "w", method) as archive:
            for copy in copies:
                for sample in whole:
                    one = forgotten(copied(sample, copy, True), noted)
                    archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
            archive.writestr("summaries.json", json.dumps(many, separators=(",", ":")))
            archive.writestr("_journal/start.json", start)
            archive.writestr("header.json", json.dumps(header))
        unfinished.replace(path)


def forgotten(sample: dict[str, Any], noted: bool) -> dict[str, Any]:
    if noted:
        return sample
    scores = {}
    for name, one in sample["scores"].items():
        kept = {key: part for key, part in one["metadata"].items() if key != TOOL_CALLS_KEY}
        scores[name] = {**one, "metadata": kept}
    return {**sample, "scores": scores}


def ours() -> Any:
    return read_results(LOG).outcomes


def from_events() -> Any:
    return with_logged_calls(read_results(FOREIGN).outcomes)


def theirs() -> Any:
    from inspect_ai.log import read_eval_log

    return read_eval_log(str(LOG))


def check_same(table: Any, log: Any) -> int:
    """How many calls were compared; any that differs ends the benchmark."""
    from inspect_ai.event import ToolEvent

    found = {
        variant_id(item, variant): record
        for item, variant, record in table.select("id", "variant", "tool_calls").iter_rows()
    }
    compared = 0
    for sample in log.samples:
        events = [one for one in sample.events if isinstance(one, ToolEvent)]
        calls = [Call(one.function, one.arguments, one.error is not None, one.result) for one in events]
        assert found[sample.id] == tool_call_record(calls)
        assert len(calls) == CALLS
        compared += len(calls)
    return compared


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def main() -> None:
    if not (LOG.exists() and FOREIGN.exists()):
        make_logs()
    seconds: dict[str, list[float]] = {"ours": [], "events": [], "theirs": []}
    for _ in range(ROUNDS):
        taken, table = timed(ours)
        seconds["ours"].append(taken)
        taken, read = timed(from_events)
        seconds["events"].append(taken)
        taken, log = timed(theirs)
        seconds["theirs"].append(taken)
    compared = check_same(table, log)
    assert read["tool_calls"].sort().equals(table["tool_calls"].sort())
    median = {name: statistics.median(each) for name, each in seconds.items()}
    ratio, events = median["theirs"] / median["ours"], median["theirs"] / median["events"]
    print(f"{SAMPLES:,} samples, {compared:,} tool calls compared and equal")
    print(f"with trajectories, against read_eval_log: {ratio:.0f} times as fast (wanted: {WANTED:.0f})")
    print(f"from the events of a log without records: {events:.1f} times as fast")
    raise SystemExit(0 if ratio >= WANTED else 1)


if __name__ == "__main__":
    main()
