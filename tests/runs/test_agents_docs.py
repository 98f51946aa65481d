"""The examples of docs/agents.md, as they stand."""

from __future__ import annotations

import contextlib
import io
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from otherwords.cli.run_options import HAL_FLAGS
from otherwords.results import load_all_results

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
_FILE = re.compile(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", re.DOTALL)
_EXAMPLE = re.compile(r"(?<!-->\n)```python\n(.*?)```", re.DOTALL)
_LOGS = re.compile(r'log_dir="([\w-]+)"')
EXAMPLES = {found[1]: code for code in _EXAMPLE.findall(PAGE) if (found := _LOGS.search(code))}


@pytest.fixture
def address() -> Iterator[str]:
    class Agent(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["prompt"]
            body = json.dumps({"answer": "Paris" if "France" in asked else "8"}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Agent)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_there_is_an_example_of_each() -> None:
    assert sorted(EXAMPLES) == ["logs-command", "logs-function", "logs-object", "logs-url"]


@pytest.mark.parametrize("logs", sorted(EXAMPLES))
def test_the_example_runs_and_every_answer_is_right(
    logs: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in _FILE.findall(PAGE):
        (tmp_path / name).write_text(text, encoding="utf-8")
    code = EXAMPLES[logs].replace("http://localhost:8000", address)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, logs, "exec"), {"__name__": logs})
    table = load_all_results(tmp_path / logs)
    assert out.getvalue() == f"{table.height}\n"
    assert table.height == 4
    assert table["score"].to_list() == [1.0] * 4


def test_every_refused_flag_is_on_the_page() -> None:
    named = re.findall(r"^\| `(-[-\w]+)", PAGE.partition("## HAL's flags")[2], re.MULTILINE)
    assert [name.replace("_", "-") for name in named] == list(HAL_FLAGS)
