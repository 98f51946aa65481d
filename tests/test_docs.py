"""Python blocks of the docs print the text block that follows them, and the commands of the pages run."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import shutil
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import otherwords
from otherwords.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_EXAMPLE = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)

_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_INDENTED = re.compile(r"(?:^    .*\n|^\n)+", re.MULTILINE)
_FROM_A_ROOM = re.compile(r"^\s*(?:from|import) otherwords\.\w.*$", re.MULTILINE)
_FROM_OURS = re.compile(r"^\s*from otherwords import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)


def python_blocks() -> list[tuple[str, str]]:
    """Each page's name and code, fenced or indented."""
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    return [
        (page.name, block)
        for page in pages
        for text in [page.read_text(encoding="utf-8")]
        for block in [*_PYTHON.findall(text), *_INDENTED.findall(text)]
    ]


def test_pages_import_from_otherwords_itself_and_not_from_its_rooms() -> None:
    assert [(page, line) for page, code in python_blocks() for line in _FROM_A_ROOM.findall(code)] == []


def test_what_pages_import_from_otherwords_is_there() -> None:
    imported = {
        (page, name.strip())
        for page, code in python_blocks()
        for lines in _FROM_OURS.findall(code)
        for name in re.sub(r"#.*", "", "".join(lines)).split(",")
        if name.strip()
    }
    assert imported
    assert [one for one in sorted(imported) if not hasattr(otherwords, one[1])] == []


@pytest.mark.parametrize("page", ["audit.md", "python.md", "templates.md", "variants.md", "worrying.md"])
def test_examples_print_what_the_page_says(page: str) -> None:
    examples = _EXAMPLE.findall((DOCS / page).read_text(encoding="utf-8"))
    assert examples
    for code, expected in examples:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, "exec"), {})
        assert out.getvalue() == expected


def test_every_check_is_on_the_page_in_its_layer() -> None:
    from otherwords.checks import checks_in_order
    from otherwords.checks.base import check_traits

    page = (DOCS / "variants.md").read_text(encoding="utf-8")
    invariants = page.partition("| invariant |")[2].partition("| flag |")[0]
    flags = page.partition("| flag |")[2].partition("###")[0]
    tables = {"invariant": invariants, "flag": flags}
    layers = {name: check_traits(check).layer for name, check in checks_in_order()}
    assert [name for name, layer in layers.items() if f"`{name}`" not in tables[layer]] == []


_QUESTIONS = """\
{"id": "capital", "question": "What is the capital of France?", "answer": "Paris", \
"wordings": ["Tell me the capital of France."]}
{"id": "legs", "question": "How many legs does a spider have?", "answer": ["8", "eight"]}
{"id": "mammal", "question": "Which of these is a mammal?", "choices": ["Cod", "Cow", "Crow"], "answer": "B"}
{"id": "none", "question": "Which of these is a fish?", "choices": ["Cow", "Cod", "Neither"], "answer": "B"}
"""
FILES = {
    **{"questions.jsonl": _QUESTIONS, "set.jsonl": _QUESTIONS},
    "variants-decisions.jsonl": """\
{"item": "legs", "name": "para1", "accepted": true, "person": "Ann", "date": "2026-11-18", \
"wording_hash": "of another wording", "note": ""}
""",
    "promptfooconfig.yaml": """\
prompts: ["Answer the following question in one word.\\n\\n{{question}}"]
tests:
  - vars: {question: "What is the capital of France?"}
    assert: [{type: icontains, value: paris}]
""",
    "short.txt": "{product}: {question}",
    "long.txt": "Please answer the question about our product.\n\nProduct: {product}\nQuestion: {question}",
    "polite.txt": "Would you kindly answer?\n\nProduct: {product}\nQuestion: {question}",
    "pairs.jsonl": """\
{"original": "What is the capital of France?", "rewrite": "Tell me the capital of France.", "kind": "good"}
{"original": "Name 3 fish.", "rewrite": "Name 4 fish.", "kind": "number"}
""",
    "generate.yaml": "temperature: 0.5\n",
    "quiz.py": """\
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, prompt_template, system_message, use_tools
from inspect_ai.tool import tool


@tool
def look_up():
    async def execute(country: str) -> str:
        '''Look up the capital of a country.

        Args:
            country: The name of the country.
        '''
        return "Rome"

    return execute


@task
def capitals():
    return Task(
        dataset=[Sample(id="italy", input="What is the capital of Italy?", target="Rome")],
        solver=[
            system_message("You answer questions. Be brief."),
            prompt_template("Answer the following question in one word.\\n\\n{prompt}"),
            use_tools(look_up()),
            generate(),
        ],
        scorer=includes(),
    )
""",
}
"""Files that pages name and do not show; what a page shows itself takes their place."""
_VARY = "otherwords vary questions.jsonl -k 2 -o variants.jsonl"
_RUN = "otherwords run questions.jsonl --variants variants.jsonl --model openai/gpt-4o-mini --repeats 2"
PREPARED = {
    "papers.md": [
        _VARY,
        f"{_RUN} --log-dir logs/gpqa",
        *(f"cp logs/gpqa logs/{one}" for one in ("mmlu", "gsm8k")),
    ],
    "publishing.md": [_VARY],
    "report.md": [
        *(_VARY, _RUN, "otherwords aggregate --logs logs --out results", "cp logs logs-main"),
        *("cp logs runs/january", "cp logs runs/february", "cp logs runs/october"),
    ],
    "results.md": [_VARY, _RUN],
    "scale.md": [_VARY],
    "variants.md": [_VARY],
}
"""What is typed before the commands of a page that begins with wordings or logs."""


_BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^>]*) -->\n\n?)?"
    r"(?:^```(?P<language>\w*)\n(?P<fenced>.*?)^```$|(?P<indented>(?:^    [^\n]*\n)+))",
    re.MULTILINE | re.DOTALL,
)
_PROGRAM = re.compile(
    r"(?:otherwords|inspect|pip|python\S*|pytest|sbatch|kubectl|vllm|ollama|llama-server|make) \S"
)
_PROVIDER = re.compile(r"\b(?:openai|anthropic|mistral)/(?=[a-z])")
NEEDS = (
    *("AppWorld", "Ollama", "Ray", "Slurm or Kubernetes", "a hub download", "an agent of HAL"),
    *("an empty environment", "llama.cpp", "minutes of tau2", "vLLM"),
)
"""Why a command of the pages may not run in the tests; the page's source says it before the block."""
FOLLOWED = ("README.md", "ci.md", "evaluate-agent.md", "local-models.md", "study.md")
"""Pages whose blocks marked `run` are typed into a shell: test_readme, test_paths, runs/test_local_models."""


def blocks_of(page: Path) -> list[tuple[str, str, bool]]:
    """Each block's mark and text in their order, and whether commands are in it."""
    found = []
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        text = block["fenced"] or textwrap.dedent(block["indented"] or "")
        shell = (block["language"] or "") in ("", "sh", "bash") and _PROGRAM.match(text) is not None
        found.append((block["mark"] or "", text, shell))
    return found


def lines_of(text: str) -> list[str]:
    """The commands of a block, without what is said beside them."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [re.split(r"\s{3,}|\s# ", line)[0] for line in lines if line.strip()]


PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
TYPED = [
    page
    for page in PAGES
    if any(shell and not re.match(r"run|not run", mark) for mark, _, shell in blocks_of(page))
]


def test_every_command_of_the_pages_runs_or_says_what_it_needs() -> None:
    told = {(page.name, mark) for page in PAGES for mark, _, shell in blocks_of(page) if shell and mark}
    needs = {mark.removeprefix("not run: needs ") for _, mark in told if mark.startswith("not run")}
    assert needs == set(NEEDS)
    assert {page for page, mark in told if not mark.startswith("not run")} == set(FOLLOWED)
    assert {mark for page, mark in told if page in FOLLOWED and not mark.startswith("not run")} == {"run"}
    assert not {page.name for page in TYPED} & set(FOLLOWED)


def reply(prompt: str) -> str:
    """What stands in for the models of providers says: it answers, writes wordings and judges them."""
    if "Do the two mean the same?" in prompt:
        return json.dumps({"difference": "", "same": True})
    if '"rewordings"' in prompt:
        return json.dumps({"rewordings": ["Could you tell me what the capital of France is?"]})
    return "ANSWER: B. Paris, 8, blue, 3, Rome" if len(prompt) % 3 else "I do not know."


SMALLER = {
    **{"polite.txt -o": "polite.txt -k 1 -o", "cases.jsonl -o wordings": "cases.jsonl -k 1 -o wordings"},
    **{
        "--vary item,template -o": "--vary item,template -k 1 -o",
        "--vary template --": "--vary template -k 1 --",
    },
    "questions.jsonl --model openai/gpt-4o --": "set.jsonl --log-dir logs-2 --model openai/gpt-4o --",
    **{"-o repaired": "--repeats 1 -k 1 -o repaired"},
    **{"--shards 40": "--shards 2", "--shard 3/40": "--shard 2/2", "-n 40 ": "-n 2 "},
    **{"accuracy:0.05": "accuracy:0.45", "gpt-4o-mini:0.05": "gpt-4o-mini:0.99"},
    **{"--benchmark taubench_airline": "--benchmark questions", "--benchmark gaia": "--benchmark questions"},
    **{"--scorer grade.style": "--scorer answers", "--as my-agent": "--as openai/gpt-4o-mini"},
}
"""What would ask for more items than these tests have, and names that stand for one's own."""


def as_tested(text: str) -> str:
    """The same with models of this process in place of providers', and for few items."""
    for large, small in SMALLER.items():
        text = text.replace(large, small)
    return _PROVIDER.sub("scripted/", text)


def otherwords_says(line: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    if line.startswith("cp "):
        shutil.copytree(*line.split()[1:])
        return 0, ""
    with pytest.raises(SystemExit) as end:
        main(shlex.split(line)[1:])
    said = capsys.readouterr()
    return int(end.value.code or 0), said.out + said.err


def may_say_no(line: str) -> bool:
    """Whether exit code 1 is an answer of this command."""
    return re.search(r"^otherwords check|--fail-on|--until gate", line) is not None


@pytest.mark.slow
@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.name)
def test_the_commands_of_a_page_run(
    page: Path,
    scripted: Callable[..., str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("gpt-4o", "gpt-4o-mini", "o4-mini", "claude-haiku-4-5", "mistral-small-latest"):
        scripted(name, reply)
    blocks = blocks_of(page)
    shown = {mark.removeprefix("file: "): text for mark, text, _ in blocks if mark.startswith("file: ")}
    for name, text in {**FILES, **shown}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(as_tested(text), encoding="utf-8")
    typed = [line for mark, text, shell in blocks if shell and not mark for line in lines_of(text)]
    for line in [*PREPARED.get(page.name, ()), *typed]:
        code, said = otherwords_says(as_tested(line), capsys)
        assert code == 0 or (code == 1 and may_say_no(line)), f"{line}\n{said}"
