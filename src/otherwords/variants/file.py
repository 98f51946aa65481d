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
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from otherwords.core.errors import InputError
from otherwords.core.files import writing_whole
from otherwords.core.hashing import items_hash
from otherwords.core.paths import require_input
from otherwords.core.types import CheckResult, Item, MissingVariant, Variant, Vetted
from otherwords.variants.base import FAMILIES, generator

FORMAT = "otherwords-variants"
FORMAT_VERSION = 1
MAKE_AGAIN = "Make it again with `otherwords vary`."
VET_AGAIN = "Check it again with `otherwords vet`."


@dataclass(frozen=True, slots=True)
class VariantsHeader:
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
    """Each of `vetted` is written as it comes, so that a file may be larger than memory."""
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
    return orjson.dumps({"format": FORMAT, "version": FORMAT_VERSION, **first}) + b"\n"


def read_variants(path: str | Path, *, verify: bool = True) -> VariantsFile:
    """`verify=False` reads a file that was edited by hand, so that it can be checked again."""
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
    checks = [{"check": c.check, "verdict": c.verdict, "reason": c.reason} for c in one.checks]
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
_CHECKS = TypeAdapter(tuple[CheckResult, ...])


def _read_header(path: Path, line: bytes) -> VariantsHeader:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
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


def _sparing(result: CheckResult) -> CheckResult:
    """The same with one copy of each text, since a dozen results of every line say much the same."""
    check, verdict, reason = result
    return CheckResult(intern(check), intern(verdict), intern(reason))  # type: ignore[arg-type]


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
