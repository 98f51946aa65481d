"""gzip, zlib, bz2, lzma, zstd, zip and tar → the texts of what is in them, down to the last byte."""

from __future__ import annotations

import bz2
import io
import lzma
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from otherwords.core.errors import InputError
from otherwords.core.files import ALWAYS_FINE, DAMAGE, HIGHEST_RATIO
from otherwords.publish.file_content import Content, Part, Place, rest, spooled

if sys.version_info < (3, 14):
    from zstandard import ZstdDecompressor
else:
    from compression.zstd import ZstdDecompressor

_PIECE = 4 * 1024
"""Bytes that are unpacked at a time, because a little can unpack to much."""


def _unpacked(content: Content, new: Callable[[], Any], magic: bytes, place: Place) -> Iterator[Part]:
    """All streams of one kind, one behind the other, and then what is left."""
    end = 0

    def pieces() -> Iterator[bytes]:
        nonlocal end
        while end < len(content) and (end == 0 or content[end : end + len(magic)] == magic):
            unpacker, at = new(), end
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
    yield place.text(bytes(content[:512]).decode("latin-1"))  # a name and a comment
    yield from _unpacked(content, lambda: zlib.decompressobj(31), b"\x1f\x8b", place)


def from_zlib(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, zlib.decompressobj, bytes(content[:2]), place)


def from_bz2(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, bz2.BZ2Decompressor, b"BZh", place)


def from_lzma(content: Content, place: Place) -> Iterator[Part]:
    yield from _unpacked(content, lzma.LZMADecompressor, bytes(content[:6]), place)


def from_zstd(content: Content, place: Place) -> Iterator[Part]:
    def new() -> Any:
        unpacker = ZstdDecompressor()
        return unpacker.decompressobj() if hasattr(unpacker, "decompressobj") else unpacker

    yield from _unpacked(content, new, b"\x28\xb5\x2f\xfd", place)


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
        yield place.text(archive.comment.decode("utf-8", "replace"))
        known: list[tuple[int, int]] = []
        for member in archive.infolist():
            about = [
                member.filename,
                *(one.decode("utf-8", "replace") for one in (member.comment, member.extra)),
            ]
            yield place.within(member.filename).text("\n".join(about))
            start = member.header_offset
            names = sum(struct.unpack("<HH", content[start + 26 : start + 30]))
            known.append((start, start + 30 + names + member.compress_size))
            if member.is_dir():
                continue
            size = member.file_size
            if size > ALWAYS_FINE and size > HIGHEST_RATIO * member.compress_size:
                raise InputError(
                    f"'{member.filename}' would unpack from {member.compress_size:,} to {size:,} bytes"
                )
            with archive.open(member) as stream:
                inner = spooled(iter(lambda stream=stream: stream.read(_PIECE), b""), place.budget)  # type: ignore[misc]
            yield from place.within(member.filename).parts(inner)
        known.append((archive.start_dir, len(content)))
    yield from _between(content, sorted(known), place)


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
            about = [member.name, member.linkname, *member.pax_headers.values()]
            yield place.within(member.name).text("\n".join(map(str, about)))
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
