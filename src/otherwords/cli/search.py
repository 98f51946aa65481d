"""`otherwords repair`: a template and cases → a better wording of it; `worst`: which wording hurts most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import (
    WIDTH,
    ask_to_go_on,
    cell,
    console,
    dollars,
    excerpts,
    json_text,
    print_json,
    print_lines,
    run_progress,
    text_table,
    working,
    wrapped,
)
from otherwords.cli.options import (
    COUNT,
    FILE,
    F,
    FamiliesOption,
    dry_run_option,
    json_option,
    prompt_field_option,
    read_names,
    scorer_option,
    task_args_option,
    together,
    yes_option,
)
from otherwords.cli.run_options import agent_from_options, asked_options, price_option, spending_options
from otherwords.core.contract import INTERRUPTED

if TYPE_CHECKING:
    from otherwords.core.model_calls import CallCounts
    from otherwords.core.template import Template
    from otherwords.core.types import Item
    from otherwords.metrics.findings import Finding
    from otherwords.metrics.template_search import Worst
    from otherwords.pipeline.estimate import RunEstimate
    from otherwords.pipeline.template_candidates import Candidates
    from otherwords.pipeline.template_search import Scores, SearchRun

FORMAT, VERSION = "otherwords-worst", 1


def _shared_options(out: str, repeats: int) -> Callable[[F], F]:
    """What both searches take beside the model."""
    return together(
        click.option(
            "--repeats",
            type=COUNT,
            default=repeats,
            show_default=True,
            help="Runs of each item in each wording.",
        ),
        click.option("--max-items", type=COUNT, metavar="N", help="Use only the first N items."),
        click.option("--seed", default=0, show_default=True, help="Of the order of items and all else."),
        click.option(
            "-o",
            "--out",
            type=FILE,
            default=Path(out),
            show_default=True,
            help="Folder of logs and results.",
        ),
        click.option("--max-connections", type=COUNT, help="Requests at once."),
        scorer_option,
        json_option,
    )


@click.command("repair", short_help="Find a better wording of a template, confirmed on unseen cases.")
@click.argument("cases", metavar="CASES")
@click.option("--template", "template_file", type=FILE, required=True, help="The current template.")
@asked_options
@click.option("--paraphraser", metavar="NAME", help="Let this model write wordings of the template, too.")
@click.option(
    "-k", "k", type=COUNT, default=8, show_default=True, help="Most wordings by rules and by that model."
)
@click.option("--families", cls=FamiliesOption, callback=read_names, metavar="NAME,NAME")
@click.option(
    "--found-in",
    multiple=True,
    type=FILE,
    metavar="LOGS",
    help="Logs of this template: also try sentences against what `otherwords fix` finds there. Repeatable.",
)
@click.option(
    "--variants",
    "variants_file",
    type=FILE,
    help="Users' wordings that `otherwords vary CASES` froze: each case is asked in all of them.",
)
@click.option("--prompt-field", metavar="FIELD", help="The field of a case that holds its own text.")
@_shared_options("repair", repeats=3)
@spending_options
def repair_command(cases: str, template_file: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Look for a wording of the template that is better than the current one, and adopt none that is not.

    Wordings come from rules, from a --paraphraser, and from sentences that say what is expected. They are
    screened on a third of the cases by sequential halving, so that bad ones cost little. The best two are
    confirmed on the other cases, and the better one is adopted only if its gain there is above 0 for sure.
    What was seen while screening flatters, and is shown beside.

    Interrupted, or at the end of its budget, run the same command again: only what is missing is asked.

    \b
    otherwords repair cases.jsonl --template prompt.txt --model openai/gpt-4o-mini -o repaired
    otherwords repair cases.jsonl --template prompt.txt --model openai/gpt-4o-mini --found-in logs \\
      --variants wordings.jsonl --paraphraser anthropic/claude-haiku-4-5
    """
    from otherwords.core.template import read_template
    from otherwords.pipeline.inputs import open_source
    from otherwords.pipeline.template_search import plan_repair, write_repair
    from otherwords.pipeline.vet import read_given

    template = read_template(template_file)
    source = open_source(
        cases, max_items=options["max_items"], prompt_field=options["prompt_field"], templates=(template,)
    )
    assert source.cases is not None
    wordings = (
        ()
        if options["variants_file"] is None
        else read_given(options["variants_file"], open_source(cases, max_items=options["max_items"]))[
            1
        ].accepted
    )
    made = _candidates(out, source.cases.cases, template, options)
    candidates = made.each
    plan = plan_repair(
        source,
        candidates,
        agent_from_options(options),
        log_dir=out / "logs",
        repeats=options["repeats"],
        seed=options["seed"],
        wordings=wordings,
        scorer=options["scorer"],
        constrain_choices=options["constrain_choices"],
    )
    about = f"{len(candidates)} wordings of {template_file.name}, {len(source.items)} cases"
    told = _search(plan, about, options, quiet=as_json)
    if told is None:
        return
    found = plan.search.result(told)
    content, written = write_repair(out, source.cases, candidates, found, _with_writing(plan, made.spent))
    if as_json:
        print_json(content)
        return
    how = {one.name: one.how for one in candidates}
    print_lines([*wrapped(found.sentence, "  ", ""), "", *_gain_lines(content["gains"], how)])
    screen = console()
    if found.adopted is None:
        screen.print(f"{cell(template_file.name)} stays as it is.")
    screen.print(f"Cost: {_cost(content['cost'])}", soft_wrap=True)
    screen.print(f"Written: {cell(', '.join(map(str, written)))}", soft_wrap=True)


def _candidates(
    out: Path, cases: Sequence[Item], template: Template, options: Mapping[str, Any]
) -> Candidates:
    """Those that an earlier run froze, or new ones."""
    from otherwords.pipeline.template_candidates import freeze_candidates, frozen_candidates
    from otherwords.pipeline.template_search import propose
    from otherwords.variants.base import DEFAULT_FAMILIES

    families = DEFAULT_FAMILIES if options["families"] is None else options["families"]
    made_with = {
        **{name: options[name] for name in ("k", "seed", "paraphraser")},
        "families": list(families),
        "found_in": [str(path) for path in options["found_in"]],
    }
    before = frozen_candidates(out, template, made_with)
    if before is not None:
        return before
    if options["paraphraser"] is not None and options["dry_run"]:
        console().print(f"A dry run asks nobody: without the wordings of {cell(options['paraphraser'])}.")
    with working("rewording the template"):
        found = propose(
            template,
            cases,
            options["k"],
            families=families,
            seed=options["seed"],
            paraphraser=None if options["dry_run"] else options["paraphraser"],
            findings=_findings(options["found_in"], options["scorer"]),
        )
    if not options["dry_run"] and found.each:
        freeze_candidates(out, template, made_with, found)
    return found


def _findings(logs: Sequence[Path], scorer: str | None) -> tuple[Finding, ...]:
    if not logs:
        return ()
    from otherwords.metrics import fix
    from otherwords.results import read_results

    return fix(read_results(list(logs), scorer=scorer).outcomes).findings


def _gain_lines(gains: Sequence[Mapping[str, Any]], how: Mapping[str, str]) -> list[str]:
    from otherwords.core.texts import p_number, points, points_between

    rows = []
    for one in gains:
        told = one["confirmed"]
        confirmed = "dropped" if told is None else points_between(told["value"], told["low"], told["high"])
        rows.append((one["template"], points(one["screened"]), confirmed, p_number(one["p"])))
    lines = text_table([("wording", "gain, screening", "gain, unseen cases", "p"), *rows])
    for one in gains[:3]:
        lines += wrapped(f"{one['template']}: {how[one['template']]}", "    ", "  ")
    return [*lines, ""]


def _search(plan: SearchRun[Any], about: str, options: Mapping[str, Any], *, quiet: bool) -> Scores | None:
    """All scores, after the question whether to go on; None where it ended before, which is said."""
    from otherwords.pipeline.estimate import parse_prices
    from otherwords.runs import parse_budget

    budget = parse_budget(options.get("budget") or ())
    prices = parse_prices(options["prices"], [plan.model])
    taken = plan.estimate(prices)
    screen = console()
    if not quiet or options["dry_run"]:
        screen.print(f"{cell(about)}: {_at_most(taken)}", soft_wrap=True)
    if options["dry_run"]:
        return None
    ask_to_go_on(taken.calls, taken.usd, yes=options["yes"])
    try:
        with run_progress("asking") as on_progress:
            told = plan.execute(
                max_connections=options["max_connections"],
                budget=budget,
                prices=prices or None,
                on_progress=on_progress,
            )
    except KeyboardInterrupt:
        screen.print(f"\nStopped. {_go_on(plan)}", soft_wrap=True)
        raise SystemExit(INTERRUPTED) from None
    if told is None:
        screen.print(f"Stopped at the budget. {_go_on(plan)}", soft_wrap=True)
    return told


def _go_on(plan: SearchRun[Any]) -> str:
    return f"What has finished is in {cell(plan.log_dir)}; run the same command again to go on."


def _at_most(taken: RunEstimate) -> str:
    calls = f"at most {taken.samples:,} calls"
    if taken.finished:
        calls += f", {taken.finished:,} of them finished before"
    money = "" if taken.usd is None else f", about {dollars(taken.usd)}"
    return f"{calls}; about {taken.input_tokens:,} tokens in and {taken.output_tokens:,} out{money}"


def _with_writing(plan: SearchRun[Any], writing: CallCounts) -> dict[str, Any]:
    """What the search took, and what models were asked to write and to judge the wordings."""
    tokens = writing.input_tokens + writing.output_tokens
    return {**plan.spent(), "writing_calls": writing.calls, "writing_tokens": tokens}


def _cost(spent: Mapping[str, Any]) -> str:
    tokens = "" if spent["tokens"] is None else f", {spent['tokens']:,} tokens"
    money = "" if not spent["usd"] else f", {dollars(spent['usd'])}"
    writing = ""
    if spent.get("writing_calls"):
        paid = f"{spent['writing_calls']:,} calls, {spent['writing_tokens']:,} tokens"
        writing = f"; to write and judge the wordings {paid}"
    return f"{spent['calls']:,} calls{tokens}{money}{writing}"


@click.command("worst", short_help="Find the wording that hurts most, and ask it afresh.")
@click.argument("cases", metavar="CASES_OR_TASK")
@click.option(
    "--variants", "variants_file", type=FILE, required=True, help="A file that `otherwords vary` wrote."
)
@asked_options
@click.option(
    "--budget", "calls", type=COUNT, required=True, metavar="CALLS", help="In all; half of them ask afresh."
)
@task_args_option
@prompt_field_option
@_shared_options("worst", repeats=1)
@price_option
@yes_option
@dry_run_option("Say what it would take, and stop.")
def worst_command(cases: str, variants_file: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Look for the accepted wording that hurts most within a number of calls, and ask it afresh.

    All wordings are asked on a few items, the worse half of them on more, and so on. What looks worst was
    picked for it, which exaggerates: it is asked again, beside the original, on items that did not pick it,
    and only that is the result. A wording is a change that at least half of the items have, such as a format;
    changes that fewer have are taken together by their kind.

    Interrupted, run the same command again: only what is missing is asked.

    \b
    otherwords vary cases.jsonl --families format,typing,register -o variants.jsonl
    otherwords worst cases.jsonl --variants variants.jsonl --model openai/gpt-4o-mini --budget 400
    """
    from otherwords.core.files import write_whole
    from otherwords.pipeline.inputs import open_source
    from otherwords.pipeline.template_search import plan_worst
    from otherwords.pipeline.vet import frozen_design, read_given

    templates, own, vary = frozen_design(variants_file, options["prompt_field"])
    source = open_source(
        cases,
        max_items=options["max_items"],
        task_args=options["task_args"],
        prompt_field=own,
        templates=templates,
        vary=vary,
    )
    source, given = read_given(variants_file, source)
    plan, rare = plan_worst(
        source,
        given.accepted,
        agent_from_options(options),
        budget=options["calls"],
        log_dir=out / "logs",
        repeats=options["repeats"],
        seed=options["seed"],
        scorer=options["scorer"],
        constrain_choices=options["constrain_choices"],
    )
    n = len({name for name, _ in plan.cells}) - 1
    told = _search(plan, f"{n} wordings, {len(source.items)} items", options, quiet=as_json)
    if told is None:
        return
    found = plan.search.result(told)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "sentence": found.sentence,
        "wording": found.wording,
        "loss": found.loss,
        "accuracy": found.accuracy,
        "accuracy_where_picked": found.selected,
        "cost": plan.spent(),
        "left_out": rare,
    }
    file = write_whole(out / "worst.json", json_text(content) + "\n")
    if as_json:
        print_json(content)
        return
    print_lines([*wrapped(found.sentence, "  ", ""), "", *_worst_lines(plan, found, rare)])
    console().print(f"Cost: {_cost(plan.spent())}\nWritten: {cell(file)}", soft_wrap=True)


def _worst_lines(plan: SearchRun[Any], found: Worst, rare: Sequence[str]) -> Iterator[str]:
    """One example, and what was not tried."""
    from otherwords.core.types import varied_text

    item = next(item for name, item in plan.cells if name == found.wording)
    before, after = (varied_text(plan.cells[name, item][0].prompt) for name in ("orig", found.wording))
    for name, text in zip(("orig", found.wording), excerpts(before, after, WIDTH - 24), strict=True):
        yield from wrapped(f"{item}, {name}: {text}", "    ", "  ")
    if rare:
        few = "Not tried, since fewer than half of the items have them"
        yield from wrapped(f"{few}: {', '.join(rare)}", "  ", "")
