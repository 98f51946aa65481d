"""One line of a variants file ↔ a vetted variant, or a slot that could not be filled."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from pathlib import Path
from sys import intern
from typing import Any, NamedTuple, TypeVar

import orjson
from pydantic import TypeAdapter, ValidationError

from otherwords.core.contract import DESIGN_COLUMNS, JUDGING, LEVELS, NOT_APPLICABLE, CheckStatus
from otherwords.core.errors import InputError
from otherwords.core.types import (
    CheckResult,
    Decision,
    MissingVariant,
    Variant,
    Vetted,
    plain_params,
    wording_hash,
)

VET_AGAIN = "Check it again with `otherwords vet`."
T = TypeVar("T")


def validated(kind: TypeAdapter[T], fields: object, what: str, file: Path, line: int) -> T:
    """The fields as that kind of object; else what is wrong with them first, and where."""
    try:
        return kind.validate_python(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        problem = ": ".join(filter(None, (f"bad {what}", where, first["msg"])))
        raise InputError(problem, file=file, line=line) from None


_FIELDS = tuple(field.name for field in fields(Variant))


def as_line(one: Vetted) -> dict[str, Any]:
    """What is written of a vetted variant."""
    given = {name: getattr(one.variant, name) for name in _FIELDS}  # orjson writes the messages of a chat
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


_VARIANT = TypeAdapter(Variant)
_MISSING = TypeAdapter(MissingVariant)
_DECISION = TypeAdapter(Decision)
_TOLD = ("accepted", "status", "decided_by", "judged")
"""Fields of a line that follow from the others, or are no part of the variant."""


class _CheckLine(NamedTuple):
    """A check result as the file has it."""

    check: str
    verdict: CheckStatus
    reason: str = ""


_CHECKS = TypeAdapter(tuple[_CheckLine, ...])


def _fields(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=number) from None
    if not isinstance(fields, dict):
        raise InputError("expected an object with a variant's fields", file=path, line=number)
    return fields


def item_of(path: Path, number: int, line: bytes) -> Any:
    """The id of the item that a line is about."""
    return _fields(path, number, line).get("item_id")


def read_line(
    path: Path, number: int, line: bytes, version: int
) -> tuple[Vetted | MissingVariant, dict[str, Any]]:
    """What the line holds, and what it says of it."""
    fields = _fields(path, number, line)
    told = {name: fields.pop(name) for name in _TOLD if name in fields}
    decision = fields.pop("decision", None) if version > 1 else None
    if fields.pop("missing", False):
        return validated(_MISSING, fields, "variant", path, number), told
    checks = fields.pop("checks", [])
    if not isinstance(checks, list) or not all(isinstance(check, dict) for check in checks):
        raise InputError("bad variant: checks must be a list of objects", file=path, line=number)
    variant = validated(_VARIANT, fields, "variant", path, number)
    decided = None if decision is None else read_decision(decision, file=path, line=number)
    results = validated(_CHECKS, checks, "variant", path, number)
    return Vetted(variant, tuple(map(_sparing, results)), decided), told


def read_decision(fields: object, *, file: Path, line: int) -> Decision:
    """A person's decision, from the fields that a file has of it."""
    if isinstance(fields, dict) and not isinstance(fields.get("accepted", True), bool):
        raise InputError("bad decision: accepted: must be true or false", file=file, line=line)
    decision = validated(_DECISION, fields, "decision", file, line)
    try:
        datetime.strptime(decision.date, "%Y-%m-%d")
    except ValueError:
        problem = f"bad decision: date: '{decision.date}' is not of the form YYYY-MM-DD"
        raise InputError(problem, file=file, line=line) from None
    if not decision.person.strip():
        raise InputError("bad decision: person: it is not said who decided", file=file, line=line)
    return decision


def _sparing(line: _CheckLine) -> CheckResult:
    """With one copy of each text, since a dozen results of every line say much the same."""
    return CheckResult(intern(line.check), intern(line.verdict), intern(line.reason))  # type: ignore[arg-type]


def require_told(path: Path, number: int, one: Vetted, told: dict[str, Any]) -> None:
    """What a line says of the variant is what follows from its check results and its decision."""
    computed = {"status": one.status, "accepted": one.accepted, "decided_by": one.decided_by}
    for name, value in computed.items():
        if told.get(name, value) != value:
            follows = f"{name} is {told[name]!r} where its check results and decision make it {value!r}"
            problem = f"was changed after it was written: {follows}"
            raise InputError(problem, file=path, line=number, hint=VET_AGAIN)
