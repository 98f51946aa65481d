"""From a set that must not leak to what may be given away, as a person types it."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.publish.pseudonyms import kept_salt
from otherwords.results import read_results

Scripted = Callable[[str, Callable[[str], str]], str]
Otherwords = Callable[..., tuple[int, str, str]]

STEM = "Which harbour did the grey heron leave before the second storm of that winter?"
ITEMS = [
    {"id": "wader-1", "question": STEM, "choices": ["Port Stanley", "Old Grimsby", "Whitby"], "answer": "B"},
    {"id": "heron-2", "question": "Who kept the lighthouse at Sumburgh Head?", "answer": "Robert Hunter"},
]
SALT = "a salt that is kept by its owner"
KEY = "sk-live-4bC9dE2fGh1jK7mN0pQ"


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Otherwords:
    monkeypatch.chdir(tmp_path)
    Path("heron.jsonl").write_text("".join(json.dumps(line) + "\n" for line in ITEMS))
    Path("my.salt").write_text(SALT)

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


@pytest.fixture
def model(scripted: Scripted) -> str:
    return scripted("keeper", lambda prompt: "ANSWER: B" if "Whitby" in prompt else "Robert Hunter")


def everything_in(folder: str) -> str:
    said = ""
    for path in sorted(Path(folder).rglob("*")):
        said += str(path)
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                said += "\n".join(name + archive.read(name).decode() for name in archive.namelist())
        elif path.is_file():
            said += path.read_bytes().decode("latin-1")
    return said


def leaks(said: str) -> list[str]:
    private = [STEM, "grey heron", "Grimsby", "Whitby", "Sumburgh", "Robert Hunter", "wader-1", SALT, KEY]
    return [text for text in private if text in said]


RUN = ("run", "heron.jsonl", "--repeats", "1", "-k", "2", "--public", "given", "--salt-file", "my.salt")


@pytest.mark.slow
def test_a_run_has_private_logs_to_go_on_from_and_public_ones_to_give_away(
    otherwords: Otherwords, model: str
) -> None:
    code, out, _ = otherwords(*RUN, "--model", model, "--budget", "calls=2", "--results-dir", "hal")
    assert code == 0
    assert "Public: given (1 logs) Salt: my.salt (keep it private: it makes the hashes guessable)" in out
    assert len(leaks(everything_in("logs"))) >= 6
    assert not leaks(everything_in("given"))
    assert not leaks(everything_in("hal"))
    (part,) = Path("given").glob("*.eval")
    assert read_results("given").outcomes.filter(status="scored").height == 2

    code, out, _ = otherwords(*RUN, "--model", model, "--results-dir", "hal")
    assert code == 0
    assert "2 from before" in out
    assert sorted(path.name for path in Path("given").iterdir()) == [".otherwords-public", part.name]
    assert read_results("given").outcomes.filter(status="scored").height == 6
    assert not leaks(everything_in("given"))
    assert not leaks(everything_in("hal"))
    (upload,) = Path("hal").rglob("*_UPLOAD.json")
    items = json.loads(upload.read_text())["raw_eval_results"]
    assert sorted(items) == sorted(set(read_results("given").outcomes["id"]))


@pytest.mark.slow
def test_logs_tables_and_reports_share_their_names(otherwords: Otherwords, model: str) -> None:
    assert otherwords(*RUN, "--model", model)[0] == 0
    salt = ("--public", "--salt-file", "my.salt")
    assert otherwords("aggregate", "--logs", "logs", "--out", "table", *salt)[0] == 0
    assert otherwords("report", "logs", "-o", "page", *salt)[0] == 0
    of_log = set(read_results("given").outcomes["id"])
    of_table = set(pl.read_parquet("table/outcomes.parquet")["id"])
    of_page = set(pl.read_csv("page/task_level_sensitivity.csv")["task_id"])
    assert of_log == of_table == of_page
    assert not leaks(everything_in("table") + everything_in("page"))


@pytest.mark.slow
def test_a_report_can_be_made_of_what_was_given_away(otherwords: Otherwords, model: str) -> None:
    assert otherwords(*RUN, "--model", model)[0] == 0
    code, out, _ = otherwords("report", "given", "-o", "page")
    assert code == 0
    assert out.startswith("Cannot tell whether wording matters for keeper on heron")
    assert not leaks(out)
    assert not leaks(everything_in("page"))


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            ("--public", "logs/given"),
            "logs/given: the public folder and the private one (logs) must not be within each other\n",
        ),
        (
            ("--public", "heron.jsonl"),
            "heron.jsonl: is a file, and what is public is written to a folder\n",
        ),
        (
            ("--public", "given", "--salt-file", "given/salt"),
            "given/salt: the salt must not be in a folder that is made to be given away\n"
            "Keep it elsewhere: --salt-file …\n",
        ),
    ],
)
def test_what_would_leak_is_refused_before_anything_is_asked(
    otherwords: Otherwords, model: str, arguments: tuple[str, ...], problem: str
) -> None:
    code, _, err = otherwords("run", "heron.jsonl", "--model", model, *arguments)
    assert code == 2
    assert err == f"Error: {problem}"
    assert not list(Path("logs").glob("*.eval"))
    assert not Path("given").exists()


def test_a_suite_has_a_public_folder_for_each_benchmark(otherwords: Otherwords, model: str) -> None:
    Path("suite.yaml").write_text(
        f"repeats: 1\nk: 2\nagents:\n  - model: {model}\nbenchmarks:\n  - task: heron.jsonl\n"
    )
    code, _, _ = otherwords("run", "--config", "suite.yaml", "--public", "given", "--salt-file", "my.salt")
    assert code == 0
    assert len(list(Path("given/heron").glob("*.eval"))) == 1
    assert not leaks(everything_in("given").replace("given/heron", ""))


@pytest.mark.slow
def test_a_planted_stem_secret_and_key_are_in_the_private_part_and_not_in_the_public_one(
    otherwords: Otherwords, scripted: Scripted
) -> None:
    """The secret is a canary in the set, and the key in an error of the model's provider."""
    secret = "canary 7f3a 11d2 b6c0"
    Path("heron.jsonl").write_text("".join(json.dumps({**item, "note": secret}) + "\n" for item in ITEMS))
    Path("secrets.txt").write_text(f"{secret}\n")

    def answer(prompt: str) -> str:
        if "Sumburgh" in prompt:
            raise RuntimeError(f"401: the key {KEY} was refused for: {prompt} ({secret})")
        return f"ANSWER: B ({secret})"

    model = scripted("refusing", answer)
    assert otherwords(*RUN, "--model", model, "--results-dir", "hal")[0] == 0
    salt = ("--public", "--salt-file", "my.salt")
    assert otherwords("aggregate", "--logs", "logs", "--out", "table", *salt)[0] == 0
    assert otherwords("aggregate", "--logs", "logs", "--out", "private")[0] == 0
    assert otherwords("report", "logs", "-o", "page", *salt)[0] == 0
    asked = ("--dataset", "heron.jsonl", "--variants", "logs/variants.jsonl", "--secret-file", "secrets.txt")

    code, out, err = otherwords("scan", "logs", "private", *asked)
    assert code == 1
    assert err.startswith("Error: not to be published: what must not leak is in ")
    for kind in ("stem of item", "option of item", "variant of item", "secret of line 1"):
        assert f".eval: {kind}" in out, out
    assert not leaks(out.replace("heron.jsonl", ""))
    assert KEY not in everything_in("private") + everything_in("logs")
    assert "the key [redacted] was refused" in everything_in("logs")

    code, out, err = otherwords("scan", "given", "table", "page", "hal", *asked)
    assert (code, err) == (0, ""), out
    assert out.endswith("Nothing found.")


ODD = [
    {
        "id": "odd-1",
        "question": "Which of these names the last entry that the keeper made in his book?",
        "choices": ["All of the above", "benchmark", "Success", "Variance"],
        "answer": "A",
    },
    {
        "id": "odd-2",
        "question": "What did the second keeper paint on the door of the northern lamp room?",
        "choices": ["Variance", "more than one", "3 of 12 items", "None found"],
        "answer": "B",
    },
    {
        "id": "odd-3",
        "question": "Which word did the third keeper say twice that winter?",
        "answer": "Accuracy",
    },
]


@pytest.mark.slow
def test_our_own_words_never_fail_our_own_scan(otherwords: Otherwords, scripted: Scripted) -> None:
    """Every third item of the demo, and options that are words of our pages and tables."""
    demo = (files("otherwords") / "data" / "demo.jsonl").read_text("utf-8").splitlines(keepends=True)
    Path("demo.jsonl").write_text("".join(demo[::3]) + "".join(json.dumps(item) + "\n" for item in ODD))
    model = scripted("guesser", lambda prompt: f"ANSWER: {'ABCD'[len(prompt) % 4]}")
    code, out, _ = otherwords(
        *("run", "demo.jsonl", "--model", model, "--repeats", "2", "-k", "2", "--public", "given", "--yes")
    )
    assert code == 0, out
    assert f"Salt: {kept_salt('demo')} (keep it private" in out
    assert otherwords("aggregate", "--logs", "logs", "--out", "table", "--public")[0] == 0
    assert otherwords("report", "logs", "-o", "page", "--public", "--latex")[0] == 0
    asked = ("--dataset", "demo.jsonl", "--variants", "logs/variants.jsonl")
    code, out, err = otherwords("scan", "given", "table", "page", *asked)
    assert (code, err) == (0, ""), out
    assert otherwords("scan", "logs", *asked)[0] == 1
    # Items are named alike everywhere, and what is public can be made anew over what was.
    of_log = set(read_results("given").outcomes["id"])
    assert of_log == set(pl.read_parquet("table/outcomes.parquet")["id"])
    assert of_log == set(pl.read_csv("page/task_level_sensitivity.csv")["task_id"])
    assert otherwords("report", "logs", "-o", "page", "--public")[0] == 0
    code, out, _ = otherwords("salt", "export", "demo", "-o", "page/demo.salt")
    assert code == 0
    code, out, _ = otherwords("scan", "page", *asked)
    assert (code, "page/demo.salt: salt" in out) == (1, True)
    code, _, err = otherwords("report", "logs", "-o", "page", "--public")
    assert code == 2
    assert "and was not written by --public: demo.salt" in err


@pytest.mark.slow
def test_an_agents_keys_are_handed_over_and_written_nowhere(otherwords: Otherwords) -> None:
    Path("agent").mkdir()
    Path("agent/main.py").write_text(
        "def run(tasks, **kwargs):\n"
        f"    assert kwargs['api_key'] == {KEY!r}\n"
        "    print('using', kwargs['api_key'])\n"
        "    return {name: 'Robert Hunter' for name in tasks}\n"
    )
    code, _, _ = otherwords(
        *("run", "heron.jsonl", "--agent-dir", "agent", "--agent-function", "main.run"),
        *("-A", f"api_key={KEY}", "-k", "1", "--repeats", "1", "--results-dir", "hal"),
    )
    assert code == 0
    assert '"api_key": "[redacted]"' in everything_in("hal")
    assert "Robert Hunter" in everything_in("logs")
    assert KEY not in everything_in("logs") + everything_in("hal")
