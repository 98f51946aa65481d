"""The commands of docs/local-models.md against llama.cpp's OpenAI-compatible server, with a real model."""

from __future__ import annotations

import os
import re
import shlex
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log

from otherwords.cli import main
from otherwords.core.errors import InputError
from otherwords.runs import settings
from otherwords.runs.gguf_servers import load_runtime, weights_path
from otherwords.runs.settings import require_servers

PAGE = Path(__file__).parents[2] / "docs" / "local-models.md"
_BLOCK = re.compile(r"<!-- (?:run|file: (?P<name>\S+)) -->\n```\w+\n(?P<text>.*?)```", re.DOTALL)
_ADDRESS = re.compile(r"http://localhost:\d+/v1")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of one, with SmolLM2 on one thread."""
    runtime = load_runtime()
    given = runtime.CommonParams()
    given.model.path = str(weights_path("smollm2"))
    given.n_ctx, given.n_parallel = 2048, 2
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = 1
    given.warmup = given.fit_params = given.ui = False
    given.cache_ram_mib, given.verbosity = 0, -1
    started = runtime.Server(given)
    yield f"{started.listening_address}/v1"
    del started


def commands(text: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The commands of a block; what it exports is in the environment."""
    for line in text.replace("\\\n", " ").splitlines():
        first, *rest = shlex.split(line)
        if first == "export":
            name, _, value = rest[0].partition("=")
            monkeypatch.setenv(name, value)
        else:
            assert first == "otherwords"
            yield rest


def samples(folder: str) -> list[EvalSample]:
    return [one for info in list_eval_logs(folder) for one in read_eval_log(info).samples or []]


@pytest.mark.model
@pytest.mark.slow
def test_the_commands_of_the_page_run(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for block in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        text = _ADDRESS.sub(server, block["text"])
        if block["name"]:
            Path(block["name"]).write_text(text, encoding="utf-8")
            continue
        for arguments in commands(text, monkeypatch):
            with pytest.raises(SystemExit) as end:
                main(arguments)
            out, err = capsys.readouterr()
            assert end.value.code in (0, None), f"{arguments}\n{out}\n{err}"
            ran += 1
    assert ran == 5
    for folder, count in (("logs-vllm", 8), ("logs-ollama", 8), ("logs-local", 8), ("logs-both", 16)):
        asked = samples(folder)
        assert len(asked) == count
        for one in asked:
            assert one.error is None
            assert one.output.completion.strip()
            assert one.output.usage is not None
            assert 1 <= one.output.usage.output_tokens <= 24
    for one in samples("logs-vllm"):
        assert one.output.choices[0].logprobs is not None
    assert (tmp_path / "report" / "index.html").stat().st_size > 10_000


def test_an_address_that_does_not_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = "http://127.0.0.1:9/v1"
    monkeypatch.setenv("OLLAMA_BASE_URL", closed)
    monkeypatch.setenv("MY_OWN_BASE_URL", closed)
    cases: list[tuple[str, dict[str, Any]]] = [
        ("scripted/x", {"base_url": closed}),
        ("ollama/x", {}),
        ("openai-api/my-own/x", {}),
    ]
    for model, arguments in cases:
        with pytest.raises(InputError) as caught:
            require_servers([model], arguments)
        said, _, hint = str(caught.value).partition("\n")
        assert said.startswith(f"nothing answers at {closed}, where the model '{model}' is to be: [")
        assert said.endswith("refused") or os.name == "nt"
        assert hint == "Start its server, or give its address with --model-base-url."
    require_servers(["scripted/x", "gguf/smollm2"], {})  # whose address nobody gives


def test_a_server_that_is_busy_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "_PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as listening:  # it takes the connection, and says nothing
        require_servers(["scripted/x"], {"base_url": f"http://127.0.0.1:{listening.getsockname()[1]}/v1"})


@pytest.mark.model
@pytest.mark.slow
def test_a_server_that_answers_in_any_way_is_there(server: str) -> None:
    require_servers(["scripted/x"], {"base_url": server})
    require_servers(["scripted/x"], {"base_url": f"{server}/nowhere"})


def test_an_embedded_model_has_no_address(
    run_in_folder: Callable[..., tuple[int, str]],
) -> None:
    code, err = run_in_folder("--model", "gguf/smollm2", "--model-base-url", "http://localhost:8000/v1")
    assert (code, err) == (
        2,
        "Error: gguf/smollm2 runs in this process and has no address, got http://localhost:8000/v1\n"
        "A model that a server offers is openai-api/NAME/MODEL, vllm/MODEL or ollama/MODEL.\n",
    )


@pytest.fixture
def run_in_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """`otherwords run` on one question; gives the exit code and errors."""
    monkeypatch.chdir(tmp_path)
    Path("q.jsonl").write_text(
        '{"id": "f", "question": "What is the capital of France?", "answer": "Paris"}\n'
    )

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(["run", "q.jsonl", *arguments])
        return int(end.value.code or 0), capsys.readouterr().err

    return run
