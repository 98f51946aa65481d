"""`url_agent`, `command_agent`: an agent behind an address, or as a command → a solver; both checked first.

The address is sent `{"prompt": …, "messages": […]}`, or what OpenAI's chat API takes where it is one of its
kind. The command reads the prompt on standard input and writes its answer to standard output.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import anyio
import anyio.to_thread
import httpx
from inspect_ai.log import transcript
from inspect_ai.solver import Solver, TaskState, solver
from inspect_ai.util import concurrency

from otherwords.core.contract import AGENT_SECONDS
from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import find_keys, without_keys
from otherwords.runs.agents import AgentError, ProviderError, answered_by, describe_exception, shortened
from otherwords.runs.agents.agent_folder import copy_agent, require_folder
from otherwords.runs.agents.hal import copy_files, current_sample_files
from otherwords.runs.agents.process import (
    LARGEST_RESPONSE,
    Containment,
    Ended,
    run_contained,
    working_folder,
)
from otherwords.runs.agents.replies import read_reply
from otherwords.runs.progress import prompt_given_to_agent
from otherwords.runs.selectors import parse_selector
from otherwords.runs.settings import revealed

_CHAT = "/chat/completions"
_SECONDS_TO_CONNECT = 5
_NOT_ASKED = frozenset({401, 402, 403, 404, 405, 407, 408, 409, 410, 425, 429, 502, 503, 504})
"""HTTP statuses by which the agent itself was not asked. 500 is its own failure."""


# ---- addresses


@solver
def url_agent(
    url: str,
    agent_args: Mapping[str, Any] | None = None,
    key_variable: str | None = None,
    time_limit: float | None = AGENT_SECONDS,
    prompt_field: str | None = None,
    agent_name: str | None = None,
) -> Solver:
    """Have each sample answered by an agent behind an address.

    It is sent `{"prompt": text, "messages": [{"role": "user", "content": text}]}` as JSON by POST. Its answer
    is plain text, or JSON: a text, an object with `answer` (or `response`, `output`, `text`, `content`), a
    list of chat messages, or an object with `messages`. An address that ends in `/chat/completions`, or in
    `/v1`, is asked as OpenAI's chat API.

    Args:
        url: The address, `http://` or `https://`.
        agent_args: Further fields of the JSON that is sent, such as `model`.
        key_variable: A variable of the environment whose value is sent as a bearer token.
        time_limit: Seconds that one answer may take; None for any time.
        prompt_field: Where the sample keeps its prompt, as for `vary_task`.
        agent_name: What the agent is called in logs; by default the address.

    Returns:
        An Inspect solver.

    Raises:
        InputError: It is no such address, nobody answers there, or an argument is wrong.

    Example:
        >>> from otherwords import url_agent
        >>> url_agent("localhost:8000")
        Traceback (most recent call last):
        otherwords.core.errors.InputError: --agent-url localhost:8000: is no http:// or https:// address
    """
    Containment(time_limit).require()
    address = require_address(url)
    is_chat = address.path.rstrip("/").endswith((_CHAT, "/v1"))
    if address.path.rstrip("/").endswith("/v1"):
        url = url.rstrip("/") + _CHAT
    headers = {}
    if key_variable is not None:
        if not os.environ.get(key_variable):
            raise InputError(f"--agent-env {key_variable}: there is no such variable in the environment")
        headers = {"Authorization": f"Bearer {os.environ[key_variable]}"}
    selector = None if prompt_field is None else parse_selector(prompt_field)

    async def ask(state: TaskState, prompt: str) -> str:
        message = {"role": "user", "content": prompt}
        sent = {"messages": [message]} if is_chat else {"prompt": prompt, "messages": [message]}
        prompt_given_to_agent(prompt)
        with anyio.move_on_after(time_limit) as clock:
            body = await _post(url, {**sent, **revealed(dict(agent_args or {}))}, headers, is_chat=is_chat)
        if clock.cancelled_caught:
            raise AgentError(f"timed out after {time_limit:g} s")
        reply = read_reply(body)
        state.messages.extend(reply.messages)
        return reply.text

    return answered_by(ask, agent_name or url, selector)


def require_address(url: str) -> SplitResult:
    """The address, taken apart; an InputError where it is none or nobody listens there."""
    try:
        address = urlsplit(url)
        port = address.port or (443 if address.scheme == "https" else 80)
    except ValueError as error:
        raise InputError(f"--agent-url {url}: is no address: {error}") from error
    if address.scheme not in ("http", "https") or not address.hostname:
        raise InputError(f"--agent-url {url}: is no http:// or https:// address")
    if address.username or any(True for _ in find_keys(url)):
        raise InputError(
            "--agent-url has a password or a key in it, and Inspect writes it into its logs",
            hint="Send the key as a bearer token, from a variable: --agent-env NAME",
        )
    proxied = address.scheme in urllib.request.getproxies() and not urllib.request.proxy_bypass(
        address.hostname
    )
    if not proxied:
        try:
            socket.create_connection((address.hostname, port), timeout=_SECONDS_TO_CONNECT).close()
        except OSError as error:
            raise InputError(
                f"--agent-url {url}: nobody answers there: {error.strerror or error}",
                hint="Start the agent first.",
            ) from error
    return address


async def _post(url: str, sent: Mapping[str, Any], headers: Mapping[str, str], *, is_chat: bool) -> Any:
    """What the address answered: JSON, or text where it says that it is text."""
    body = bytearray()
    try:
        async with (
            httpx.AsyncClient(timeout=None) as client,
            client.stream("POST", url, json=sent, headers=dict(headers)) as response,
        ):
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > LARGEST_RESPONSE:
                    raise AgentError(f"answered with more than {LARGEST_RESPONSE / 1e6:.0f} MB")
    except httpx.HTTPError as error:
        raise ProviderError(f"{url} could not be asked: it {describe_exception(error)}") from error
    text = bytes(body).decode("utf-8", "replace")
    if not response.is_success:
        outside = response.status_code in _NOT_ASKED or (is_chat and response.status_code >= 500)
        kind = ProviderError if outside or response.is_redirect else AgentError
        raise kind(f"{url} answered with status {response.status_code}: {shortened(text) or 'nothing'}")
    form = response.headers.get("content-type", "").partition(";")[0].strip()
    if form == "text/plain":
        return text
    try:
        return httpx.Response(200, content=bytes(body)).json()
    except ValueError as error:
        raise AgentError(f"answered with {form or 'something'} that is no JSON: {shortened(text)}") from error


# ---- commands


@solver
def command_agent(
    command: str,
    folder: str | None = None,
    env: Sequence[str] = (),
    memory: int | None = None,
    time_limit: float | None = AGENT_SECONDS,
    prompt_field: str | None = None,
    agent_name: str | None = None,
    withheld_files: Sequence[str] = (),
    max_processes: int | None = None,
) -> Solver:
    """Have each sample answered by a command, which reads the prompt on standard input and prints the answer.

    Each sample has a process of its own, in an empty folder or in a copy of `folder`, where the sample's
    files are, too. What it prints to standard error is kept in the log.

    Args:
        command: The program and its arguments, as in a shell, but without a shell's pipes and variables.
            Files among the arguments are looked for in `folder` first, then where the run was started.
        folder: The agent's folder, of which the command gets a copy to work in.
        env: Variables of the environment that it has, beside those that every program needs.
        memory: Bytes of memory that its processes may have together; None for any number.
        time_limit: Seconds that one answer may take; None for any time.
        prompt_field: Where the sample keeps its prompt, as for `vary_task`.
        agent_name: What the agent is called in logs; by default the program's name.
        withheld_files: Files and folders that the copy of the agent's folder does not have.
        max_processes: Commands that may run at a time; by default one for each core.

    Returns:
        An Inspect solver. Where the command exits with another code than 0, a run scores the sample 0.

    Raises:
        InputError: There is no such program or folder, an argument is wrong, or this system is neither Linux
            nor macOS.

    Example:
        >>> from otherwords import command_agent
        >>> command_agent("no-such-program --fast")
        Traceback (most recent call last):
        otherwords.core.errors.InputError: --agent-command: there is no program 'no-such-program'
    """
    may = Containment(time_limit, memory, tuple(env))
    may.require()
    home = None if folder is None else require_folder(folder)
    words = command_words(command, home)
    name = agent_name or Path(words[0]).name
    selector = None if prompt_field is None else parse_selector(prompt_field)
    kept_out = {Path(file).resolve() for file in withheld_files}
    at_a_time = max_processes or os.cpu_count() or 1

    async def ask(_state: TaskState, prompt: str) -> str:
        prompt_given_to_agent(prompt)
        files = current_sample_files()
        async with concurrency(f"agent {name}", at_a_time):
            with working_folder() as place:
                if home is not None:
                    await anyio.to_thread.run_sync(copy_agent, home, place, kept_out)
                if files:
                    await anyio.to_thread.run_sync(copy_files, files, place)
                ended = await run_contained(words, place, may, prompt, most=LARGEST_RESPONSE)
        _record(ended, name)
        return _printed(ended, may)

    return answered_by(ask, name, selector)


def command_words(command: str, folder: Path | None) -> list[str]:
    """The program and its arguments; files that are not in `folder` by their whole path."""
    if os.name != "posix":
        raise InputError(
            "--agent-command needs Linux or macOS",
            hint="A Python callable runs everywhere: --agent module:function",
        )
    try:
        program, *arguments = shlex.split(command)
    except ValueError as error:
        reason = "is empty" if not command.strip() else f"cannot be read: {error}"
        raise InputError(f"--agent-command {reason}") from error
    return [_program(program, folder), *(_placed(one, folder) for one in arguments)]


def command_files(command: str, folder: str | None) -> list[Path]:
    """The files among the command's words that are not in `folder` and no installed program."""
    words = command_words(command, None if folder is None else require_folder(folder))
    program = [] if os.sep not in shlex.split(command)[0] else words[:1]
    return [Path(one) for one in (*program, *words[1:]) if os.path.isabs(one) and Path(one).is_file()]


def _program(name: str, folder: Path | None) -> str:
    """One of the agent's folder or of the current one by its path, or one that is installed."""
    name = os.path.expanduser(name)
    for base in filter(None, (folder, Path.cwd())):
        file = base / name
        if not file.is_file() or (base != folder and os.sep not in name):
            continue
        if not os.access(file, os.X_OK):
            raise InputError(
                f"--agent-command: '{name}' is a file that cannot be run",
                hint=f"Make it a program with chmod +x {name}, or name its interpreter: python3 {name}",
            )
        return os.path.join(os.curdir, name) if base == folder else str(file)
    found = shutil.which(name)
    if found is None:
        raise InputError(f"--agent-command: there is no program '{name}'")
    return found


def _placed(word: str, folder: Path | None) -> str:
    if not word or word.startswith("-") or (folder is not None and (folder / word).exists()):
        return word
    return os.path.abspath(word) if Path(word).is_file() else word


def _printed(ended: Ended, may: Containment) -> str:
    failure = ended.failure(may)
    if failure is not None:
        raise failure
    if ended.exit_code:
        last = next((line for line in reversed(ended.stderr.splitlines()) if line.strip()), "")
        raise AgentError(f"exited with code {ended.exit_code}{': ' if last else ''}{last.strip()}")
    if len(ended.output) >= LARGEST_RESPONSE:
        raise AgentError(f"printed {LARGEST_RESPONSE / 1e6:.0f} MB or more")
    return ended.output.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")


def _record(ended: Ended, name: str) -> None:
    """Write how the process ended into the transcript, where the log viewer shows it."""
    about = {
        "agent": name,
        "seconds": ended.seconds,
        "exit_code": ended.exit_code,
        "timed_out": ended.timed_out,
        "stderr": ended.stderr,
    }
    transcript().info(without_keys(about), source="command_agent")
