"""The variants file: every candidate with what the checks said, frozen so that all models share it.

JSON lines. The first is the header; each other one is a candidate, accepted or not, the original included, or
a slot that could not be filled, with `"missing": true` and the reasons. What is accepted is computed from the
check results and the decision of each line; `status` and `decided_by` are there for readers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from otherwords.core.contract import VARIANTS_FORMAT
from otherwords.core.errors import InputError
from otherwords.core.files import require_input, writing_whole
from otherwords.core.registry import FAMILIES
from otherwords.core.types import Item, MissingVariant, Variant, Vetted, items_hash, varied_text, wording_hash
from otherwords.english.language import is_english
from otherwords.english.parse import EnglishModelError, model_version
from otherwords.variants.base import generator
from otherwords.variants.file_lines import (
    VET_AGAIN,
    as_line,
    first_problem,
    judged_hash,
    read_line,
    require_told,
)

FORMAT_VERSION = 2
READ_VERSIONS = (1, 2)
"""In version 1 a line has neither flags nor a decision: what no check refused was accepted."""
MAKE_AGAIN = "Make it again with `otherwords vary`."


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

    def require_match(self, items: Sequence[Item]) -> None:
        """Refuses when the file was made for other items, or for other wordings of them."""
        ours, theirs = {one.variant.item_id for one in self.vetted}, {item.id for item in items}
        strange = sorted(ours - theirs) or sorted(theirs - ours)
        if strange:
            lack = "the items lack" if ours - theirs else "the file lacks"
            raise InputError(
                f"was made for other items: {lack} '{strange[0]}'"
                + (f" and {len(strange) - 1} more" if len(strange) > 1 else ""),
                file=self.path,
                hint=MAKE_AGAIN,
            )
        if items_hash(items) != self.header.items_hash:
            raise InputError(
                "was made for an earlier wording of these items: a prompt, an option or an answer changed",
                file=self.path,
                hint=MAKE_AGAIN,
            )


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


def language_model(items: Iterable[Item]) -> str:
    """The English model that the checks of these items read with; empty where none is in English."""
    if not any(is_english(varied_text(item.prompt)) for item in items):
        return ""
    try:
        return model_version()
    except EnglishModelError:
        return ""


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
    return _write(path, _as_lines(vetted, missing), header)


_MISSING_LINE = b'{"missing":true,'


def _as_lines(vetted: Iterable[Vetted], missing: Iterable[MissingVariant]) -> Iterator[bytes]:
    slots = ({"missing": True, **asdict(slot)} for slot in missing)
    return map(orjson.dumps, chain(map(as_line, vetted), slots))


def _write(path: str | Path, lines: Iterable[bytes], header: VariantsHeader) -> VariantsHeader:
    content = _ContentHash()
    with writing_whole(path) as file:
        file.write(_first_line(header, content))  # the hash is as long before as after
        for line in lines:
            content.add(line)
            file.write(line + b"\n")
        file.seek(0)
        file.write(_first_line(header, content))
    return replace(header, content_hash=content.text)


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
        for _, line in islice(_lines(Path(path)), 1, None)
        if line.strip() and not line.startswith(_MISSING_LINE)
    ]
    return _write(path, chain(before, _as_lines(vetted, missing)), header)


def _first_line(header: VariantsHeader, content: _ContentHash) -> bytes:
    first = asdict(replace(header, content_hash=content.text))
    return orjson.dumps({"format": VARIANTS_FORMAT, "version": FORMAT_VERSION, **first}) + b"\n"


def read_variants(path: str | Path, *, verify: bool = True) -> VariantsFile:
    """Read a variants file.

    Args:
        path: The file, as `otherwords vary` or `write_variants` wrote it.
        verify: Refuse a file that was edited after it was written. `vet_file` reads it all the same, to check
            it again.

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
    lines = _lines(path)
    header, version = _read_header(path, next(lines, (1, b""))[1])
    if verify and _content_hash(line for _, line in lines if line.strip()) != header.content_hash:
        raise InputError(
            "was changed after it was written, so its check results may no longer hold",
            file=path,
            hint=VET_AGAIN,
        )
    vetted: list[Vetted] = []
    missing: list[MissingVariant] = []
    places: list[int] = []
    judged: list[str] = []
    for number, line in islice(_lines(path), 1, None):
        if not line.strip():
            continue
        one, told = read_line(path, number, line, version)
        if isinstance(one, MissingVariant):
            missing.append(one)
            continue
        if verify and version > 1:
            require_told(path, number, one, told)
        if told.get("judged") == judged_hash(one.variant):
            judged.append(one.variant.id)
        vetted.append(one)
        places.append(number)
    read = VariantsFile(path, header, tuple(vetted), tuple(missing), tuple(places), frozenset(judged))
    if verify:
        _require_decided_wordings(read)
    return read


def _require_decided_wordings(read: VariantsFile) -> None:
    originals = {one.variant.item_id: one.variant for one in read.vetted if one.variant.is_original}
    for one, line in zip(read.vetted, read.lines, strict=True):
        before = originals.get(one.variant.item_id)
        decision = one.decision
        if decision is not None and (
            before is None or decision.wording_hash != wording_hash(before, one.variant)
        ):
            raise InputError(
                f"the decision of {decision.person} on '{one.variant.name}' was made of other wordings",
                file=read.path,
                line=line,
                item=one.variant.item_id,
                hint=VET_AGAIN,
            )


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered, without their ends and without a mark at the file's start."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).rstrip(b"\r\n")
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error


class _ContentHash:
    """Over the lines after the header."""

    def __init__(self) -> None:
        self._sum, self._between = hashlib.sha256(), b""

    def add(self, line: bytes) -> None:
        self._sum.update(self._between + line)
        self._between = b"\n"

    @property
    def text(self) -> str:
        return self._sum.hexdigest()[:16]


def _content_hash(lines: Iterable[bytes]) -> str:
    content = _ContentHash()
    for line in lines:
        content.add(line)
    return content.text


_HEADER = TypeAdapter(VariantsHeader)


def _read_header(path: Path, line: bytes) -> tuple[VariantsHeader, int]:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.pop("format", None) != VARIANTS_FORMAT:
        raise InputError(
            "not a variants file: its first line is no header", file=path, line=1, hint=MAKE_AGAIN
        )
    version = fields.pop("version", None)
    if version not in READ_VERSIONS:
        raise InputError(
            f"a variants file of format version {version}; this otherwords reads versions "
            f"{READ_VERSIONS[0]} to {FORMAT_VERSION}",
            file=path,
            line=1,
            hint=MAKE_AGAIN,
        )
    try:
        return _HEADER.validate_python(fields), version
    except ValidationError as error:
        raise InputError(f"bad header: {first_problem(error)}", file=path, line=1) from None
