"""The variants file: every candidate with what the checks said, frozen so that all models share it.

JSON lines. The first is the header; each other one is a candidate, accepted or not, the original included, or
a slot that could not be filled, with `"missing": true` and the reasons. What is accepted is computed from the
check results and the decision of each line; `status` and `decided_by` are there for readers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from sys import intern
from typing import IO, Annotated, Any, NamedTuple, TypeAlias, TypeVar, cast

import orjson
from pydantic import AfterValidator, TypeAdapter, ValidationError

from otherwords.core.contract import (
    DESIGN_COLUMNS,
    JUDGING,
    LEVELS,
    NOT_APPLICABLE,
    VARIANTS_FORMAT,
    CheckStatus,
)
from otherwords.core.errors import InputError
from otherwords.core.files import require_input, writing_whole
from otherwords.core.registry import FAMILIES
from otherwords.core.types import (
    CheckResult,
    Decision,
    Item,
    MissingVariant,
    Variant,
    Vetted,
    items_hash,
    plain_params,
    wording_hash,
)
from otherwords.variants.base import generator, language_model

FORMAT_VERSION = 2
READ_VERSIONS = (1, 2)
"""In version 1 no line has a flag or a decision: what no check refused was accepted."""
MAKE_AGAIN = "Make it again with `otherwords vary`."
VET_AGAIN = "Check it again with `otherwords vet`."
_HASH = 16
_MISSING_LINE = b'{"missing":true,'
T = TypeVar("T")
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


@dataclass(frozen=True, slots=True)
class VariantsHeader:
    """The first line of a variants file: what it was made from and with."""

    items_hash: str
    n_items: int
    families: tuple[str, ...]
    k: int
    seed: int
    generators: tuple[str, ...]
    """Each family with its version, such as `paraphrase/1`."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the model that wrote variants: its name and how far it may go."""
    checks: dict[str, Any] = field(default_factory=dict)
    """The settings of each meaning check, such as the judge's model and the version of its prompt."""
    language_model: str = ""
    """The English model that the checks read with; empty where none was needed or installed."""
    content_hash: str = ""
    """Over all other lines; filled in when the file is written."""
    design: dict[str, Any] = field(default_factory=dict)
    """What was varied where there are templates or a design: places, templates, factors and their levels."""


@dataclass(frozen=True, slots=True)
class VariantsFile:
    """What `read_variants` gives: the header and every vetted variant of a file."""

    path: Path
    header: VariantsHeader
    vetted: tuple[Vetted, ...]
    missing: tuple[MissingVariant, ...] = ()
    lines: tuple[int, ...] = ()
    """Where each of `vetted` stands in the file."""
    judged: frozenset[str] = frozenset()
    """The ids of variants that models judged in the very words that they have now."""

    @property
    def accepted(self) -> tuple[Variant, ...]:
        return tuple(one.variant for one in self.vetted if one.accepted)


def make_header(items: Sequence[Item], *, families: Sequence[str], k: int, seed: int) -> VariantsHeader:
    return VariantsHeader(
        items_hash=items_hash(items),
        n_items=len(items),
        families=tuple(families),
        k=k,
        seed=seed,
        generators=tuple(generator(FAMILIES.get(name)) for name in families),
        language_model=language_model(items),
    )


def write_variants(
    path: str | Path,
    vetted: Iterable[Vetted],
    *,
    header: VariantsHeader,
    missing: Iterable[MissingVariant] = (),
) -> VariantsHeader:
    """Write a variants file, whole or not at all.

    Args:
        path: Where to write.
        vetted: Every candidate, accepted or not; each is written as it comes, so that a file may be larger
            than memory.
        header: What the variants were made of and with, as `make_header` gives it.
        missing: Variants that were asked of a model and could not be made.

    Returns:
        The header with the hash of the file's content.

    Raises:
        InputError: The file cannot be written.

    Example:
        >>> import pathlib, tempfile
        >>> from otherwords import Item, read_variants, vary, write_variants
        >>> from otherwords.variants.file import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> header = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> [variant.name for variant in read_variants(path).accepted]
        ['orig', 'pert:punct']
    """
    return write_lines(path, _as_lines(vetted, missing), header)


def _as_lines(vetted: Iterable[Vetted], missing: Iterable[MissingVariant]) -> Iterator[bytes]:
    for one in vetted:
        # The messages of a chat stay objects, which orjson writes.
        given = {part.name: getattr(one.variant, part.name) for part in fields(Variant)}
        given |= {name: plain_params(given[name]) for name in ("params", LEVELS)}
        line = {name: value for name, value in given.items() if value or name not in DESIGN_COLUMNS}
        line |= {"accepted": one.accepted, "status": one.status, "decided_by": one.decided_by}
        if one.decision is not None:
            line["decision"] = one.decision
        # What a model judged; the original is held by the header's hash of all items.
        if any(check.check in JUDGING and check.status != NOT_APPLICABLE for check in one.checks):
            line["judged"] = wording_hash(one.variant, one.variant)
        line["checks"] = [{"check": c.check, "verdict": c.status, "reason": c.reason} for c in one.checks]
        yield orjson.dumps(line)
    for slot in missing:
        yield orjson.dumps({"missing": True, **asdict(slot)})


def write_lines(path: str | Path, lines: Iterable[bytes], header: VariantsHeader) -> VariantsHeader:
    with writing_whole(path) as file:
        file.write(_first_line(header, "0" * _HASH))  # the hash is as long before as after
        content = _content_hash(lines, file)
        file.seek(0)
        file.write(_first_line(header, content))
    return replace(header, content_hash=content)


def add_variants(
    path: str | Path,
    vetted: Iterable[Vetted],
    *,
    header: VariantsHeader,
    missing: Iterable[MissingVariant] = (),
) -> VariantsHeader:
    """Add to a variants file, whole or not at all; the variants that it has stay as they are, byte for byte.

    `missing` are all that are now, in place of those that were.
    """
    before = [line for _, line in variant_lines(Path(path)) if not line.startswith(_MISSING_LINE)]
    return write_lines(path, chain(before, _as_lines(vetted, missing)), header)


def _first_line(header: VariantsHeader, content_hash: str) -> bytes:
    told = asdict(replace(header, content_hash=content_hash))
    first = {name: value for name, value in told.items() if value or name != "design"}
    return orjson.dumps({"format": VARIANTS_FORMAT, "version": FORMAT_VERSION, **first}) + b"\n"


def read_variants(path: str | Path, *, verify: bool = True, items: Collection[str] = ()) -> VariantsFile:
    """Read a variants file.

    Args:
        path: The file, as `otherwords vary` or `write_variants` wrote it.
        verify: Refuse a file that was edited after it was written. `vet_file` reads it all the same, to check
            it again.
        items: Ids of the items whose variants are wanted; the others take no memory. Without it, all are.

    Returns:
        The header, every candidate with its check results, and what is missing.

    Raises:
        InputError: The file cannot be read, is no variants file, was edited, or has a bad line.

    Example:
        >>> import pathlib, tempfile
        >>> from otherwords import Item, read_variants, vary, write_variants
        >>> from otherwords.variants.file import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> _ = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> read_variants(path).header.generators
        ('format/2',)
    """
    path = require_input(path)
    header = require_unchanged(path) if verify else read_header(path)
    vetted: dict[int, Vetted] = {}
    missing: list[MissingVariant] = []
    originals: dict[str, Variant] = {}
    judged: set[str] = set()
    for number, line in variant_lines(path):
        said = validated(LineOf, line, "variant", path, number)
        item, decision = said.item_id, said.decision
        if items and item not in items:
            continue
        if said.missing:
            missing.append(validated(MissingVariant, line, "variant", path, number))
            continue
        variant = validated(Variant, line, "variant", path, number)
        if variant.is_original:
            originals[item] = variant
        now = wording_hash(originals[item], variant) if decision and item in originals else ""
        if verify and decision is not None and decision.wording_hash != now:
            problem = f"the decision of {decision.person} on '{variant.name}' was made of other wordings"
            raise InputError(problem, file=path, line=number, item=item, hint=VET_AGAIN)
        if said.judged and said.judged == wording_hash(variant, variant):
            judged.add(variant.id)
        # Each text once in memory: a dozen results of every line say much the same.
        checks = tuple(CheckResult(*map(intern, result)) for result in said.checks)  # type: ignore[arg-type]
        vetted[number] = Vetted(variant, checks, decision)
    return VariantsFile(
        path, header, tuple(vetted.values()), tuple(missing), tuple(vetted), frozenset(judged)
    )


def require_unchanged(path: Path) -> VariantsHeader:
    """The header of a file that was not edited after it was written."""
    header = read_header(path)
    if _content_hash(line for _, line in variant_lines(path)) != header.content_hash:
        problem = "was changed after it was written, so its check results may no longer hold"
        raise InputError(problem, file=path, hint=VET_AGAIN)
    return header


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Those that are not empty, numbered, without their ends and without a mark at the file's start."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error


def variant_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Those after the header."""
    return islice(_lines(path), 1, None)


def _content_hash(lines: Iterable[bytes], copy: IO[bytes] | None = None) -> str:
    """Over the lines after the header, each written to `copy` on the way."""
    content = sha256()
    for number, line in enumerate(lines):
        content.update(b"\n" + line if number else line)
        if copy is not None:
            copy.write(line + b"\n")
    return content.hexdigest()[:_HASH]


def read_header(path: str | Path) -> VariantsHeader:
    """The first line of a variants file alone."""
    path = require_input(path)
    number, line = next(_lines(path), (1, b""))
    told = None
    with suppress(orjson.JSONDecodeError):
        told = orjson.loads(line)
    problem = ""
    if not isinstance(told, dict) or told.get("format") != VARIANTS_FORMAT:
        problem = "not a variants file: its first line is no header"
    elif told.get("version") not in READ_VERSIONS:
        reads = f"this otherwords reads versions {READ_VERSIONS[0]} to {FORMAT_VERSION}"
        problem = f"a variants file of format version {told.get('version')}; {reads}"
    if problem:
        raise InputError(problem, file=path, line=number, hint=MAKE_AGAIN)
    return validated(VariantsHeader, told, "header", path, number)


def validated(kind: type[T], told: object, what: str, file: Path, line: int) -> T:
    """The JSON or the fields as that kind of object; else what is wrong with them first, and where."""
    adapter = _adapter(kind)
    try:
        if isinstance(told, bytes):
            return cast("T", adapter.validate_json(told, strict=True))
        return cast("T", adapter.validate_python(told))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        said = first["msg"].removeprefix("Value error, ").replace(" at line 1 ", " at ")
        problem = ": ".join(filter(None, (f"bad {what}", where, said)))
        raise InputError(problem, file=file, line=line) from None


def _complete(decision: Decision) -> Decision:
    datetime.strptime(decision.date, "%Y-%m-%d")
    if not decision.person.strip():
        raise ValueError("it is not said who decided")
    return decision


PersonsDecision: TypeAlias = Annotated[Decision, AfterValidator(_complete)]


class _CheckLine(NamedTuple):
    """A check result as the file has it."""

    check: str
    verdict: CheckStatus
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LineOf:
    """What a line says beside the variant or the empty slot that it holds."""

    item_id: str
    missing: bool = False
    checks: tuple[_CheckLine, ...] = ()
    decision: PersonsDecision | None = None
    judged: str = ""
