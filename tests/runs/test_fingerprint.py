from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig
from inspect_ai.scorer import includes, match
from inspect_ai.solver import SolverSpec, generate, system_message
from inspect_ai.util import SandboxEnvironmentSpec

from otherwords.runs import fingerprint as module
from otherwords.runs import source_code
from otherwords.runs.fingerprint import PARTS, Fingerprint, fingerprint, sample_content
from otherwords.runs.settings import Limits, RunSettings

# ---- a run


def task(**fields: Any) -> Task:
    given = {"solver": [system_message("Be brief."), generate()], "scorer": includes(), **fields}
    return Task(dataset=[Sample(id="q1", input="Who?", target="I")], **given)


def changed(one: Fingerprint, other: Fingerprint) -> list[str]:
    assert set(one.parts) | {"inspect"} == set(other.parts) | {"inspect"} == set(PARTS)
    return [part for part in PARTS if one.parts.get(part) != other.parts.get(part)]


PLAIN = RunSettings()


@pytest.mark.parametrize(
    ("other", "settings", "parts"),
    [
        (task(), PLAIN, []),
        (task(scorer=match()), PLAIN, ["scorer"]),
        (task(scorer=includes(ignore_case=False)), PLAIN, ["scorer"]),
        (task(solver=[system_message("Be long."), generate()]), PLAIN, ["solver"]),
        (task(setup=system_message("First.")), PLAIN, ["solver"]),
        (task(), RunSettings(solver=SolverSpec("generate")), ["solver"]),
        (task(), RunSettings(solver_id="other"), ["solver"]),
        (task(), RunSettings(agent_sources={"mine.py": "other"}), ["solver"]),
        (task(), RunSettings(solver_id="other", calls_no_model=True), ["agent", "solver"]),
        (task(), RunSettings(agent_sources={"a.py": "b"}, calls_no_model=True), ["agent", "solver"]),
        (task(), RunSettings(task_sources={"quiz.py": "other"}), ["task"]),
        (task(sandbox="local"), PLAIN, ["task"]),
        (task(), RunSettings(config=GenerateConfig(temperature=0)), ["generate"]),
        (task(config=GenerateConfig(temperature=0)), PLAIN, ["generate"]),
        (task(), RunSettings(config=GenerateConfig(max_connections=9, timeout=3)), []),
        (task(), RunSettings(config=GenerateConfig(batch=9, max_retries=3, attempt_timeout=3)), []),
        (task(), RunSettings(config=GenerateConfig(cache=True)), ["generate"]),
        (task(), RunSettings(config=GenerateConfig(logprobs=True)), ["generate"]),
        (task(), RunSettings(eval_args={"sandbox": SandboxEnvironmentSpec("local")}), ["inspect"]),
        (task(), RunSettings(eval_args={"approval": "auto"}), ["inspect"]),
        (task(), RunSettings(eval_args={"retry_on_error": 2}), ["inspect"]),
        (task(), RunSettings(eval_args={"max_samples": 2, "tags": ["a"], "metadata": {"b": 1}}), []),
        (task(), RunSettings(limits=Limits(messages=9)), ["limits"]),
        (task(message_limit=9), PLAIN, ["limits"]),
        (task(cost_limit=9), PLAIN, ["limits"]),
        (task(), RunSettings(model_args={"size": 1}), ["model_args"]),
        (task(), RunSettings(model_roles={"user": "a/b"}), ["roles"]),
        (task(model_roles={"grader": "mockllm/model"}), PLAIN, ["roles"]),
    ],
)
def test_each_part_has_a_hash_of_its_own(other: Task, settings: RunSettings, parts: list[str]) -> None:
    assert changed(fingerprint(task(), PLAIN), fingerprint(other, settings)) == parts


def test_a_run_without_options_of_inspect_is_known_as_before_there_were_any() -> None:
    assert "inspect" not in fingerprint(task(), RunSettings(eval_args={"max_samples": 2})).parts


def test_files_of_inspects_options_count_by_what_is_in_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"approval": Path("policy.yaml"), "sandbox": Path("compose.yaml")}
    for file in files.values():
        file.write_text("one: 1")
    settings = RunSettings(
        eval_args={
            "approval": "policy.yaml",
            "sandbox": SandboxEnvironmentSpec("docker", "compose.yaml"),
        }
    )
    before = fingerprint(task(), settings)
    for name, file in files.items():
        file.write_text("two: 2")
        now = fingerprint(task(), settings)
        assert changed(before, now) == ["inspect"]
        assert [one for one in now.sources if now.sources[one] != before.sources[one]] == [
            f"--inspect {name}"
        ]
        before = now


def test_another_key_is_no_other_run() -> None:
    first, second = (RunSettings(model_args={"api_key": f"sk-{letter * 40}"}) for letter in "ab")
    assert fingerprint(task(), first) == fingerprint(task(), second)


SCORING = """
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import solver

WEIGHT = 1

@scorer(metrics=[accuracy()])
def generous(value: str = "C"):
    floor = 0
    async def score(state, target):
        return Score(value=value)
    return score

@solver
def quiet():
    async def solve(state, generate):
        return state
    return solve

class Counting:
    def __init__(self, most):
        self.most = most
    async def __call__(self, state, generate):
        return state
"""


def loaded(file: Path) -> Any:
    sys.modules.pop(file.stem, None)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = made
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("value=value", "value='I'", ["scorer", "task"]),
        ("floor = 0", "floor = 1", ["scorer", "task"]),
        ('value: str = "C"', 'value: str = "I"', ["scorer", "task"]),
        ("return state\n    return solve", "return state  #\n    return solve", ["solver", "task"]),
        ("WEIGHT = 1", "WEIGHT = 2", ["task"]),
    ],
)
def test_code_that_is_not_installed_counts_by_its_text(
    old: str, new: str, parts: list[str], tmp_path: Path
) -> None:
    def now(text: str, folder: str) -> Fingerprint:
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "scoring_of_mine.py"
        file.write_text(text)
        made = loaded(file)
        return fingerprint(task(solver=made.quiet(), scorer=made.generous()), PLAIN)

    before = now(SCORING, "first")
    assert before == now(SCORING, "moved")
    assert old in SCORING
    after = now(SCORING.replace(old, new), "edited")
    assert changed(before, after) == parts
    assert {name for name in after.sources if after.sources[name] != before.sources[name]} == {
        "scoring_of_mine.py"
    }


def test_an_object_that_is_called_counts_by_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "calling_of_mine.py"
    file.write_text(SCORING)
    made = loaded(file)
    first, same, other = (task(solver=made.Counting(most)) for most in (1, 1, 2))
    assert fingerprint(first, PLAIN) == fingerprint(same, PLAIN)
    assert changed(fingerprint(first, PLAIN), fingerprint(other, PLAIN)) == ["solver"]


def test_an_installed_package_counts_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(task(), PLAIN)
    assert set(before.sources) == {"inspect_ai"}
    monkeypatch.setattr(source_code, "package_version", lambda name: f"another {name}")
    after = fingerprint(task(), PLAIN)
    assert changed(before, after) == ["scorer", "solver"]
    assert after.sources == {"inspect_ai": "another inspect_ai"}
    named = [fingerprint(task(), RunSettings(solver=SolverSpec("generate"))).parts["solver"]]
    monkeypatch.setattr(module, "package_version", lambda name: f"another {name}")
    named.append(fingerprint(task(), RunSettings(solver=SolverSpec("generate"))).parts["solver"])
    assert len(set(named)) == 2


def test_a_sandbox_counts_by_its_files_in_the_tasks_folder(tmp_path: Path) -> None:
    def now(**files: str) -> dict[str, str]:
        for name, text in files.items():
            (tmp_path / name.replace("_", ".")).write_text(text)
        found = {}
        for name, sandbox in {"named": ("docker", "compose.yaml"), "found": "docker"}.items():
            made = task(sandbox=sandbox)
            setattr(made, module._FOLDER, str(tmp_path))
            found[name] = fingerprint(made, PLAIN).parts["task"]
            sample = Sample(input="Who?", sandbox=sandbox)  # type: ignore[arg-type]
            found[f"{name} by the sample"] = sample_content(sample, tmp_path)
        return found

    states = [now(), now(compose_yaml="one"), now(compose_yaml="two"), now(Dockerfile="FROM one")]
    for state in ({one[name] for one in states} for name in states[0]):
        assert len(state) == len(states)
    assert now() == states[-1]


def test_a_thing_that_holds_itself_ends(tmp_path: Path) -> None:
    itself: list[Any] = []
    itself.append(itself)
    sample = Sample(input="Who?", metadata={"again": itself, "made": {1, 2}, "kept": tmp_path, "raw": b"1"})
    assert sample_content(sample) == sample_content(sample.model_copy())


# ---- samples

BEFORE = Sample(
    id="q1#orig",
    input=[ChatMessageUser(content="Who?")],
    choices=["a", "b"],
    target="A",
    metadata={"level": 1},
    files={"data.txt": "one"},
    setup="true",
    sandbox=SandboxEnvironmentSpec(type="docker", config="compose.yaml"),
)


@pytest.mark.parametrize(
    "fields",
    [
        {"input": [ChatMessageUser(content="Whom?")]},
        {"choices": ["b", "a"]},
        {"target": "B"},
        {"metadata": {"level": 2}},
        {"files": {"data.txt": "two"}},
        {"files": None},
        {"setup": "false"},
        {"sandbox": SandboxEnvironmentSpec(type="local")},
    ],
)
def test_all_of_a_sample_counts(fields: dict[str, Any]) -> None:
    assert sample_content(BEFORE.model_copy(update=fields)) != sample_content(BEFORE)


def test_a_picture_counts_by_what_is_in_it_and_a_word_is_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def now(picture: str, folder: str) -> str:
        (tmp_path / "map.png").write_text(picture)
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "file").touch()
        content = [ContentText(text="Paris"), ContentImage(image="map.png")]
        return sample_content(Sample(input=[ChatMessageUser(content=content)]))

    first = now("one", "Rome")
    assert now("one", "Paris") == first
    assert now("two", "Paris") != first


def test_what_differs_each_time_or_tells_of_the_run_does_not_count() -> None:
    ours = {
        "level": 1,
        "item_id": "q1",
        "variant": "orig",
        "paraphrase_id": "orig",
        "otherwords_content": "x",
    }
    same = BEFORE.model_copy(update={"input": [ChatMessageUser(content="Who?")], "metadata": ours})
    assert same.input[0].id != BEFORE.input[0].id  # type: ignore[union-attr]
    assert sample_content(same) == sample_content(BEFORE)


def test_files_count_by_what_is_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def now(folder: str, content: str, name: str = "a.txt") -> str:
        here = tmp_path / folder
        (here / "inner").mkdir(parents=True)
        (here / "inner" / name).write_text("same")
        (here / "data.txt").write_text(content)
        files = {"data.txt": str(here / "data.txt"), "all": str(here / "inner")}
        return sample_content(BEFORE.model_copy(update={"files": files}))

    first = now("first", "one")
    assert now("moved", "one") == first
    assert now("other", "two") != first
    assert now("renamed", "one", "b.txt") != first
