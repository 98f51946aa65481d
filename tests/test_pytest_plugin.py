"""The pytest plugin, as projects use it: marked tests, budgets, recorded answers, xdist, a summary."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import lemminflect  # noqa: F401  pytester forgets what a session imports, and these two load once
import pytest

import otherwords.runs.item_task  # noqa: F401  which imports NumPy
from otherwords import Item, vary
from otherwords.pipeline import pytest_cases  # noqa: F401

pytestmark = pytest.mark.slow

pytest_plugins = ["pytester"]

CAPITALS = {
    "France": "Paris", "Italy": "Rome", "Spain": "Madrid", "Norway": "Oslo", "Austria": "Vienna",
    "Greece": "Athens",
    "Poland": "Warsaw", "Ireland": "Dublin", "Portugal": "Lisbon", "Hungary": "Budapest", "Cuba": "Havana",
    "Japan": "Tokyo", "Kenya": "Nairobi", "Peru": "Lima", "Egypt": "Cairo", "Iran": "Tehran",
}  # fmt: skip
STEADY = """
import pytest
CAPITALS = {capitals}
@pytest.fixture
def ask():
    def answer(prompt):
        return next(capital for country, capital in CAPITALS.items() if country in prompt)
    return answer
"""
BROKEN = STEADY.replace(
    "    def answer(prompt):\n",
    "    def answer(prompt):\n        if not prompt.startswith('What is'): return 'Ask me properly.'\n",
)
TEST = """
import pytest
@pytest.mark.otherwords(cases="cases.jsonl", {arguments})
def test_capitals(ask, case):
    assert case.right(ask(case.prompt)), "wrong"
"""


@pytest.fixture(scope="module", autouse=True)
def parser() -> None:
    """Loaded before a session of pytester begins."""
    vary([Item("fr", "What is the capital of France?", (), ("Paris",))], ["paraphrase"], k=1)


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    lines = [
        json.dumps({"id": country, "question": f"What is the capital of {country}?", "answer": capital})
        for country, capital in CAPITALS.items()
    ]
    (pytester.path / "cases.jsonl").write_text("\n".join(lines))
    pytester.makeconftest(STEADY.format(capitals=CAPITALS))
    return pytester


def test_a_steady_agent_passes_and_is_summed_up(project: pytest.Pytester) -> None:
    project.makepyfile(TEST.format(arguments="min_s_norm=0.5, k=2"))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)
    result.stdout.re_match_lines(
        [
            "=+ otherwords =+",
            r"PASS +test_capitals \(\d+ runs, \d+ calls\)",
            r" +min_s_norm: wanted at least 0\.5, the low end is .*",
            r"\d+ calls in all",
        ]
    )


def test_one_that_rewording_breaks_fails_with_examples(project: pytest.Pytester) -> None:
    project.makeconftest(BROKEN.format(capitals=CAPITALS))
    project.makepyfile(TEST.format(arguments="max_accuracy_drop=0.05, k=2"))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    out = result.stdout.str()
    assert re.search(r"otherwords: FAIL\nFAIL max-accuracy-drop: wanted at most 0\.05, the high end is ", out)
    assert "Rewordings that failed, for example:\n  France, para1: " in out
    assert out.partition("short test summary")[0].count("    wrong") == 3


@pytest.mark.parametrize(("told", "outcome"), [("fail", "failed"), ("pass", "passed"), ("xfail", "xfailed")])
def test_what_cannot_be_told_says_how_many_calls_it_needs(
    project: pytest.Pytester, told: str, outcome: str
) -> None:
    project.makepyfile(TEST.format(arguments="min_s_norm=0.95, k=2"))
    result = project.runpytest_inprocess("-p", "no:cacheprovider", f"--otherwords-cannot-tell={told}", "-rx")
    result.assert_outcomes(**{outcome: 1})
    assert re.search(
        r"CANNOT TELL +test_capitals(.*\n) +min_s_norm: .*; needs about [\d,]+ more calls",
        result.stdout.str(),
    )
    assert (
        re.search(r"otherwords: CANNOT TELL, needs about [\d,]+ more calls", result.stdout.str())
        or told == "pass"
    )


def test_noise_alone_is_no_failure_of_wording(project: pytest.Pytester) -> None:
    project.makeconftest(
        "import pytest, random\nR = random.Random(1)\n"
        "@pytest.fixture\ndef ask():\n    return lambda prompt: R.choice(['yes', 'no'])\n"
    )
    project.makepyfile(
        'import pytest\n@pytest.mark.otherwords(cases="cases.jsonl", min_s_norm=0.8, k=4)\n'
        'def test_coin(ask, case):\n    assert ask(case.prompt) == "yes"\n'
    )
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    assert "run-to-run noise alone may explain it: S_prompt corrected for noise" in result.stdout.str()
    assert "otherwords: CANNOT TELL" in result.stdout.str()


def test_answers_are_recorded_and_replayed_without_a_call(project: pytest.Pytester) -> None:
    project.makepyfile(TEST.format(arguments="min_s_norm=0.5, k=1, repeats=1"))
    recorded = project.runpytest_inprocess("-p", "no:cacheprovider", "--otherwords-record=answers.jsonl")
    assert re.search(r"(\d+) calls in all", recorded.stdout.str())
    project.makeconftest(
        "import pytest\n@pytest.fixture\ndef ask():\n    def never(prompt):\n"
        "        raise RuntimeError('called')\n    return never\n"
    )
    replayed = project.runpytest_inprocess("-p", "no:cacheprovider", "--otherwords-replay=answers.jsonl")
    replayed.assert_outcomes(passed=1)
    assert "0 calls in all" in replayed.stdout.str()
    project.makepyfile(TEST.format(arguments="min_s_norm=0.5, k=2, repeats=1"))
    more = project.runpytest_inprocess("-p", "no:cacheprovider", "--otherwords-replay=answers.jsonl")
    more.assert_outcomes(failed=1)
    assert "answers.jsonl: there is no recorded answer to '" in more.stdout.str()
    assert "Record it: pytest --otherwords-record answers.jsonl" in more.stdout.str()


def test_a_budget_holds_over_all_processes(project: pytest.Pytester) -> None:
    project.makeconftest(
        STEADY.format(capitals=CAPITALS).replace(
            "    def answer(prompt):\n",
            "    def answer(prompt):\n        open('asked.txt', 'a').write('.')\n",
        )
    )
    project.makepyfile(
        test_a=TEST.format(arguments="min_s_norm=0.5, k=2"),
        test_b=TEST.format(arguments="min_s_norm=0.5, k=2"),
    )
    result = project.runpytest_subprocess(
        *("-p", "no:cacheprovider", "-n2", "--otherwords-budget=30", "--otherwords-cannot-tell=pass"),
        "--otherwords-record=answers.jsonl",
    )
    assert result.ret in (0, 1)
    assert len((project.path / "asked.txt").read_text()) == 30
    assert "30 calls in all" in result.stdout.str()
    assert re.search(r"\d+ of 96 runs", result.stdout.str())
    lines = [json.loads(line) for line in (project.path / "answers.jsonl").read_text().splitlines()]
    keys = [(one["test"], one["prompt"], one["time"]) for one in lines]
    assert len(set(keys)) == 30
    assert keys == sorted(keys)  # whichever process asked first
    assert {test for test, _, _ in keys} <= {f"{file}.py::test_capitals" for file in ("test_a", "test_b")}


def test_async_functions_and_options_of_cases(project: pytest.Pytester) -> None:
    project.makeconftest(
        "import pytest\n@pytest.fixture\ndef ask():\n    async def answer(prompt):\n"
        "        return next(line[0] for line in prompt.splitlines() if line.endswith('cow'))\n"
        "    return answer\n"
    )
    project.makepyfile(
        "import pytest\nCASES = [{'question': 'Which of the following is a mammal?', "
        "'choices': ['cod', 'cow', 'crow'], 'answer': 'B'}] \n"
        "@pytest.mark.otherwords(cases=CASES, min_accuracy=0, families=['paraphrase', 'options'], k=3)\n"
        "def test_animals(ask, case):\n    assert case.right(ask(case.prompt))\n    assert case.choices\n"
    )
    result = project.runpytest_inprocess("-p", "no:cacheprovider", "--otherwords-cannot-tell=pass")
    result.assert_outcomes(passed=1)


def test_cases_may_be_texts_where_the_assertion_is_ones_own(project: pytest.Pytester) -> None:
    project.makepyfile(
        "import pytest\nCASES = ['What is the capital of France?', 'What is the capital of Italy?']\n"
        "@pytest.mark.otherwords(cases=CASES, min_accuracy=0, families='paraphrase', k=2)\n"
        "def test_short(ask, case):\n    assert len(ask(case.prompt)) < 40 and case.target == ()\n"
    )
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (TEST.format(arguments="k=2"), "takes named arguments, and one threshold at least: min_s_norm=0.8"),
        (TEST.format(arguments="s_norm=2"), "unknown argument of the mark otherwords 's_norm'"),
        (TEST.format(arguments="min_s_nrm=2"), "unknown metric 's_nrm'. Did you mean: s_norm, s_prompt?"),
        (
            TEST.format(arguments="min_s_norm=0.8").replace("cases.jsonl", "no.jsonl"),
            "no.jsonl: no such file",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8").replace('cases="cases.jsonl", ', ""),
            "needs cases=, a file or",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8").replace("(ask, case)", "(ask)"),
            "'test_capitals' has no case",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8").replace("def test", "async def test"),
            "'test_capitals' is async, and a test marked otherwords is not: `ask` waits for the answer",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8, k=1").replace("    assert", "    return\n    assert"),
            "otherwords: 'test_capitals' never called ask, so that nothing was tested",
        ),
        (TEST.format(arguments="min_s_norm='0.8'"), "min_s_norm must be a number, got '0.8'"),
        (
            TEST.format(arguments="min_s_norm=0.8, repeats=0"),
            "repeats must be a whole number of at least 1, got 0",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8, families=5"),
            "families must be the name of a family, or a list of such names, got an object of type int",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8").replace('"cases.jsonl"', "5"),
            "cases must be a file, or a list of dictionaries or texts, got an object of type int",
        ),
        (
            TEST.format(arguments="min_s_norm=0.8, k=3").replace(
                '"cases.jsonl"', '["What is the capital of France?"]'
            ),
            "otherwords: case 'item-1' has no answer, so that case.right cannot tell",
        ),
    ],
)
def test_mistakes_in_a_mark_are_told_in_one_sentence(
    project: pytest.Pytester, source: str, said: str
) -> None:
    project.makepyfile(source)
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    assert said in result.stdout.str()
    assert "Traceback" not in result.stdout.str()
    assert result.ret == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--otherwords-record=a", "--otherwords-replay=b"], "cannot be given together"),
        (["--otherwords-replay=b"], "--otherwords-replay b: no such file; make it with --otherwords-record"),
        (["--otherwords-budget=0"], "--otherwords-budget must be at least 1, got 0"),
        (
            ["--otherwords-record=cases.jsonl"],
            "cases.jsonl, line 1: no recorded answer; make the file with --otherwords-record",
        ),
        (["--otherwords-record=."], "--otherwords-record .: is a folder, and a file is wanted"),
        (["--otherwords-replay=binary"], "binary: no file of recorded answers: 'utf-8' codec can't decode"),
        (["--otherwords-record=no/a.jsonl"], "--otherwords-record no/a.jsonl: there is no such folder"),
    ],
)
def test_options_that_contradict_are_refused(project: pytest.Pytester, options: list[str], said: str) -> None:
    (project.path / "binary").write_bytes(b"\xff\xfe")
    result = project.runpytest_inprocess(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said in result.stderr.str()


def test_a_model_is_asked_where_a_project_has_no_fixture(
    project: pytest.Pytester, scripted: Callable[..., str]
) -> None:
    project.makeconftest("")
    project.makepyfile(
        TEST.format(arguments="min_accuracy=0.9, k=1, repeats=1").replace("case.right", "bool")
    )
    result = project.runpytest_inprocess(
        "-p", "no:cacheprovider", f"--otherwords-model={scripted('yes', lambda prompt: 'Yes.')}"
    )
    assert "32 calls in all" in result.stdout.str()
    for options, said in (
        ([], "give --otherwords-model NAME, or define a fixture `ask` that returns a function"),
        (["--otherwords-model=gpt"], "the model 'gpt' is named without its provider"),
    ):
        result = project.runpytest_inprocess("-p", "no:cacheprovider", *options)
        result.assert_outcomes(errors=1)
        assert f"\notherwords: {said}" in result.stdout.str()
        assert "another exception" not in result.stdout.str()


def test_a_model_that_fails_again_and_again_is_told_in_one_sentence(
    project: pytest.Pytester, scripted: Callable[..., str]
) -> None:
    def down(prompt: str) -> str:
        raise OSError("no connection")

    project.makeconftest("")
    project.makepyfile(TEST.format(arguments="min_accuracy=0.9, k=1, repeats=1"))
    result = project.runpytest_inprocess(
        "-p", "no:cacheprovider", "--show-capture=no", f"--otherwords-model={scripted('no', down)}"
    )
    result.assert_outcomes(failed=1)
    sentence = "otherwords: the model failed 5 times in a row: OSError: no connection"
    result.stdout.fnmatch_lines(["_* test_capitals _*", sentence, "=*"], consecutive=True)


def test_five_equal_errors_of_the_agent_end_the_test(project: pytest.Pytester) -> None:
    project.makeconftest(
        "import pytest\n@pytest.fixture\ndef ask():\n    def down(prompt):\n"
        "        raise OSError('no connection')\n    return down\n"
    )
    project.makepyfile(TEST.format(arguments="min_s_norm=0.8, k=2"))
    result = project.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(failed=1)
    assert "OSError: no connection" in result.stdout.str()


def test_a_session_without_marked_tests_imports_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "test_plain.py").write_text(
        "import sys\ndef test_it():\n"
        "    heavy = {'inspect_ai', 'polars', 'spacy', 'numpy'} & set(sys.modules)\n"
        "    assert 'otherwords.pytest_plugin' in sys.modules and not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
