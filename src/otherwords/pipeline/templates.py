"""`vary`: items, alone, in templates or in a design → vetted variants; `template_wordings` of a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from otherwords.checks import MeaningCheck
from otherwords.checks.judge import JudgeCounts
from otherwords.core.contract import HUMAN, ITEM, LLM, ORIG, PASS, SYSTEM, TEMPLATE, TOOLS
from otherwords.core.errors import InputError
from otherwords.core.model_calls import CallCounts
from otherwords.core.registry import FAMILIES, declared_traits
from otherwords.core.template import (
    Cases,
    Template,
    own_field,
    placeholder_names,
    render_cases,
    require_places,
    stray_brace,
    tools_text,
)
from otherwords.core.types import CheckResult, Item, Variant, Vetted, varied_text
from otherwords.items.record import QUESTION
from otherwords.pipeline.cells import GIVEN, PLACEHOLDERS, Level, cells_of, joined, merged_checks
from otherwords.pipeline.decisions import judge_counts
from otherwords.pipeline.design import choose_cells
from otherwords.pipeline.template_candidates import RejectedWording, TemplateWording, TemplateWordings
from otherwords.pipeline.vary import Made, OnItem, Wordings, make, make_groups
from otherwords.variants.base import DEFAULT_FAMILIES
from otherwords.variants.distance import with_distances
from otherwords.variants.llm import LlmFamily

if TYPE_CHECKING:
    from inspect_ai.model import Model

LETTERS: Mapping[str, str] = {TEMPLATE: "t", SYSTEM: "s", TOOLS: "d"}
"""How the names of wordings of a place begin: `t1`, `s1`, `d1`."""


def template_wordings(
    template: Template,
    k: int | None = None,
    *,
    part: str = TEMPLATE,
    families: Sequence[str] = DEFAULT_FAMILIES,
    seed: int = 0,
    paraphraser: str | Model | LlmFamily | None = None,
    judge: str | Model | None = None,
    checks: Sequence[MeaningCheck] = (),
) -> TemplateWordings:
    r"""Make wordings of a template, with its placeholders and examples as they are.

    Args:
        template: What to reword.
        k: Most wordings; two of each family by default.
        part: `template` for the instruction with the placeholders, `system` for the system message.
        families: Names of the variant families that make candidates.
        seed: Of everything that is drawn.
        paraphraser: A model that writes wordings, too.
        judge: The model that decides on wordings that carry a flag; by default the one that writes.
        checks: Meaning checks beside those that need no model.

    Returns:
        The accepted wordings, named `t1`, `t2`, … (`s1`, … of a system message), and the rejected ones.

    Raises:
        InputError: The template has no such part, or a family is unknown.

    Example:
        >>> from otherwords import Template
        >>> from otherwords.pipeline.templates import template_wordings
        >>> template = Template("Answer the following question in one word.\n\n{question}")
        >>> for one in template_wordings(template, 1, families=["paraphrase"]).accepted:
        ...     print(one.name, one.template.prompt.splitlines()[0])
        t1 Can you answer the question below in one word?
    """
    llm = paraphraser if isinstance(paraphraser, LlmFamily) or paraphraser is None else LlmFamily(paraphraser)
    if llm is not None and LLM not in families:
        families = (*families, LLM)
    wordings = Wordings(tuple(families), k, seed, llm, judge)
    judging, asked, spent = wordings.with_judge(checks), CallCounts(), CallCounts()
    found = reword_part(template, part, wordings, judging, asked)
    for one in (asked, judge_counts(judging) or JudgeCounts()):
        spent.add(one)
    return replace(found, spent=spent)


def reword_part(
    template: Template, part: str, wordings: Wordings, checks: Sequence[MeaningCheck], asked: CallCounts
) -> TemplateWordings:
    """As `template_wordings`; what `wordings` says of items is done to the part of the template.

    What the model that writes was asked is added to `asked`; the judge is among the checks.
    """
    text = template.part(part)
    accepted: list[TemplateWording] = []
    rejected: list[RejectedWording] = []
    for one in reworded_text(text, part, wordings, checks, asked):
        variant, said = one.variant, varied_text(one.variant.prompt)
        problem = (
            _other_braces(text, said) if isinstance(variant.prompt, str) else "it became several messages"
        )
        if one.accepted and not problem:
            name = f"{LETTERS[part]}{len(accepted) + 1}"
            new = template.with_part(part, said, name)
            results = (*one.checks, CheckResult(PLACEHOLDERS, PASS))
            levels = _prefixed_levels(wordings, part, variant)
            accepted.append(TemplateWording(name, new, variant.change, variant.kind, results, levels))
            continue
        reasons = [f"{result.check}: {result.reason}" for result in (*one.failures, *one.flags)]
        reasons += [f"{PLACEHOLDERS}: {problem}"] if problem else []
        rejected.append(RejectedWording(said, variant.change, variant.kind, tuple(reasons)))
    return TemplateWordings(tuple(accepted), tuple(rejected))


def reworded_text(
    text: str, part: str, wordings: Wordings, checks: Sequence[MeaningCheck], asked: CallCounts
) -> list[Vetted]:
    """The vetted wordings of a text that all items share; no controls, and none that people wrote."""
    for name in wordings.families:
        FAMILIES.get(name)
    families = tuple(
        name
        for name in wordings.families
        if name != HUMAN and not declared_traits(FAMILIES.get(name)).is_control
    )
    ((group,), made, _) = make_groups(
        [Item(part, text)], replace(wordings, families=families, fraction=1), checks
    )
    asked.add(made.asked or CallCounts())
    return [one for one in group if not one.variant.is_original]


def _other_braces(before: str, after: str) -> str:
    """What is wrong with the placeholders of a wording; empty if nothing."""
    stray = stray_brace(after)
    if stray is not None:
        return f"'{stray[0]}' is no placeholder"
    was, now = sorted(placeholder_names(before)), sorted(placeholder_names(after))
    return "" if was == now else f"it has {', '.join(now) or 'none'} in place of {', '.join(was) or 'none'}"


def vary(
    items: Sequence[Item],
    families: Sequence[str] = DEFAULT_FAMILIES,
    *,
    k: int | None = None,
    seed: int = 0,
    llm: LlmFamily | None = None,
    checks: Sequence[MeaningCheck] = (),
    judge: str | Model | None = None,
    min_distance: float = 0.0,
    template: Template | Sequence[Template] | None = None,
    vary: Sequence[str] = (ITEM,),
    design: str = "",
    fraction: float = 1.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> list[Vetted]:
    """Make and vet variants of items.

    Args:
        items: What to reword, as `load_items` gives it.
        families: Names of the variant families that make candidates.
        k: Most candidates of an item, beside the original; two of each family by default.
        seed: Of everything that is drawn.
        llm: Which model writes the family `llm`, and how far it may go.
        checks: Meaning checks beside those that need no model.
        judge: The model that decides on variants that carry a flag, or `none`. By default the one that writes
            the family `llm`, where that is asked for. What nobody decides is not accepted.
        min_distance: Rewordings are rejected of which a smaller share of the words differs from the original.
        template: What the items' prompts and metadata are put into; several are crossed with the items.
        vary: What is reworded: `item`, and of templates `template` and `system`; several are crossed.
        design: Kinds of change that are crossed, such as `wording×format×order`; `k` is then how many levels
            each has beside the original, two by default.
        fraction: How many of the design's cells each item has; below 1, a balanced part of them.
        jobs: Processes that may share the work. The result is the same for any number. In a script, call this
            under `if __name__ == "__main__":` when it is above 1.
        on_item: Called after each item with how many are done, and of how many.

    Returns:
        Each item's original and candidates, accepted or not, with what each check said of them.

    Raises:
        InputError: A family is unknown, is named twice, or an argument is out of range.

    Example:
        >>> from otherwords import Item, vary
        >>> item = Item("q1", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)
        >>> for one in vary([item], ["paraphrase", "options"], k=2):
        ...     print(one.variant.name, one.accepted, one.variant.prompt)
        orig True Which of the following is a mammal?
        para1 True I would like to know which one of these is a mammal.
        pert:order_swap True Which of the following is a mammal?
    """
    wordings = Wordings(tuple(families), k, seed, llm, judge, vary=require_places(vary))
    wordings = wordings.in_design(design, fraction)
    checks = wordings.with_judge(checks)
    options: dict[str, Any] = {"min_distance": min_distance, "jobs": jobs, "on_item": on_item}
    if template is None:
        if wordings.vary != (ITEM,):
            raise InputError("vary names a place of a template, and no template is given")
        if design:
            return make_design(items, wordings, checks, **options)[0].vetted
        return make(items, wordings, checks, **options).vetted
    templates = (template,) if isinstance(template, Template) else tuple(template)
    cases = Cases(templates, own_field(templates, QUESTION), tuple(items))
    cases.items()  # refuses what lacks a field
    return make_cells(cases, wordings, checks, **options)[0].vetted


# ---- cells


def template_levels(
    source: Cases, wordings: Wordings, checks: Sequence[MeaningCheck], asked: CallCounts
) -> tuple[list[Level], list[RejectedWording]]:
    """The templates that are crossed with the items: those given, and wordings of their parts."""
    levels = [
        Level(one.name, one)
        if place == 0
        else Level(one.name, one, TEMPLATE, one.name, (CheckResult(PLACEHOLDERS, PASS, GIVEN),))
        for place, one in enumerate(source.templates)
    ]
    if wordings.design and len(levels) > 1:
        levels = [replace(one, levels={TEMPLATE: one.name}) for one in levels]
    rejected: list[RejectedWording] = []
    parts = [part for part in wordings.vary if part != ITEM]
    for part in parts:
        if part == TOOLS and not source.descriptions:
            raise InputError("--vary tools is for Inspect tasks: a template has no tools")
        made: list[Level] = []
        for level in levels:
            made.append(level)
            if part == TOOLS:
                made += _reworded_tools(level, source.descriptions, wordings, checks, asked)
                continue
            found = reword_part(level.template, part, wordings, checks, asked)
            rejected += found.rejected
            made += [_reworded(level, part, one, one.template.part(part)) for one in found.accepted]
        levels = made
        if wordings.design:
            names = [_prefix(wordings, part) + name for name in wordings.design]
            levels = [replace(one, levels={**dict.fromkeys(names, ORIG), **one.levels}) for one in levels]
    if wordings.design:
        return levels, rejected
    if len(parts) > 1:
        return [replace(one, levels={**dict.fromkeys(parts, ORIG), **one.levels}) for one in levels], rejected
    return [replace(one, levels={}) for one in levels], rejected


def _prefix(wordings: Wordings, place: str) -> str:
    """Of the names of factors, where several places have factors."""
    return f"{place}." if len(wordings.vary) > 1 else ""


def _prefixed_levels(wordings: Wordings, place: str, variant: Variant) -> dict[str, str]:
    return {_prefix(wordings, place) + factor: level for factor, level in variant.levels.items()}


def _reworded(level: Level, part: str, wording: TemplateWording, text: object) -> Level:
    name = wording.name if level.name == ORIG else f"{level.name}+{wording.name}"
    return Level(
        name,
        replace(wording.template, name=name),
        joined(level.kind, *(f"{part}:{kind}" for kind in wording.kind.split("+"))),
        joined(level.change, wording.change),
        merged_checks(level.checks, wording.checks),
        {**level.levels, **(wording.levels or {part: wording.name})},
        {**level.texts, part: text},
    )


def _reworded_tools(
    level: Level,
    descriptions: Mapping[str, str],
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    asked: CallCounts,
) -> list[Level]:
    """All tools described in other words at once, those for which a family makes none as they were."""
    found = {name: reworded_text(text, TOOLS, wordings, checks, asked) for name, text in descriptions.items()}
    names = list(dict.fromkeys(one.variant.name for group in found.values() for one in group if one.accepted))
    levels: list[Level] = []
    for place, wanted in enumerate(names, start=1):
        chosen = {
            tool: one
            for tool, group in found.items()
            for one in group
            if one.variant.name == wanted and one.accepted
        }
        new = {tool: varied_text(one.variant.prompt) for tool, one in chosen.items()}
        first = next(iter(chosen.values())).variant
        template = level.template.with_part(TOOLS, tools_text({**descriptions, **new}), level.name)
        results = merged_checks(*(one.checks for one in chosen.values()))
        factors = _prefixed_levels(wordings, TOOLS, first)
        name = f"{LETTERS[TOOLS]}{place}"
        wording = TemplateWording(name, template, first.change, first.kind, results, factors)
        levels.append(_reworded(level, TOOLS, wording, new))
    return levels


def make_cells(
    source: Cases,
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    *,
    min_distance: float = 0.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> tuple[Made, dict[str, object]]:
    """Each case in each template, in each of its own accepted wordings where `item` is varied.

    Returns:
        The cells, and what the first line of the variants file says of the design.
    """
    own, cases = source.own, source.cases
    for name in wordings.families:
        FAMILIES.get(name)
    of_templates = CallCounts()
    levels, rejected = template_levels(source, wordings, checks, of_templates)
    own_wordings = (
        wordings if ITEM in wordings.vary else replace(wordings, families=(), k=0, llm=None, design=())
    )
    items = list(render_cases(levels[0].template, cases, own))
    shared = [level.levels for level in levels]
    groups, made, chosen = make_groups(
        cases, own_wordings, checks, shared, prefix=_prefix(wordings, ITEM), jobs=jobs, on_item=on_item
    )
    if LLM in wordings.families:
        of_templates.add(made.asked or CallCounts())
        made = replace(made, asked=of_templates)
    if wordings.design and chosen is None:  # of the templates alone
        chosen = choose_cells([shared] * len(cases), wordings.fraction, wordings.seed)
    options: dict[str, Any] = {"least": min_distance, "of_task": bool(source.places)}
    cells: list[Vetted] = []
    for place, (case, item) in enumerate(zip(cases, items, strict=True)):
        wanted = None if chosen is None else chosen[place]
        cells += cells_of(case, item, own, levels, groups[place], wanted=wanted, **options)
    return replace(made, vetted=cells), _header_design(source, wordings, levels, rejected, cells)


def make_design(
    items: Sequence[Item],
    wordings: Wordings,
    checks: Sequence[MeaningCheck],
    *,
    min_distance: float = 0.0,
    jobs: int = 1,
    on_item: OnItem | None = None,
) -> tuple[Made, dict[str, object]]:
    """As `make_cells`, of items that stand in no template."""
    groups, made, _ = make_groups(items, wordings, checks, jobs=jobs, on_item=on_item)
    vetted = [
        one
        for item, group in zip(items, groups, strict=True)
        for one in with_distances(item, group, least=min_distance)
    ]
    return replace(made, vetted=vetted), _design_of(wordings, vetted)


def _header_design(
    source: Cases,
    wordings: Wordings,
    levels: Sequence[Level],
    rejected: Sequence[RejectedWording],
    cells: Sequence[Vetted],
) -> dict[str, object]:
    return {
        "vary": list(wordings.vary),
        "of_task": bool(source.places),
        "prompt_field": source.own,
        "templates": {level.name: level.template.plain for level in levels},
        "given": [level.name for level in levels if level.kind in ("", TEMPLATE)],
        "rejected": [one._asdict() for one in rejected],
        **_design_of(wordings, cells),
    }


def _design_of(wordings: Wordings, cells: Sequence[Vetted]) -> dict[str, object]:
    """The factors of a design, each with its levels, and how many of its cells each item has."""
    if not wordings.design:
        return {}
    factors: dict[str, list[str]] = {}
    for one in cells:
        for factor, level in one.variant.levels.items():
            if level not in factors.setdefault(factor, []):
                factors[factor].append(level)
    return {"design": list(wordings.design), "factors": factors, "fraction": wordings.fraction}
