"""A report that may leave the house: no prompt, no answer, no log address, no raw id.

Items are named by a keyed hash. The salt is the key: whoever has it can find an item again, nobody else can
test a guess. It is kept beside the report and never in it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.table import WORDING_COLUMNS
from otherwords.core.types import Estimate
from otherwords.report.data import AgentRow, ReportData, RunPoint, SkippedFile

NOTE = (
    "Made to be public: prompts, options, answers, targets, log addresses and item ids are not in it. "
    "Items are named by a salted hash."
)
WITHHELD = "withheld"
SALT_BYTES = 32
_DIGITS = 16
# What our own variants, kinds and changes look like. Anything else may be text of the set.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_:.+-]{0,31}")
_NUMBERED = re.compile(r"[0-9]{1,4}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9:.]+( UTC)?")


def without_texts(data: ReportData, salt: bytes) -> ReportData:
    """`data` as it may be shown to anyone. Model and benchmark names, the title and the notes stay."""
    if len(salt) < SALT_BYTES // 2:
        raise InputError(
            f"the salt has {len(salt)} bytes, which could be guessed; it takes {SALT_BYTES // 2}"
        )
    ids = _named(_all(data, "id"), lambda text: f"item-{_hash(salt, 'id', text)}")
    words = {what: _words(data, what, salt) for what in ("variant", "kind", "change")}
    changed = {"id": ids, **words}
    cells = _renamed(data.cells, changed).with_columns(
        answer=pl.lit(None, pl.String), log=pl.lit(None, pl.String)
    )
    wordings = _renamed(data.wordings, changed).with_columns(
        prompt=pl.lit(None, pl.String),
        choices=pl.lit(None, WORDING_COLUMNS["choices"]),
        target=pl.lit(None, pl.String),
    )
    order = ["task", "id", "variant"]
    runs = {
        label: label if _TIME.fullmatch(label) else f"run {place}"
        for place, label in enumerate(data.runs, start=1)
    }
    return replace(
        data,
        agents=tuple(_agent(agent, words["kind"], ids) for agent in data.agents),
        items=_renamed(data.items, changed).sort("task", "model", "id"),
        kinds=_renamed(data.kinds, changed),
        cells=cells.sort("task", "model", "id", maintain_order=True),
        wordings=wordings.sort(order[:2], maintain_order=True),
        skipped=tuple(SkippedFile(f"file {n}", WITHHELD) for n in range(1, len(data.skipped) + 1)),
        notes=(NOTE, *data.notes),
        history=tuple(_point(point, runs, ids) for point in data.history),
        public=True,
    )


def read_salt(path: Path, report: Path) -> bytes:
    """The salt in `path`, made and kept there if there is none. Never within the report's folder."""
    inside = report.resolve()
    if path.resolve() == inside or inside in path.resolve().parents:
        raise InputError(
            "the salt must not be in the report's folder, which is made to be given away",
            file=path,
            hint="Keep it elsewhere: --salt-file …",
        )
    try:
        salt = path.read_bytes().strip()
    except FileNotFoundError:
        salt = secrets.token_hex(SALT_BYTES).encode()
        write_whole(path, salt + b"\n")
        os.chmod(path, 0o600)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    if len(salt) < SALT_BYTES // 2:
        raise InputError(
            f"the salt has {len(salt)} bytes, which could be guessed; it takes {SALT_BYTES // 2}", file=path
        )
    return salt


def salt_beside(report: Path) -> Path:
    """Where a report's salt is kept when nothing else was said: next to its folder."""
    folder = report.resolve()
    return folder.parent / f"{folder.name}.salt"


def _hash(salt: bytes, what: str, text: str) -> str:
    return hmac.new(salt, f"{what}\0{text}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
        :_DIGITS
    ]


def _is_plain(text: str) -> bool:
    return bool(_PLAIN.fullmatch(text) or _NUMBERED.fullmatch(text))


def _all(data: ReportData, column: str) -> list[str]:
    frames = (data.items, data.kinds, data.cells, data.wordings)
    found = [frame[column] for frame in frames if column in frame.columns]
    return pl.concat(found).unique().drop_nulls().to_list() if found else []


def _named(texts: list[str], name: Callable[[str], str]) -> dict[str, str]:
    return {text: name(text) if text else text for text in texts}


def _renamed(frame: pl.DataFrame, names: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    return frame.with_columns(
        pl.col(column).replace_strict(dict(names[column]), default=None, return_dtype=pl.String)
        for column in names
        if column in frame.columns
    )


def _words(data: ReportData, what: str, salt: bytes) -> dict[str, str]:
    return _named(
        _all(data, what), lambda text: text if _is_plain(text) else f"{what}-{_hash(salt, what, text)}"
    )


def _agent(agent: AgentRow, kinds: Mapping[str, str], ids: Mapping[str, str]) -> AgentRow:
    flips = {kinds.get(kind, WITHHELD): one for kind, one in agent.flips.items()}
    return replace(agent, estimates=_about_no_item(agent.estimates, ids), flips=_about_no_item(flips, ids))


def _point(point: RunPoint, runs: Mapping[str, str], ids: Mapping[str, str]) -> RunPoint:
    return replace(point, label=runs[point.label], estimates=_about_no_item(point.estimates, ids))


def _about_no_item(estimates: Mapping[str, Estimate], ids: Mapping[str, str]) -> dict[str, Estimate]:
    """A reason is a sentence of a metric, and might name an item."""
    return {
        name: replace(one, group="", reason=WITHHELD if any(id_ in one.reason for id_ in ids) else one.reason)
        for name, one in estimates.items()
    }
