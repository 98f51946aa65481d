"""The variants file: every candidate with what the checks said, frozen so that all models share it.

JSON lines. The first is the header; each other one is a candidate, accepted or not, the original included, or
a slot that could not be filled, with `"missing": true` and the reasons. What is accepted is computed from the
check results and the decision of each line; `status` and `decided_by` are there for readers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import orjson
from pydantic import TypeAdapter

from otherwords.core.contract import (
    VARIANTS_FORMAT,
)
from otherwords.core.errors import InputError
from otherwords.core.files import require_input, writing_whole
from otherwords.core.registry import FAMILIES
from otherwords.core.types import (
    Item,
    MissingVariant,
    Variant,
    Vetted,
    items_hash,
    wording_hash,
)
from otherwords.variants.base import generator, language_model
from otherwords.variants.file_line import VET_AGAIN, as_line, item_of, read_line, require_told, validated

FORMAT_VERSION = 2
READ_VERSIONS = (1, 2)
"""In version 1 a line has neither flags nor a decision: what no check refused was accepted."""
MAKE_AGAIN = "Make it again with `otherwords vary`."
_HASH = 16


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


_MISSING_LINE = b'{"missing":true,'


def _as_lines(vetted: Iterable[Vetted], missing: Iterable[MissingVariant]) -> Iterator[bytes]:
    slots = ({"missing": True, **asdict(slot)} for slot in missing)
    return map(orjson.dumps, chain(map(as_line, vetted), slots))


def write_lines(path: str | Path, lines: Iterable[bytes], header: VariantsHeader) -> VariantsHeader:
    with writing_whole(path) as file:
        file.write(_first_line(header, "0" * _HASH))  # the hash is as long before as after
        content = _content_hash(_passed_on(lines, file))
        file.seek(0)
        file.write(_first_line(header, content))
    return replace(header, content_hash=content)


def _passed_on(lines: Iterable[bytes], file: IO[bytes]) -> Iterator[bytes]:
    """The lines, each written to the file on the way."""
    for line in lines:
        file.write(line + b"\n")
        yield line


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
    before = [
        line
        for _, line in islice(lines_of(Path(path)), 1, None)
        if line.strip() and not line.startswith(_MISSING_LINE)
    ]
    return write_lines(path, chain(before, _as_lines(vetted, missing)), header)


def _first_line(header: VariantsHeader, content_hash: str) -> bytes:
    fields = asdict(replace(header, content_hash=content_hash))
    first = {name: value for name, value in fields.items() if value or name != "design"}
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
    for number, line in islice(lines_of(path), 1, None):
        if not line.strip() or (items and item_of(path, number, line) not in items):
            continue
        one, told = read_line(path, number, line, version)
        if isinstance(one, MissingVariant):
            missing.append(one)
            continue
        if verify and version > 1:
            require_told(path, number, one, told)
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
    if (
        _content_hash(line for _, line in islice(lines_of(path), 1, None) if line.strip())
        != header.content_hash
    ):
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


def _content_hash(lines: Iterable[bytes]) -> str:
    """Over the lines after the header."""
    content = sha256()
    for number, line in enumerate(lines):
        content.update(b"\n" + line if number else line)
    return content.hexdigest()[:_HASH]


_HEADER = TypeAdapter(VariantsHeader)


def read_header(path: str | Path) -> VariantsHeader:
    """The first line of a variants file alone."""
    return _first_of(require_input(path))[0]


def _first_of(path: Path) -> tuple[VariantsHeader, int]:
    return _parse_header(path, next(lines_of(path), (1, b""))[1])


def _parse_header(path: Path, line: bytes) -> tuple[VariantsHeader, int]:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.pop("format", None) != VARIANTS_FORMAT:
        problem = "not a variants file: its first line is no header"
        raise InputError(problem, file=path, line=1, hint=MAKE_AGAIN)
    version = fields.pop("version", None)
    if version not in READ_VERSIONS:
        reads = f"this otherwords reads versions {READ_VERSIONS[0]} to {FORMAT_VERSION}"
        problem = f"a variants file of format version {version}; {reads}"
        raise InputError(problem, file=path, line=1, hint=MAKE_AGAIN)
    return validated(_HEADER, fields, "header", path, 1), version
