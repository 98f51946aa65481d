"""`otherwords run` as a person types it: who is asked, in which words, and what it takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from otherwords.cli import main
from otherwords.cli.run_options import HAL_FLAGS
from otherwords.results import read_results

Scripted = Callable[[str, Callable[[str], str]], str]
Otherwords = Callable[..., tuple[int, str, str]]

QUESTIONS = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "play", "question": "Who wrote the play Hamlet?", "answer": "Shakespeare"},
]


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Otherwords:
    """Runs a command in an empty folder that has questions.jsonl; gives code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


@pytest.fixture
def parisian(scripted: Scripted) -> str:
    return scripted("parisian", lambda prompt: "Paris")


def samples(folder: str = "logs") -> list[Any]:
    logs = [read_eval_log(info) for info in list_eval_logs(folder)]
    return [sample for log in logs for sample in log.samples or []]


@pytest.mark.slow
def test_it_says_what_it_will_take_and_what_it_took(otherwords: Otherwords, parisian: str) -> None:
    arguments = ("run", "questions.jsonl", "--model", parisian, "--repeats", "2", "-k", "2")
    code, out, _ = otherwords(*arguments, "--max-tokens", "10", "--price", "1000,2000", "--dry-run")
    assert code == 0
    assert out.startswith("2 items, 6 wordings (4 of them reworded) × 2 repeats × 1 models = 12 calls About ")
    assert (
        "and 120 out (a guess, at 4 characters a token; an answer of 10, the most it may have): about $0."
        in out
    )
    assert not list(Path("logs").glob("*.eval"))

    code, out, _ = otherwords(*arguments, "--price", "1000000,2000000", "--yes")
    assert code == 0
    assert (
        "and 3,072 out (a guess, at 4 characters a token; an answer of 256, assumed; --max-tokens bounds it)"
        in out
    )
    assert "12/12 samples finished, 0 failed, 0 from before; 12 calls, 48 tokens, $60.00 in" in out

    code, out, _ = otherwords(*arguments, "--dry-run")
    assert code == 0
    assert "12 of them have finished before; 0 are left" in out
    assert f"the price of {parisian} is not known, give it with --price" in out


def test_much_money_is_asked_about(otherwords: Otherwords, parisian: str) -> None:
    code, _, err = otherwords("run", "questions.jsonl", "--model", parisian, "--price", "900,5000000")
    assert code == 2
    assert err.endswith("is more than $10\nAdd --yes to go on.\n")


@pytest.mark.slow
def test_it_stops_at_the_budget_and_goes_on_from_there(otherwords: Otherwords, parisian: str) -> None:
    arguments = ("run", "questions.jsonl", "--model", parisian, "--repeats", "2", "-k", "2")
    code, out, _ = otherwords(*arguments, "--budget", "calls=5")
    assert code == 0
    assert "5/12 samples finished, 0 failed, 0 from before; 5 calls, 20 tokens" in out
    assert (
        "Stopped at the budget (calls=5). What has finished is in logs; run the same command again to go on."
        in out
    )
    code, out, _ = otherwords(*arguments)
    assert "5 of them have finished before; 7 are left" in out
    assert "12/12 samples finished, 0 failed, 5 from before; 7 calls" in out


def test_a_budget_in_money_needs_a_price(otherwords: Otherwords, parisian: str) -> None:
    code, _, err = otherwords("run", "questions.jsonl", "--model", parisian, "--budget", "usd=1")
    assert code == 2
    assert err == (
        f"Error: a budget in money needs the price of {parisian}\n"
        "Give it in dollars for a million tokens: --price IN,OUT\n"
    )


@pytest.mark.slow
def test_two_models_on_one_file_see_the_same_bytes(otherwords: Otherwords, scripted: Scripted) -> None:
    seen: dict[str, list[str]] = {"one": [], "two": []}
    models = [
        scripted("one", lambda prompt: seen["one"].append(prompt) or "Paris"),
        scripted("two", lambda prompt: seen["two"].append(prompt) or "Rome"),
    ]
    assert otherwords("vary", "questions.jsonl", "-o", "variants.jsonl")[0] == 0
    run = ("run", "questions.jsonl", "--variants", "variants.jsonl", "--repeats", "1")
    code, _, _ = otherwords(*run, "--model", models[0], "--model", models[1])
    assert code == 0
    asked = {
        log.eval.model: {
            str(sample.id): [event.input for event in sample.events if event.event == "model"]
            for sample in log.samples or []
        }
        for log in (read_eval_log(info, resolve_attachments="full") for info in list_eval_logs("logs"))
    }
    first, second = asked[models[0]], asked[models[1]]
    assert len(first) > 4
    assert first.keys() == second.keys()
    for wording in first:
        texts = [[message.text.encode() for message in call] for call in first[wording]]
        assert texts == [[message.text.encode() for message in call] for call in second[wording]]
    assert sorted(seen["one"]) == sorted(seen["two"])


def test_a_model_writes_variants_only_when_asked(otherwords: Otherwords, scripted: Scripted) -> None:
    def write(prompt: str) -> str:
        if "France" in prompt:
            texts = ["Which city is the capital of France?", "France has which city as its capital?"]
        else:
            texts = ["Hamlet, the play, was written by whom?", "By whom was the play Hamlet written?"]
        return json.dumps({"rewordings": texts, "same": True})

    writer, model = scripted("writer", write), scripted("parisian", lambda prompt: "Paris")
    arguments = ("run", "questions.jsonl", "--model", model, "--num-variations", "2", "--repeats", "1")
    arguments += ("--paraphraser", writer, "--strength", "medium")
    assert otherwords(*arguments, "--dry-run")[:2] == (
        0,
        "First scripted/writer writes up to 2 rewordings of each of 2 items: 2 calls or a few more. scripted/"
        "writer judges those with a flag, by two calls each. Then 2 items, at most 6 wordings × 1 repeats × "
        "1 models = at most 6 calls",
    )
    assert not Path("logs").exists()

    code, out, _ = otherwords(*arguments)
    assert (code, "6/6 samples finished" in out) == (0, True)
    assert sorted({sample.metadata["variant"] for sample in samples()}) == ["medium1", "medium2", "orig"]

    code, _, err = otherwords(*arguments[:-1], "mild")
    assert (code, err) == (
        2,
        "Error: logs/variants.jsonl: this run has --paraphraser scripted/writer --strength medium\n"
        "Ask for the same. To begin another run: --log-dir logs-2\n",
    )
    assert "this run has --judge scripted/writer\n" in otherwords(*arguments, "--judge", "none")[2]


def test_a_folder_keeps_the_wordings_of_one_dataset(otherwords: Otherwords, parisian: str) -> None:
    run = ("run", "questions.jsonl", "--model", parisian, "--repeats", "1", "-k", "1")
    assert otherwords(*run)[0] == 0
    Path("questions.jsonl").write_text(json.dumps(QUESTIONS[0]) + "\n")
    code, _, err = otherwords(*run)
    assert (code, err) == (
        2,
        "Error: logs/variants.jsonl: has the wordings of another run: it was made for other items: the items "
        "lack 'play'\nTo begin another run: --log-dir logs-2\n",
    )


def test_a_file_of_more_items_serves_the_first_of_them(otherwords: Otherwords, parisian: str) -> None:
    assert otherwords("vary", "questions.jsonl", "-k", "1", "-o", "variants.jsonl")[0] == 0
    run = ("run", "questions.jsonl", "--variants", "variants.jsonl", "--model", parisian, "--repeats", "1")
    code, out, _ = otherwords(*run, "--max-tasks", "1")
    assert code == 0
    assert out.startswith("1 items, 2 wordings (1 of them reworded)")
    assert {sample.metadata["item_id"] for sample in samples()} == {"france"}

    lines = Path("questions.jsonl").read_text().splitlines()
    Path("questions.jsonl").write_text(lines[0] + "\n")
    code, _, err = otherwords(*run, "--log-dir", "other")
    assert (code, err) == (
        2,
        "Error: variants.jsonl: was made for other items: the items lack 'play'\n"
        "Make it again with `otherwords vary`.\n",
    )
    Path("questions.jsonl").write_text(lines[0].replace("Paris", "Lyon") + "\n" + lines[1] + "\n")
    code, _, err = otherwords(*run, "--max-tasks", "1", "--log-dir", "other")
    assert code == 2
    assert err == (
        "Error: variants.jsonl: was made for an earlier wording of these items: a prompt, an option or an "
        "answer changed\nMake it again with `otherwords vary`.\n"
    )


def test_num_variations_stands_alone(otherwords: Otherwords, parisian: str) -> None:
    code, _, err = otherwords(
        "run", "questions.jsonl", "--model", parisian, "--num_variations", "2", "-k", "3"
    )
    assert (code, err) == (
        2,
        "Error: --num-variations cannot be given with --families or -k\nIt stands for --families llm -k 2.\n",
    )


SOLVER = """
from inspect_ai.solver import solver, Generate, TaskState

@solver
def shouting(mark="!"):
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.user_prompt.text = state.user_prompt.text.upper() + mark
        return await generate(state)
    return solve
"""


@pytest.mark.slow
def test_a_solver_of_ones_own_answers(otherwords: Otherwords, scripted: Scripted) -> None:
    seen: list[str] = []
    model = scripted("listener", lambda prompt: seen.append(prompt) or "Paris")
    Path("mine.py").write_text(SOLVER)
    run = ("run", "questions.jsonl", "--model", model, "--repeats", "1", "-k", "1")
    code, _, _ = otherwords(*run, "--solver", "mine.py@shouting", "-S", "mark=?!", "--agent-name", "shouter")
    assert code == 0
    assert "WHO WROTE THE PLAY HAMLET??!" in seen
    assert read_results("logs").outcomes["model"].unique().to_list() == ["shouter"]
    code, out, _ = otherwords(*run)
    assert code == 0
    assert "4/4 samples finished, 0 failed, 0 from before" in out
    assert sorted(read_results("logs").outcomes["model"].unique()) == [model, "shouter"]

    code, _, err = otherwords(*run, "--solver", "shouting_loudly")
    assert (code, err) == (
        2,
        "Error: Inspect knows no solver or agent 'shouting_loudly'\n"
        "Name one that is installed, such as generate or react, or one of yours as file.py@name.\n",
    )


def test_a_python_function_answers(otherwords: Otherwords) -> None:
    Path("mine.py").write_text("def answer(prompt):\n    return 'Paris' if 'France' in prompt else 'Bacon'\n")
    run = ("run", "questions.jsonl", "--agent", "mine.py:answer", "--repeats", "1", "-k", "2")
    code, out, _ = otherwords(*run, "--agent-name", "mine")
    assert code == 0
    assert "6 runs of the agent What the agent spends on its own models is not seen here." in out
    table = read_results("logs").outcomes
    assert table["model"].unique().to_list() == ["mine"]
    assert dict(table.select("id", "score").iter_rows()) == {"france": 1.0, "play": 0.0}


HAL_AGENT = """
def run(input, **kwargs):
    print("a chatty agent")
    assert kwargs == {"model_name": "gpt-4o", "tries": 3}, kwargs
    return {task_id: "Paris. " + task["prompt"] for task_id, task in input.items()}
"""
HAL_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

@task
def capitals():
    france = Sample(id="fr", input="What is the capital of France?", target="Paris")
    italy = Sample(id="it", input="What is the capital of Italy?", target="Rome")
    return Task(dataset=[france, italy], scorer=includes())
"""


@pytest.mark.slow
def test_a_hal_command_line_works_with_our_name_in_place_of_hals(
    otherwords: Otherwords, scripted: Scripted
) -> None:
    Path("agents/my_agent").mkdir(parents=True)
    Path("agents/my_agent/main.py").write_text(HAL_AGENT)
    Path("capitals.py").write_text(HAL_TASK)
    texts = ["Which city is the capital of France?", "France has which city as its capital?"]
    writer = scripted("writer", lambda prompt: json.dumps({"rewordings": texts, "same": True}))
    hal = "--benchmark capitals.py@capitals --agent_dir agents/my_agent --agent_function main.run "
    hal += "--agent_name test_agent -A model_name=gpt-4o -A tries=3 "
    hal += "--prompt_sensitivity --num_variations 2 --max_tasks 1"
    code, out, err = otherwords("run", *hal.split(), "--paraphraser", writer, "--repeats", "2")
    assert (code, err) == (0, "")
    assert "1 items, 3 wordings (2 of them reworded) × 2 repeats" in out
    table = read_results("logs").outcomes
    assert table["model"].unique().to_list() == ["test_agent"]
    assert table["score"].to_list() == [1.0] * 6
    (upload,) = Path("results").rglob("*_UPLOAD.json")
    written = json.loads(upload.read_text())
    assert written["config"]["agent_name"] == "test_agent"
    assert written["config"]["agent_args"] == {"model_name": "gpt-4o", "tries": 3}
    assert [one["score"] for one in written["raw_eval_results"]["fr"]] == [1.0, 1.0, 1.0]
    assert written["prompt_sensitivity_metrics"]["mean_variance"] == 0.0


def test_an_agent_that_could_not_talk_to_a_simulated_user_is_refused(otherwords: Otherwords) -> None:
    pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")
    Path("mine.py").write_text("def answer(prompt):\n    return 'Done.'\n")
    code, _, err = otherwords("run", "--benchmark", "taubench_airline", "--agent", "mine.py:answer")
    assert code == 2
    assert err == (
        "Error: in benchmark 'taubench_airline' an agent has tools and talks with a simulated user, and "
        "'mine.py:answer' would see neither: it is asked once and answers once\n"
        "Let the benchmark's own agent, or an Inspect one (--solver), answer with a --model; or one written "
        "for HAL (--agent-dir), which tells what it did.\n"
    )


@pytest.mark.slow
def test_a_tau_bench_that_hal_does_not_have_is_refused_to_its_agents(otherwords: Otherwords) -> None:
    pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")
    Path("agents/my_agent").mkdir(parents=True)
    Path("agents/my_agent/main.py").write_text(HAL_AGENT)
    code, _, err = otherwords("run", "--benchmark", "taubench_telecom", "--agent-dir", "agents/my_agent")
    assert code == 2
    assert err == (
        "Error: benchmark 'taubench_telecom' is not among HAL's, and what 'my_agent' does in it cannot be "
        "judged: its customer has tools, too\n"
        "HAL's are taubench_airline and taubench_retail. An Inspect agent (--solver) can answer.\n"
    )


@pytest.mark.slow
def test_a_simulated_user_talks_in_the_style_that_is_asked_for(
    otherwords: Otherwords, scripted: Scripted
) -> None:
    pytest.importorskip("inspect_evals", reason="inspect_evals needs Python 3.11 or later")
    agent = scripted("agent", lambda said: "How can I help?")
    user = scripted("user", lambda said: "###STOP###" if "help" in said else "Hello.")
    run = ("--model", agent, "--model-role", f"user={user}", "--max-tasks", "1", "--repeats", "1", "-k", "1")
    code, _, err = otherwords("run", "--benchmark", "taubench_telecom", *run, "--user-style", "naturalistic")
    assert (code, err) == (0, "")
    assert samples()
    for sample in samples():
        assert "Type as someone does on a phone" in sample.input[0].text
    code, _, err = otherwords("run", "questions.jsonl", *run, "--user-style", "strong", "--log-dir", "other")
    assert (code, err) == (
        2,
        "Error: item 'france#orig': task 'questions' has no simulated user whose style or trait could be "
        "set: its first message is not a system message with a <scenario> block\n",
    )


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--model", "scripted/x"],
            "a run needs a dataset or a task\n"
            "For example: otherwords run questions.jsonl --model openai/gpt-4o-mini",
        ),
        (
            ["questions.jsonl", "--benchmark", "gaia", "--model", "scripted/x"],
            "give a task or --benchmark, not both\n"
            "For example: otherwords run questions.jsonl --model openai/gpt-4o-mini",
        ),
        (["--benchmark", "gaja"], "unknown benchmark 'gaja'. Did you mean: gaia?"),
        (
            ["questions.jsonl", "--agent", "a.py:b", "--agent-dir", "x"],
            "--agent and --agent-dir cannot be given together: a run has one agent",
        ),
        (
            ["questions.jsonl", "--agent", "react", "--solver", "generate", "--model", "scripted/x"],
            "--solver and --agent cannot be given together: a run has one agent",
        ),
        (
            ["questions.jsonl", "--model", "scripted/x", "--price", "cheap"],
            "cannot read the price 'cheap'\nWrite it as IN,OUT or MODEL=IN,OUT in dollars for a million "
            "tokens, or name a file of prices.",
        ),
        (
            ["questions.jsonl", "--model", "gpt-4o-mini"],
            "the model 'gpt-4o-mini' is named without its provider\n"
            "Name a model as PROVIDER/MODEL, such as openai/gpt-4o-mini or gguf/smollm2.",
        ),
        (
            ["questions.jsonl", "--model", "scripted/x", "--model-role", "user=nobody/x", "--dry-run"],
            "no provider of models is called 'nobody', as in 'nobody/x'\n"
            "Name a model as PROVIDER/MODEL, such as openai/gpt-4o-mini or gguf/smollm2.",
        ),
        (
            ["questions.jsonl", "--model", "scripted/x", "-M", "speed=9"],
            "the model 'scripted/x' does not take its arguments: ModelAPI.__init__() got an unexpected "
            "keyword argument 'speed'\nThey are given with -M.",
        ),
        (
            ["questions.jsonl", "--model", "scripted/x", "--model", "scripted/y", "--agent-name", "both"],
            "the agent 'both' cannot have 2 models, since tables tell agents apart by their name\n"
            "Run it once for each model, each time under another name.",
        ),
    ],
)
def test_what_does_not_fit_together_is_told(
    arguments: list[str], message: str, otherwords: Otherwords
) -> None:
    code, _, err = otherwords("run", *arguments)
    assert (code, err) == (2, f"Error: {message}\n")


def test_flags_of_hal_that_are_not_taken_say_what_to_use(otherwords: Otherwords) -> None:
    for flag, instead in HAL_FLAGS.items():
        for typed in {flag, flag[:2] + flag[2:].replace("-", "_")}:
            code, _, err = otherwords("run", "questions.jsonl", typed, "x=1")
            told = f"Error: {flag} is a flag of hal-eval that is not taken here. {instead}.\n"
            assert (code, err.endswith(told)) == (2, True)
    code, _, err = otherwords("run", "questions.jsonl", "--dockr")
    assert (code, "No such option" in err, "hal-eval" in err) == (2, True, False)


def test_a_command_answers_and_keys_that_it_is_not_given_are_named(
    otherwords: Otherwords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-abcdef1234567890abcdef")
    monkeypatch.setenv("OTHERWORDS_SALT", "a salt")
    Path("agent.sh").write_text('read -r question\necho "Paris $SOME_API_KEY$OTHERWORDS_SALT"\nls >&2\n')
    typed = ("run", "questions.jsonl", "--agent-command", "sh agent.sh", "--repeats", "1", "-k", "1")
    code, out, err = otherwords(*typed, "--agent-dir", ".")
    assert (code, err) == (0, "")
    withheld = out.partition("Withheld from the agent, as they look like keys: ")[2].partition(". ")[0]
    assert {"SOME_API_KEY", "OTHERWORDS_SALT"} <= set(withheld.split(", "))
    (log,) = list_eval_logs("logs")
    samples = read_eval_log(log).samples or []
    assert {sample.output.completion for sample in samples} == {"Paris "}
    (seen,) = {
        str(event.data["stderr"])
        for sample in samples
        for event in sample.events
        if event.event == "info" and isinstance(event.data, dict)
    }
    assert seen.split() == ["agent.sh"]  # neither questions.jsonl nor logs

    code, out, _ = otherwords(*typed, "--agent-env", "SOME_API_KEY", "--log-dir", "logs-2")
    assert code == 0
    withheld = out.partition("Withheld from the agent, as they look like keys: ")[2].partition(". ")[0]
    assert "OTHERWORDS_SALT" in withheld
    assert "SOME_API_KEY" not in withheld
    (log,) = list_eval_logs("logs-2")
    told = [sample.output.completion for sample in read_eval_log(log).samples or []]
    assert all(text.startswith("Paris ") and len(text) > 6 for text in told)


def test_settings_that_an_agent_would_not_have_are_refused(otherwords: Otherwords) -> None:
    Path("agent.py").write_text("def answer(prompt):\n    return 'Paris'\n")
    function, command = ("--agent", "agent.py:answer"), ("--agent-command", "sh agent.sh")
    cases: list[tuple[tuple[str, ...], str]] = [
        ((*function, "--agent-memory", "1GB"), "--agent-memory is for agents in a process of their own"),
        ((*function, "--agent-env", "HOME"), "--agent-env is for agents in a process of their own"),
        ((*command, "-A", "x=1"), "-A is not for --agent-command: write the arguments into the command"),
        ((*command, "--agent-memory", "4XB"), "'4XB' is no size of memory"),
        (
            ("--agent-url", "http://localhost:1", "--agent-env", "HOME", "--agent-env", "PATH"),
            "--agent-url takes one --agent-env: the variable that is sent as a bearer token",
        ),
        ((*function, *command), "--agent and --agent-command cannot be given together: a run has one agent"),
    ]
    for typed, message in cases:
        code, _, err = otherwords("run", "questions.jsonl", *typed)
        assert (code, err.startswith(f"Error: {message}")) == (2, True), err
    assert not Path("logs").exists()
