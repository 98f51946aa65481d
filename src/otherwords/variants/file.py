"""The variants file: every candidate with what the checks said, frozen so that all models share it.

JSON lines. The first is the header; each other one is a candidate, accepted or not, the original included, or
a slot that could not be filled, with `"missing": true` and the reasons. What is accepted is computed from the
check results and the decision of each line; `status` and `decided_by` are there for readers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from sys import intern
from typing import IO, Any, NamedTuple, TypeVar, cast

import orjson
from pydantic import TypeAdapter, ValidationError

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
"""In version 1 a line has neither flags nor a decision: what no check refused was accepted."""
MAKE_AGAIN = "Make it again with `otherwords vary`."
VET_AGAIN = "Check it again with `otherwords vet`."
_HASH = 16
_MISSING_LINE = b'{"missing":true,'
_TOLD = ("accepted", "status", "decided_by", "judged")
"""Fields of a line that follow from the others, or are no part of the variant."""
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
        >>> from otherwords.variants import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> header = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> [variant.name for variant in read_variants(path).accepted]
        ['orig', 'pert:punct']
    """
    return write_lines(path, _as_lines(vetted, missing), header)


def _as_lines(vetted: Iterable[Vetted], missing: Iterable[MissingVariant]) -> Iterator[bytes]:
    slots = ({"missing": True, **asdict(slot)} for slot in missing)
    return map(orjson.dumps, chain(map(_as_line, vetted), slots))


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
        >>> from otherwords.variants import make_header
        >>> item = Item("q1", "Who wrote Hamlet?", (), ("Shakespeare",))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "variants.jsonl"
        >>> header = make_header([item], families=["format"], k=1, seed=0)
        >>> _ = write_variants(path, vary([item], ["format"], k=1), header=header)
        >>> read_variants(path).header.generators
        ('format/2',)
    """
    path = require_input(path)
    header, version = require_unchanged(path) if verify else _first_of(path)
    vetted: list[Vetted] = []
    missing: list[MissingVariant] = []
    places: list[int] = []
    judged: list[str] = []
    for number, line in variant_lines(path):
        if items and item_of(path, number, line) not in items:
            continue
        one, told = _read_line(path, number, line, version)
        if isinstance(one, MissingVariant):
            missing.append(one)
            continue
        if verify and version > 1:
            _require_told(path, number, one, told)
        if told.get("judged") == wording_hash(one.variant, one.variant):
            judged.append(one.variant.id)
        vetted.append(one)
        places.append(number)
    read = VariantsFile(path, header, tuple(vetted), tuple(missing), tuple(places), frozenset(judged))
    if verify:
        _require_decided_wordings(read)
    return read


def require_unchanged(path: Path) -> tuple[VariantsHeader, int]:
    """The header and its version, of a file that was not edited after it was written."""
    header, version = _first_of(path)
    if _content_hash(line for _, line in variant_lines(path)) != header.content_hash:
        problem = "was changed after it was written, so its check results may no longer hold"
        raise InputError(problem, file=path, hint=VET_AGAIN)
    return header, version


def _require_decided_wordings(read: VariantsFile) -> None:
    originals = {one.variant.item_id: one.variant for one in read.vetted if one.variant.is_original}
    for one, line in zip(read.vetted, read.lines, strict=True):
        item, decision = one.variant.item_id, one.decision
        now = wording_hash(originals[item], one.variant) if item in originals else ""
        if decision is not None and decision.wording_hash != now:
            problem = f"the decision of {decision.person} on '{one.variant.name}' was made of other wordings"
            raise InputError(problem, file=read.path, line=line, item=item, hint=VET_AGAIN)


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered, without their ends and without a mark at the file's start."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).rstrip(b"\r\n")
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error


def variant_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Those after the header, without empty ones."""
    return ((number, line) for number, line in islice(lines_of(path), 1, None) if line.strip())


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
    return _first_of(require_input(path))[0]


def _first_of(path: Path) -> tuple[VariantsHeader, int]:
    line = next(lines_of(path), (1, b""))[1]
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError:
        told = None
    if not isinstance(told, dict) or told.pop("format", None) != VARIANTS_FORMAT:
        problem = "not a variants file: its first line is no header"
        raise InputError(problem, file=path, line=1, hint=MAKE_AGAIN)
    version = told.pop("version", None)
    if version not in READ_VERSIONS:
        reads = f"this otherwords reads versions {READ_VERSIONS[0]} to {FORMAT_VERSION}"
        problem = f"a variants file of format version {version}; {reads}"
        raise InputError(problem, file=path, line=1, hint=MAKE_AGAIN)
    return _validated(VariantsHeader, told, "header", path, 1), version


# ---- one line ↔ a vetted variant, or a slot that could not be filled


def _validated(kind: type[T], told: object, what: str, file: Path, line: int) -> T:
    """The fields as that kind of object; else what is wrong with them first, and where."""
    try:
        return cast("T", _adapter(kind).validate_python(told))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        problem = ": ".join(filter(None, (f"bad {what}", where, first["msg"])))
        raise InputError(problem, file=file, line=line) from None


def _as_line(one: Vetted) -> dict[str, Any]:
    """What is written of a vetted variant."""
    # The messages of a chat stay objects, which orjson writes.
    given = {part.name: getattr(one.variant, part.name) for part in fields(Variant)}
    given |= {name: plain_params(given[name]) for name in ("params", LEVELS)}
    said = {name: value for name, value in given.items() if value or name not in DESIGN_COLUMNS}
    checks = [{"check": c.check, "verdict": c.status, "reason": c.reason} for c in one.checks]
    line = {**said, "accepted": one.accepted, "status": one.status, "decided_by": one.decided_by}
    if one.decision is not None:
        line["decision"] = asdict(one.decision)
    # What a model judged; the original is held by the header's hash of all items.
    if any(check.check in JUDGING and check.status != NOT_APPLICABLE for check in one.checks):
        line["judged"] = wording_hash(one.variant, one.variant)
    return {**line, "checks": checks}


class _CheckLine(NamedTuple):
    """A check result as the file has it."""

    check: str
    verdict: CheckStatus
    reason: str = ""


def _fields(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=number) from None
    if not isinstance(told, dict):
        raise InputError("expected an object with a variant's fields", file=path, line=number)
    return told


def item_of(path: Path, number: int, line: bytes) -> Any:
    """The id of the item that a line is about."""
    return _fields(path, number, line).get("item_id")


def _read_line(
    path: Path, number: int, line: bytes, version: int
) -> tuple[Vetted | MissingVariant, dict[str, Any]]:
    """What the line holds, and what it says of it."""
    given = _fields(path, number, line)
    told = {name: given.pop(name) for name in _TOLD if name in given}
    decision = given.pop("decision", None) if version > 1 else None
    if given.pop("missing", False):
        return _validated(MissingVariant, given, "variant", path, number), told
    checks = given.pop("checks", [])
    if not isinstance(checks, list) or not all(isinstance(check, dict) for check in checks):
        raise InputError("bad variant: checks must be a list of objects", file=path, line=number)
    variant = _validated(Variant, given, "variant", path, number)
    decided = None if decision is None else read_decision(decision, file=path, line=number)
    results = _validated(tuple[_CheckLine, ...], checks, "variant", path, number)
    # With one copy of each text, since a dozen results of every line say much the same.
    spared = tuple(CheckResult(*map(intern, result)) for result in results)  # type: ignore[arg-type]
    return Vetted(variant, spared, decided), told


def read_decision(told: object, *, file: Path, line: int) -> Decision:
    """A person's decision, from the fields that a file has of it."""
    if isinstance(told, dict) and not isinstance(told.get("accepted", True), bool):
        raise InputError("bad decision: accepted: must be true or false", file=file, line=line)
    decision = _validated(Decision, told, "decision", file, line)
    try:
        datetime.strptime(decision.date, "%Y-%m-%d")
    except ValueError:
        problem = f"bad decision: date: '{decision.date}' is not of the form YYYY-MM-DD"
        raise InputError(problem, file=file, line=line) from None
    if not decision.person.strip():
        raise InputError("bad decision: person: it is not said who decided", file=file, line=line)
    return decision


def _require_told(path: Path, number: int, one: Vetted, told: dict[str, Any]) -> None:
    """What a line says of the variant is what follows from its check results and its decision."""
    computed = {"status": one.status, "accepted": one.accepted, "decided_by": one.decided_by}
    for name, value in computed.items():
        if told.get(name, value) != value:
            follows = f"{name} is {told[name]!r} where its check results and decision make it {value!r}"
            problem = f"was changed after it was written: {follows}"
            raise InputError(problem, file=path, line=number, hint=VET_AGAIN)
