"""Parquet, Arrow, Avro, SQLite and PDF files → every text in them, by the libraries that read them."""

from __future__ import annotations

import io
import logging
import re
import sqlite3
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from otherwords.core.files import quiet_panics
from otherwords.publish.file_content import MOST_WHOLE, Content, Part, Place, raw_texts


def from_parquet(content: Content, place: Place) -> Iterator[Part]:
    import polars as pl

    yield from _from_frame(content, place, "Parquet", pl.read_parquet)


def from_arrow(content: Content, place: Place) -> Iterator[Part]:
    import polars as pl

    yield from _from_frame(content, place, "Arrow", pl.read_ipc)


def from_arrow_stream(content: Content, place: Place) -> Iterator[Part]:
    import polars as pl

    yield from _from_frame(content, place, "an Arrow stream", pl.read_ipc_stream)


def from_avro(content: Content, place: Place) -> Iterator[Part]:
    import polars as pl

    yield from _from_frame(content, place, "Avro", pl.read_avro)


def _from_frame(content: Content, place: Place, name: str, read: Callable[..., Any]) -> Iterator[Part]:
    """Each column's texts; and the bytes as they are, since notes on a table are not in its columns."""
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    yield from raw_texts(content, place)
    if len(content) > MOST_WHOLE:
        yield from place.blind(f"{name} of more than {MOST_WHOLE:,} bytes")
        return
    try:
        with quiet_panics():
            table = read(io.BytesIO(content))
    except (PolarsError, PanicException, OSError, ValueError, TypeError) as error:
        yield from place.blind(f"cannot be read as {name}: {type(error).__name__}")
        return
    place.budget.spend(table.estimated_size())
    yield place.text("\n".join(table.columns))
    for column in table.iter_columns():
        inside = place.within(f"column {column.name}")
        if column.dtype == pl.Binary:
            for value in column.drop_nulls().unique().to_list():
                yield from inside.parts(value)
        elif not column.dtype.is_numeric() and not column.dtype.is_temporal():
            texts = column.unique() if column.dtype == pl.String else column
            values: list[str] = []
            for value in _leaves(texts.to_list()):
                if isinstance(value, bytes):
                    yield from inside.parts(value)
                elif value is not None:
                    values.append(str(value))
            yield from inside.parts("\n".join(values).encode("utf-8", "replace"))


def _leaves(values: Any) -> Iterator[Any]:
    """What is in lists and structures, however nested."""
    for value in values:
        if isinstance(value, dict):
            yield from _leaves(value.values())
        elif isinstance(value, list):
            yield from _leaves(value)
        else:
            yield value


_VIRTUAL = re.compile(r"\s*CREATE\s+VIRTUAL", re.IGNORECASE)


def from_sqlite(content: Content, place: Place) -> Iterator[Part]:
    """Every value of every table, and the bytes as they are: what was deleted stays in the file."""
    yield from raw_texts(content, place)
    page_size, pages = struct.unpack(">H10xI", content[16:32])
    if (65536 if page_size == 1 else page_size) * pages != len(content):
        yield from place.blind("a SQLite file that is longer or shorter than it says")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "copy.sqlite")
        file.write_bytes(content)
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
                yield from _from_database(database, place)
        except sqlite3.Error as error:
            yield from place.blind(f"cannot be read as SQLite: {type(error).__name__}")


def _from_database(database: sqlite3.Connection, place: Place) -> Iterator[Part]:
    database.execute("PRAGMA trusted_schema = OFF")
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    tables = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    for name, sql in tables:
        yield place.text(f"{name}\n{sql}")
        if _VIRTUAL.match(sql or ""):
            continue  # what it holds is in other tables
        quoted = name.replace('"', '""')
        rows = database.execute(f'SELECT * FROM "{quoted}"')
        inside = place.within(f"table {name}")
        while batch := rows.fetchmany(10_000):
            values = [value for row in batch for value in row]
            texts = "\n".join(value for value in values if isinstance(value, str))
            place.budget.spend(len(texts))
            yield from inside.parts(texts.encode("utf-8", "replace"))
            for value in values:
                if isinstance(value, bytes):
                    yield from inside.parts(value)


def from_pdf(content: Content, place: Place) -> Iterator[Part]:
    """The text of each page, notes and attachments, and every stream that can be unpacked."""
    yield from raw_texts(content, place)
    try:
        import pypdf
        from pypdf.errors import PyPdfError
    except ImportError:
        yield from place.blind("a PDF, and the package that reads it is not there (pip install pypdf)")
        return
    if len(content) > MOST_WHOLE:
        yield from place.blind(f"a PDF of more than {MOST_WHOLE:,} bytes")
        return
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        document = pypdf.PdfReader(io.BytesIO(content), strict=False)
        if document.is_encrypted and not document.decrypt(""):
            yield from place.blind("a PDF with a password")
            return
        yield place.text("\n".join(map(str, (document.metadata or {}).values())))
        for page in document.pages:
            yield place.text(page.extract_text())
        yield from _from_streams(document, place)
    except (PyPdfError, OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        yield from place.blind(f"cannot be read as PDF: {type(error).__name__}")


_PICTURES = ("/DCTDecode", "/JPXDecode", "/CCITTFaxDecode", "/JBIG2Decode")


def _from_streams(document: Any, place: Place) -> Iterator[Part]:
    from pypdf.generic import StreamObject

    for number in sorted(
        {one for table in document.xref.values() for one in table} | set(document.xref_objStm)
    ):
        thing = document.get_object(number)
        if not isinstance(thing, StreamObject):
            yield place.text(str(thing))
            continue
        if any(kind in str(thing.get("/Filter")) for kind in _PICTURES) or thing.get("/Subtype") == "/Image":
            continue
        data = thing.get_data()
        place.budget.spend(len(data))
        if thing.get("/Type") == "/EmbeddedFile":
            yield from place.within().parts(data)
        else:
            yield from raw_texts(data, place)
