"""gzip, zlib, bz2, lzma, zstd, zip and tar → the texts of what is in them, down to the last byte."""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from otherwords.core.errors import InputError
from otherwords.core.files import ALWAYS_FINE, DAMAGE, HIGHEST_RATIO
from otherwords.publish.file_content import Content, Part, Place, rest, spooled, zstd_unpacker

_PIECE = 4 * 1024
"""Bytes that are unpacked at a time, because a little can unpack to much."""


def _unpacked(
    content: Content, new: Callable[[], Any], magic: bytes, place: Place, starts: list[int] | None = None
) -> Iterator[Part]:
    """All streams of one kind, one behind the other, whose `starts` are noted, and then what is left."""
    end = 0

    def pieces() -> Iterator[bytes]:
        nonlocal end
        while end < len(content) and (end == 0 or content[end : end + len(magic)] == magic):
            unpacker, at = new(), end
            if starts is not None:
                starts.append(at)
            while not unpacker.eof:
                piece = bytes(content[at : at + _PIECE])
                if not piece:
                    raise EOFError
                at += len(piece)
                yield unpacker.decompress(piece)
            end = at - len(unpacker.unused_data)

    inner = spooled(pieces(), place.budget)
    yield from place.within().parts(inner)
    yield from rest(content, end, place)


def is_skippable(head: bytes) -> bool:
    return head[0] & 0xF0 == 0x50 and head[1:4] == b"*M\x18"


def is_zlib(head: bytes) -> bool:
    """Its first two bytes are a header with the right check, and a stream begins."""
    is_header = len(head) > 2 and head[0] & 0x0F == 8 and int.from_bytes(head[:2], "big") % 31 == 0
    return is_header and _begins(zlib.decompressobj(), head)


def is_lzma(head: bytes) -> bool:
    return head[:3] == b"\x5d\x00\x00" and _begins(lzma.LZMADecompressor(), head)


def _begins(unpacker: Any, head: bytes) -> bool:
    try:
        unpacker.decompress(head, _PIECE)
    except DAMAGE:
        return False
    return True


def from_gzip(content: Content, place: Place) -> Iterator[Part]:
    starts: list[int] = []
    yield from _unpacked(content, lambda: zlib.decompressobj(31), b"\x1f\x8b", place, starts)
    for start in starts:
        yield from _gzip_header(content, start, place)


_EXTRA, _NAME, _COMMENT = 4, 8, 16


def _gzip_header(content: Content, start: int, place: Place) -> Iterator[Part]:
    """Its fields: notes of programs, a name, a comment."""
    flags, at = content[start + 3], start + 10
    if flags & _EXTRA:
        size = struct.unpack("<H", content[at : at + 2])[0]
        for _, field in _fields(bytes(content[at + 2 : at + 2 + size])):
            yield from place.within().parts(field)
        at += 2 + size
    for flag in (_NAME, _COMMENT):
        if flags & flag:
            end = content.find(b"\0", at)
            yield from place.within().parts(bytes(content[at:end]))
            at = end + 1


def _fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    """The numbers and contents of fields in a header; what is none of them has the number -1."""
    at = 0
    while at + 4 <= len(extra):
        number, size = struct.unpack("<HH", extra[at : at + 4])
        if at + 4 + size > len(extra):
            break
        yield number, extra[at + 4 : at + 4 + size]
        at += 4 + size
    if extra[at:].strip(b"\0"):
        yield -1, extra[at:]


def from_zlib(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, zlib.decompressobj, bytes(content[:2]), place)


def from_bz2(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, bz2.BZ2Decompressor, b"BZh", place)


def from_lzma(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, lzma.LZMADecompressor, bytes(content[:6]), place)


def from_zstd(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, zstd_unpacker, b"\x28\xb5\x2f\xfd", place)


def from_skippable(content: Content, place: Place) -> Iterator[Part]:
    """A frame of zstd that its readers pass over."""
    end = 8 + struct.unpack("<I", content[4:8])[0]
    yield from place.within().parts(bytes(content[8:end]))
    yield from rest(content, end, place)


def raw_deflated(content: Content, place: Place) -> bytes | None:
    """What it unpacks to, if all of it is one deflate stream without a header."""
    unpacker, pieces, at = zlib.decompressobj(-15), [], 0
    try:
        while not unpacker.eof and at < len(content):
            pieces.append(unpacker.decompress(bytes(content[at : at + _PIECE])))
            place.budget.spend(len(pieces[-1]))
            at += _PIECE
    except zlib.error:
        return None
    return b"".join(pieces) if unpacker.eof and at >= len(content) and not unpacker.unused_data else None


def as_file(content: Content) -> Any:
    return io.BytesIO(content) if isinstance(content, bytes) else content


def from_zip(content: Content, place: Place) -> Iterator[Part]:
    with zipfile.ZipFile(as_file(content)) as archive:
        yield from place.within().parts(archive.comment)
        known: list[tuple[int, int]] = []
        for member in archive.infolist():
            inside = place.within(member.filename)
            start = member.header_offset
            name, extra = struct.unpack("<HH", content[start + 26 : start + 30])
            at = start + 30 + name
            yield inside.text(
                f"{member.filename}\n{bytes(content[at - name : at]).decode('utf-8', 'replace')}"
            )
            yield from inside.parts(member.comment)
            for kind, field in (*_fields(member.extra), *_fields(bytes(content[at : at + extra]))):
                if kind not in _ZIP_FIELDS or len(field) > _LONGEST_FIELD:
                    yield from inside.parts(field)
            known.append((start, at + extra + member.compress_size))
            if member.is_dir():
                continue
            size = member.file_size
            if size > ALWAYS_FINE and size > HIGHEST_RATIO * member.compress_size:
                raise InputError(
                    f"'{member.filename}' would unpack from {member.compress_size:,} to {size:,} bytes"
                )
            with archive.open(member) as stream:
                inner = spooled(iter(lambda stream=stream: stream.read(_PIECE), b""), place.budget)  # type: ignore[misc]
            yield from inside.parts(inner)
        known.append((archive.start_dir, len(content)))
    yield from _between(content, sorted(known), place)


_ZIP_FIELDS = frozenset({0x0001, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875, 0xCAFE, 0xD935})
"""Sizes, times, owners and alignment: numbers, of no more bytes than this."""
_LONGEST_FIELD = 36
_DESCRIPTOR = 24
"""Bytes that may follow a member: its sizes."""


def _between(content: Content, known: list[tuple[int, int]], place: Place) -> Iterator[Part]:
    """What stands in an archive and is of no member."""
    end = 0
    for start, stop in known:
        gap = bytes(content[end:start])
        if len(gap) > _DESCRIPTOR or (end == 0 and gap):
            yield from place.within().parts(gap)
        end = max(end, stop)


def is_tar(head: bytes) -> bool:
    if len(head) < 512:
        return False
    if head[257:262] == b"ustar":
        return True
    try:  # the oldest kind has nothing but the sum of its bytes
        return int(head[148:156].strip(b"\0 "), 8) == sum(head[:148]) + 256 + sum(head[156:512])
    except ValueError:
        return False


def from_tar(content: Content, place: Place) -> Iterator[Part]:
    with tarfile.open(fileobj=as_file(content), mode="r:") as archive:
        for member in archive:
            about = [member.name, member.linkname, member.uname, member.gname, *member.pax_headers.values()]
            yield place.within(member.name).text("\n".join(map(str, about)))
            if member.type not in tarfile.SUPPORTED_TYPES:  # has a content all the same
                member.type = tarfile.REGTYPE
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                inner = spooled(iter(lambda file=file: file.read(1 << 20), b""), place.budget)  # type: ignore[misc]
                yield from place.within(member.name).parts(inner)
                end = member.offset_data + member.size
                padding = bytes(content[end : end + -end % 512])
                if padding.strip(b"\0"):
                    yield from place.within().parts(padding)
        end = archive.offset
    yield from rest(content, end, place)
