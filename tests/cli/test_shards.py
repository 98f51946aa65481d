"""`run --shard`, `run --shards` and `otherwords shards` as a person types them."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from otherwords.cli import console, run_plans
from otherwords.results import read_results
from otherwords.runs.settings import load_keys

Otherwords = Callable[..., tuple[int, str, str]]
RUN = ("run", "questions.jsonl", "--repeats", "1", "-k", "1")


@pytest.fixture(autouse=True)
def _questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [
        {"id": f"q{n}", "question": f"What is the capital of land {n}?", "answer": "A"} for n in range(4)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture
def model(scripted: Callable[[str, Callable[[str], str]], str]) -> str:
    return scripted("parts", lambda prompt: "A")


@pytest.mark.slow
def test_the_scripts_of_shards_run_them(run_command: Otherwords, model: str) -> None:
    run_command("vary", "questions.jsonl", "-o", "variants.jsonl", "-k", "1")
    typed = ["questions.jsonl", "--variants", "variants.jsonl", "--model", model, "--repeats", "1"]
    code, out, _ = run_command("shards", "-n", "2", *typed)
    assert code == 0
    assert out == (
        "4 items in 2 parts: 2 shards, 4 files in shards\n"
        "Slurm: sbatch shards/slurm.sh\n"
        "Kubernetes: kubectl apply -f shards/kubernetes.yaml\n"
        "Then: otherwords aggregate --logs logs --out results\n"
    )
    assert os.access("shards/slurm.sh", os.X_OK)
    command = Path("shards/slurm.sh").read_text().splitlines()[-1].removeprefix("exec otherwords ")
    for number in ("2", "1"):
        code, out, _ = run_command(*shlex.split(command.replace("$SLURM_ARRAY_TASK_ID", number)))
        assert code == 0
        assert "4/4 samples finished, 0 failed, 0 from before; 4 calls" in out
        assert "Logs: logs\nNext: otherwords report logs -o report\n" in out
    assert read_results("logs").outcomes["id"].to_list() == [f"q{n}" for n in range(4) for _ in range(2)]


@pytest.mark.slow
def test_a_run_in_shards_says_what_it_takes_and_took(run_command: Otherwords, model: str) -> None:
    code, out, _ = run_command(*RUN, "--model", model, "--shards", "2", "--max-tokens", "5", "--dry-run")
    assert code == 0
    assert out.startswith(
        "4 items in 2 parts × 1 model = 2 shards of about 2 items and 4 calls: about 8 calls\nAbout "
    )
    assert "and 40 out (a guess, at 4 characters a token; an answer of 5, the most it may have)" in " ".join(
        out.split()
    )
    assert not Path("logs").exists()
    code, out, _ = run_command(*RUN, "--model", model, "--shards", "2", "--budget", "calls=5")
    assert code == 0
    assert "5/8 samples finished, 0 failed, 0 from before; 5 calls, 20 tokens in" in out
    assert "Stopped at the budget (calls=5). What has finished is in logs;" in out
    code, out, _ = run_command(*RUN, "--model", model, "--shards", "2", "--rate-limit", "6000")
    assert code == 0
    assert "5 of them have finished before; about 3 are left\nMeasured on the 5 samples in logs: " in out
    assert "The 3 samples that are left take about 12 tokens" in out
    assert "8/8 samples finished, 0 failed, 5 from before; 3 calls" in out


@pytest.mark.slow
def test_a_large_run_in_shards_is_asked_about_with_what_its_first_items_took(
    run_command: Otherwords,
    scripted: Callable[[str, Callable[[str], str]], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    models = [scripted(name, lambda prompt: calls.append(prompt) or "A") for name in ("one", "two")]  # type: ignore[func-returns-value]
    lines = [
        {"id": f"q{n}", "question": f"What is the capital of land {n}?", "answer": "A"} for n in range(60)
    ]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(console, "ASK_ABOVE_CALLS", 100)
    for module in (console, run_plans):
        monkeypatch.setattr(module, "is_interactive", lambda: True)
    answers = iter((False, True))
    monkeypatch.setattr(
        click, "confirm", lambda *_, **__: next(answers) or (_ for _ in ()).throw(click.Abort)
    )
    typed = [*RUN, "--families", "format", "--model", models[0], "--model", models[1], "--shards", "4"]
    code, out, _ = run_command(*typed, "--price", "1000,1000")
    assert code != 0
    assert len(calls) == 20
    for model in models:
        assert f"{model}: Measured on the first 5 items (10 samples): 1.0 calls, 4 tokens" in out
        assert f"{model}: The 110 samples that are left take about 110 calls, 440 tokens, $0.44" in out
    code, out, _ = run_command(*typed, "--price", "1000,1000")
    assert code == 0
    assert "20 of them have finished before; about 220 are left" in out
    assert "Measured on the 20 samples in logs: 4 tokens" in out
    assert len(calls) == 240


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--shard", "3"], "Error: cannot read the shard '3'\n"),
        (["--shard", "9/8"], "Error: there is no shard '9/8': they are numbered from 1 to 8\n"),
        (["--shard", "1/8"], "Error: 4 items cannot be cut into 8 parts\n"),
        (["--shards", "8"], "Error: 4 items cannot be cut into 8 parts\n"),
        (
            ["--shard", "1/2", "--shards", "2"],
            "Error: --shard runs one shard here, and cannot be given with --shards or --executor ray\n",
        ),
        (["--ray-address", "auto"], "Error: --ray-address and --workers are for --executor ray\n"),
        (
            ["--shards", "2", "--public", "out"],
            "Error: --public is for runs that are not cut into shards: leave --shards out\n",
        ),
        (
            ["--executor", "ray", "--until", "accuracy:0.05"],
            "Error: --until is for runs that are not cut into shards: leave --executor ray out, or ask a "
            "fixed number of items with --max-items in place of --until; `otherwords plan` says how many a "
            "goal takes\n",
        ),
        (
            ["--executor", "ray", "--exclude-ambiguous"],
            "Error: --exclude-ambiguous cannot be given with --executor ray\n",
        ),
        (
            ["--executor", "slurm"],
            "Error: Invalid value for '--executor': 'slurm' is not one of 'local', 'ray'.\n",
        ),
        (["--keys-file", "keys"], "Error: keys: no such file\n"),
    ],
)
def test_bad_input_is_told_in_one_sentence(
    run_command: Otherwords, model: str, arguments: list[str], problem: str
) -> None:
    code, _, err = run_command(*RUN, "--model", model, *arguments)
    assert code == 2
    assert problem in err
    assert "Traceback" not in err
    assert not Path("logs").exists()


def test_a_ray_address_that_does_not_answer_is_told_in_one_sentence(
    run_command: Otherwords, model: str
) -> None:
    pytest.importorskip("ray")
    code, _, err = run_command(*RUN, "--model", model, "--executor", "ray", "--ray-address", "127.0.0.1:1")
    assert code == 2
    assert err.startswith("Error: no Ray cluster answers at '127.0.0.1:1': Connection refused\n")


def test_without_ray_it_says_what_to_install(
    run_command: Otherwords, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    code, _, err = run_command(*RUN, "--model", model, "--executor", "ray")
    assert code == 2
    assert err == "Error: --executor ray needs Ray\nInstall it with: pip install 'otherwords[ray]'\n"


def test_shards_are_cut_by_the_command_itself(run_command: Otherwords, model: str) -> None:
    code, _, err = run_command("shards", "-n", "2", *RUN[1:], "--model", model, "--shard", "1/2")
    assert code == 2
    assert err == (
        "Error: otherwords shards cuts the run itself: leave out --shard, --shards, --executor and --config\n"
    )
    key = "sk-" + "a1B2" * 10
    code, _, err = run_command("shards", "-n", "2", *RUN[1:], "--model", model, "-M", f"api_key={key}")
    assert code == 2
    assert err.startswith(
        "Error: the argument api_key=… looks like a key, and would be written to a script\n"
    )
    assert not Path("shards").exists()


def test_keys_come_from_a_file_that_only_its_owner_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_API_KEY", "SECOND_API_KEY"):
        monkeypatch.setenv(name, "")
    file = Path("keys")
    file.write_text("# providers\n\nexport FIRST_API_KEY='one=1'\nSECOND_API_KEY = two\n")
    file.chmod(0o640)
    with pytest.raises(
        ValueError, match=r"^keys: holds keys, and others than its owner can read it\n"
    ) as refused:
        load_keys(file)
    assert str(refused.value).endswith("\nType: chmod 600 keys")
    file.chmod(0o600)
    load_keys(file)
    assert (os.environ["FIRST_API_KEY"], os.environ["SECOND_API_KEY"]) == ("one=1", "two")
    file.write_text("FIRST_API_KEY\n")
    with pytest.raises(ValueError, match=r"^keys:1: expected NAME=value$"):
        load_keys(file)
