"""Agents behind an address and as a command: what they are sent, what is an answer, whose fault it is."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample, read_eval_log
from inspect_ai.scorer import includes
from inspect_ai.solver import Solver

from otherwords.core.errors import InputError
from otherwords.runs.agents import AgentError, agent_model
from otherwords.runs.agents.external import command_agent, command_words, url_agent
from otherwords.runs.agents.replies import read_reply

pytestmark = pytest.mark.slow

Answering = Callable[[str, dict[str, Any], dict[str, str]], tuple[int, str, bytes]]


def answered(*prompts: str, solver: Solver, folder: Path) -> list[EvalSample]:
    samples = [Sample(id=f"s{number}", input=prompt, target="Paris") for number, prompt in enumerate(prompts)]
    (log,) = inspect_eval(
        Task(dataset=MemoryDataset(samples), solver=solver, scorer=includes()),
        model=agent_model("tested"),
        log_dir=str(folder / "logs"),
        display="none",
        fail_on_error=False,
    )
    assert log.samples is not None
    return sorted(log.samples, key=lambda sample: str(sample.id))


def error_of(sample: EvalSample) -> str:
    assert sample.error is not None
    return sample.error.message


class Server:
    """Answers what `answer` makes of a request's path, JSON and headers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.answer: Answering = lambda path, sent, headers: (200, "application/json", b'"Paris"')
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.asked.append((self.path, sent, dict(self.headers)))
                status, form, body = server.answer(*server.asked[-1])
                self.send_response(status)
                self.send_header("Content-Type", form)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def test_an_address_is_sent_the_prompt_and_answers_in_many_forms(server: Server, tmp_path: Path) -> None:
    forms: dict[str, tuple[str, Any]] = {
        "text": ("text/plain; charset=utf-8", "Paris é"),
        "json text": ("application/json", "Paris é"),
        "answer": ("application/json", {"answer": "Paris é", "cost": 3}),
        "chat": ("application/json", {"messages": [{"role": "assistant", "content": "Paris é"}]}),
        "number": ("application/json", {"output": 7}),
    }

    def answer(path: str, sent: dict[str, Any], headers: dict[str, str]) -> tuple[int, str, bytes]:
        form, body = forms[sent["prompt"]]
        return 200, form, (body if form.startswith("text") else json.dumps(body)).encode()

    server.answer = answer
    solver = url_agent(server.url + "/ask", {"top_k": 3}, agent_name="mine")
    samples = answered(*forms, solver=solver, folder=tmp_path)
    assert [sample.output.completion for sample in samples] == ["Paris é"] * 4 + ["7"]
    assert samples[0].metadata["external_agent"] is True
    path, sent, headers = next(one for one in server.asked if one[1]["prompt"] == "text")
    assert (path, sent) == (
        "/ask",
        {"prompt": "text", "messages": [{"role": "user", "content": "text"}], "top_k": 3},
    )
    assert "Authorization" not in headers


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/v1/chat/completions"])
def test_an_address_of_openais_kind_is_asked_as_such(
    end: str, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "the-key-1234")
    completion = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "Paris"}}]}
    server.answer = lambda *_: (200, "application/json", json.dumps(completion).encode())
    solver = url_agent(server.url + end, {"model": "small"}, "MY_KEY")
    (sample,) = answered("Where?", solver=solver, folder=tmp_path)
    assert sample.output.completion == "Paris"
    ((path, sent, headers),) = server.asked
    assert path == "/v1/chat/completions"
    assert sent == {"messages": [{"role": "user", "content": "Where?"}], "model": "small"}
    assert headers["Authorization"] == "Bearer the-key-1234"
    (log,) = (tmp_path / "logs").glob("*")
    assert "the-key" not in read_eval_log(str(log)).model_dump_json()


def test_whose_fault_a_failed_request_is(server: Server, tmp_path: Path) -> None:
    bodies: dict[str, tuple[int, str, bytes]] = {
        "crash": (500, "text/plain", b"Traceback: KeyError"),
        "busy": (429, "application/json", b'{"error": "slow down"}'),
        "away": (503, "text/html", b""),
        "moved": (307, "text/plain", b""),
        "lost": (404, "text/html", b"<h1>Not Found</h1>"),
        "unread": (422, "application/json", b'{"detail": "no field q"}'),
        "page": (200, "text/html", b"<h1>Hello</h1>"),
        "half": (200, "application/json", b'{"answer": '),
        "empty": (200, "application/json", b'{"id": 3}'),
        "null": (200, "application/json", b"null"),
    }
    server.answer = lambda path, sent, headers: bodies[sent["prompt"]]
    samples = answered(*bodies, solver=url_agent(server.url), folder=tmp_path)
    url = server.url
    assert dict(zip(bodies, map(error_of, samples), strict=True)) == {
        "crash": f"agent: {url} answered with status 500: Traceback: KeyError",
        "busy": f'provider or machine: {url} answered with status 429: {{"error": "slow down"}}',
        "away": f"provider or machine: {url} answered with status 503: nothing",
        "moved": f"provider or machine: {url} answered with status 307: nothing",
        "lost": f"provider or machine: {url} answered with status 404: <h1>Not Found</h1>",
        "unread": f'agent: {url} answered with status 422: {{"detail": "no field q"}}',
        "page": "agent: answered with text/html that is no JSON: <h1>Hello</h1>",
        "half": 'agent: answered with application/json that is no JSON: {"answer":',
        "empty": "agent: returned an object with 'id', not text",
        "null": "agent: returned NoneType, not text",
    }


def test_an_address_that_is_slow_or_gone(server: Server, tmp_path: Path) -> None:
    release = threading.Event()

    def waits(*_: Any) -> tuple[int, str, bytes]:
        release.wait(20)
        return 200, "text/plain", b"late"

    server.answer = waits
    solver = url_agent(server.url, time_limit=0.5)
    (slow,) = answered("x", solver=solver, folder=tmp_path)
    release.set()
    assert error_of(slow) == "agent: timed out after 0.5 s"
    server.close()
    (gone,) = answered("x", solver=solver, folder=tmp_path)
    assert error_of(gone) == (
        f"provider or machine: {server.url} could not be asked: it raised ConnectError: "
        "All connection attempts failed"
    )
    with pytest.raises(InputError) as caught:
        url_agent(server.url)
    assert str(caught.value) == (
        f"--agent-url {server.url}: nobody answers there: Connection refused\nStart the agent first."
    )


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("localhost:8000/ask", "--agent-url localhost:8000/ask: is no http:// or https:// address"),
        ("ftp://host/x", "--agent-url ftp://host/x: is no http:// or https:// address"),
        ("http://", "--agent-url http://: is no http:// or https:// address"),
        (
            "http://h:port",
            "--agent-url http://h:port: is no address: Port could not be cast to integer value as 'port'",
        ),
        (
            "http://me:pass1234@host/x",
            "--agent-url has a password or a key in it, and Inspect writes it into its logs\n"
            "Send the key as a bearer token, from a variable: --agent-env NAME",
        ),
    ],
)
def test_an_address_that_is_none_is_refused(url: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        url_agent(url)
    assert str(caught.value) == message


# ---- commands


def test_a_command_reads_the_prompt_and_prints_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.sh").write_text(
        'read -r question\necho "Paris: $question"\npwd >&2\n', encoding="utf-8"
    )
    (sample,) = answered("Where is it?", solver=command_agent("sh agent.sh"), folder=tmp_path)
    assert sample.output.completion == "Paris: Where is it?"
    (info,) = (event.data for event in sample.events if event.event == "info")
    assert isinstance(info, dict)
    assert info["agent"] == "sh"
    assert Path(str(info["stderr"]).strip()) != tmp_path
    assert not Path(str(info["stderr"]).strip()).exists()


def test_a_command_works_in_a_copy_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "run").write_text("#!/bin/sh\necho x > written; cat words.txt; ls\n", encoding="utf-8")
    (folder / "run").chmod(0o755)
    (folder / "words.txt").write_text("Paris\n", encoding="utf-8")
    (folder / "answers.jsonl").write_text("{}", encoding="utf-8")
    solver = command_agent("run", str(folder), withheld_files=[str(folder / "answers.jsonl")])
    (sample,) = answered("x", solver=solver, folder=tmp_path)
    assert sample.output.completion == "Paris\nrun\nwords.txt\nwritten"
    assert not (folder / "written").exists()


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text(
        "read -r how\n"
        "case $how in\n"
        "  exits) echo 'first line' >&2; echo 'no such key' >&2; exit 3;;\n"
        "  crashes) kill -11 $$;;\n"
        "  killed) kill -9 $$;;\n"
        "  silent) exit 0;;\n"
        "esac\n",
        encoding="utf-8",
    )
    hows = ["exits", "crashes", "killed", "silent"]
    samples = answered(*hows, solver=command_agent(f"sh {script}"), folder=tmp_path)
    assert [error_of(sample) for sample in samples[:3]] == [
        "agent: exited with code 3: no such key",
        "agent: was killed by SIGSEGV without an answer",
        "provider or machine: the agent was killed by SIGKILL without an answer, as where memory runs out",
    ]
    assert samples[3].output.completion == ""


def test_a_command_that_cannot_be_run_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.py").write_text("print(1)\n", encoding="utf-8")
    cases = {
        "": "--agent-command is empty",
        "say 'x": "--agent-command cannot be read: No closing quotation",
        "no-such-program -x": "--agent-command: there is no program 'no-such-program'",
        "plain.py": "--agent-command: there is no program 'plain.py'",
        "./plain.py": "--agent-command: './plain.py' is a file that cannot be run\n"
        "Make it a program with chmod +x ./plain.py, or name its interpreter: python3 ./plain.py",
    }
    for command, message in cases.items():
        with pytest.raises(InputError) as caught:
            command_agent(command)
        assert str(caught.value) == message
    with pytest.raises(InputError, match="no/such: the agent's folder does not exist"):
        command_agent("sh x", "no/such")
    assert command_words("sh plain.py -o missing.txt", None)[1:] == [
        str(tmp_path / "plain.py"),
        "-o",
        "missing.txt",
    ]
    with monkeypatch.context() as windows:
        windows.setattr("os.name", "nt")
        with pytest.raises(InputError, match="--agent-command needs Linux or macOS"):
            command_agent("x")


# ---- what comes back


class Message:
    def __init__(self, type: str, content: Any, **other: Any) -> None:
        self.type, self.content = type, content
        self.__dict__.update(other)


def test_a_chat_is_read_with_its_tool_calls() -> None:
    openai = [
        {"role": "user", "content": "Cancel it."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "function": {"name": "find", "arguments": '{"id": 7}'}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
    ]
    langchain = [
        Message("human", "Cancel it."),
        Message("ai", "", tool_calls=[{"name": "find", "args": {"id": 7}, "id": "c1"}]),
        Message("tool", "found", tool_call_id="c1", name="find", status="error"),
        Message("ai", "Done."),
    ]
    for chat in (openai, {"messages": openai}, langchain, {"messages": langchain}):
        reply = read_reply(chat)
        assert reply.text == "Done."
        called, result = reply.messages
        assert [(one.function, one.arguments) for one in called.tool_calls] == [("find", {"id": 7})]  # type: ignore[union-attr]
        assert result.text == "found"
    assert result.error is not None  # type: ignore[union-attr]
    assert read_reply({"answer": "Yes.", "messages": openai}).text == "Yes."


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (None, "returned NoneType, not text"),
        (7, "returned int, not text"),
        ([], "returned list, not text"),
        (["a", "b"], "returned list, not text"),
        ({}, "returned an object with nothing, not text"),
        ({"choices": []}, "returned an object with 'choices', not text"),
        (
            [{"role": "user", "content": "hi"}],
            "returned 1 messages, none of which is an answer of the agent's",
        ),
    ],
)
def test_what_is_no_answer_is_told(given: Any, problem: str) -> None:
    with pytest.raises(AgentError) as caught:
        read_reply(given)
    assert caught.value.reason == problem
