"""Zip archives of unknown origin: a member is unpacked only if its size is sane."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import SEEK_END, BytesIO
from typing import BinaryIO

from otherwords.core.errors import InputError
from otherwords.core.zips import DAMAGE, LARGEST, ZIP_MAGIC, read_member
from otherwords.results.files import ResultFile

__all__ = ["ZIP_MAGIC", "opened_zip", "read_member"]

_ENTRY, _ENTRY_SIZE = b"PK\x01\x02", 46
_END, _END_SIZE = b"PK\x05\x06", 22
_LONGEST_END = _END_SIZE + 0xFFFF  # with the longest comment
_LONGER = 0xFFFFFFFF  # stands for a number that is kept elsewhere


@contextmanager
def opened_zip(file: ResultFile, only: Sequence[str] = ()) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever is wrong with it becomes an InputError.

    Listing many thousand members takes longer than reading two of them, so that if it has all of `only`, they
    may be all that it shows.
    """
    try:
        with file.open() as stream:
            few = _excerpt(stream, only) if only else None
            with zipfile.ZipFile(stream if few is None else few) as archive:
                yield archive
    except DAMAGE as error:
        raise InputError(f"is damaged or cut short: {error}", file=str(file)) from error


def _excerpt(stream: BinaryIO, names: Sequence[str]) -> BytesIO | None:
    """These members as an archive of their own; None where they are not found by the plain rules."""
    tail_start = max(0, stream.seek(0, SEEK_END) - _LONGEST_END)
    tail = _read_at(stream, tail_start, _LONGEST_END)
    end = tail.rfind(_END)
    if end < 0 or len(tail) < end + _END_SIZE:
        return None
    size, start = struct.unpack_from("<LL", tail, end + 12)
    if start + size != tail_start + end:  # damaged, or with the longer entries of a very large archive
        return None
    directory, members, entries = _read_at(stream, start, size), b"", b""
    for name in names:
        entry = _entry(directory, name.encode())
        packed, _, place = struct.unpack_from("<LL14xL", entry, 20) if entry else (_LONGER, 0, 0)
        header = _read_at(stream, place, 30) if packed < LARGEST else b""
        if not header.startswith(ZIP_MAGIC) or len(header) < 30:
            return None
        entries += entry[:42] + struct.pack("<L", len(members)) + entry[46:]
        members += _read_at(stream, place, 30 + sum(struct.unpack_from("<HH", header, 26)) + packed)
    count = len(names)
    closing = struct.pack("<4s4HLLH", _END, 0, 0, count, count, len(entries), len(members), 0)
    return BytesIO(members + entries + closing)


def _entry(directory: bytes, name: bytes) -> bytes:
    """The member's entry, which is among the last: Inspect writes its summaries at the end."""
    at = directory.rfind(name)
    while at >= 0:
        start = at - _ENTRY_SIZE
        if start >= 0 and directory.startswith(_ENTRY, start):
            lengths = struct.unpack_from("<HHH", directory, start + 28)
            if lengths[0] == len(name):
                return directory[start : start + _ENTRY_SIZE + sum(lengths)]
        at = directory.rfind(name, 0, at)
    return b""


def _read_at(stream: BinaryIO, place: int, size: int) -> bytes:
    stream.seek(place)
    return stream.read(size)
