"""JSONL, JSON, CSV, Parquet, Arrow files or dictionaries → items, for runs, templates or an audit."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from otherwords.core.errors import InputError
from otherwords.core.files import read_input, within_root
from otherwords.core.template import Template, own_field, require_fields
from otherwords.core.types import Item
from otherwords.items.record import ANSWER, CHOICES, QUESTION, read_for_audit, read_record, require_length
from otherwords.items.tables import ARROW, PARQUET, is_missing, plain_value, read_rows

LIST_KEYS = ("items", "questions", "data")
_CHOICE_COLUMN = re.compile(r"[A-Z]|choice_\d+")


class Record(NamedTuple):
    """One item's fields as the file has them."""

    place: int
    line: int | None
    """None where there are no lines, and only the place in the file is known."""
    fields: dict[str, Any]


def load_mcq_dataset(
    path: str | Path, max_items: int | None = None, *, root: str | Path | None = None
) -> list[Item]:
    """As `load_items`, of a file in which every item has options; one that has none is refused."""
    items = load_items(path, max_items, root=root)
    for item in items:
        if not item.choices:
            raise InputError(
                "has no options, and multiple choice was asked for",
                file=path,
                item=item.id,
                hint="Give it choices, or read the file with load_items.",
            )
    return items


def load_items(
    path: str | Path,
    max_items: int | None = None,
    *,
    leave_out: Collection[str] = (),
    root: str | Path | None = None,
) -> list[Item]:
    """Reads the items of a `.jsonl` (`.ndjson`), `.json`, `.csv`, `.parquet` or `.arrow` (`.feather`) file.

    Each item has `question` (or `stem`, `prompt`, `input`): text, or a list of `{"role", "content"}`.

    - Multiple choice: `choices` (or `options`) and `answer` (or `target`): a letter, an index from 0, or an
      option's text.
    - Short answer: no choices, and `answer` (`target`, `answers`) as text, a number, or a list of these.

    `id` is optional (`line-3`, or `item-3` in a JSON list); other fields are kept in `metadata`. JSON holds
    a list, or an object whose `items`, `questions` or `data` is that list. CSV has the choices as a JSON list
    in one column `choices`, or in columns `A`, `B`, … or `choice_0`, `choice_1`, …, where trailing empty
    cells mean fewer options; several accepted answers are a JSON list in `answers`. Parquet and Arrow have a
    column for each field, `choices` and `answers` as lists; a null is a field that is not there.

    Args:
        path: The file.
        max_items: Read at most so many items, from the top of the file.
        leave_out: Ids of items that are not returned, and need not be whole.
        root: A folder; a path that leads out of it is refused. Without it, the variable `OTHERWORDS_ROOT`
            gives the folder, if it is set.

    Returns:
        The items in the order of the file.

    Raises:
        InputError: The file cannot be read, or something in it is wrong; told with file, line and item.

    Example:
        >>> import json
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import load_items
        >>> record = {"id": "q1", "stem": "France's capital?", "choices": ["Oslo", "Paris"], "answer": "B"}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder, "questions.jsonl")
        ...     _ = file.write_text(json.dumps(record))
        ...     (item,) = load_items(file)
        >>> item.id, item.choices, item.target
        ('q1', ('Oslo', 'Paris'), 1)
    """
    path = within_root(path, root)
    if not leave_out:
        return _load(path, max_items, read_record)

    def read(fields: dict[str, Any], **where: Any) -> Item:
        item = read_for_audit(fields, **where)
        return item if item.id in leave_out else read_record(fields, **where)

    return [item for item in _load(path, max_items, read) if item.id not in leave_out]


def items_from_records(
    records: Sequence[Mapping[str, Any] | str], max_items: int | None = None, *, needs_answers: bool = True
) -> list[Item]:
    """Items of dictionaries with the fields that `load_items` reads, or of texts.

    Args:
        records: The fields of each item, or its question. Missing values (None, NaN) are fields not there.
        max_items: Read at most so many.
        needs_answers: Whether an item without an answer is refused.

    Raises:
        InputError: There are no records, or one of them cannot be an item.

    Example:
        >>> from otherwords.items import items_from_records
        >>> (item,) = items_from_records([{"prompt": "What is 2 + 2?", "expected": 4, "choices": []}])
        >>> item.id, item.prompt, item.target
        ('item-1', 'What is 2 + 2?', ('4',))
    """
    read = read_record if needs_answers else read_for_audit

    def numbered() -> Iterator[Record]:
        for place, one in enumerate(records, start=1):
            given: Any = {"question": one} if isinstance(one, str) else one
            if not isinstance(given, Mapping):
                raise InputError(
                    f"expected a dictionary or a text, got a {type(one).__name__}", item=f"item-{place}"
                )
            there = {str(name): value for name, value in given.items() if not is_missing(value)}
            yield Record(place, None, {name: plain_value(value) for name, value in there.items()})

    return _items(numbered(), None, max_items, read)


def load_cases(
    path: str | Path,
    templates: Sequence[Template],
    max_items: int | None = None,
    *,
    prompt_field: str | None = None,
    root: str | Path | None = None,
) -> tuple[list[Item], str]:
    """Reads the cases of templates: as `load_items`, and the prompt of each is its own text alone.

    Args:
        path: The file.
        templates: What names the fields.
        max_items: Read at most so many cases, from the top of the file.
        prompt_field: The field that holds a case's own text. By default the only one that the first template
            names, or that of its fields which is usual for a question.
        root: As in `load_items`.

    Returns:
        The cases, with all other fields in their metadata, and the name of the field with their own text.

    Raises:
        InputError: As `load_items`; or a template names a field that no case has.
    """
    path = within_root(path, root)
    _require_known_suffix(path)
    names: dict[str, None] = {}
    for record in _records(path, max_items):
        inner = record.fields.get("metadata")
        names |= dict.fromkeys(["id", *record.fields, *(inner if isinstance(inner, dict) else ())])
    shown = [name for name in names if name not in (*CHOICES, *ANSWER, "metadata")]
    for template in templates:
        require_fields(template, shown)
    own = own_field(templates, QUESTION, prompt_field)
    return _load(path, max_items, partial(read_record, own=own)), own


def load_for_audit(path: str | Path, max_items: int | None = None) -> list[Item]:
    """As `load_items`, but what an audit is there to find is no mistake of the file.

    Questions and answers may be absent (choices alone will do), options may be empty or only one, and an
    answer that is none of the options is kept as a text.
    """
    return _load(Path(path), max_items, read_for_audit)


def _load(path: Path, max_items: int | None, read: Callable[..., Item]) -> list[Item]:
    _require_known_suffix(path)
    return _items(_records(path, max_items), path, max_items, read)


def _items(
    records: Iterator[Record], path: Path | None, max_items: int | None, read: Callable[..., Item]
) -> list[Item]:
    if max_items is not None and (isinstance(max_items, bool) or not isinstance(max_items, int)):
        raise InputError(f"max_items must be a whole number, got {type(max_items).__name__}")
    if max_items is not None and max_items < 1:
        raise InputError(f"max_items must be at least 1, got {max_items}")
    from_csv = path is not None and path.suffix.lower() == ".csv"
    items: list[Item] = []
    first_seen: dict[str, str] = {}
    for record in records:
        item = read(record.fields, file=path, line=record.line, place=record.place, all_text=from_csv)
        require_length(item, path, record.line)
        here = f"line {record.line}" if record.line is not None else f"place {record.place}"
        if item.id in first_seen:
            raise InputError(
                f"this id is already used ({first_seen[item.id]})", file=path, line=record.line, item=item.id
            )
        first_seen[item.id] = here
        items.append(item)
        if len(items) == max_items:
            break
    if not items:
        raise InputError("no items: the file is empty" if path else "there are no items", file=path)
    return items


def _require_known_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"unknown file type '{path.suffix}'", file=path, hint=f"Known: {', '.join(sorted(SUFFIXES))}."
        )


def _records(path: Path, max_items: int | None) -> Iterator[Record]:
    reader = _READERS.get(path.suffix.lower())
    if reader is not None:
        yield from reader(path, _read_text(path))
        return
    for place, fields in enumerate(read_rows(path, max_items), start=1):
        yield Record(place, None, fields)


def _read_text(path: Path) -> str:
    data = read_input(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"not UTF-8 text (byte 0x{data[error.start]:02x})",
            file=path,
            line=line,
            hint="Save the file as UTF-8.",
        ) from None


def _from_jsonl(path: Path, text: str) -> Iterator[Record]:
    place = 0
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        place += 1
        try:
            fields = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise InputError(f"not valid JSON at column {error.colno}", file=path, line=line) from None
        yield Record(place, line, _require_object(fields, path, line, None))


def _from_json(path: Path, text: str) -> Iterator[Record]:
    if not text.strip():
        return
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError(f"not valid JSON at column {error.colno}", file=path, line=error.lineno) from None
    if isinstance(content, dict):
        key = next((key for key in LIST_KEYS if key in content), None)
        if key is None:
            raise InputError(f"the object has none of the lists {', '.join(LIST_KEYS)}", file=path)
        content = content[key]
    if not isinstance(content, list):
        raise InputError("expected a list of items", file=path)
    for place, fields in enumerate(content, start=1):
        yield Record(place, None, _require_object(fields, path, None, f"#{place}"))


def _from_csv(path: Path, text: str) -> Iterator[Record]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    place = 0
    line = 1
    try:
        for cells in reader:
            start, line = line, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if header is None:
                header = _checked_header([cell.strip() for cell in cells], path, start)
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{_count(len(cells), 'cell')}, but the header has {len(header)}", file=path, line=start
                )
            place += 1
            yield Record(place, start, _csv_fields(dict(zip(header, cells, strict=True)), path, start))
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", file=path, line=line) from None


def _checked_header(header: list[str], path: Path, line: int) -> list[str]:
    twice = sorted({name for name in header if header.count(name) > 1})
    if twice:
        raise InputError(f"the column '{twice[0]}' appears twice in the header", file=path, line=line)
    return header


def _csv_fields(cells: dict[str, str], path: Path, line: int) -> dict[str, Any]:
    """Empty cells count as absent; cells that hold JSON are read."""
    fields: dict[str, Any] = {}
    options: list[tuple[str, str]] = []
    for name, cell in cells.items():
        if _CHOICE_COLUMN.fullmatch(name):
            options.append((name, cell))
        elif not cell.strip():
            continue
        elif name in ("choices", "options", "answers", "metadata"):
            try:
                fields[name] = orjson.loads(cell)
            except orjson.JSONDecodeError:
                wanted = "object" if name == "metadata" else "list"
                raise InputError(
                    f"the cell '{name}' must hold a JSON {wanted}, got: {cell[:60]}", file=path, line=line
                ) from None
        else:
            fields[name] = cell
    options.sort(key=lambda option: (len(option[0]), option[0]))
    while options and not options[-1][1].strip():
        options.pop()
    if options:
        for name, cell in options:
            if not cell.strip():
                raise InputError(
                    f"the option '{name}' is empty, but a later one is not", file=path, line=line
                )
        if "choices" in fields or "options" in fields:
            raise InputError(
                f"choices are given twice: in one column and in '{options[0][0]}'", file=path, line=line
            )
        fields["choices"] = [cell for _, cell in options]
    return fields


def _require_object(fields: Any, path: Path, line: int | None, item: str | None) -> dict[str, Any]:
    if not isinstance(fields, dict):
        raise InputError("expected an object with the item's fields", file=path, line=line, item=item)
    return fields


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


_READERS: dict[str, Callable[[Path, str], Iterator[Record]]] = {
    ".jsonl": _from_jsonl,
    ".ndjson": _from_jsonl,
    ".json": _from_json,
    ".csv": _from_csv,
}
SUFFIXES = (*_READERS, *PARQUET, *ARROW)
"""Of files that items are read from."""
