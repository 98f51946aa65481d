"""The variants file: every candidate with what the checks said, frozen so that all models share it.

JSON lines. The first is the header; each other one is a candidate, accepted or not, the original included, or
a slot that could not be filled, with `"missing": true` and the reasons.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import chain, islice
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple

import orjson
from pydantic import TypeAdapter, ValidationError

from otherwords.core.contract import VARIANTS_FORMAT, CheckStatus
from otherwords.core.errors import InputError
from otherwords.core.families import FAMILIES
from otherwords.core.files import require_input, writing_whole
from otherwords.core.hashing import items_hash
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted, plain_params
from otherwords.variants.base import generator

FORMAT_VERSION = 1
MAKE_AGAIN = "Make it again with `otherwords vary`."
VET_AGAIN = "Check it again with `otherwords vet`."


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
    lines = chain(map(_as_line, vetted), ({"missing": True, **asdict(slot)} for slot in missing))
    content = _ContentHash()
    with writing_whole(path) as file:
        file.write(_first_line(header, content))  # the hash is as long before as after
        for line in map(orjson.dumps, lines):
            content.add(line)
            file.write(line + b"\n")
        file.seek(0)
        file.write(_first_line(header, content))
    return replace(header, content_hash=content.text)


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
        ('format/1',)
    """
    path = require_input(path)
    lines = _lines(path)
    header = _read_header(path, next(lines, (1, b""))[1])
    if verify and _content_hash(line for _, line in lines if line.strip()) != header.content_hash:
        raise InputError(
            "was changed after it was written, so its check results may no longer hold",
            file=path,
            hint=VET_AGAIN,
        )
    vetted: list[Vetted] = []
    missing: list[MissingVariant] = []
    places: list[int] = []
    for number, line in islice(_lines(path), 1, None):
        if not line.strip():
            continue
        one = _read_line(path, number, line)
        if isinstance(one, Vetted):
            vetted.append(one)
            places.append(number)
        else:
            missing.append(one)
    return VariantsFile(path, header, tuple(vetted), tuple(missing), tuple(places))


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Numbered, without their ends and without a mark at the file's start."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield number, (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).rstrip(b"\r\n")
    except OSError as error:
        raise InputError(f"cannot read: {error.strerror or error}", file=path) from error


_FIELDS = tuple(field.name for field in fields(Variant))


def _as_line(one: Vetted) -> dict[str, Any]:
    said = {name: getattr(one.variant, name) for name in _FIELDS}  # orjson writes the messages of a chat
    said["params"] = plain_params(one.variant.params)
    checks = [{"check": c.check, "verdict": c.status, "reason": c.reason} for c in one.checks]
    return {**said, "accepted": one.accepted, "checks": checks}


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
_VARIANT = TypeAdapter(Variant)
_MISSING = TypeAdapter(MissingVariant)


class _CheckLine(NamedTuple):
    """A check result as the file has it."""

    check: str
    verdict: CheckStatus
    reason: str = ""


_CHECKS = TypeAdapter(tuple[_CheckLine, ...])


def _read_header(path: Path, line: bytes) -> VariantsHeader:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.pop("format", None) != VARIANTS_FORMAT:
        raise InputError(
            "not a variants file: its first line is no header", file=path, line=1, hint=MAKE_AGAIN
        )
    version = fields.pop("version", None)
    if version != FORMAT_VERSION:
        raise InputError(
            f"a variants file of format version {version}; this otherwords reads version {FORMAT_VERSION}",
            file=path,
            line=1,
            hint=MAKE_AGAIN,
        )
    try:
        return _HEADER.validate_python(fields)
    except ValidationError as error:
        raise InputError(f"bad header: {_first_problem(error)}", file=path, line=1) from None


def _read_line(path: Path, number: int, line: bytes) -> Vetted | MissingVariant:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=number) from None
    if not isinstance(fields, dict):
        raise InputError("expected an object with a variant's fields", file=path, line=number)
    fields.pop("accepted", None)
    try:
        if fields.pop("missing", False):
            return _MISSING.validate_python(fields)
        checks = fields.pop("checks", [])
        if not isinstance(checks, list) or not all(isinstance(check, dict) for check in checks):
            raise InputError("bad variant: checks must be a list of objects", file=path, line=number)
        variant = _VARIANT.validate_python(fields)
        return Vetted(variant, tuple(map(_sparing, _CHECKS.validate_python(checks))))
    except ValidationError as error:
        raise InputError(f"bad variant: {_first_problem(error)}", file=path, line=number) from None


def _sparing(line: _CheckLine) -> CheckResult:
    """With one copy of each text, since a dozen results of every line say much the same."""
    return CheckResult(intern(line.check), intern(line.verdict), intern(line.reason))  # type: ignore[arg-type]


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
