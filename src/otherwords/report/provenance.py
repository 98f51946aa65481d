"""`Provenance`: how a report was made (date, versions, models, calls, tokens, hashes), and its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from otherwords.core.texts import count_text, of_things
from otherwords.core.wording_names import kind_name

SPEAKS_FOR = {
    "items": "other items of the same kind, asked in these wordings",
    "wordings": "other wordings of these items",
    "both": "other items, and other wordings of the kinds tried",
}
"""By what a verdict's intervals generalize to."""
UNKNOWN = "not recorded"


@dataclass(frozen=True)
class ModelRun:
    """One model or agent on one benchmark: with what it was run."""

    agent: str
    benchmark: str
    model: str = ""
    """The model behind the agent, where the log names it and it is another name."""
    settings: str = ""
    """`temperature 0, max_tokens 256`; empty where none is known."""
    began: str = ""
    """When the first of its logs began."""


@dataclass(frozen=True)
class Provenance:
    """How a report was made. What is not known is None or empty, and is said to be."""

    made: str
    """Date and time of the report, in UTC."""
    versions: tuple[tuple[str, str], ...] = ()
    runs: tuple[ModelRun, ...] = ()
    calls: int = 0
    """Runs of wordings that were asked for and not missing."""
    tokens: int | None = None
    cost: float | None = None
    """In US dollars."""
    seeds: tuple[int, ...] = ()
    """Of the runs, where rows have one."""
    wording_seeds: tuple[int, ...] = ()
    """Of what made the wordings, where the file of them says so."""
    families: tuple[tuple[str, int], ...] = ()
    """Kinds of wordings, with how many wordings there are of each."""
    items_hash: str = ""
    variants_hash: str = ""
    generalizes: tuple[str, ...] = ()
    files: tuple[str, ...] = field(default=())
    """What was read."""


def _settings(runs: Sequence[ModelRun]) -> Iterator[str]:
    """With what one agent was run, once for all benchmarks that are alike in it."""
    about: dict[str, list[str]] = {}
    for run in runs:
        model = f"model {run.model}" if run.model and run.model != run.agent else ""
        parts = [model, run.settings or f"settings {UNKNOWN}", f"run {run.began}" if run.began else ""]
        about.setdefault("; ".join(filter(None, parts)), []).append(run.benchmark)
    for text, benchmarks in about.items():
        named = ", ".join(filter(None, benchmarks))
        yield f"on {named}: {text}" if named else text


def provenance_rows(made: Provenance) -> Iterator[tuple[str, str]]:
    """What is said of a report's making, a name and a text for each line."""
    yield "Report made", made.made
    yield "Versions", ", ".join(f"{name} {version}" for name, version in made.versions) or UNKNOWN
    for agent in dict.fromkeys(run.agent for run in made.runs):
        yield agent or "Model", " · ".join(_settings([run for run in made.runs if run.agent == agent]))
    yield "Runs asked", count_text(made.calls)
    yield "Tokens", UNKNOWN if made.tokens is None else count_text(made.tokens)
    yield "Cost", UNKNOWN if made.cost is None else f"${made.cost:,.2f}"
    yield "Seed of the runs", ", ".join(map(str, made.seeds)) or UNKNOWN
    yield "Seed of the wordings", ", ".join(map(str, made.wording_seeds)) or UNKNOWN
    kinds = [f"{kind_name(kind)} ({of_things(count, 'wording')})" for kind, count in made.families]
    yield "Kinds of wordings", ", ".join(kinds) or UNKNOWN
    yield "Hash of the items", made.items_hash or UNKNOWN
    yield "Hash of the wordings", made.variants_hash or UNKNOWN
    speaks = [SPEAKS_FOR.get(one, one) for one in made.generalizes]
    yield "Intervals speak for", "; ".join(speaks) or UNKNOWN
    if made.files:
        yield "Files", ", ".join(made.files)
