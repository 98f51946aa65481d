"""What is one run, as one who types it sees it: it grows, is refused after an edit, and stops on errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.cli import main
from otherwords.results import read_results

Scripted = Callable[[str, Callable[[str], str]], str]
Otherwords = Callable[..., tuple[int, str, str]]

QUIZ = """
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from words import CAPITAL


@task
def capitals(most: int = 9):
    countries = Path("countries.txt").read_text().split()[:most]
    asked = {one: f"What is the {CAPITAL} of {one}?" for one in countries}
    samples = [Sample(id=one, input=text, target="Paris") for one, text in asked.items()]
    return Task(dataset=samples, scorer=includes())
"""
QUESTIONS = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "play", "question": "Who wrote the play Hamlet?", "answer": "Shakespeare"},
]


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Otherwords:
    """Runs a command in a folder that has sub/quiz.py and questions.jsonl; gives code, output and errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("otherwords.cli.console.LINE_EVERY_SECONDS", float("inf"))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("sub").mkdir()
    Path("sub/quiz.py").write_text(QUIZ)
    Path("sub/words.py").write_text("CAPITAL = 'capital'\n")
    Path("sub/countries.txt").write_text("France Italy Spain\n")
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))

    def command(*arguments: str) -> tuple[int, str, str]:
        import sys

        capsys.readouterr()
        monkeypatch.delitem(sys.modules, "words", raising=False)
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def model(asked: list[str], scripted: Scripted) -> str:
    return scripted("counted", lambda prompt: asked.append(prompt) or "Paris")


def tree(folder: Path) -> dict[str, bytes]:
    """All that is in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def run(model: str, *more: str) -> tuple[str, ...]:
    return ("run", "sub/quiz.py@capitals", "--model", model, "--families", "paraphrase,format", *more)


# ---- growing


@pytest.mark.slow
def test_a_pilot_grows_into_the_whole_run_and_a_dry_run_writes_nothing(
    otherwords: Otherwords, model: str, asked: list[str], tmp_path: Path
) -> None:
    before = tree(tmp_path)
    for more, total in (
        (("--max-items", "1", "--repeats", "1", "-k", "2"), 3),
        (("--repeats", "1", "-k", "2"), 9),
        (("--repeats", "1", "-k", "4"), 15),
        (("--repeats", "2", "-k", "4"), 30),
    ):
        paid = len(asked)
        code, out, _ = otherwords(*run(model, *more), "--dry-run")
        assert (code, len(asked)) == (0, paid)
        assert f"= {total} calls" in out
        assert paid == 0 or f"{paid} of them have finished before; {total - paid} are left" in out
        assert tree(tmp_path) == before

        code, out, _ = otherwords(*run(model, *more))
        assert (code, len(asked)) == (0, total)
        assert f"{total}/{total} samples finished, 0 failed, {paid} from before; {total - paid} calls" in out
        before = tree(tmp_path)

    table = read_results("logs").outcomes
    assert otherwords(*run(model, "--repeats", "2", "-k", "4"), "--log-dir", "at-once")[0] == 0
    kept = [name for name in table.columns if name not in ("log", "seconds")]
    keys = ["id", "variant", "repeat"]
    assert table.select(kept).sort(keys).equals(read_results("at-once").outcomes.select(kept).sort(keys))


# ---- another run


@pytest.mark.slow
def test_an_edit_in_between_is_refused_and_leaves_no_trace(
    otherwords: Otherwords, model: str, asked: list[str], tmp_path: Path
) -> None:
    """Seen: the wordings of a run that was refused were added to the folder, and the run itself refused."""
    whole = run(model, "--repeats", "1", "-k", "2")
    assert otherwords(*whole, "--max-items", "1")[0] == 0
    before, paid = tree(tmp_path / "logs"), list(asked)

    def refused(*more: str) -> str:
        code, _, err = otherwords(*whole, *more)
        assert (code, asked, tree(tmp_path / "logs")) == (2, paid, before)
        first, hint = err.splitlines()
        assert hint == "Undo the change to go on with that run, or begin another one: --log-dir logs-2"
        began = "changed since the run of task 'capitals' with model 'scripted/counted' began"
        assert began in first
        return first.removeprefix("Error: logs: ").replace(began, "…")

    for file, old, new in (
        ("quiz.py", "includes()", "includes(ignore_case=False)"),
        ("words.py", "capital'", "capital'  # as in the atlas"),
        ("words.py", "'capital'", "'main city'"),
        ("quiz.py", "scorer=", "time_limit=600, scorer="),
    ):
        text = Path("sub", file).read_text()
        Path("sub", file).write_text(text.replace(old, new))
        what = "the scorer's" if "includes" in old else "the task's"
        limits = " and the limits of a sample" if "time_limit" in new else ""
        assert refused("-k", "4") == f"{what} code or arguments{limits} …: {file}"
        Path("sub", file).write_text(text)
    assert refused("-T", "most=2") == "the task's code or arguments …: -T most"
    assert refused("--temperature", "1", "-k", "4") == "the generation settings (temperature) …"
    assert refused("--message-limit", "9") == "the limits of a sample …"

    assert otherwords(*whole)[0] == 0
    assert len(asked) == 9


@pytest.mark.slow
def test_a_model_is_not_paid_to_reword_for_a_run_that_is_refused(
    otherwords: Otherwords, model: str, scripted: Scripted
) -> None:
    written: list[str] = []

    def write(prompt: str) -> str:
        written.append(prompt)
        return json.dumps({"rewordings": ["Tell me the capital of France."]})

    command = ("run", "sub/quiz.py@capitals", "--model", model, "--repeats", "1", "--num-variations", "1")
    command = (*command, "--paraphraser", scripted("writer", write))
    assert otherwords(*command, "--max-items", "1")[0] == 0
    paid = len(written)
    Path("sub/quiz.py").write_text(QUIZ.replace("includes()", "includes(ignore_case=False)"))
    assert otherwords(*command)[0] == 2
    assert len(written) == paid


# ---- from any folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "named"),
    [
        (".", "sub/quiz.py@capitals"),
        (".", "./sub/../sub/quiz.py"),
        ("sub", "quiz.py@capitals"),
        ("sub/deeper", "../quiz.py@capitals"),
        ("elsewhere", "../sub/quiz.py@capitals"),
        ("elsewhere", "{}/sub/quiz.py@capitals"),
    ],
)
def test_a_tasks_file_is_found_from_any_folder(
    folder: str, named: str, otherwords: Otherwords, model: str, asked: list[str], tmp_path: Path
) -> None:
    """Seen: from the parent folder, sub/sub/quiz.py was looked for."""
    import os

    whole = ("--model", model, "--repeats", "1", "-k", "1", "--log-dir", str(tmp_path / "logs"))
    assert otherwords("run", "sub/quiz.py@capitals", *whole, "--max-items", "2")[0] == 0
    paid = len(asked)
    Path(folder).mkdir(exist_ok=True)
    os.chdir(folder)
    code, out, err = otherwords("run", named.format(tmp_path), *whole)
    assert (code, err) == (0, "")
    assert f"6/6 samples finished, 0 failed, {paid} from before" in out
    assert len(asked) == 6


# ---- errors


def breaks(prompt: str) -> str:
    raise RuntimeError("no paper")


@pytest.mark.slow
def test_one_of_two_models_that_fails_everywhere_is_a_no(
    otherwords: Otherwords, model: str, scripted: Scripted
) -> None:
    """Seen: exit code 0, as the other model had answered."""
    broken = scripted("broken", breaks)
    code, out, err = otherwords(
        *run(model, "--model", broken, "--max-items", "1", "--repeats", "1", "-k", "2")
    )
    assert code == 1
    assert "3/6 samples finished, 3 failed" in out
    assert err == (
        "Warning: 3 of 6 samples have no score: 3 provider or machine errors (orig 1, para1 1, pert:punct "
        "1), the first with RuntimeError('no paper')\n"
        "What to do: run the same command again: only what is missing is asked.\n"
        "Warning: every sample failed of scripted/broken\n"
    )


@pytest.mark.slow
def test_the_same_error_again_and_again_stops_a_run(
    otherwords: Otherwords, model: str, scripted: Scripted
) -> None:
    broken = scripted("broken", breaks)
    command = run(broken, "--model", model, "--repeats", "2", "-k", "2", "--max-connections", "1")
    code, _, err = otherwords(*command)
    assert (code, err) == (
        2,
        "Error: stopped, as 5 samples of scripted/broken in a row ended with the same error: "
        "RuntimeError('no paper')\n"
        "What has finished is in logs. The failed ones have no score, and are tried again.\n"
        "Run the same command again when the cause is mended, or with --keep-going to go on in spite of "
        "it.\n",
    )
    code, out, err = otherwords(*command, "--keep-going")
    assert code == 1
    assert "18/36 samples finished, 18 failed" in out
    assert err.endswith("Warning: every sample failed of scripted/broken\n")
    scripted("broken", lambda prompt: "Paris")
    code, out, _ = otherwords(*command)
    assert code == 0
    assert "36/36 samples finished, 0 failed, 18 from before; 18 calls" in out


# ---- without rewordings


@pytest.mark.parametrize("form", ["families", "model", "file"])
def test_a_run_without_a_rewording_is_refused_before_it_pays(
    form: str, otherwords: Otherwords, model: str, asked: list[str], scripted: Scripted
) -> None:
    command = ["run", "questions.jsonl", "--model", model, "--repeats", "1"]
    where = why = ""
    if form == "families":
        command += ["--families", "options"]  # of which these questions have none
    elif form == "model":
        why = " (llm: reply: not a JSON list of texts)"
        command += ["--num-variations", "2", "--paraphraser", scripted("writer", lambda prompt: "I refuse.")]
    else:
        where = "variants.jsonl: "
        assert otherwords("vary", "questions.jsonl", "--families", "options")[0] == 0
        command += ["--variants", "variants.jsonl"]
    for more in (["--dry-run"], []) if form != "model" else ([],):
        code, _, err = otherwords(*command, *more)
        assert (code, asked) == (2, [])
        assert err == (
            f"Error: {where}there is no accepted rewording of any item, so that only the original would be "
            f"asked{why}\nChoose other --families or a larger -k, or make and review them first with "
            "otherwords vary.\n"
        )
        assert not Path("logs").exists()


def vary(otherwords: Otherwords, *more: str) -> tuple[int, str]:
    code, _, err = otherwords("vary", "questions.jsonl", *more)
    assert Path("variants.jsonl").exists()
    return code, err


def test_a_family_that_was_named_and_yields_nothing_is_a_no(
    otherwords: Otherwords, scripted: Scripted
) -> None:
    bad: dict[str, Any] = {
        "rewordings": ["What is not the capital of France?", "Which is not the capital of France?"]
    }
    writer = scripted("writer", lambda prompt: json.dumps(bad))
    told = "Warning: the family 'llm' gave no accepted variant of any item; the most common cause: negation: "
    code, err = vary(otherwords, "--families", "paraphrase,llm", "--model", writer, "-k", "2")
    assert code == 1
    assert err.startswith(told)
    code, err = vary(otherwords, "--model", writer, "-k", "8")  # as good as named
    assert code == 1
    assert err.startswith(told)
    # Options apply to none of the questions, and were asked for by nobody.
    assert vary(otherwords, "--families", "paraphrase,options") == (0, "")
    assert vary(otherwords) == (0, "")
