"""A run in shards gives the table of the whole run, in any order, and pays for nothing twice."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import yaml
from polars.testing import assert_frame_equal

from otherwords.core.errors import InputError
from otherwords.pipeline.frozen import freeze
from otherwords.pipeline.inputs import open_source
from otherwords.pipeline.run import run
from otherwords.pipeline.run_plan import plan_run, shard_named
from otherwords.pipeline.shards import ShardedRun, cut_run, cut_variants, run_shards, write_shards
from otherwords.pipeline.vary import Wordings
from otherwords.results import read_results
from otherwords.runs import Budget
from otherwords.runs.progress import Progress
from otherwords.variants.file import read_variants
from otherwords.variants.llm import LlmFamily

Scripted = Callable[[str, Callable[[str], str]], str]

QUESTIONS = [
    "Berlin?",  # too short for a paraphrase: its shard lacks a kind of wordings that others have
    "What is the capital of France?",
    "Who wrote the play Hamlet?",
    "How many legs does a spider have?",
    "Which planet is the largest one of all?",
    "What is the name of the longest river in Africa?",
    "Who painted the ceiling of the Sistine Chapel?",
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [{"id": f"q{n}", "question": text, "answer": "Paris"} for n, text in enumerate(QUESTIONS)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.fixture
def asked() -> list[str]:
    return []


@pytest.fixture
def model(asked: list[str], scripted: Scripted) -> str:
    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "Paris" if len(prompt) % 2 else "Rome"

    return scripted("counted", answer)


def table(*folders: Path) -> pl.DataFrame:
    """Without what no two runs share: the names of the files, and how long answers took."""
    outcomes = read_results(list(folders)).outcomes.drop("log", "seconds")
    return outcomes.sort("model", maintain_order=True)


@pytest.mark.slow
def test_shards_in_any_order_and_one_of_them_twice_are_the_whole_run(
    dataset: Path, model: str, asked: list[str], tmp_path: Path
) -> None:
    options = {"k": 3, "repeats": 2}
    whole = run(dataset, model, log_dir=tmp_path / "whole", **options)
    calls, cut_logs = len(asked), tmp_path / "cut"
    done = [run(dataset, model, log_dir=cut_logs, shard=f"{n}/4", **options) for n in (3, 1, 4, 2, 3)]
    assert [one.calls for one in done[:4]] == [one.total for one in done[:4]]
    assert sum(one.total for one in done[:4]) == whole.total
    assert (done[4].calls, done[4].reused) == (0, done[0].total)
    assert sorted(asked[calls:]) == sorted(asked[:calls])
    assert_frame_equal(table(cut_logs), table(tmp_path / "whole"))
    assert_frame_equal(
        read_results(cut_logs).wordings, read_results(tmp_path / "whole").wordings, check_row_order=True
    )
    assert read_results(cut_logs).notes == ()


@pytest.mark.slow
def test_two_models_in_shards_one_after_the_other_with_given_wordings(
    dataset: Path, model: str, scripted: Scripted, tmp_path: Path
) -> None:
    variants = tmp_path / "variants.jsonl"
    freeze(dataset, variants, k=3)
    models = [model, scripted("second", lambda prompt: "Paris")]
    plan = {"variants_file": variants, "repeats": 1}
    whole = run(dataset, models, log_dir=tmp_path / "whole", **plan)
    seen: list[Progress] = []
    sharded = cut_run(open_source(dataset), models, 6, log_dir=tmp_path / "cut", plan=plan)
    summary = run_shards(sharded, expected=99, on_progress=seen.append)
    assert (summary.total, summary.finished, summary.calls) == (whole.total, whole.total, whole.total)
    assert summary.outcomes.by_wording == whole.outcomes.by_wording
    assert (seen[0].total, seen[-1].total, seen[-1].finished) == (99, whole.total, whole.total)
    assert_frame_equal(table(tmp_path / "cut"), table(tmp_path / "whole"))


@pytest.mark.slow
def test_one_budget_holds_over_all_shards_and_the_run_goes_on(
    dataset: Path, model: str, asked: list[str], tmp_path: Path
) -> None:
    sharded = cut_run(
        dataset, model, 3, log_dir=tmp_path / "cut", plan={"wordings": Wordings(k=3), "repeats": 1}
    )
    stopped = run_shards(sharded, budget=Budget(calls=12), expected=25)
    assert (stopped.calls, stopped.finished, stopped.stopped, len(asked)) == (12, 12, "calls=12", 12)
    assert stopped.total == 25
    summary = run_shards(sharded)
    assert (summary.reused, summary.calls, summary.stopped) == (12, summary.total - 12, None)
    assert len(asked) == len(set(asked)) == summary.total


def test_without_a_number_it_is_cut_as_it_was_or_by_its_items(
    dataset: Path, model: str, tmp_path: Path
) -> None:
    folder = tmp_path / "cut"
    assert len(cut_run(dataset, model, None, log_dir=folder, items=1200).shards) == 3
    assert len(cut_run(dataset, [model, "other/x"], None, log_dir=folder, items=7).shards) == 2
    plan_run(dataset, model, wordings=Wordings(k=1), log_dir=folder, shard=shard_named(model, "2/5"))
    assert len(cut_run(dataset, model, None, log_dir=folder, items=1200).shards) == 5


def test_a_plan_that_is_not_written_leaves_no_trace(dataset: Path, model: str, tmp_path: Path) -> None:
    shard = shard_named(model, "1/2")
    plan = plan_run(
        dataset, model, wordings=Wordings(k=1), log_dir=tmp_path / "cut", shard=shard, write=False
    )
    assert [item.id for item in plan.items] == ["q0", "q1", "q2"]
    assert plan.log_dir == tmp_path / "cut" / "scripted-counted" / "part-1-of-2"
    assert not (tmp_path / "cut").exists()


@pytest.mark.parametrize(
    ("wordings", "what"),
    [
        (Wordings(("llm",), 2, llm=LlmFamily(("mockllm/model",), "mild")), "written by a model"),
        (Wordings(("paraphrase", "format"), 2).in_design("wording×format"), "of a template or a design"),
    ],
)
def test_wordings_that_shards_must_share_are_made_before(
    dataset: Path, model: str, tmp_path: Path, wordings: Wordings, what: str
) -> None:
    with pytest.raises(InputError) as refused:
        plan_run(dataset, model, wordings=wordings, log_dir=tmp_path / "cut", shard=shard_named(model, "1/2"))
    assert str(refused.value) == (
        f"wordings {what} are made before a run is cut into shards, so that all shards share them\n"
        "Make them with otherwords vary, and give the file with --variants."
    )
    assert not (tmp_path / "cut").exists()


def test_ray_is_sent_no_key_and_no_opened_source(dataset: Path, model: str, tmp_path: Path) -> None:
    from otherwords.pipeline.agents import Agent

    agent = Agent((model,), model_args={"nested": {"api_key": "sk-" + "a1B2" * 10}})
    with pytest.raises(InputError) as refused:
        run_shards(cut_run(dataset, agent, 2, log_dir=tmp_path), executor="ray")
    assert str(refused.value) == (
        "the argument nested=… looks like a key, and would be written to Ray's files\n"
        "Give it in a variable of the environment, or with --keys-file."
    )
    with pytest.raises(InputError, match="needs its dataset or task by name"):
        run_shards(cut_run(open_source(dataset), model, 2, log_dir=tmp_path), executor="ray")


# ---- scripts for clusters


@pytest.fixture
def variants(dataset: Path, tmp_path: Path) -> Path:
    path = tmp_path / "variants.jsonl"
    freeze(dataset, path, k=2)
    return path


def test_a_variants_file_is_cut_line_by_line(dataset: Path, variants: Path, tmp_path: Path) -> None:
    items = open_source(dataset).items
    written = cut_variants(variants, [items[:3], items[3:]], tmp_path / "parts")
    assert [path.name for path in written] == ["variants-1-of-2.jsonl", "variants-2-of-2.jsonl"]
    lines = [line for path in written for line in path.read_bytes().splitlines()[1:]]
    assert lines == variants.read_bytes().splitlines()[1:]
    assert [read_variants(path).header.n_items for path in written] == [3, 4]
    only = {"q0", "q1", "q2"}
    assert read_variants(written[0]).vetted == read_variants(variants, items=only).vetted


def test_a_variants_file_of_other_items_is_not_cut(dataset: Path, variants: Path, tmp_path: Path) -> None:
    more = [*open_source(dataset).items]
    more[0] = type(more[0])("other", more[0].prompt, (), more[0].target)
    with pytest.raises(InputError) as refused:
        cut_variants(variants, [more], tmp_path / "parts")
    assert str(refused.value).startswith(f"{variants}: was made for other items: the file lacks 'other'\n")
    assert not (tmp_path / "parts").exists()


def _written(
    dataset: Path, model: str, out: Path, *arguments: str, shards: int = 4, variants: Path | None = None
) -> tuple[ShardedRun, str, dict[str, object]]:
    sharded = cut_run(dataset, model, shards, log_dir=out.parent / "cut")
    write_shards(
        sharded,
        open_source(dataset),
        out,
        arguments=[str(dataset), "--model", model, *arguments],
        variants_file=variants,
        at_once=3,
    )
    return sharded, (out / "slurm.sh").read_text(), yaml.safe_load((out / "kubernetes.yaml").read_text())


def test_scripts_run_each_shard_with_its_share(
    dataset: Path, model: str, variants: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    arguments = ["--budget", "calls=9", "--budget=usd=2", "--rate-limit=60", "--variants", str(variants)]
    _, slurm, job = _written(dataset, model, out, *arguments, variants=variants)
    assert "#SBATCH --array=1-4%3\n" in slurm
    command = slurm.splitlines()[-1]
    assert command.endswith(' --shard "$SLURM_ARRAY_TASK_ID/4"')
    assert shlex.split(command)[1:-2] == [
        *("otherwords", "run", str(dataset), "--model", model, "--variants", str(out)),
        *("--budget", "calls=2", "--budget", "usd=0.5", "--rate-limit", "20", "--wait", "--yes"),
    ]
    spec = job["spec"]
    assert isinstance(spec, dict)
    assert (spec["completions"], spec["parallelism"], spec["completionMode"]) == (4, 3, "Indexed")
    (container,) = spec["template"]["spec"]["containers"]
    shell, dash, line = container["command"]
    assert (shell, dash) == ("sh", "-c")
    assert line.endswith(" --wait --yes --shard $((JOB_COMPLETION_INDEX + 1))/4")
    plan = plan_run(
        dataset,
        model,
        variants_file=out,
        log_dir=tmp_path / "cut",
        shard=shard_named(model, "4/4"),
        write=False,
    )
    assert plan.variants_file == out / "variants-4-of-4.jsonl"
    assert [item.id for item in plan.items] == ["q5", "q6"]


def test_a_budget_too_small_to_be_shared_out_is_refused(dataset: Path, model: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a budget of calls=3 cannot be shared out among 4 shards$"):
        _written(dataset, model, tmp_path / "out", "--budget", "calls=3")
