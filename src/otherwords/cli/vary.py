"""`otherwords vary`: a dataset or an Inspect task → a file of vetted variants, and counts of them printed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from otherwords.cli.options import (
    DATASET,
    check_option,
    jobs_option,
    judge_option,
    strength_option,
    variant_options,
)
from otherwords.core.contract import LLM, NO

PROVIDERS = {
    "OPENAI_API_KEY": "openai/gpt-4o-mini",
    "ANTHROPIC_API_KEY": "anthropic/claude-haiku-4-5",
    "GOOGLE_API_KEY": "google/gemini-2.5-flash",
    "MISTRAL_API_KEY": "mistral/mistral-small-latest",
    "GROQ_API_KEY": "groq/llama-3.3-70b-versatile",
    "TOGETHER_API_KEY": "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
}
"""Variables that hold a provider's key, each with a model of that provider that writes good rewordings."""


@click.command("vary", short_help="Reword a dataset, vet every rewording, freeze them in a file.")
@DATASET
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("variants.jsonl"),
    show_default=True,
    help="Where the variants are written.",
)
@variant_options
@click.option(
    "--paraphraser",
    "paraphrasers",
    multiple=True,
    metavar="NAME",
    help="Let this Inspect model write paraphrases too (the family llm); given several times, the models "
    "take turns.  [default: off]",
)
@click.option("--model", metavar="NAME", help="The same as --paraphraser, for one model.")
@strength_option
@click.option("--max-connections", type=click.IntRange(min=1), default=10, show_default=True)
@judge_option("the model of the family llm, if that is used")
@check_option
@click.option("--no-cache", is_flag=True, help="Ask that model again even for what it was asked before.")
@click.option(
    "--min-distance",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Reject rewordings of which a smaller share of the words differs from the original.",
)
@jobs_option
def vary_command(
    dataset: str,
    out: Path,
    families: tuple[str, ...] | None,
    k: int | None,
    seed: int,
    max_items: int | None,
    task_args: dict[str, Any],
    prompt_field: str | None,
    paraphrasers: tuple[str, ...],
    model: str | None,
    strength: str,
    max_connections: int,
    judge: str | None,
    checks: tuple[str, ...],
    no_cache: bool,
    min_distance: float,
    jobs: int | None,
    exclude_ambiguous: bool,
    audit_file: Path | None,
    templates: tuple[Path, ...],
    vary: tuple[str, ...],
    design: str,
    fraction: float,
) -> None:
    """Reword every item of a dataset or an Inspect task, and keep what passes all checks.

    DATASET_OR_TASK is a file (.jsonl, .json, .csv, .parquet, .arrow) or anything Inspect can name (pkg/task,
    file.py@task).

    The file holds one JSON line for each candidate, accepted or rejected, with the reasons. Read it, or look
    at it with `otherwords review`; edit it and run `otherwords vet`. Then give it to every run, so that all
    models are asked the very same wordings.

    By default only rules are used: they cost nothing and give the same every time. With --paraphraser, a
    model writes paraphrases as well, near to the original and far from it. Its replies are cached:
    interrupted, the same command pays for nothing twice. What was rejected is asked for anew.

    A wording that a model wrote may carry a flag: a reason to look, such as a name that is gone. The judge,
    by default the same model, decides on these; what it does not decide is kept in the file, is asked of
    nobody, and waits for `otherwords review`. Rules and preambles in English are for English prompts only.

    The exit code is 1 when a family that was named made something and nothing of it was accepted.

    \b
    otherwords vary questions.jsonl -o variants.jsonl
    otherwords vary questions.csv --families paraphrase,options -k 4 --seed 7
    otherwords vary inspect_evals/gsm8k --max-items 50
    otherwords vary questions.jsonl --families llm -k 3 --paraphraser openai/gpt-4o-mini --strength strong
    otherwords vary questions.jsonl --paraphraser openai/gpt-4o-mini --judge anthropic/claude-haiku-4-5
    """
    from otherwords.checks import make_check
    from otherwords.cli.console import console, print_coverage, print_warning, progress_bar
    from otherwords.cli.options import open_from_options
    from otherwords.core import cores
    from otherwords.pipeline.frozen import freeze
    from otherwords.variants.base import DEFAULT_FAMILIES
    from otherwords.variants.llm import LlmFamily

    models = (*paraphrasers, *([] if model is None else [model]))
    chosen = families if families is not None else DEFAULT_FAMILIES
    if models and LLM not in chosen:
        chosen = (*chosen, LLM)
    source = open_from_options(
        dataset,
        {
            "max_items": max_items,
            "task_args": task_args,
            "prompt_field": prompt_field,
            "exclude_ambiguous": exclude_ambiguous,
            "audit_file": audit_file,
            "templates": templates,
            "vary": vary,
        },
    )
    with progress_bar("rewording", unit="items") as advance:
        covered = freeze(
            source,
            out,
            chosen,
            k=k,
            seed=seed,
            llm=LlmFamily(models, strength, max_connections=max_connections, cache=not no_cache),
            checks=[make_check(spec) for spec in checks],
            judge=judge,
            min_distance=min_distance,
            vary=vary,
            design=design,
            fraction=fraction,
            jobs=jobs or cores(),
            on_item=advance,
        )
    print_coverage(covered, out)
    if not models and LLM not in chosen and (offered := _offer(covered.items)):
        console().print(offered, soft_wrap=True)
    labels = "" if audit_file is None else f" --audit {audit_file}"
    again = f" --exclude-ambiguous{labels}" if exclude_ambiguous else ""
    console().print(
        f"Written: [bold]{out}[/]\nLook: otherwords review {out}\n"
        f"Next: otherwords run {dataset} --variants {out}{again} --model MODEL",
        soft_wrap=True,
    )
    named = [name for name in chosen if families is not None or name == LLM]
    empty = [name for name in named if name in covered.empty_families]
    for name in empty:
        print_warning(
            f"the family '{name}' gave no accepted variant of any item; the most common cause: "
            f"{covered.empty_families[name]}"
        )
    if empty:
        raise SystemExit(NO)


def _offer(items: int) -> str:
    """What a model could add, where the environment has a provider's key; empty where it has none."""
    named = next(((key, model) for key, model in PROVIDERS.items() if os.environ.get(key)), None)
    if named is None:
        return ""
    key, model = named
    return (
        f"{key} is set: with [bold]--paraphraser {model}[/] a model would write four more wordings of each "
        f"item, near to it and far from it, in about {items:,} calls, and decide on those that carry a flag."
    )
