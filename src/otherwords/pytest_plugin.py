"""pytest plugin: a marked test asks every wording of its cases, live or replayed, and is held to thresholds.

    @pytest.mark.otherwords(cases="questions.jsonl", min_s_norm=0.8, max_accuracy_drop=0.05, k=5)
    def test_answers_hold(ask, case):
        assert case.right(ask(case.prompt))

The test is called once for each wording and repeat; an assertion that fails is a wrong answer. What is
imported here is light: a session without such tests loads nothing else of otherwords.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from otherwords.pipeline.pytest_cases import Case, Found

MARK = "otherwords"
OPTIONS = ("cases", "variants", "k", "repeats", "families", "seed")
"""Arguments of the mark that are no thresholds."""
_SAME_ERRORS = 5
Key = tuple[str, str, int]
"""Which answer: the test, the prompt, and how often the test has asked it."""
_CALLS = pytest.StashKey[Path]()


@dataclass
class Asking:
    """How a test asks: counted, within the session's budget, recorded or replayed."""

    raw: Callable[[str], Any]
    test: str
    budget: Budget
    record: Path | None
    replay: dict[Key, str] | None
    asked: int = 0
    calls: int = 0
    times: Counter[str] = field(default_factory=Counter)

    def __call__(self, prompt: str) -> str:
        self.asked += 1
        self.times[prompt] += 1
        key = (self.test, prompt, self.times[prompt])
        if self.replay is not None:
            if key not in self.replay:
                raise NotRecorded(prompt)
            return self.replay[key]
        self.budget.take()
        self.calls += 1
        answer = self.raw(prompt)
        if inspect.isawaitable(answer):
            answer = _loop().run_until_complete(_awaited(answer))
        if not isinstance(answer, str):
            raise TypeError(f"ask must give a text, and gave an object of type {type(answer).__name__}")
        if self.record is not None:
            _append(self.record, _recorded(key, answer))
        return answer


class NotRecorded(Exception):
    """A prompt has no recorded answer."""


class BudgetSpent(Exception):
    """The session's calls are used up."""


@dataclass
class Budget:
    """Calls of the whole session: each process that calls adds a byte to one file."""

    most: int | None
    file: Path

    def take(self) -> None:
        if self.most is not None and _append(self.file, ".") > self.most:
            raise BudgetSpent


def _recorded(key: Key, answer: str) -> str:
    """A line of a file of answers, which people read in the changes of a commit."""
    test, prompt, time = key
    line = {"test": test, "prompt": prompt, "time": time, "answer": answer}
    return json.dumps(line, ensure_ascii=False) + "\n"


def _answers(file: Path) -> dict[Key, str]:
    """The recorded answers; of several to the same prompt the last."""
    answers: dict[Key, str] = {}
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise pytest.UsageError(f"{file}: no file of recorded answers: {error}") from None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                one = json.loads(line)
                answers[one["test"], one["prompt"], one["time"]] = one["answer"]
            except (ValueError, KeyError, TypeError):
                raise pytest.UsageError(
                    f"{file}, line {number}: no recorded answer; make the file with --otherwords-record"
                ) from None
    return answers


def _append(file: Path, text: str) -> int:
    """Adds the text to the file, as a whole among several processes; returns the file's size then."""
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, text.encode())
        return os.lseek(handle, 0, os.SEEK_CUR)
    finally:
        os.close(handle)


async def _awaited(answer: Any) -> Any:
    return await answer


def _loop() -> asyncio.AbstractEventLoop:
    """One loop for all calls, as clients keep their connections in it."""
    if not hasattr(_loop, "kept"):
        _loop.kept = asyncio.new_event_loop()  # type: ignore[attr-defined]
    loop: asyncio.AbstractEventLoop = _loop.kept  # type: ignore[attr-defined]
    return loop


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a session."""
    group = parser.getgroup(MARK, "otherwords: prompts in other words")
    group.addoption("--otherwords-model", metavar="NAME", help="The model that the fixture `ask` asks.")
    group.addoption("--otherwords-budget", type=int, metavar="CALLS", help="Most calls of the whole session.")
    group.addoption("--otherwords-record", metavar="FILE", help="Keep the answers in this file.")
    group.addoption(
        "--otherwords-replay", metavar="FILE", help="Take the answers from this file, and call nothing."
    )
    group.addoption(
        "--otherwords-cannot-tell",
        choices=["fail", "pass", "xfail"],
        default="fail",
        help="What a test is when its runs leave a threshold open. Default: fail.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark, and refuse options that contradict each other."""
    config.addinivalue_line(
        "markers",
        f"{MARK}(cases=, min_METRIC=, max_METRIC=, k=, repeats=): ask each case in other words, and hold the "
        "answers to thresholds; the test takes `ask` and `case`.",
    )
    if config.getoption("--otherwords-record") and config.getoption("--otherwords-replay"):
        raise pytest.UsageError("--otherwords-record and --otherwords-replay cannot be given together")
    replay = config.getoption("--otherwords-replay")
    if replay and not Path(replay).is_file():
        raise pytest.UsageError(
            f"--otherwords-replay {replay}: no such file; make it with --otherwords-record"
        )
    record = config.getoption("--otherwords-record")
    for file in (record, replay):
        if file and Path(file).is_file():
            _answers(Path(file))
    if record and Path(record).is_dir():
        raise pytest.UsageError(f"--otherwords-record {record}: is a folder, and a file is wanted")
    if record and not Path(record).absolute().parent.is_dir():
        raise pytest.UsageError(f"--otherwords-record {record}: there is no such folder")
    budget = config.getoption("--otherwords-budget")
    if budget is not None and budget < 1:
        raise pytest.UsageError(f"--otherwords-budget must be at least 1, got {budget}")
    if hasattr(config, "workerinput"):
        config.stash[_CALLS] = Path(config.workerinput[MARK])
    elif budget is not None:
        handle, name = tempfile.mkstemp(prefix="otherwords-", suffix=".calls")
        os.close(handle)
        config.stash[_CALLS] = Path(name)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Under xdist, tells a worker where the calls of the session are counted."""
    node.workerinput[MARK] = str(node.config.stash.get(_CALLS, ""))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget the count, and leave recorded answers in an order that does not depend on the processes."""
    if hasattr(config, "workerinput"):
        return
    if _CALLS in config.stash:
        config.stash[_CALLS].unlink(missing_ok=True)
    record = config.getoption("--otherwords-record")
    if record and Path(record).is_file():
        lines = sorted(_answers(Path(record)).items())
        Path(record).write_text("".join(_recorded(key, answer) for key, answer in lines), "utf-8")


@pytest.fixture
def ask(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    """Asks the model of --otherwords-model. Define a fixture of this name to ask something else."""
    name = request.config.getoption("--otherwords-model")
    if request.config.getoption("--otherwords-replay"):
        return str  # what was recorded is given instead
    if name is None:
        pytest.fail(
            "otherwords: give --otherwords-model NAME, or define a fixture `ask` that returns a function",
            pytrace=False,
        )
    from otherwords.core.errors import OtherwordsError
    from otherwords.pipeline.pytest_cases import asking_model

    try:
        return asking_model(name)
    except OtherwordsError as error:
        said = str(error)
    pytest.fail(f"otherwords: {said}", pytrace=False)


@pytest.fixture
def case() -> None:
    """The wording that is asked; each call of a marked test has another one."""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Calls a marked test for each wording and repeat, and decides."""
    mark = pyfuncitem.get_closest_marker(MARK)
    if mark is None:
        return None
    from otherwords.core.errors import OtherwordsError

    found, said = None, ""
    try:
        found = _run(pyfuncitem, mark)
    except OtherwordsError as error:
        said = str(error)
    if found is None:
        pytest.fail(f"otherwords: {said}", pytrace=False)  # outside, so that one sentence is all
    pyfuncitem.user_properties.append((MARK, json.dumps(found.summary)))
    if found.status == "FAIL":
        pytest.fail(found.text, pytrace=False)
    if found.status == "CANNOT TELL":
        told = pyfuncitem.config.getoption("--otherwords-cannot-tell")
        if told == "fail":
            pytest.fail(found.text, pytrace=False)
        if told == "xfail":
            pytest.xfail(found.text)
    return True


def _beside(item: pytest.Function, path: str | Path) -> Path:
    """A path beside the test's file, or else below pytest's root folder."""
    beside = item.path.parent / path
    return beside if beside.exists() else item.config.rootpath / path


def _thresholds(mark: pytest.Mark) -> dict[str, float]:
    from otherwords.core.errors import InputError, UnknownNameError

    thresholds = {name: value for name, value in mark.kwargs.items() if name not in OPTIONS}
    for name in thresholds:
        if not name.startswith(("min_", "max_")):
            raise UnknownNameError(
                f"argument of the mark {MARK}", name, [*OPTIONS, "min_METRIC", "max_METRIC"]
            )
    if mark.args or not thresholds:
        raise InputError(f"the mark {MARK} takes named arguments, and one threshold at least: min_s_norm=0.8")
    return thresholds


def _run(item: pytest.Function, mark: pytest.Mark) -> Found:
    from otherwords.core.errors import InputError, OtherwordsError
    from otherwords.pipeline.pytest_cases import decided, require_arguments, short, wordings_of

    if inspect.iscoroutinefunction(item.obj):
        raise InputError(
            f"'{item.name}' is async, and a test marked {MARK} is not: `ask` waits for the answer"
        )
    names = inspect.signature(item.obj).parameters
    missing = [name for name in ("ask", "case") if name not in names]
    if missing:
        raise InputError(f"a test marked {MARK} takes ask and case, and '{item.name}' has no {missing[0]}")
    thresholds = _thresholds(mark)
    require_arguments(mark.kwargs, thresholds)
    cases = list(wordings_of(mark.kwargs, partial(_beside, item)))
    repeats = mark.kwargs.get("repeats", 2)
    asking = _asking(item)
    rows: list[dict[str, Any]] = []
    told: list[tuple[Case, str]] = []
    errors: list[str] = []
    spent = False
    planned = [(case, repeat) for case in cases for repeat in range(1, repeats + 1)]
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    for case, repeat in planned:
        try:
            score = _called(item, {**arguments, "ask": asking, "case": case}, case, told)
        except BudgetSpent:
            spent = True
            break
        except NotRecorded as error:
            file = item.config.getoption("--otherwords-replay")
            raise InputError(
                f"there is no recorded answer to {short(str(error))!r}",
                file=file,
                hint=f"Record it: pytest --otherwords-record {file}",
            ) from None
        except OtherwordsError:  # the test is written wrongly
            raise
        except Exception as error:  # a wording without a score; told, and raised where it goes on
            score = None
            errors.append(f"{type(error).__name__}: {short(str(error))}")
            if errors[-_SAME_ERRORS:] == [errors[-1]] * _SAME_ERRORS:
                _require_own(asking, errors[-1])
                raise
        if score is not None and errors and len(errors) < _SAME_ERRORS:
            errors.append("")  # what went well in between ends a row of equal errors
        row = {"id": case.id, "variant": case.variant, "repeat": repeat, "score": score}
        rows.append({"task": item.name, "model": "ask", **row})
    errors = [error for error in errors if error]
    if not asking.asked and not spent:
        raise InputError(f"'{item.name}' never called ask, so that nothing was tested")
    return decided(item.name, rows, thresholds, asking.calls, len(planned), told, errors, spent)


def _require_own(asking: Asking, said: str) -> None:
    """The error of one's own code is shown as it is; of a provider's client the sentence alone."""
    if str(getattr(asking.raw, "__module__", "")).startswith("otherwords."):
        from otherwords.core.errors import RunError

        raise RunError(f"the model failed {_SAME_ERRORS} times in a row: {said}")


def _called(
    item: pytest.Function, arguments: Mapping[str, Any], case: Case, told: list[tuple[Case, str]]
) -> float:
    """1 where the test's assertions hold for the wording, else 0."""
    try:
        item.obj(**arguments)
    except (AssertionError, pytest.fail.Exception) as error:
        told.append((case, str(error)))
        return 0.0
    return 1.0


def _asking(item: pytest.Function) -> Asking:
    config = item.config
    raw = item.funcargs["ask"]
    if not callable(raw):
        from otherwords.core.errors import InputError

        raise InputError(
            f"the fixture ask must return a function, got an object of type {type(raw).__name__}"
        )
    budget = Budget(config.getoption("--otherwords-budget"), config.stash.get(_CALLS, Path()))
    record, replay = config.getoption("--otherwords-record"), config.getoption("--otherwords-replay")
    answers = _answers(Path(replay)) if replay else None
    return Asking(raw, item.nodeid, budget, Path(record) if record else None, answers)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line for each marked test, and the calls of all."""
    found = [
        json.loads(text)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, text in report.user_properties
        if name == MARK
    ]
    if not found:
        return
    terminalreporter.section(MARK)
    for one in sorted(found, key=lambda one: str(one["test"])):
        runs = (
            f"{one['runs']} runs"
            if one["runs"] == one["planned"]
            else f"{one['runs']} of {one['planned']} runs"
        )
        terminalreporter.write_line(f"{one['status']:<12} {one['test']} ({runs}, {one['calls']} calls)")
        for decision in one["decisions"]:
            terminalreporter.write_line(f"{'':<13}{decision}")
    terminalreporter.write_line(f"{sum(one['calls'] for one in found)} calls in all")
