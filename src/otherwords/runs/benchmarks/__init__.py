"""The known benchmarks, as data: Inspect's name for each, where its prompt is, what it needs; found by name.

To add one is to add an entry. This module imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

__all__ = ["BENCHMARKS", "Benchmark", "Data", "Package", "find_benchmark"]

Home = Literal["bundled", "inspect_evals", "datasets", "appworld"]


@dataclass(frozen=True, slots=True)
class Package:
    module: str
    command: str
    """What a person types to have it."""


@dataclass(frozen=True, slots=True)
class Data:
    source: str
    url: str
    """Where a person reads about it and, if it is gated, accepts its terms."""
    home: Home
    """Where it lies on this machine: in the package, or in the cache of whoever downloads it."""
    kept: str = ""
    """Its path in that home; for `datasets` the name on the Hugging Face Hub."""
    host: str = ""
    """The machine that is asked for it at first use."""
    terms: str = ""
    gated: bool = False
    """Whether its terms must be accepted by a person before it can be downloaded."""
    argument: str = ""
    """The task's argument that names other data."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    name: str
    title: str
    items: int
    spec: str
    """What Inspect calls the task."""
    selector: str
    """Where the prompt is."""
    data: Data
    packages: tuple[Package, ...] = ()
    sandbox: str = ""
    """What the agent or the scorer runs code in: `docker`, or nothing."""
    task_args: Mapping[str, Any] = field(default_factory=dict)
    """Given to the task where the user gives nothing else."""
    relatives: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Other tasks with the prompt in the same place, and what of the above is different with them."""
    score_part: str = ""
    """Which of several numbers of its scorer is the score; `*` for the mean of them all."""
    aliases: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    has_simulated_user: bool = False
    cpu_seconds: float = 0.0
    """What a sample takes on this machine, whatever its models do; 0 where that is little."""
    log_kb: float = 0.0
    """Kilobytes of log that a sample leaves; 0 where nobody has measured them."""


def find_benchmark(name: str) -> Benchmark | None:
    """The benchmark of this name, by the harness's name, by Inspect's or by its whole specification."""
    for benchmark in BENCHMARKS:
        if name in (benchmark.name, benchmark.spec, *benchmark.aliases):
            return benchmark
        for spec, different in benchmark.relatives.items():
            if name in (spec, spec.split("/", 1)[1]):
                return replace(benchmark, spec=spec, **different)
    return None


_INSPECT_EVALS = Package("inspect_evals", "pip install 'otherwords[benchmarks]'")
_GDOWN = Package("gdown", "pip install gdown")
_IN_ORDER = {"shuffle": False}
_PLAIN = {"packages": (_INSPECT_EVALS,), "sandbox": ""}


def _tau2(domain: str, title: str, items: int, *notes: str) -> Benchmark:
    return Benchmark(
        name=f"taubench_{domain}",
        title=title,
        items=items,
        spec=f"inspect_evals/tau2_{domain}",
        selector="message[0]/<scenario>",
        data=Data(
            source="tau2-bench, in inspect_evals",
            url="https://github.com/sierra-research/tau2-bench",
            home="bundled",
            terms="MIT",
        ),
        packages=(_INSPECT_EVALS,),
        task_args=_IN_ORDER,
        aliases=(f"tau2_{domain}",),
        notes=(
            "The scenario that is reworded is the simulated customer's, not the agent's: the agent meets it "
            "in what the customer then says.",
            "The tested model plays the customer too, unless --model-role user=NAME says who does. To "
            "compare models, give all of them the same customer.",
            "These are the tasks of tau2-bench; figures of the first tau-bench are not comparable.",
            *notes,
        ),
        has_simulated_user=True,
        cpu_seconds=1.0,
        log_kb=12.0,
    )


def _swe_bench(name: str, items: int, spec: str, dataset: str, *, argument: str = "") -> Benchmark:
    return Benchmark(
        name=name,
        title="Resolve real issues of Python repositories",
        items=items,
        spec=spec,
        selector='input after "Please solve the following coding issue:"',
        data=Data(
            source=dataset,
            url=f"https://huggingface.co/datasets/{dataset}",
            home="datasets",
            kept=dataset,
            host="huggingface.co",
            terms="of the repositories that the issues come from",
            argument=argument,
        ),
        packages=(_INSPECT_EVALS, Package("swebench", "pip install 'inspect_evals[swe_bench]'")),
        sandbox="docker",
        aliases=(spec.split("/", 1)[1],),
        notes=("Each task has an image of its own on Docker Hub, of a gigabyte or more.",),
    )


def _appworld(split: str, items: int) -> Benchmark:
    return Benchmark(
        name=f"appworld_{split}",
        title="Do chores in nine simulated apps by writing code",
        items=items,
        spec="otherwords/appworld",
        selector="input",
        data=Data(
            source="AppWorld's own bucket",
            url="https://github.com/StonyBrookNLP/appworld",
            home="appworld",
            kept=f"data/datasets/{split}.txt",
            host="s3.us-west-2.amazonaws.com",
            terms="Apache 2.0; copies may be published only in encrypted form",
        ),
        task_args={"split": split},
        aliases=("appworld",) if split == "test_normal" else (),
        notes=(
            "AppWorld runs in an interpreter of its own, because its requirements and Inspect's exclude each "
            "other: APPWORLD_PYTHON names the interpreter, APPWORLD_ROOT the folder with its data.",
            "Code that the agent writes is run by AppWorld under its own safety guard, not in a container.",
            "An agent that looks its task up in AppWorld finds the wording of its prompt there, too.",
        ),
    )


BENCHMARKS: tuple[Benchmark, ...] = (
    _tau2("airline", "A customer writes to an airline, whose agent has tools", 50),
    _tau2("retail", "A customer writes to a shop, whose agent has tools", 114),
    _tau2(
        "telecom",
        "A customer whose phone fails writes to a telephone company; both have tools",
        114,
        "Its tasks share 15 scenarios, and differ in what is wrong with the phone.",
    ),
    _tau2(
        "banking",
        "A customer writes to a bank, whose agent searches its documents; both have tools",
        97,
        "How the agent finds the bank's documents: -T retrieval_config=grep, full_kb or no_knowledge.",
    ),
    Benchmark(
        name="gaia",
        title="Questions for an assistant that browses, reads files and computes",
        items=165,
        spec="inspect_evals/gaia",
        selector='input after "Here is the question:"',
        data=Data(
            source="gaia-benchmark/GAIA",
            url="https://huggingface.co/datasets/gaia-benchmark/GAIA",
            home="inspect_evals",
            kept="gaia_dataset/GAIA",
            host="huggingface.co",
            terms="gated: accept them on the dataset's page; the data may not be published again",
            gated=True,
        ),
        packages=(_INSPECT_EVALS, Package("filelock", "pip install 'inspect_evals[gaia]'")),
        sandbox="docker",
        relatives={f"inspect_evals/gaia_level{level}": {} for level in (1, 2, 3)},
        notes=("The default agent searches the web with the model's own search, or with Tavily's key.",),
    ),
    _swe_bench(
        "swebench_verified",
        500,
        "inspect_evals/swe_bench",
        "princeton-nlp/SWE-bench_Verified",
        argument="dataset",
    ),
    _swe_bench(
        "swebench_verified_mini",
        50,
        "inspect_evals/swe_bench_verified_mini",
        "MariusHobbhahn/swe-bench-verified-mini",
    ),
    Benchmark(
        name="usaco",
        title="Olympiad programming problems",
        items=307,
        spec="inspect_evals/usaco",
        selector='input after "[BEGIN PROBLEM]" before "[END PROBLEM]"',
        data=Data(
            source="a zip file on Google Drive",
            url="https://princeton-nlp.github.io/USACOBench/",
            home="inspect_evals",
            kept="usaco/data",
            host="drive.google.com",
            terms="of the USA Computing Olympiad",
        ),
        packages=(_INSPECT_EVALS, _GDOWN),
        sandbox="docker",
    ),
    Benchmark(
        name="assistantbench",
        title="Long errands on the web",
        items=33,
        spec="inspect_evals/assistant_bench_web_browser",
        selector="last_user",
        data=Data(
            source="AssistantBench/AssistantBench",
            url="https://huggingface.co/datasets/AssistantBench/AssistantBench",
            home="datasets",
            kept="AssistantBench/AssistantBench",
            host="huggingface.co",
            terms="on the dataset's page",
        ),
        packages=(_INSPECT_EVALS, Package("mcp", "pip install 'inspect_evals[assistant_bench]'")),
        sandbox="docker",
        task_args=_IN_ORDER,
        relatives={
            **{
                f"inspect_evals/assistant_bench_closed_book_{shots}_shot": {**_PLAIN, "task_args": {}}
                for shots in ("zero", "one")
            },
            **{f"inspect_evals/assistant_bench_web_search_{shots}_shot": _PLAIN for shots in ("zero", "one")},
        },
        score_part="score",
        aliases=("assistant_bench", "assistant_bench_web_browser"),
        notes=("assistant_bench_closed_book_zero_shot asks the same without any tool or container.",),
    ),
    Benchmark(
        name="scicode",
        title="Research code, one step after the other",
        items=65,
        spec="inspect_evals/scicode",
        selector="metadata.sub_steps[*].step_description_prompt",
        data=Data(
            source="the SciCode repository, and test data on Google Drive",
            url="https://scicode-bench.github.io/",
            home="inspect_evals",
            kept="scicode/data",
            host="raw.githubusercontent.com",
            terms="Apache 2.0",
        ),
        packages=(_INSPECT_EVALS, _GDOWN),
        sandbox="docker",
        score_part="*",
        notes=(
            "All steps of a problem are reworded together: a wording of the problem rewords each step.",
            "The score is the share of the problem's steps that were solved.",
        ),
    ),
    _appworld("test_normal", 168),
    _appworld("test_challenge", 417),
)
