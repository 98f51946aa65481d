"""`evaluate` on data and subjects of every form that it takes, and what it says of others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import includes, match
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

from otherwords import Agent, Evaluation, evaluate, evaluate_async
from otherwords.core.errors import InputError, RunError, UnknownNameError
from otherwords.pipeline.evaluate import as_subject
from otherwords.pipeline.evaluation import in_python

pytestmark = pytest.mark.slow

QUESTIONS = [
    {"prompt": "What is the capital of France?", "expected": "Paris", "choices": []},
    {"prompt": "What is the capital of Italy?", "expected": "Rome", "choices": None},
]
ONCE: dict[str, Any] = {"k": 1, "repeats": 1, "families": ["paraphrase"]}


@pytest.fixture(autouse=True)
def in_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))


def ask(prompt: str) -> str:
    return "Paris" if "France" in prompt else "Rome"


async def ask_later(prompt: str) -> str:
    await asyncio.sleep(0)
    return ask(prompt)


class Asked:
    def __call__(self, prompt: str) -> str:
        return ask(prompt)


@solver
def capitals() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output.completion = ask(state.input_text)
        return state

    return solve


def samples() -> list[Sample]:
    return [Sample(input=str(one["prompt"]), target=str(one["expected"])) for one in QUESTIONS]


class Split(list[dict[str, Any]]):
    """What a Hugging Face Dataset is to us: an iterable of dictionaries with names of columns."""

    column_names = ("prompt", "expected", "choices")


Split.__module__ = "datasets.arrow_dataset"

DATA: dict[str, Callable[[], Any]] = {
    "records": lambda: QUESTIONS,
    "tuple": lambda: tuple(QUESTIONS),
    "pandas": lambda: pd.DataFrame(QUESTIONS),
    "polars": lambda: pl.DataFrame(QUESTIONS),
    "lazy": lambda: pl.LazyFrame(QUESTIONS),
    "datasets": lambda: Split(QUESTIONS),
    "dataset": lambda: MemoryDataset(samples()),
    "samples": samples,
    "task": lambda: Task(dataset=MemoryDataset(samples()), solver=generate(), scorer=includes()),
}


@pytest.mark.parametrize("form", DATA)
def test_data_of_every_form_give_the_same_items(form: str) -> None:
    found = evaluate(DATA[form](), ask, **ONCE)
    rows = found.table.sort("id", "variant").select("variant", "score").rows()
    assert rows == [("orig", 1.0), ("para1", 1.0)] * 2
    assert found.models == ["ask"]
    assert found.log_dir.parent == Path("logs")


def test_a_file_is_read_as_the_commands_read_it(tmp_path: Path) -> None:
    pl.DataFrame(QUESTIONS[:1]).drop("choices").write_csv(tmp_path / "q.csv")
    assert evaluate(tmp_path / "q.csv", ask, **ONCE).table["task"].unique().to_list() == ["q"]


@pytest.mark.parametrize(
    "subject", [ask_later, Asked(), Agent(function=ask, name="mine")], ids=["async", "object", "agent"]
)
def test_subjects_that_are_python(subject: Any) -> None:
    assert evaluate(QUESTIONS, subject, **ONCE).estimates["accuracy"].value == 1.0


def test_an_inspect_solver_with_its_model() -> None:
    found = evaluate(QUESTIONS, capitals(), model="mockllm/model", scorer=match(), **ONCE)
    assert found.models == ["mockllm/model"]
    assert found.estimates["accuracy"].value == 1.0
    with pytest.raises(InputError) as error:
        evaluate(QUESTIONS, capitals(), **ONCE)
    assert str(error.value) == (
        "an Inspect solver or agent needs a model\nFor example: model='openai/gpt-4o-mini'"
    )


def test_texts_are_judged_by_a_function() -> None:
    found = evaluate(["What is the capital of France?"], ask, scorer=lambda said, _: "Par" in said, **ONCE)
    assert found.table["score"].to_list() == [1.0, 1.0]
    half = evaluate(QUESTIONS, ask, scorer=lambda said, target: 0.5 * (said == target), **ONCE)
    assert half.table["score"].to_list() == [0.5] * 4


def test_a_run_goes_on_where_it_was_and_another_scorer_does_not() -> None:
    asked = []

    def counted(prompt: str) -> str:
        asked.append(prompt)
        return ask(prompt)

    first = evaluate(QUESTIONS, counted, log_dir="mine", **ONCE)
    again = evaluate(QUESTIONS, counted, log_dir="mine", **(ONCE | {"repeats": 2}))
    assert first.table.height == 4
    assert again.table.height == 8 == len(asked)
    with pytest.raises(InputError, match="the scorer's code or arguments changed since the run of task"):
        evaluate(QUESTIONS, counted, log_dir="mine", scorer=lambda said, _: bool(said), **ONCE)


def test_a_run_stops_when_its_goal_is_known() -> None:
    many = [{"question": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(1, 61)]
    found = evaluate(many, lambda _: "none", until="accuracy:0.2", max_items=40)
    assert found.table["id"].n_unique() < 40
    assert "decided" in found.summary.goals[0]
    assert found.data.agents[0].stopped is not None


def test_within_a_running_loop_as_in_a_notebook() -> None:
    async def cells() -> tuple[Evaluation, list[Evaluation]]:
        first = evaluate(QUESTIONS, ask_later, **ONCE)
        both = await asyncio.gather(*(evaluate_async(QUESTIONS, ask, **ONCE) for _ in range(2)))
        return first, both

    first, both = asyncio.run(cells())
    assert first.estimates["accuracy"].value == 1.0
    assert len({one.log_dir for one in (first, *both)}) == 3


def test_what_an_evaluation_shows(capsys: pytest.CaptureFixture[str]) -> None:
    found = evaluate(QUESTIONS, ask, name="capitals", **ONCE)
    assert found.verdict.effect == "cannot tell"
    found.show()
    out = capsys.readouterr().out
    assert out.startswith("Cannot tell whether wording matters for ask on capitals")
    assert out.endswith(f"Logs: {found.log_dir}\n")
    assert '<th scope="row">ask · capitals</th><td>100% (' in found._repr_html_()
    assert repr(found) == f"<Evaluation of ask · capitals: cannot tell; logs in {found.log_dir}>"
    assert found.report("rep") == Path("rep/index.html")
    assert Path("rep/index.html").exists()
    other = evaluate(QUESTIONS, lambda _: "Rome", name="capitals", **ONCE)
    changes = {one.metric: one.change.value for one in found.compare(other).differences}
    assert changes["accuracy"] == -0.5


def test_a_comparison_shows_itself_with_the_items_that_broke() -> None:
    named = [{"id": "fr", **dict(QUESTIONS[0])}, {"id": "it", **dict(QUESTIONS[1])}]
    before = evaluate(named, ask, k=2, repeats=2, name="capitals")
    after = evaluate(named, lambda _: "Rome", k=2, repeats=2, name="capitals")
    found = before.compare(after)
    lines = str(found).splitlines()
    assert lines[0] == found.sentence
    assert lines[0].startswith("No difference found")
    assert [line.split("  ")[0] for line in lines[2:5]] == [
        "Accuracy, all wordings",
        "Accuracy, original wording",
        "Accuracy lost by rewording",
    ]
    assert "Broke: fr 100% → 0%" in lines
    assert found.items.filter(change="broken")["id"].to_list() == ["fr"]
    assert repr(found) == str(found)
    assert "<td>100% (" in found._repr_html_()
    assert "<li>Broke: fr 100% → 0%</li>" in found._repr_html_()
    with pytest.raises(InputError, match="an Evaluation is compared with another one, not with an object"):
        before.compare("before")  # type: ignore[arg-type]


def test_what_went_wrong_is_shown_in_the_words_of_python() -> None:
    found = evaluate(QUESTIONS, lambda _: None, **ONCE)
    said = str(found)
    assert (
        "4 of 4 runs failed by the agent's own fault and count as 0, the first with agent: returned" in said
    )
    assert f"evaluate(…, repeats=3, log_dir='{found.log_dir}')" in said
    assert "--" not in said
    many = [{"question": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(1, 7)]
    with pytest.raises(RunError, match=r"Make the same call again with log_dir='logs.*keep_going=True"):
        evaluate(many, lambda _: 1 / 0, **ONCE)
    evaluate(QUESTIONS, ask, log_dir="mine", k=2, repeats=1)
    with pytest.raises(InputError, match=r"families=\['paraphrase', 'format', 'options'\] k=2 seed=0"):
        evaluate(QUESTIONS, ask, log_dir="mine", k=1, repeats=1)


def test_each_of_several_evaluations_is_compared_by_its_name(scripted: Callable[..., str]) -> None:
    models = [scripted("a", lambda _: "Oslo"), scripted("b", ask)]
    found = evaluate(QUESTIONS, models, **ONCE)
    with pytest.raises(InputError, match=r"2 models were asked, and one is compared with one\nSay which: ev"):
        found.compare(found)
    assert found[models[0]].compare(found[models[1]]).items["change"].to_list() != []


def test_each_of_several_models_has_its_own(scripted: Callable[..., str]) -> None:
    models = [scripted("a", lambda _: "Oslo"), scripted("b", ask)]
    found = evaluate(QUESTIONS, models, **ONCE)
    assert sorted(found.models) == models
    assert found[models[0]].estimates["accuracy"].value == 0.0
    assert found[models[0]].table["model"].unique().to_list() == models[:1]
    with pytest.raises(InputError) as error:
        _ = found.verdict
    assert (
        str(error.value)
        == f"2 models were asked, and each has its own\nSay which: evaluation[{found.models[0]!r}]"
    )
    with pytest.raises(UnknownNameError, match="unknown model 'mockllm/c'"):
        _ = found["mockllm/c"]


@pytest.mark.parametrize(
    ("data", "subject", "options", "said"),
    [
        (5, ask, {}, "cannot read items from an object of type int\nGive a path, the name of a benchmark"),
        ({"a": 1}, ask, {}, "cannot read items from an object of type dict\nGive a path"),
        ([], ask, {}, "there are no items"),
        ([3], ask, {}, "item 'item-1': expected a dictionary or a text, got a int"),
        (["Why?"], ask, {}, "texts have no answers, so that nothing can be right\nGive dictionaries with"),
        (
            [{"prompt": "Why?"}],
            ask,
            {},
            "item 'item-1': has no answer (looked for: answer, target, answers, expec",
        ),
        (
            [{"promt": "Why?", "answer": "x"}],
            ask,
            {},
            "item 'item-1': has no question (looked for: question, stem, prompt, input, messages)\n"
            "It has 'promt'. Did you mean 'prompt'?",
        ),
        (
            pd.DataFrame([{"prompt": "Why?", "reply": "x", "topic": "y"}]),
            ask,
            {},
            "item 'item-1': has no answer (looked for: answer, target, answers, expected, label)\n"
            "It has other fields: reply, topic. Rename the one that holds it.",
        ),
        ("What is the capital of France?", ask, {}, "'What is the capital of France?' is no file, benchmark"),
        (QUESTIONS, lambda: "x", {}, "the function that is asked must take the prompt: too many positional"),
        (QUESTIONS, lambda a, b: "x", {}, "the function that is asked must take the prompt: missing a requ"),
        (QUESTIONS, ask, {"scorer": lambda a: True}, "scorer= must take the answer and the target: too many"),
        (
            QUESTIONS,
            ask,
            {"scorer": match},
            "scorer= is what makes an Inspect scorer\nCall it: scorer=match()",
        ),
        (QUESTIONS, ask, {"scorer": asyncio.sleep}, "a scorer that is a function of the answer and the targ"),
        (
            QUESTIONS,
            generate,
            {"model": "mockllm/model"},
            "this is what makes an Inspect solver or agent\nCall",
        ),
        (QUESTIONS, "./no.sh --x", {}, "the command: there is no program './no.sh'"),
        (QUESTIONS, "http://127.0.0.1:9/ask", {}, "the address http://127.0.0.1:9/ask: nobody answers there"),
        (QUESTIONS, ask, {"families": 3}, "families= must be the name of a family, or a list of such names"),
        (QUESTIONS, ask, {"limits": {"time": 5}}, "limits= must be Limits, such as otherwords.Limits(seco"),
        (QUESTIONS, ask, {"max_connections": "x"}, "max_connections= must be a whole number, got an object"),
        (QUESTIONS, ask, {"on_progress": 5}, "on_progress= must be a function, got an object of type int"),
        (QUESTIONS, ask, {"variants_file": 5}, "variants_file= must be the path of a file that otherwords"),
        (QUESTIONS, ask, {"prices": 5}, "prices= must be a dictionary of prices by the names of models, got"),
        (QUESTIONS, ask, {"judge": 5}, "judge= must be the name of a model, got an object of type int"),
        (QUESTIONS, ask, {"llm": 5}, "llm= must be an LlmFamily, such as otherwords.LlmFamily(model), got"),
        (
            QUESTIONS,
            5,
            {},
            "cannot ask an object of type int\nGive the name of a model, a list of such names",
        ),
        (QUESTIONS, None, {}, "cannot ask nothing\nGive the name of a model"),
        (QUESTIONS, ask, {"kk": 3}, "unknown argument 'kk'. Did you mean: k?"),
        (
            QUESTIONS,
            ask,
            {"scorer": 5},
            "scorer= cannot be an object of type int\nGive a name, a function or an",
        ),
        (QUESTIONS, ask, {"repeats": "x"}, "repeats= must be a whole number, got an object of type str"),
        (QUESTIONS, ask, {"until": 3}, "until= must be a text such as 'accuracy:0.05', or an Until, got"),
        (QUESTIONS, ask, {"log_dir": 3}, "log_dir= must be a path, got an object of type int"),
        (QUESTIONS, ask, {"budget": 5}, "budget= must be a Budget, or a text such as 'usd=2', got an object"),
        (QUESTIONS, ask, {"budget": "5"}, "cannot read the budget '5'"),
        (QUESTIONS, ask, {"model": 3}, "model= must be the name of a model, or a list of such names, got"),
        (QUESTIONS, ask, {"name": 3}, "name= must be a text, got an object of type int"),
        (QUESTIONS, ask, {"families": "nosuch"}, "unknown variant family 'nosuch'"),
    ],
)
def test_wrong_types_are_told_with_what_is_accepted(
    data: Any, subject: Any, options: dict[str, Any], said: str
) -> None:
    with pytest.raises((InputError, UnknownNameError)) as error:
        evaluate(data, subject, **options)
    assert str(error.value).startswith(said)
    assert not Path("logs").exists()


def test_a_budget_ends_a_run_within_a_running_loop(tmp_path: Path) -> None:
    """The interrupt that ends it does not go to the main thread, where the loop is."""

    async def cell() -> tuple[Any, str]:
        found = evaluate(QUESTIONS, ask, k=1, repeats=2, log_dir=tmp_path / "logs", budget="calls=3")
        await asyncio.sleep(0)
        return found, "the loop goes on"

    found, said = asyncio.run(cell())
    assert (found.summary.stopped, said) == ("calls=3", "the loop goes on")
    assert found.table.filter(status="scored").height == 3
    whole = evaluate(QUESTIONS, ask, k=1, repeats=2, log_dir=tmp_path / "logs")
    assert whole.table["status"].unique().to_list() == ["scored"]
    with pytest.raises(InputError, match="an Evaluation is compared with another one, not with nothing"):
        whole.compare(None)  # type: ignore[arg-type]


def test_a_notebook_is_asked_to_display(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Notebook:
        get_ipython = staticmethod(object)

        class display:
            display = staticmethod(shown.append)

    found = evaluate(QUESTIONS, ask, **ONCE)
    monkeypatch.setitem(sys.modules, "IPython", Notebook)  # type: ignore[arg-type]
    found.show()
    assert shown == [found]


def test_a_text_may_name_a_model_an_address_or_a_command() -> None:
    assert as_subject("openai/gpt-4o") == Agent(("openai/gpt-4o",))
    assert as_subject("ollama/llama3:8b") == Agent(("ollama/llama3:8b",))
    assert as_subject("https://example.org/ask") == Agent(url="https://example.org/ask")
    for command in ("./agent.sh", "~/agent", "node agent.js --quick", "/usr/bin/agent"):
        assert as_subject(command) == Agent(command=command)
    Path("agent.sh").write_text(
        "case $(cat) in *France*) echo Paris;; *) echo Rome;; esac\n", encoding="utf-8"
    )
    done = evaluate(QUESTIONS, "sh agent.sh", **ONCE)
    assert set(done.table["model"]) == {"sh agent.sh"}
    assert set(done.table["score"]) == {1.0}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("To begin another run: --log-dir logs-2", "To begin another run: log_dir='logs-2'"),
        ("Wait for it with --wait.", "Wait for it with wait=True."),
        ("give the file with --variants.", "give the file with variants_file=."),
        ("For example: --until accuracy:0.05", "For example: until='accuracy:0.05'"),
        ("with a larger --max-tokens", "with a larger max_tokens in Agent(…, generate={…})"),
        ("this run has --judge openai/gpt-4o", "this run has judge='openai/gpt-4o'"),
        ("See it: otherwords fix logs --split", "See it: otherwords fix logs --split"),
    ],
)
def test_options_of_commands_are_told_as_arguments(said: str, told: str) -> None:
    assert in_python(said) == told
