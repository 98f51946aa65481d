"""Zip archives of unknown origin: a member is unpacked only if its size is sane."""

from __future__ import annotations

import lzma
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import SEEK_END, BytesIO
from typing import BinaryIO

from otherwords.core.errors import InputError
from otherwords.results import files
from otherwords.results.files import ResultFile

if sys.version_info < (3, 14):  # Inspect compresses with zstd, which zipfile reads by itself from 3.14 on
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401
    from zstandard import ZstdError
else:
    from compression.zstd import ZstdError

ZIP_MAGIC = b"PK\x03\x04"
_ENTRY, _ENTRY_SIZE = b"PK\x01\x02", 46
_END, _END_SIZE = b"PK\x05\x06", 22
_LONGEST_END = _END_SIZE + 0xFFFF  # with the longest comment
_LONGER = 0xFFFFFFFF  # stands for a number that is kept elsewhere
HIGHEST_RATIO = 1000
"""To how many times its packed size a member may unpack, once it is larger than `ALWAYS_FINE`."""
ALWAYS_FINE = 64 * 1024**2
# Read in pieces, because some packed formats give out all that a piece unpacks to.
_PIECE = 4 * 1024
_DAMAGE = (
    EOFError,
    NotImplementedError,  # a compression that zipfile does not know
    RuntimeError,  # a password is wanted
    OverflowError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    ZstdError,
)


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
    except _DAMAGE as error:
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
        header = _read_at(stream, place, 30) if packed < files.LARGEST else b""
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


def read_member(archive: zipfile.ZipFile, name: str) -> bytes:
    member = archive.getinfo(name)
    if member.file_size > files.LARGEST or (
        member.file_size > ALWAYS_FINE and member.file_size > HIGHEST_RATIO * member.compress_size
    ):
        raise InputError(
            f"is refused: '{name}' would unpack from {member.compress_size:,} to {member.file_size:,} bytes"
        )
    with archive.open(name) as stream:
        pieces = list(iter(lambda: stream.read(_PIECE), b""))
    content = b"".join(pieces)
    if len(content) != member.file_size:
        raise EOFError(f"'{name}' ends after {len(content):,} of {member.file_size:,} bytes")
    return content
