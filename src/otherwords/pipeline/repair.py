"""A template and cases → wordings of it that may be better, the search among them, and its files."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherwords.core.contract import ORIG, SYSTEM, TEMPLATE, TRUNCATED, UNREADABLE
from otherwords.core.errors import InputError
from otherwords.core.files import write_all, write_whole
from otherwords.core.registry import traits_of
from otherwords.core.template import Cases, Template, case_fields
from otherwords.core.types import Item, Variant, original, variant_id, whole_text
from otherwords.core.wording_names import wording_name
from otherwords.metrics.findings import ACCURACY, Finding
from otherwords.metrics.template_search import Repair, RepairSearch
from otherwords.pipeline.inputs import Agent, Source
from otherwords.pipeline.template_search import SearchRun, one_model
from otherwords.pipeline.templates import template_wordings

if TYPE_CHECKING:
    from otherwords.variants.llm import LlmFamily

CANDIDATES_FILE = "candidates.json"
ANSWER_ONLY = "Give only the answer, in the form that is asked for, and nothing before or after it."
_BY_OUTCOME: dict[str, str] = {UNREADABLE: ANSWER_ONLY, TRUNCATED: "Be brief. Give only the answer."}
SHORT_ANSWER = 4
"""Words."""


@dataclass(frozen=True)
class Candidate:
    """A wording of the template that may be better, and how it was made."""

    name: str
    template: Template
    how: str


def propose(
    template: Template,
    cases: Sequence[Item],
    k: int,
    *,
    families: Sequence[str],
    seed: int = 0,
    paraphraser: str | LlmFamily | None = None,
    findings: Sequence[Finding] = (),
) -> list[Candidate]:
    """Wordings of a template: by rules and by a model, and with sentences that say what is expected.

    Args:
        template: The current one.
        cases: What it is filled with; their answers tell what may be said of the answer.
        k: Most wordings of each part by rules and the model.
        families: Of the rules.
        seed: Of what is drawn.
        paraphraser: A model that writes wordings, too.
        findings: Of `fix`, in runs of this template: each loss gets a sentence against it.

    Returns:
        The candidates, none of them twice and none the template itself.
    """
    found: list[tuple[str, Template]] = []
    roles = {message.role for message in template.messages}
    for part in (TEMPLATE, *([SYSTEM] if "system" in roles else [])):
        made = template_wordings(
            template, k, part=part, families=families, seed=seed, paraphraser=paraphraser
        )
        found += [(wording_name(one.kind, one.change), one.template) for one in made.accepted]
    for sentence, why in _sentences(cases, findings):
        text = template.part(TEMPLATE)
        for where, new in (("before", f"{sentence}\n\n{text}"), ("after", f"{text}\n\n{sentence}")):
            found.append(
                (f"says {where} the instruction: {sentence} ({why})", template.with_part(TEMPLATE, new, ""))
            )
    by_prompt = {one.prompt: (how, one) for how, one in reversed(found) if one.prompt != template.prompt}
    return [
        Candidate(f"t{number}", one, how)
        for number, (how, one) in enumerate(reversed(by_prompt.values()), start=1)
    ]


def _sentences(cases: Sequence[Item], findings: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    """What a template could say, and why."""
    said: dict[str, str] = {}
    for one in findings:
        if one.effect <= 0:
            continue
        kind = one.kind.rpartition("+")[2].rpartition(":")[2]
        sentence = traits_of(kind).remedy if one.what == ACCURACY else _BY_OUTCOME.get(one.what, "")
        if sentence:
            said.setdefault(sentence, f"found: {wording_name(one.kind, one.change)}")
    answers = [case.target for case in cases if isinstance(case.target, tuple)]
    if answers and all(len(text.split()) <= 4 for target in answers for text in target):
        said.setdefault(ANSWER_ONLY, "answers are short")
    yield from said.items()


def frozen_candidates(
    folder: Path, template: Template, made_with: Mapping[str, Any]
) -> list[Candidate] | None:
    """The candidates that an earlier run of the same repair wrote; None where there was none.

    Raises:
        InputError: The folder holds the repair of another template, or with other options.
    """
    file = folder / CANDIDATES_FILE
    if not file.exists():
        return None
    before = json.loads(file.read_text("utf-8"))
    if before["template"] != _plain(template) or before["made_with"] != dict(made_with):
        what = "of another template" if before["template"] != _plain(template) else "with other options"
        raise InputError(f"holds a repair {what}", file=file, hint="Give another folder: -o DIR")
    return [
        Candidate(one["name"], Template(one["prompt"], one["name"]), one["how"])
        for one in before["candidates"]
    ]


def freeze_candidates(
    folder: Path, template: Template, made_with: Mapping[str, Any], candidates: Sequence[Candidate]
) -> None:
    """Writes them, so that an interrupted repair goes on with the same ones."""
    content = {
        "template": _plain(template),
        "made_with": dict(made_with),
        "candidates": [
            {"name": one.name, "how": one.how, "prompt": _plain(one.template)} for one in candidates
        ],
    }
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / CANDIDATES_FILE, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def plan_repair(
    source: Source,
    candidates: Sequence[Candidate],
    agent: Agent,
    *,
    log_dir: Path,
    repeats: int = 3,
    seed: int = 0,
    wordings: Sequence[Variant] = (),
    scorer: str | None = None,
    constrain_choices: bool = False,
) -> SearchRun[RepairSearch]:
    """Candidates against the template that `source` has; with `wordings`, each case also in those."""
    cases = source.cases
    assert cases is not None
    templates = {ORIG: cases.templates[0], **{one.name: one.template for one in candidates}}
    said: dict[str, list[Variant]] = {case.id: [original(case)] for case in cases.cases}
    for variant in wordings:
        if not variant.is_original and not traits_of(variant.kind).is_control and variant.item_id in said:
            said[variant.item_id].append(variant)
    cells = {
        (name, case.id): tuple(_in_template(name, template, case, cases.own, one) for one in said[case.id])
        for name, template in templates.items()
        for case in cases.cases
    }
    model, settings = one_model(agent, source, scorer)
    names = tuple(one.name for one in candidates)
    if not names:
        raise InputError(
            "no other wording of the template was found",
            file=cases.templates[0].file,
            hint="Let a model write some: --paraphraser MODEL",
        )
    search = RepairSearch(ORIG, names, tuple(said), repeats=repeats, seed=seed)
    return SearchRun(search, source, cells, model, settings, log_dir, constrain_choices)


def _in_template(name: str, template: Template, case: Item, own: str, said: Variant) -> Variant:
    """What a user says of a case, in a template; the current one is `orig`."""
    parts = [part for part in (name, said.name) if part != ORIG]
    kinds = [kind for kind in (ORIG if name == ORIG else TEMPLATE, said.kind) if kind != ORIG]
    named = "+".join(parts) or ORIG
    return replace(
        said,
        id=variant_id(case.id, named),
        name=named,
        kind="+".join(kinds) or ORIG,
        prompt=template.render({**case_fields(case, own), own: whole_text(said.prompt)}),
        template=name,
        wording=said.name,
        distance=None,
    )


def write_repair(
    folder: Path,
    cases: Cases,
    candidates: Sequence[Candidate],
    found: Repair,
    spent: Mapping[str, float | None],
) -> tuple[dict[str, Any], list[Path]]:
    """Writes `repair.json`, and the template with its diff if one is adopted; gives the content."""
    current = cases.templates[0]
    by_name = {one.name: one for one in candidates}
    suffix = ".txt" if current.file is None else current.file.suffix
    stem = "template" if current.file is None else current.file.stem
    files: dict[Path, str] = {}
    if found.adopted is not None:
        before, after = (_text(one, suffix) for one in (current, by_name[found.adopted].template))
        names = (f"{stem}{suffix}", f"{stem}{suffix} ({found.adopted})")
        diff = difflib.unified_diff(before.splitlines(True), after.splitlines(True), *names)
        files = {folder / f"{stem}{suffix}": after, folder / f"{stem}.diff": "".join(diff)}
    content = {
        "format": "otherwords-repair",
        "version": 1,
        "sentence": found.sentence,
        "adopted": found.adopted,
        "template": _plain(current),
        "new_template": None if found.adopted is None else _plain(by_name[found.adopted].template),
        "gains": [
            {
                **asdict(one),
                "how": by_name[one.template].how,
                "prompt": _plain(by_name[one.template].template),
            }
            for one in found.gains
        ],
        "cost": dict(spent),
        "files": [str(path) for path in files],
    }
    for old in (f"{stem}{suffix}", f"{stem}.diff"):
        (folder / old).unlink(missing_ok=True)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return content, write_all({**files, folder / "repair.json": text})


def _plain(template: Template) -> Any:
    if isinstance(template.prompt, str):
        return template.prompt
    return [{"role": one.role, "content": one.content} for one in template.prompt]


def _text(template: Template, suffix: str) -> str:
    """As a file of that kind has it."""
    if isinstance(template.prompt, str):
        return f"{template.prompt}\n"
    if suffix == ".json":
        return json.dumps(_plain(template), indent=2, ensure_ascii=False) + "\n"
    import yaml

    dumped: str = yaml.safe_dump(_plain(template), allow_unicode=True, sort_keys=False, width=1000)
    return dumped
