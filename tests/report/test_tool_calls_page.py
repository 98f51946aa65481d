"""A real agent run in Inspect → where its tool calls part, in the table and on the page in Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate, use_tools
from inspect_ai.tool import Tool, tool

from otherwords.core.types import variant_id
from otherwords.pipeline.write_report import build_report_data
from otherwords.pipeline.write_report import write_report as write_public
from otherwords.report import ReportData
from otherwords.report.write import page_files
from otherwords.results import logged_runs, read_results, with_logged_calls
from otherwords.runs.outcomes import telling_outcomes

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PROMPTS = {
    "orig": "Which flight leaves before 10:30?",
    "para1": "Tell me which flight leaves before 10:30.",
    "para2": "What flight leaves before 10:30?",
    "pert:case": "WHICH FLIGHT LEAVES BEFORE 10:30?",
}
USUAL = [("get_user", "Me "), ("find", "10:30"), ("book", "1,000")]
PATHS = {
    "Tell": [("get_user", "me"), ("book", "1000")],
    "What": [("get_user", "me"), ("find", "at half past ten"), ("book", "1000")],
    "WHICH": [("get_user", "me"), ("find", "10:30"), ("book", "1000.0")],
    "Which": USUAL,
}
SAID = {
    "orig": "",
    "para1": "parts from the original at call 2: book instead of find",
    "para2": "parts from the original at call 2: find with other arguments",
    "pert:case": "",
}


def make_tool(name: str) -> Tool:
    @tool(name=name)
    def made() -> Tool:
        async def execute(query: str) -> str:
            """Does it.

            Args:
                query: What it is done with.
            """
            return f"{name}: done"

        return execute

    return made()


@modelapi(name="flying")
class Flying(ModelAPI):
    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        prompt = next(message.text for message in input if message.role == "user")
        step = sum(message.role == "tool" for message in input)
        path = PATHS[prompt.split()[0]]
        if step < len(path):
            name, query = path[step]
            output = ModelOutput.for_tool_call("flying", name, {"query": query})
        else:
            output = ModelOutput.from_content("flying", "done")
        output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
        return output


@scorer(metrics=[accuracy()])
def right_if_found() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:
        called = {
            call.function for message in state.messages for call in getattr(message, "tool_calls", None) or ()
        }
        return Score(value=float("find" in called), answer=state.output.completion)

    return score


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same agent run by us, which writes its calls down, and by Inspect alone, which does not."""
    samples = [
        Sample(
            input=prompt,
            id=variant_id(f"q{number}", variant),
            metadata={
                "item_id": f"q{number}",
                "variant": variant,
                "kind": "orig" if variant == "orig" else "paraphrase",
            },
        )
        for number in range(3)
        for variant, prompt in PROMPTS.items()
    ]
    task = Task(
        dataset=MemoryDataset(samples, name="flights"),
        solver=[use_tools([make_tool(name) for name in ("get_user", "find", "book")]), generate()],
        scorer=right_if_found(),
        name="flights",
        epochs=2,
    )
    (watched,), _ = telling_outcomes([task])
    folders = {}
    for name, one, format_ in (("ours", watched, "eval"), ("alone", task, "eval"), ("json", task, "json")):
        folders[name] = tmp_path_factory.mktemp(name)
        inspect_eval(one, model="flying/one", log_dir=str(folders[name]), log_format=format_, display="none")
    return folders


@pytest.fixture(scope="module")
def data(logs: dict[str, Path]) -> ReportData:
    return build_report_data(read_results(logs["ours"]))


def test_the_run_writes_its_calls_down_and_the_table_has_them(logs: dict[str, Path]) -> None:
    table = read_results(logs["ours"]).outcomes
    by_variant = dict(table.filter(id="q0", repeat=1).select("variant", "tool_calls").iter_rows())
    names = {name: [call.split("#")[0] for call in calls.split()] for name, calls in by_variant.items()}
    assert names["orig"] == names["para2"] == ["get_user", "find", "book"]
    assert names["para1"] == ["get_user", "book"]
    assert by_variant["orig"] == by_variant["pert:case"]
    assert table["model_calls"].unique().sort().to_list() == [3, 4]
    assert table["messages"].unique().sort().to_list() == [6, 8]
    alone = read_results(logs["alone"]).outcomes
    assert alone["tool_calls"].null_count() == table.height
    both = ["id", "variant", "repeat", "tool_calls", "model_calls"]
    found = with_logged_calls(alone)
    assert found.select(both).sort(both[:3]).equals(table.select(both).sort(both[:3]))
    assert with_logged_calls(table) is table


@pytest.mark.parametrize("which", ["ours", "alone", "json"])
def test_where_paths_part_is_the_same_from_any_log(logs: dict[str, Path], which: str) -> None:
    samples = build_report_data(read_results(logs[which])).samples
    said = samples.select("id", "variant", "repeat", "parting").rows()
    assert len(said) == 3 * 4 * 2
    assert {(variant, parting) for _, variant, _, parting in said} == set(SAID.items())
    assert samples.filter(variant="para1")["parts_at"].unique().to_list() == [2]


def test_a_log_that_is_gone_or_damaged_tells_no_calls(logs: dict[str, Path], tmp_path: Path) -> None:
    wanted = [("q0", "orig", 1), ("no such item", "orig", 1)]
    (log,) = logs["alone"].glob("*.eval")
    found = logged_runs(str(log), wanted)
    assert found[0] is not None
    assert [call.arguments for call in found[0].calls] == [{"query": query} for _, query in USUAL]
    assert found[1] is None
    damaged = tmp_path / "damaged.eval"
    damaged.write_bytes(log.read_bytes()[:2000])
    other = tmp_path / "other.json"
    other.write_text("[1, 2]")
    for path in (damaged, other, tmp_path / "gone.eval"):
        assert logged_runs(str(path), wanted) == [None, None]


def opened(browser: Any, folder: Path, data: ReportData) -> Iterator[Any]:
    for name, content in page_files(data).items():
        (folder / name).write_text(content, "utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto((folder / "index.html").as_uri())
    page.locator("body[data-ready]").wait_for()
    page.locator("#wordings article").first.wait_for()
    yield page
    assert troubles == []
    page.close()


def test_the_panel_marks_the_first_call_that_differs(data: ReportData, browser: Any, tmp_path: Path) -> None:
    for page in opened(browser, tmp_path, data):
        shown = page.locator("#wordings article .path").all_inner_texts()
        paths = [list(filter(None, one.split("\n"))) for one in shown]
        assert len(paths) == len(PROMPTS)
        assert ["Runs 1–2", "get_user", "find", "book"] in paths
        beside = "Side by side with the original"
        assert ["Runs 1–2", "get_user", "book", SAID["para1"], "query: 10:301000", beside] in paths
        other = "query: 10:30at half past ten"
        assert ["Runs 1–2", "get_user", "find", "book", SAID["para2"], other, beside] in paths
        assert ["Runs 1–2", "get_user", "find", "book", "the same calls as the original"] in paths
        assert sorted(page.locator(".calls .fork").all_inner_texts()) == ["book", "find"]
        facts = page.locator("#item-facts").inner_text()
        assert (
            "tool calls part from the original's in 4 of 6 reworded runs, and in 0 of 2 of its own" in facts
        )
        assert "10:30" in page.locator("#wordings").inner_text()  # the prompt
        page.locator("details.aligned summary").first.click()
        table = page.locator("details.aligned[open] tr").all_inner_texts()
        assert [row.split("\t") for row in table] == [
            ["", "Original", "This wording"],
            ["1", "get_user", "get_user"],
            ["2", "find", "—"],
            ["3", "book", "book"],
        ]
        assert page.locator("details.aligned[open] .fork").inner_text().split("\t") == ["2", "find", "—"]


def test_tools_can_be_searched_and_axe_finds_nothing(data: ReportData, browser: Any, tmp_path: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    for page in opened(browser, tmp_path, data):
        page.fill("#find", "get_user")
        page.wait_for_function("document.querySelector('#found').textContent.startsWith('3 of 3')")
        page.fill("#find", "no_such_tool")
        page.wait_for_function("document.querySelector('#found').textContent.startsWith('0 of 3')")
        page.fill("#find", "")
        assert Axe().run(page).response["violations"] == []


def test_a_public_page_has_no_tool(
    data: ReportData, logs: dict[str, Path], browser: Any, tmp_path: Path
) -> None:
    public, _ = write_public(logs["ours"], tmp_path / "public", public=True, png=())
    private = ("tools", "parting", "parts_at", "arguments", "usual_arguments")
    assert public.samples.select(private).null_count().row(0) == (24,) * 5
    assert data.trajectories
    assert public.trajectories == ()
    for page in opened(browser, tmp_path, public):
        assert page.locator(".path").count() == 0
        for name in ("get_user", "find", "book"):
            assert name not in page.locator("#items").inner_text().replace("prompts, answers, ids", "")
        assert page.locator("#trajectories").count() == 0
        assert "half past ten" not in page.content()
