from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.core.errors import InputError
from otherwords.pipeline.agents import Agent
from otherwords.pipeline.rounds import Until
from otherwords.pipeline.suite import plan_suite, read_suite
from otherwords.results import read_results
from otherwords.runs import Limits

Scripted = Callable[[str, Callable[[str], str]], str]

FULL = """\
log_dir: all-logs
max_connections: 4
budget: [calls=500, usd=2]
price: 0.15,0.6
repeats: 2
families: [paraphrase, format]
k: 4
seed: 3
time_limit: 60

agents:
  - model: openai/gpt-4o-mini
    temperature: 0
    max_tokens: 64
  - name: mine
    agent_dir: agents/mine
    agent_function: app.answer
    agent_args: {model_name: gpt-4o, tries: 3}
    timeout: 30
  - name: planner
    solver: solvers.py@plan
    solver_args: {steps: 2}
    model: openai/gpt-4o
    model_roles: {user: openai/gpt-4o-mini}
  - name: plain
    agent: plain.py:answer

benchmarks:
  - task: questions.jsonl
  - benchmark: taubench_airline
    name: airline
    max_items: 5
    repeats: 1
    num_variations: 3
    strength: strong
    paraphraser: openai/gpt-4o
  - task: quiz.py@capitals
    task_args: {country: Spain}
    prompt_field: input after "Question:"
    variants: frozen.jsonl
    message_limit: 9
"""


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "suite.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def test_everything_that_a_suite_can_say(tmp_path: Path) -> None:
    # The third benchmark would take the top's families, which cannot go with num_variations.
    text = FULL.replace("    num_variations: 3\n", "")
    suite = read_suite(written(tmp_path, text))
    assert suite.log_dir == tmp_path / "all-logs"
    assert (suite.max_connections, suite.budget, suite.prices) == (4, ("calls=500", "usd=2"), ("0.15,0.6",))
    model, hal, planner, plain = suite.agents
    assert model == Agent(("openai/gpt-4o-mini",), generate={"temperature": 0.0, "max_tokens": 64})
    assert hal == Agent(
        name="mine",
        agent_dir=tmp_path / "agents/mine",
        agent_function="app.answer",
        agent_args={"model_name": "gpt-4o", "tries": 3},
        seconds=30.0,
    )
    assert planner == Agent(
        ("openai/gpt-4o",),
        name="planner",
        solver=str(tmp_path / "solvers.py@plan"),
        solver_args={"steps": 2},
        model_roles={"user": "openai/gpt-4o-mini"},
    )
    assert plain == Agent(name="plain", function=str(tmp_path / "plain.py:answer"))

    questions, airline, quiz = suite.benchmarks
    assert (questions.name, questions.task) == ("questions", str(tmp_path / "questions.jsonl"))
    assert (questions.repeats, questions.max_items, questions.limits) == (2, None, Limits(seconds=60))
    assert questions.wordings.families == ("paraphrase", "format")
    assert (questions.wordings.k, questions.wordings.seed, questions.wordings.llm) == (4, 3, None)
    assert (airline.name, airline.task, airline.repeats, airline.max_items) == (
        "airline",
        "taubench_airline",
        1,
        5,
    )
    assert (quiz.name, quiz.task) == ("capitals", str(tmp_path / "quiz.py@capitals"))
    assert quiz.task_args == {"country": "Spain"}
    assert quiz.prompt_field == 'input after "Question:"'
    assert quiz.variants_file == tmp_path / "frozen.jsonl"
    assert quiz.limits == Limits(messages=9, seconds=60)


def test_a_model_writes_the_variants_where_it_says_so(tmp_path: Path) -> None:
    text = "num_variations: 2\nstrength: strong\nparaphraser: p/w\nagents: [{model: m/x}]\n"
    (benchmark,) = read_suite(written(tmp_path, text + "benchmarks: [{task: q.jsonl}]\n")).benchmarks
    wordings = benchmark.wordings
    assert (wordings.families, wordings.k) == (("llm",), 2)
    assert wordings.llm is not None
    assert (wordings.llm.models, wordings.llm.strength) == (("p/w",), "strong")


INSPECT = """\
max_samples: 4
tags: [night]
inspect: {turn_limit: 9, logprobs: true}
max_items: 1
agents:
  - model: openai-api/local/x
    model_base_url: http://localhost:8000/v1
    generate_config: generate.yaml
    temperature: 0.5
    reasoning_effort: low
    approval: policy.yaml
    timeout: 30
    cache: 3D
    inspect: {best_of: 2, logprobs: false}
  - name: mine
    agent: plain.py:answer
    timeout: 0.5
benchmarks:
  - task: questions.jsonl
    sandbox: local
    tags: day,small
    inspect: {turn_limit: 5}
    sample_id: [france, spain]
  - task: others.jsonl
    metadata: {ticket: 7}
"""


def test_a_suite_knows_the_options_of_inspect(tmp_path: Path) -> None:
    (tmp_path / "generate.yaml").write_text("temperature: 1\ntop_k: 3\nreasoning_effort: high\n")
    (tmp_path / "policy.yaml").write_text("approvers:\n  - {name: auto, tools: '*'}\n")
    suite = read_suite(written(tmp_path, INSPECT), {"max_retries": 7, "max_sandboxes": 3})
    model, mine = suite.agents
    assert model.generate == {"temperature": 0.5, "top_k": 3}
    assert model.inspect == {
        "max_retries": 7,
        "model_base_url": "http://localhost:8000/v1",
        "reasoning_effort": "low",
        "approval": str(tmp_path / "policy.yaml"),
        "timeout": 30,
        "cache": "3D",
        "best_of": 2,
        "logprobs": False,
    }
    assert (mine.seconds, mine.inspect) == (0.5, {"max_retries": 7})
    questions, others = suite.benchmarks
    shared = {"max_samples": 4, "max_sandboxes": 3, "logprobs": True}
    assert questions.inspect == {**shared, "sandbox": "local", "tags": "day,small", "turn_limit": 5}
    assert (questions.sample_ids, questions.max_items) == (("france", "spain"), None)
    assert others.inspect == {**shared, "tags": ["night"], "turn_limit": 9, "metadata": {"ticket": 7}}
    assert (others.sample_ids, others.max_items) == ((), 1)


def test_an_agent_of_a_suite_overrules_what_its_benchmark_says(
    tmp_path: Path, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text(
        '{"id": "f", "question": "What is the capital of France?", "answer": "Paris"}\n'
    )
    model = scripted("one", lambda prompt: "Paris")
    text = (
        "inspect: {turn_limit: 9, top_k: 3, temperature: 1}\nmax_samples: 2\nk: 1\nfamilies: format\n"
        f"agents: [{{model: {model}, top_k: 5, temperature: 0.5}}]\nbenchmarks: [{{task: q.jsonl}}]\n"
    )
    (plan,) = plan_suite(read_suite(written(tmp_path, text)), write=False)
    assert plan.settings.config.model_dump(exclude_none=True) == {"temperature": 0.5, "top_k": 5}
    assert plan.settings.eval_args == {"turn_limit": 9, "max_samples": 2}


ENDING = "agents:\n  - model: m/x\nbenchmarks:\n  - task: q.jsonl\n"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "is empty"),
        ("- a\n", 1, "the file must be a mapping of names to values"),
        ("agents: [\n", 2, "is not YAML: expected the node content, but found '<stream end>'"),
        ("benchmarks:\n  - task: q.jsonl\n", None, "has no agents"),
        ("agents: []\nbenchmarks: []\n", 1, "agents must be a list with at least one entry"),
        ("repeat: 2\n" + ENDING, 1, "unknown setting 'repeat'. Did you mean: repeats, template?"),
        ("repeats: 2\nrepeats: 3\n" + ENDING, 2, "repeats is given twice, first in line 1"),
        ("repeats: many\n" + ENDING, 1, "repeats must be a whole number, got 'many'"),
        ("repeats: true\n" + ENDING, 1, "repeats must be a whole number, got True"),
        ("repeats: 0\n" + ENDING, 1, "repeats must be 1 or more, got 0"),
        ("log_dir:\n" + ENDING, 1, "log_dir must be text, got nothing"),
        ("log_dir: ' '\n" + ENDING, 1, "log_dir is empty"),
        ("1: 2\n" + ENDING, 1, "1 is not a name"),
        (
            "families: paraphrases\n" + ENDING,
            1,
            "unknown value of families 'paraphrases'. Did you mean: paraphrase",
        ),
        ("families: [1]\n" + ENDING, 1, "families must be a text or a list of texts"),
        ("strength: weak\n" + ENDING, 1, "unknown value of strength 'weak'. Known: "),
        ("num_variations: 2\nk: 1\n" + ENDING, 1, "num_variations cannot be given with families or k"),
        (
            "agents:\n  - m/x\nbenchmarks: [{task: q}]\n",
            2,
            "an entry of agents must be a mapping of names to values",
        ),
        (
            "agents:\n  - model: m/x\n  - name: who\nbenchmarks: [{task: q}]\n",
            3,
            "an agent needs a model, an agent_dir, an agent, an agent_url or an agent_command",
        ),
        (
            "agents:\n  - model: m/x\n    temprature: 1\nbenchmarks: [{task: q}]\n",
            3,
            "unknown setting 'temprature'. Did you mean: temperature?",
        ),
        (
            "agents:\n  - agent_dir: a\n    agent: b.py:c\nbenchmarks: [{task: q}]\n",
            2,
            "--agent and --agent-dir cannot be given together: a run has one agent",
        ),
        (
            "agents:\n  - agent: react\n    solver: generate\n    model: m/x\nbenchmarks: [{task: q}]\n",
            3,
            "solver and agent cannot be given together: an agent has one of them",
        ),
        (
            "agents:\n  - agent_dir: a\n    timeout: 0\nbenchmarks: [{task: q}]\n",
            3,
            "timeout must be more than 0, got 0",
        ),
        (
            "agents:\n  - model: m/x\n    model_args: 3\nbenchmarks: [{task: q}]\n",
            3,
            "model_args must be a mapping of names to values",
        ),
        (
            "agents:\n  - model: m/x\n  - model: m/x\nbenchmarks: [{task: q}]\n",
            3,
            "two of the agents are called 'm/x'\nGive one of them another name.",
        ),
        (
            ENDING + "  - task: other/q.jsonl\n",
            5,
            "two of the benchmarks are called 'q'\nGive one of them another name.",
        ),
        (ENDING + "  - name: no\n", 5, "a benchmark needs a task or a benchmark's name, and not both"),
        (ENDING + "  - task: r.jsonl\n    name: a/b\n", 6, "name 'a/b' cannot be a folder's name"),
        ("max_samples: 0\n" + ENDING, 1, "max_samples must be 1 or more, got 0"),
        ("inspect:\n  epochs: 3\n" + ENDING, 2, "Inspect's option 'epochs' is set by otherwords: use --rep"),
        ("inspect: {max_sample: 3}\n" + ENDING, 1, "unknown option of Inspect 'max_sample'. Did you mean: "),
        (ENDING + "    sandbox: nope\n", 5, "Inspect knows no sandbox 'nope'"),
        (ENDING + "    tags: a\n    inspect: {tags: b}\n", 6, "tags is given twice"),
        (
            "agents:\n  - model: m/x\n    top_k: none\nbenchmarks: [{task: q}]\n",
            3,
            "top_k should be a valid integer, got 'none'",
        ),
    ],
)
def test_every_mistake_is_told_with_its_line(
    text: str, line: int | None, problem: str, tmp_path: Path
) -> None:
    file = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_suite(file)
    where = f"{file}:{line}" if line else str(file)
    assert str(caught.value).startswith(f"{where}: {problem}")


@pytest.mark.parametrize(
    ("agents", "benchmarks", "line", "problem"),
    [
        ("{agent_dir: gone}", "{task: q.jsonl}", 3, "gone: the agent's folder does not exist"),
        ("{agent: 'gone.py:answer'}", "{task: q.jsonl}", 3, "gone.py: the agent's file does not exist"),
        (
            "{model: gpt-4o}",
            "{task: q.jsonl}",
            3,
            "the model 'gpt-4o' is named without its provider\nName a ",
        ),
        ("{model: nobody/x}", "{task: q.jsonl}", 3, "no provider of models is called 'nobody', as in "),
        (
            "{model: mockllm/model, solver: nothing}",
            "{task: q.jsonl}",
            3,
            "Inspect knows no solver or agent 'nothing'\nName one that is installed, such as ",
        ),
        ("{model: mockllm/model}", "{task: gone.jsonl}", 6, "gone.jsonl: no such file"),
        ("{model: mockllm/model}", "{task: q.jsonl, variants: gone.jsonl}", 6, "gone.jsonl: no such file"),
        ("{model: mockllm/model}", "{benchmark: gaja}", 6, "unknown task 'gaja'. "),
    ],
)
def test_what_is_not_there_is_told_with_its_line_before_anything_runs(
    agents: str,
    benchmarks: str,
    line: int,
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.jsonl").write_text(
        '{"id": "f", "question": "What is the capital of France?", "answer": "Paris"}\n'
    )
    Path("q.jsonl").write_text(Path("p.jsonl").read_text())
    text = (
        f"agents:\n- {{model: mockllm/first}}\n- {agents}\nbenchmarks:\n- {{task: p.jsonl}}\n- {benchmarks}\n"
    )
    written(tmp_path, text)
    code, out, err = otherwords(capsys, "run", "--config", "suite.yaml")
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: suite.yaml:{line}: {problem}")
    assert not list(Path.cwd().rglob("*.eval"))


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_suite(tmp_path / "suite.yaml")
    assert str(caught.value) == f"{tmp_path / 'suite.yaml'}: no such file"


def test_tags_make_no_python_objects(tmp_path: Path) -> None:
    attack = "log_dir: !!python/object/apply:os.system ['echo pwned']\n" + ENDING
    with pytest.raises(InputError) as caught:
        read_suite(written(tmp_path, attack))
    assert str(caught.value) == (
        f"{tmp_path / 'suite.yaml'}:1: cannot be read: could not determine a constructor for the tag "
        "'tag:yaml.org,2002:python/object/apply:os.system'"
    )


def otherwords(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


DOCS = Path(__file__).parents[2] / "docs" / "running.md"


@pytest.mark.slow
def test_the_suite_of_the_docs_runs(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scripted: Scripted,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Word by word, but for the model's name."""
    files = re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    asked: dict[str, list[str]] = {"good": [], "poor": []}
    models = {
        "openai/gpt-4o-mini": scripted("good", lambda prompt: asked["good"].append(prompt) or "Paris. 8."),
        "openai/gpt-4o": scripted("poor", lambda prompt: asked["poor"].append(prompt) or "Rome. 8."),
    }
    monkeypatch.chdir(tmp_path)
    for name, text in files:
        for named, model in models.items():
            text = re.sub(rf"{named}$", model, text, flags=re.MULTILINE)  # noqa: PLW2901
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    code, out, err = otherwords(capsys, "run", "--config", "suite.yaml", "--dry-run")
    assert (code, err) == (0, "")
    assert "4 agents, 2 benchmarks" in out
    code, out, err = otherwords(capsys, "run", "--config", "suite.yaml", "--budget", "calls=30")
    assert (code, err) == (0, "")
    assert "Stopped at the budget (calls=" in out
    code, out, err = otherwords(capsys, "run", "--config", "suite.yaml", "--yes", "--results-dir", "for-hal")
    assert (code, err) == (0, "")
    table = read_results("suite-logs").outcomes
    assert sorted(table["task"].unique()) == ["capitals", "questions"]
    assert sorted(table["model"].unique()) == ["hal", "plain", models["openai/gpt-4o-mini"], "terse"]
    assert table["status"].unique().to_list() == ["scored"]
    uploads = sorted(path.parent.name for path in Path("for-hal").rglob("*_UPLOAD.json"))
    assert len(uploads) == 8
    assert uploads[0] == "capitals_hal"
    wordings = table.group_by("task", "model").agg(asked="variant", of="id")
    for task in ("capitals", "questions"):
        ways = {
            tuple(sorted(zip(row["of"], row["asked"], strict=True)))
            for row in wordings.rows(named=True)
            if row["task"] == task
        }
        assert len(ways) == 1


@pytest.mark.slow
def test_the_script_of_the_docs_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", DOCS.read_text(), re.DOTALL))
    Path("quiz.py").write_text(files["quiz.py"])
    model = scripted("roman", lambda prompt: "Rome")
    code = files["ask.py"].replace("openai/gpt-4o-mini", model)
    exec(compile(code, "ask.py", "exec"), {})
    assert capsys.readouterr().out.split()[-1] == "1.0"
    scores = read_results("asked").outcomes.group_by("id").agg(pl.col("score").unique()).sort("id").rows()
    assert scores == [("italy", [1.0]), ("spain", [0.0])]


def test_other_options_are_refused_beside_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, ENDING)
    for given, told in ((["--repeats", "2"], "--repeats"), (["-T", "a=1"], "-T"), (["q.jsonl"], "'q.jsonl'")):
        code, _, err = otherwords(capsys, "run", "--config", str(file), *given)
        assert (code, err) == (
            2,
            f"Error: {told} cannot be given with --config: the suite says what is run and how\n"
            "Write it into the suite's file.\n",
        )


@pytest.mark.slow
def test_one_agent_that_fails_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scripted: Scripted
) -> None:
    def breaks(prompt: str) -> str:
        raise RuntimeError("no key")

    broken, fine = scripted("broken", breaks), scripted("fine", lambda prompt: "Paris")
    (tmp_path / "q.jsonl").write_text(
        '{"id": "f", "question": "What is the capital of France?", "answer": "Paris"}\n'
    )
    text = (
        f"repeats: 1\nk: 1\nagents: [{{model: {broken}}}, {{model: {fine}}}]\nbenchmarks:\n- task: q.jsonl\n"
    )
    code, out, err = otherwords(capsys, "run", "--config", str(written(tmp_path, text)))
    assert code == 1
    assert "0/2 samples finished, 2 failed" in out
    assert "2/2 samples finished" in out
    assert err == (
        "Warning: all 2 samples have no score: 2 provider or machine errors (orig 1, para1 1), the first "
        "with RuntimeError('no key')\n"
        "What to do: run the same command again: only what is missing is asked.\n"
        "Warning: every sample failed of scripted/broken\n"
    )
    rows = read_results(tmp_path / "logs").outcomes.select("model", "status", "score").rows()
    assert sorted(rows, key=str) == [
        (broken, "error", None),
        (broken, "error", None),
        (fine, "scored", 1.0),
        (fine, "scored", 1.0),
    ]


def test_a_run_that_cannot_begin_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    fine = scripted("fine", lambda prompt: "Paris")
    (tmp_path / "q.jsonl").write_text(
        '{"id": "f", "question": "What is the capital of France?", "answer": "Paris"}\n'
    )
    agents = f"[{{model: openai/gpt-4o}}, {{model: {fine}}}]"
    text = f"repeats: 1\nk: 1\nagents: {agents}\nbenchmarks:\n- task: q.jsonl\n"
    code, out, err = otherwords(capsys, "run", "--config", str(written(tmp_path, text)))
    assert code == 2
    assert "2/2 samples finished" in out
    assert err.endswith("Error: 1 of 2 runs failed; the others are in the logs\n")
    assert "OpenAI" in err
    assert "ERROR" not in err


def test_templates_and_designs_of_a_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: Scripted
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text('{"id": "q", "question": "What is the capital of France?", "answer": "Paris"}')
    Path("prompt.txt").write_text("Answer the following question in one word.\n\n{question}")
    Path("suite.yaml").write_text(
        "template: prompt.txt\nvary: [item, template]\nfamilies: paraphrase\nk: 1\n"
        f"agents:\n  - model: {scripted('paris', lambda prompt: 'Paris')}\n"
        "benchmarks:\n  - task: q.jsonl\n  - task: q.jsonl\n    name: crossed\n    vary: item\n"
        "    design: wording×format\n    fraction: 0.5\n"
    )
    plain, crossed = plan_suite(read_suite("suite.yaml"), write=False)
    assert [one.name for one in plain.variants] == ["orig", "para1", "t1", "t1+para1"]
    assert [dict(one.levels) for one in crossed.variants] == [
        {"wording": "orig", "format": "orig"},
        {"wording": "para1", "format": crossed.variants[1].levels["format"]},
    ]
    assert str(crossed.variants[0].prompt).startswith("Answer the following question in one word.")


def test_a_suite_may_stop_early(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(
        "until: gate\nthresholds: {min_s_prompt: 0.85, max-accuracy-drop: 0.1}\ngeneralize: items\n"
        "agents: [{model: openai/gpt-4o-mini}]\n"
        "benchmarks:\n  - task: a.jsonl\n  - task: b.jsonl\n    until: accuracy:0.05\n    thresholds: {}\n"
    )
    gate, width = read_suite(tmp_path / "suite.yaml").benchmarks
    assert gate.until == Until("gate", {"min_s_prompt": 0.85, "max_accuracy_drop": 0.1}, "items")
    assert gate.repeats is None
    assert width.until == Until("accuracy:0.05", {}, "items")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("thresholds: {min_s_prompt: 0.85}", "thresholds are for until: gate"),
        ("until: gate\nthresholds: {min_s_prompt: much}", "min_s_prompt must be a number, got 'much'"),
        ("until: gate\nthresholds: {min_s_prompt: }", "min_s_prompt must be a number, got nothing"),
    ],
)
def test_wrong_thresholds_are_told_with_their_line(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(f"{line}\nagents: [{{model: m}}]\nbenchmarks: [{{task: a.jsonl}}]\n")
    with pytest.raises(InputError) as refused:
        read_suite(file)
    assert re.match(rf"{re.escape(str(file))}:\d: ", str(refused.value))
    assert problem in str(refused.value)


def test_agents_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "agent.sh").write_text("cat\n", encoding="utf-8")
    text = (
        "user_trait: confused\n"
        "agents:\n"
        "  - {agent_url: 'http://localhost:8000/v1', agent_args: {model: small}, agent_env: MY_KEY}\n"
        "  - agent_command: sh agent.sh --quick\n"
        "    agent_env: [A_KEY, B_*]\n"
        "    agent_memory: 1.5GiB\n"
        "    timeout: 9\n"
        "benchmarks: [{task: questions.jsonl}]\n"
    )
    suite = read_suite(written(tmp_path, text))
    assert suite.agents == (
        Agent(url="http://localhost:8000/v1", agent_args={"model": "small"}, env=("MY_KEY",)),
        Agent(
            command=f"sh {tmp_path / 'agent.sh'} --quick", env=("A_KEY", "B_*"), memory=1610612736, seconds=9
        ),
    )
    assert suite.agents[0].label == "localhost:8000/v1"
    assert suite.benchmarks[0].user_trait == "confused"
    where = f"{tmp_path / 'suite.yaml'}:4: "
    for wrong, message in (
        ("agent_memory: much", "'much' is no size of memory"),
        ("agent_args: {x: 1}", "-A is not for --agent-command: write the arguments into the command"),
    ):
        with pytest.raises(InputError) as caught:
            read_suite(written(tmp_path, text.replace("agent_memory: 1.5GiB", wrong)))
        assert str(caught.value) == where + message
