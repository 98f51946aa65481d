"""A run cut into shards of items × model, run here or by Ray; or written as jobs of Slurm and Kubernetes."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import yaml

from otherwords.core.contract import SHIPPED
from otherwords.core.errors import InputError, RunError
from otherwords.core.files import require_input, write_whole
from otherwords.core.types import Item, items_hash
from otherwords.pipeline.agents import Agent, Function, as_agent, asked_models
from otherwords.pipeline.estimate import require_prices
from otherwords.pipeline.inputs import Source
from otherwords.pipeline.pilot import pilot_of
from otherwords.pipeline.run import execute_plan
from otherwords.pipeline.run_plan import RunPlan, plan_run
from otherwords.runs.remote_folder import at_hand
from otherwords.runs.shards import Shard, cut, numbered, parts_of, require_cut
from otherwords.variants.file import (
    MAKE_AGAIN,
    LineOf,
    require_unchanged,
    validated,
    variant_lines,
    write_lines,
)

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost

    from otherwords.runs import Budget, OnProgress, RunSummary

ITEMS_A_SHARD = 500
"""In a run that is not told how many shards it has: an hour of an agent, and little memory."""


@dataclass(frozen=True)
class ShardedRun:
    """A run that is cut into shards, as it can be sent to other machines."""

    source: str | Path | Source
    agent: Agent
    shards: tuple[Shard, ...]
    log_dir: Path
    """A folder, or an address that fsspec knows."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `plan_run`."""
    execute: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of `execute_plan`."""
    keys_file: Path | None = None
    """Keys that each worker reads by itself, so that they are never sent."""
    pilot: int = 0
    """Where not 0, only a shard's first items are run, as so many samples are left of all shards."""

    def plan_shard(self, shard: Shard) -> RunPlan:
        """What it would ask; nothing is written."""
        with at_hand(self.log_dir, shard, write=False) as log_dir:
            return plan_run(self.source, self.agent, log_dir=log_dir, shard=shard, write=False, **self.plan)

    def run_shard(self, shard: Shard, budget: Budget | None, on_progress: OnProgress) -> RunSummary:
        """Plan it and ask what is left; another process that writes to its folder is waited for."""
        from otherwords.runs.lease import hold_folder
        from otherwords.runs.settings import load_keys

        if self.keys_file is not None:
            load_keys(self.keys_file)
        with (
            at_hand(self.log_dir, shard, wait=True) as log_dir,
            hold_folder(shard.folder(log_dir), wait=True),
        ):
            plan = plan_run(self.source, self.agent, log_dir=log_dir, shard=shard, **self.plan)
            pilot = pilot_of(plan, self.pilot) if self.pilot else plan
            if pilot is None:
                raise RunError("another process has begun this run meanwhile: run the same command again")
            return execute_plan(pilot, budget=budget, on_progress=on_progress, **self.execute)


def cut_run(
    source: str | Path | Source,
    agent: str | Function | Sequence[str] | Agent,
    shards: int | None,
    *,
    log_dir: str | Path,
    items: int | None = None,
    keys_file: str | Path | None = None,
    plan: Mapping[str, Any] | None = None,
    execute: Mapping[str, Any] | None = None,
) -> ShardedRun:
    """The run in so many shards; by default as its folder has them, or else one for each 500 `items`."""
    asked = as_agent(agent)
    models = asked_models(asked)
    if shards is None:
        parts = parts_of(log_dir) or max(1, -(-(items or 1) // ITEMS_A_SHARD))
        shards = parts * len(models)
    return ShardedRun(
        source,
        asked,
        tuple(cut(models, shards)),
        Path(log_dir),
        dict(plan or {}),
        dict(execute or {}),
        None if keys_file is None else Path(keys_file),
    )


def run_pilots(run: ShardedRun, left: int, **how: Any) -> list[tuple[Shard, RunSummary]]:
    """The first items of each model's first shard, where `left` samples are left of all; as `run_shards`."""
    firsts = tuple(shard for shard in run.shards if shard.part == 1)
    return _run(replace(run, shards=firsts, pilot=left), **how)


def run_shards(
    run: ShardedRun,
    *,
    executor: str = "local",
    ray_address: str | None = None,
    workers: int | None = None,
    budget: Budget | None = None,
    calls_a_minute: float | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    expected: int = 0,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Run every shard; run again, it asks only what is missing.

    Args:
        run: What is run, as `cut_run` gives it.
        executor: `local`, one shard after the other in this process, or `ray`.
        ray_address: Of a Ray cluster that is there; by default one is started on this machine.
        workers: Shards at once with Ray; by default as many as the cluster has processors.
        budget: Calls, tokens or dollars at which the run stops, over all shards.
        calls_a_minute: The most calls that go out in a minute, over all shards.
        prices: Prices of models, by name, where Inspect does not know them.
        expected: About how many samples there are, for the progress.
        on_progress: Called with the progress of all shards together.

    Returns:
        The summary of all shards together.

    Raises:
        InputError: Something cannot be used as it is given, or no Ray cluster answers.
        RunError: A shard could not be run.
    """
    from otherwords.runs import Budget
    from otherwords.runs.summary import joined

    began = time.monotonic()
    done = _run(
        run,
        executor=executor,
        ray_address=ray_address,
        workers=workers,
        budget=budget,
        calls_a_minute=calls_a_minute,
        prices=prices,
        expected=expected,
        on_progress=on_progress,
    )
    summary = joined([(shard.model, one) for shard, one in done])
    if len(done) < len(run.shards):  # the budget was spent before the others could begin
        stopped = summary.stopped or (budget or Budget()).used_up(
            calls=summary.calls, tokens=summary.tokens, usd=summary.usd
        )
        summary = replace(summary, stopped=stopped, total=max(summary.total, expected))
    return replace(summary, seconds=time.monotonic() - began)


def _run(
    run: ShardedRun,
    *,
    executor: str,
    ray_address: str | None,
    workers: int | None,
    budget: Budget | None,
    calls_a_minute: float | None,
    prices: Mapping[str, ModelCost] | None,
    expected: int,
    on_progress: OnProgress | None,
) -> list[tuple[Shard, RunSummary]]:
    from otherwords.runs.executors import RAY, Execution, run_by_ray, run_locally
    from otherwords.runs.settings import refuse_written_keys

    require_prices(budget, [*(shard.model for shard in run.shards), *run.agent.model_roles.values()], prices)
    run = replace(run, execute={**run.execute, "prices": prices})
    how = Execution(budget, calls_a_minute, expected, on_progress)
    if executor != RAY:
        return run_locally(run.shards, run.run_shard, how)
    for arguments in (run.agent.model_args, run.agent.agent_args):
        refuse_written_keys(arguments, "Ray's files")
    if isinstance(run.source, Source):
        raise InputError("a run by Ray needs its dataset or task by name, which workers open themselves")
    return run_by_ray(run.shards, run.run_shard, how, address=ray_address, workers=workers)


# ---- scripts for clusters


def write_shards(
    run: ShardedRun,
    source: Source,
    out: Path,
    *,
    arguments: Sequence[str],
    variants_file: Path | None = None,
    at_once: int = 10,
    image: str = "otherwords:latest",
) -> list[Path]:
    """Write an array job of Slurm and an indexed job of Kubernetes, in which each shard is a run of its own.

    Args:
        run: What is run, as `cut_run` gives it.
        source: Its items.
        out: The folder of the files.
        arguments: Those of `otherwords run` as they were given.
        variants_file: Its wordings, which are written as a file for each part.
        at_once: How many shards run at the same time.
        image: The container that Kubernetes starts.

    Returns:
        The files.

    Raises:
        InputError: The items cannot be cut, or a budget cannot be shared out.
    """
    parts, count = run.shards[0].parts, len(run.shards)
    with at_hand(run.log_dir, run.shards[0], write=False) as log_dir:
        require_cut(log_dir, source.items, parts)
    command, budget = taken_out(arguments, "--budget")
    command, rate = taken_out(command, "--rate-limit")
    written: list[Path] = []
    if variants_file is not None and not variants_file.is_dir() and str(variants_file) != SHIPPED:
        command, _ = taken_out(command, "--variants")
        taken = [shard.take(source.items) for shard in run.shards[:parts]]
        written += cut_variants(variants_file, taken, out)
        command += ["--variants", str(out)]
    command += [word for text in _shares(budget, count) for word in ("--budget", text)]
    command += ["--rate-limit", f"{float(rate[-1]) / min(at_once, count):g}"] if rate else []
    command += [flag for flag in ("--wait", "--yes") if flag not in command]
    typed = shlex.join(["otherwords", "run", *command])
    slurm = _SLURM.format(count=count, at_once=min(at_once, count), command=typed)
    written.append(write_whole(out / "slurm.sh", slurm, mode=0o777))
    written.append(
        write_whole(out / "kubernetes.yaml", _kubernetes(typed, count, min(at_once, count), image))
    )
    return written


def taken_out(arguments: Sequence[str], flag: str) -> tuple[list[str], list[str]]:
    """The arguments without an option, and its values.

    Examples:
        >>> from otherwords.pipeline.shards import taken_out
        >>> taken_out(["a.jsonl", "--budget", "usd=5", "--yes", "--budget=calls=9"], "--budget")
        (['a.jsonl', '--yes'], ['usd=5', 'calls=9'])
    """
    kept, values, given = list[str](), list[str](), iter(arguments)
    for word in given:
        name, equals, value = word.partition("=")
        if name.replace("_", "-") == flag:
            values.append(value if equals else next(given, ""))
        else:
            kept.append(word)
    return kept, values


def _shares(texts: Sequence[str], count: int) -> list[str]:
    from otherwords.runs import parse_budget

    budget = parse_budget(texts)
    if budget is None:
        return []
    shares = []
    for name, most in (("calls", budget.calls), ("tokens", budget.tokens)):
        if most is not None and most < count:
            raise InputError(f"a budget of {name}={most} cannot be shared out among {count} shards")
        shares += [] if most is None else [f"{name}={most // count}"]
    return shares + ([] if budget.usd is None else [f"usd={budget.usd / count:g}"])


def cut_variants(path: Path, parts: Sequence[Sequence[Item]], out: Path) -> list[Path]:
    """Write a variants file for each part of its items, `variants-03-of-40.jsonl`, whole lines as they are.

    Raises:
        InputError: The file cannot be read or was edited, or was made for other items.
    """
    path = require_input(path)
    header = require_unchanged(path)
    part_of = {item.id: number for number, items in enumerate(parts) for item in items}
    found: set[Any] = set()
    written = []
    with TemporaryDirectory() as folder:
        spools = [Path(folder) / str(number) for number in range(len(parts))]
        for number, line in variant_lines(path):
            item = validated(LineOf, line, "variant", path, number).item_id
            if item in part_of:
                found.add(item)
                with spools[part_of[item]].open("ab") as file:
                    file.write(line + b"\n")
        lacking = next((item for item in part_of if item not in found), None)
        if lacking is not None:
            raise InputError(
                f"was made for other items: the file lacks '{lacking}'", file=path, hint=MAKE_AGAIN
            )
        for place, (spool, items) in enumerate(zip(spools, parts, strict=True), start=1):
            own = replace(header, items_hash=items_hash(items), n_items=len(items))
            target = out / f"{numbered('variants', place, len(parts))}.jsonl"
            with spool.open("rb") as lines:
                write_lines(target, (line.rstrip(b"\n") for line in lines), own)
            written.append(target)
    return written


_SLURM = """\
#!/bin/bash
#SBATCH --job-name=otherwords
#SBATCH --array=1-{count}%{at_once}
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --output=otherwords-%A_%a.out
# A shard that is started again asks only what is missing. Keys come from the environment in which this is
# submitted, or from a file of mode 600: --keys-file.
set -eu
cd "${{SLURM_SUBMIT_DIR:-.}}"
exec {command} --shard "$SLURM_ARRAY_TASK_ID/{count}"
"""


def _kubernetes(command: str, count: int, at_once: int, image: str) -> str:
    """Each pod's index is its shard's number less one."""
    container = {
        "name": "otherwords",
        "image": image,
        "workingDir": "/work",
        "command": ["sh", "-c", f"exec {command} --shard $((JOB_COMPLETION_INDEX + 1))/{count}"],
        "envFrom": [{"secretRef": {"name": "otherwords-keys"}}],
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}},
        "volumeMounts": [{"name": "work", "mountPath": "/work"}],
    }
    pod = {
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{"name": "work", "persistentVolumeClaim": {"claimName": "otherwords"}}],
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "otherwords"},
        "spec": {
            "completionMode": "Indexed",
            "completions": count,
            "parallelism": at_once,
            "backoffLimitPerIndex": 3,
            "template": {"spec": pod},
        },
    }
    told = (
        "# Needs: the secret otherwords-keys with the keys of the providers; the claim otherwords with this\n"
        "# folder, which all pods mount at /work; an image with otherwords. A shard that is started again\n"
        "# asks only what is missing.\n"
    )
    return told + str(yaml.safe_dump(job, sort_keys=False, width=1000))
