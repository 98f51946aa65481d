from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import pytest

from otherwords.cli import main
from otherwords.core.errors import OtherwordsError
from otherwords.runs.benchmarks import BENCHMARKS, Benchmark, Package, find_benchmark, load
from otherwords.runs.benchmarks.load import load_benchmark
from otherwords.runs.resolve import registered_tasks
from otherwords.runs.selectors import parse_selector
from otherwords.runs.simulated_user import USER_STYLES

NAMES = [
    "taubench_airline",
    "taubench_retail",
    "taubench_telecom",
    "taubench_banking",
    "gaia",
    "swebench_verified",
    "swebench_verified_mini",
    "usaco",
    "assistantbench",
    "scicode",
    "appworld_test_normal",
    "appworld_test_challenge",
]
needs_inspect_evals = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="inspect_evals needs Python 3.11 or later"
)


def benchmark(name: str) -> Benchmark:
    found = find_benchmark(name)
    assert found is not None
    return found


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with every package, without any data, login, Docker or connection."""
    for name in ("INSPECT_EVALS_CACHE_DIR", "HF_DATASETS_CACHE", "APPWORLD_ROOT"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    for name in ("APPWORLD_PYTHON", "HF_ENDPOINT", "HF_HUB_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(load, "_logged_in", lambda: False)
    monkeypatch.setattr(load, "docker_answers", lambda: False)
    monkeypatch.setattr(load, "_reachable", lambda host: False)
    monkeypatch.setattr(load, "_python_too_old", lambda: False)
    monkeypatch.setattr(load, "find_spec", lambda name: ModuleSpec(name, None))
    return tmp_path


def test_the_names_are_those_of_hals_harness_and_of_the_rest_of_tau2() -> None:
    assert [one.name for one in BENCHMARKS] == NAMES


def test_no_name_means_two_benchmarks() -> None:
    names = [
        name
        for one in BENCHMARKS
        for name in (one.name, *one.aliases, *one.relatives)
        if name != "otherwords/appworld"
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("one", BENCHMARKS, ids=lambda one: one.name)
def test_a_benchmark_is_found_by_each_of_its_names_and_its_selector_can_be_read(one: Benchmark) -> None:
    for name in (one.name, *one.aliases):
        assert find_benchmark(name) == one
    for spec in one.relatives:
        relative = benchmark(spec)
        assert (relative.name, relative.spec, relative.selector) == (one.name, spec, one.selector)
    assert str(parse_selector(one.selector)) == one.selector


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("inspect_evals/tau2_airline", "taubench_airline"),
        ("inspect_evals/gaia", "gaia"),
        ("inspect_evals/gaia_level1", "gaia"),
        ("inspect_evals/swe_bench", "swebench_verified"),
        ("otherwords/appworld", "appworld_test_normal"),
        ("assistant_bench_closed_book_zero_shot", "assistantbench"),
    ],
)
def test_inspects_own_name_finds_it_too(spec: str, name: str) -> None:
    assert benchmark(spec).name == name


@pytest.mark.parametrize("name", ["", "gaia_level4", "inspect_evals/gsm8k", "questions.jsonl", "GAIA"])
def test_other_names_are_no_benchmark(name: str) -> None:
    assert find_benchmark(name) is None


@pytest.mark.slow
@needs_inspect_evals
def test_inspect_knows_every_task_of_the_catalogue() -> None:
    known = {*registered_tasks("inspect_evals"), *registered_tasks("otherwords")}
    assert {spec for one in BENCHMARKS for spec in (one.spec, *one.relatives)} <= known


SIGN = (
    "Accept the terms at https://huggingface.co/datasets/gaia-benchmark/GAIA in a browser, "
    "then type: hf auth login"
)
CANNOT_BE_REACHED = [
    (
        "swebench_verified",
        "princeton-nlp/SWE-bench_Verified",
        "huggingface.co",
        "https://huggingface.co/datasets/princeton-nlp/SWE-bench_Verified",
        "hf_datasets_cache",
    ),
    (
        "swebench_verified_mini",
        "MariusHobbhahn/swe-bench-verified-mini",
        "huggingface.co",
        "https://huggingface.co/datasets/MariusHobbhahn/swe-bench-verified-mini",
        "hf_datasets_cache",
    ),
    (
        "usaco",
        "a zip file on Google Drive",
        "drive.google.com",
        "https://princeton-nlp.github.io/USACOBench/",
        "inspect_evals_cache_dir/usaco/data",
    ),
    (
        "assistantbench",
        "AssistantBench/AssistantBench",
        "huggingface.co",
        "https://huggingface.co/datasets/AssistantBench/AssistantBench",
        "hf_datasets_cache",
    ),
    (
        "scicode",
        "the SciCode repository, and test data on Google Drive",
        "raw.githubusercontent.com",
        "https://scicode-bench.github.io/",
        "inspect_evals_cache_dir/scicode/data",
    ),
]


@pytest.mark.parametrize(("name", "source", "host", "url", "folder"), CANNOT_BE_REACHED)
def test_data_that_is_not_there_and_cannot_be_fetched(
    nothing_here: Path, name: str, source: str, host: str, url: str, folder: str
) -> None:
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark(name))
    assert refused.value.exit_code == 2
    assert str(refused.value) == (
        f"the data of benchmark '{name}' ({source}) is not on this machine, and {host} cannot be reached\n"
        f"It is downloaded at the first use; about it: {url}\n"
        f"Once downloaded it lies in {nothing_here / folder}"
    )


def test_gaia_must_be_signed_for(nothing_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark("gaia"))
    assert refused.value.exit_code == 2
    assert str(refused.value) == (
        "the data of benchmark 'gaia' (gaia-benchmark/GAIA) is gated, and no Hugging Face login is known "
        f"here\n{SIGN}"
    )
    monkeypatch.setattr(load, "_logged_in", lambda: True)
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark("gaia"))
    assert str(refused.value) == (
        "the data of benchmark 'gaia' (gaia-benchmark/GAIA) is not on this machine, and huggingface.co "
        f"cannot be reached\n{SIGN}\n"
        f"Once downloaded it lies in {nothing_here / 'inspect_evals_cache_dir/gaia_dataset/GAIA'}"
    )


@needs_inspect_evals
def test_what_the_loader_itself_says_is_passed_on(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any, **__: Any) -> None:
        raise PermissionError("403: you have not accepted the terms of this dataset")

    monkeypatch.setattr(load, "_logged_in", lambda: True)
    monkeypatch.setattr(load, "_reachable", lambda host: True)
    monkeypatch.setattr("inspect_evals.gaia.dataset.snapshot_download", refuses)
    monkeypatch.setattr("inspect_evals.gaia.dataset.GAIA_DATASET_DIR", nothing_here / "GAIA")
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark("gaia"))
    assert refused.value.exit_code == 2
    assert str(refused.value) == (
        "benchmark 'gaia' could not be loaded: task 'inspect_evals/gaia' could not be made: "
        "PermissionError: 403: you have not accepted the terms of this dataset\n"
        f"{SIGN}\n"
        f"Once downloaded it lies in {nothing_here / 'inspect_evals_cache_dir/gaia_dataset/GAIA'}"
    )


def packages() -> list[tuple[Benchmark, Package]]:
    return [(one, package) for one in BENCHMARKS for package in one.packages]


@pytest.mark.parametrize(
    ("one", "package"), packages(), ids=[f"{one.name}-{package.module}" for one, package in packages()]
)
def test_a_package_that_is_not_there(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch, one: Benchmark, package: Package
) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == package.module else ModuleSpec(name, None)

    monkeypatch.setattr(load, "find_spec", found)
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(one)
    assert refused.value.exit_code == 2
    assert str(refused.value) == (
        f"benchmark '{one.name}' needs the Python package '{package.module}', which is not installed\n"
        f"Install it with: {package.command}"
    )


def test_a_python_that_is_too_old(nothing_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_python_too_old", lambda: True)
    here = ".".join(map(str, sys.version_info[:2]))
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark("usaco"))
    assert str(refused.value) == (
        f"benchmark 'usaco' needs Python 3.11 or later; this is {here}\n"
        "Install otherwords[benchmarks] in a newer Python."
    )


@pytest.mark.parametrize("name", ["appworld_test_normal", "appworld_test_challenge"])
def test_appworld_that_is_not_there(nothing_here: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark(name))
    assert refused.value.exit_code == 2
    assert str(refused.value) == (
        "AppWorld needs the package 'appworld' in an interpreter of its own, named by APPWORLD_PYTHON\n"
        "Install it with: python3.11 -m venv appworld-env && appworld-env/bin/pip install appworld && "
        "appworld-env/bin/appworld install\n"
        "Then: export APPWORLD_PYTHON=$PWD/appworld-env/bin/python"
    )
    monkeypatch.setattr(load, "_has_appworld", lambda python: True)
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark(name))
    listing = nothing_here / "appworld_root" / "data" / "datasets" / f"{name.removeprefix('appworld_')}.txt"
    assert str(refused.value) == (
        f"{listing}: AppWorld's data is not there\n"
        "Download it with: appworld-env/bin/appworld download data && export APPWORLD_ROOT=$PWD"
    )
    monkeypatch.setenv("APPWORLD_PYTHON", "/nowhere/python")
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark(name))
    assert str(refused.value) == "no Python interpreter is at '/nowhere/python', where AppWorld was to run"


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("gaia", "inspect_evals_cache_dir/gaia_dataset/GAIA/2023"),
        ("assistantbench", "hf_datasets_cache/AssistantBench___assistant_bench"),
        ("swebench_verified", "hf_datasets_cache/princeton-nlp___swe-bench_verified"),
    ],
)
def test_data_that_is_there_is_not_asked_for(nothing_here: Path, name: str, kept: str) -> None:
    assert not load.has_data(benchmark(name).data)
    (nothing_here / kept).mkdir(parents=True)
    assert load.has_data(benchmark(name).data)
    load.require_data(benchmark(name))


@pytest.mark.parametrize(
    ("variable", "value", "reachable"),
    [("HF_HUB_OFFLINE", "1", False), ("HTTPS_PROXY", "http://proxy.invalid:3128", True), (None, "", False)],
)
def test_when_a_machine_counts_as_reachable(
    monkeypatch: pytest.MonkeyPatch, variable: str | None, value: str, reachable: bool
) -> None:
    for name in ("HF_HUB_OFFLINE", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    if variable is not None:
        monkeypatch.setenv(variable, value)
    host = "huggingface.co" if variable == "HF_HUB_OFFLINE" else "no-such-machine.invalid"
    assert load._reachable(host) is reachable


def test_a_mirror_of_the_hub_is_asked_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.invalid/hub")
    assert load._host(benchmark("gaia").data) == "mirror.invalid"
    assert load._host(benchmark("usaco").data) == "drive.google.com"


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("taubench_airline", []),
        ("gaia", ["a Hugging Face login that has accepted its terms", "a running Docker"]),
        ("usaco", ["a running Docker"]),
        ("assistant_bench_closed_book_zero_shot", []),
        ("appworld_test_normal", ["AppWorld's data"]),
    ],
)
def test_what_is_missing_here(
    nothing_here: Path, monkeypatch: pytest.MonkeyPatch, name: str, missing: list[str]
) -> None:
    monkeypatch.setattr(load, "_has_appworld", lambda python: True)
    assert [need.what for need in load.missing_here(benchmark(name))] == missing


Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Typed:
    from otherwords.cli import console

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setenv("COLUMNS", "200")
        console.console.cache_clear()
        console.error_console.cache_clear()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        told = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, told.out, told.err

    return run


def test_the_table_has_every_benchmark_and_what_it_needs(nothing_here: Path, typed: Typed) -> None:
    code, out, _ = typed("benchmarks")
    assert code == 0
    rows = {line.split("│")[1].strip(): line for line in out.splitlines() if line.startswith("│")}
    assert [name for name in rows if name] == NAMES
    assert "ready" in rows["taubench_airline"]
    assert "needs a running Docker" in rows["usaco"]


def test_one_in_full(nothing_here: Path, typed: Typed) -> None:
    code, out, _ = typed("benchmarks", "inspect_evals/tau2_airline")
    assert code == 0
    for told in (
        "taubench_airline: A customer writes to an airline, whose agent has tools, 50 items",
        "inspect_evals/tau2_airline -T shuffle=false",
        "message[0]/<scenario>",
        "Nothing is missing here.",
        "Run it: otherwords run taubench_airline --model openai/gpt-4o-mini --max-items 20",
    ):
        assert told in out
    _, out, _ = typed("benchmarks", "gaia")
    assert f"Needs a Hugging Face login that has accepted its terms\n  {SIGN}" in out


@pytest.mark.parametrize("name", [one.name for one in BENCHMARKS if one.data.home != "bundled"])
@pytest.mark.parametrize("command", ["vary", "run"])
def test_what_is_missing_ends_a_command_with_a_message_and_no_traceback(
    nothing_here: Path, typed: Typed, command: str, name: str
) -> None:
    rest = ["-o", "variants.jsonl"] if command == "vary" else ["--model", "mockllm/model"]
    with pytest.raises(OtherwordsError) as refused:
        load_benchmark(benchmark(name))
    assert typed(command, name, *rest) == (2, "", f"Error: {refused.value}\n")


def test_an_unknown_one(typed: Typed) -> None:
    assert typed("benchmarks", "taubench_airlines") == (
        2,
        "",
        "Error: unknown benchmark 'taubench_airlines'. Did you mean: taubench_airline, taubench_retail, "
        "taubench_banking?\n",
    )


def test_the_page_has_each_of_them_as_it_is_in_the_catalogue() -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| `")}
    for one in BENCHMARKS:
        row = rows[f"`{one.name}`"]
        assert f"`{one.spec}" in row
        assert f"| {one.items} |" in row
        assert ("Docker" in row) is (one.sandbox == "docker")
    for style in USER_STYLES:
        assert f"`{style}`" in rows
