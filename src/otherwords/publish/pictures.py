"""PNG, JPEG, WebP, GIF → texts beside their pixels: comments, profiles, private chunks, what follows the end.

What is drawn is not read.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterator

from otherwords.publish.file_content import MOST_WHOLE, Content, Part, Place, raw_texts, rest

_PNG_START = 8
_PIXELS = {
    **{b"IHDR": 13, b"PLTE": 768, b"IEND": 0, b"tRNS": 256, b"gAMA": 4, b"cHRM": 32, b"sRGB": 1, b"bKGD": 6},
    **{b"hIST": 512, b"pHYs": 9, b"sBIT": 4, b"tIME": 7, b"acTL": 8, b"fcTL": 26, b"cICP": 4},
}
"""Chunks of colours and sizes, and how many bytes each may have."""
_LETTERS = re.compile(rb"[ -~]{16,}")
"""Bytes of pixels that could be read as a text."""
_FEW = 6
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def from_png(content: Content, place: Place) -> Iterator[Part]:
    at, kind = _PNG_START, b""
    pixels: list[bytes] = []
    while at + 12 <= len(content) and kind != b"IEND":
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        chunk = bytes(content[at + 8 : at + 8 + size])
        at += 12 + size
        if kind == b"IHDR":
            header = chunk
        if kind == b"IDAT":
            pixels.append(chunk)
        elif kind in (b"tEXt", b"eXIf"):
            yield from raw_texts(chunk, place)
            yield place.text(chunk.replace(b"\0", b"\n").decode("utf-8", "replace"))
        elif kind in (b"zTXt", b"iTXt", b"iCCP"):
            yield from raw_texts(chunk, place)
            yield from _unpacked_note(kind, chunk, place)
        elif size > _PIXELS.get(kind, -1):
            yield from place.within().parts(chunk)
        else:
            yield from raw_texts(chunk, place)
    if kind != b"IEND":
        yield from place.blind("a PNG without an end")
        return
    yield from _pixels(b"".join(pixels), header, place)
    yield from rest(content, at, place)


def _unpacked_note(kind: bytes, chunk: bytes, place: Place) -> Iterator[Part]:
    name_end = chunk.find(b"\0")
    start = name_end + 2
    if kind == b"iTXt":
        if chunk[name_end + 1 : name_end + 2] != b"\1":
            return
        start = chunk.find(b"\0", chunk.find(b"\0", name_end + 3) + 1) + 1
    unpacker = zlib.decompressobj()
    note = unpacker.decompress(chunk[start:], MOST_WHOLE // 16)
    place.budget.spend(len(note))
    yield from raw_texts(note, place)
    if not unpacker.eof or unpacker.unused_data:
        yield from place.blind("a PNG with a note that does not end where it should")


def _pixels(packed: bytes, header: bytes, place: Place) -> Iterator[Part]:
    """The pixels as bytes, in case they are letters; as many as the picture has."""
    width, height, bits, colour, _, _, interlaced = struct.unpack(">IIBBBBB", header[:13])
    wanted = height * (1 + (width * bits * _CHANNELS.get(colour, 1) + 7) // 8)
    if wanted > MOST_WHOLE:
        yield from place.blind(f"a picture of more than {MOST_WHOLE:,} bytes")
        return
    unpacker = zlib.decompressobj()
    pixels = unpacker.decompress(packed, wanted + wanted // 2 + 1024)
    place.budget.spend(len(pixels))
    lines = {line for line in _LETTERS.findall(pixels) if len(set(line)) > _FEW}
    yield place.text(b"\n".join(sorted(lines)).decode("ascii"))
    if not unpacker.eof or unpacker.unused_data or (not interlaced and len(pixels) != wanted):
        yield from place.blind("a PNG with other data among its pixels")


_JPEG_NOTES = frozenset({0xE0, 0xE1, 0xE2, 0xED, 0xEE, 0xFE})
"""Segments of a known kind: JFIF, Exif and XMP, colour profiles, Photoshop, Adobe, comments."""
_JPEG_END, _JPEG_SCAN = 0xD9, 0xDA


def from_jpeg(content: Content, place: Place) -> Iterator[Part]:
    at = 2
    while at + 4 <= len(content) + 2:
        if content[at] != 0xFF:
            raise ValueError
        marker = content[at + 1]
        at += 2
        if marker == 0xFF:
            at -= 1
            continue
        if marker == _JPEG_END:
            yield from rest(content, at, place)
            return
        if marker == 0x01 or 0xD0 <= marker <= 0xD7:
            continue
        size = struct.unpack(">H", content[at : at + 2])[0]
        segment = bytes(content[at + 2 : at + size])
        at += size
        if marker in _JPEG_NOTES:
            yield from raw_texts(segment, place)
        elif 0xE0 <= marker <= 0xEF:
            yield from place.within().parts(segment)
        elif marker == _JPEG_SCAN:
            at = _next_marker(content, at)
    yield from place.blind("a JPEG without an end")


def _next_marker(content: Content, at: int) -> int:
    """Where the compressed pixels end."""
    while True:
        at = content.find(b"\xff", at)
        if at < 0 or at + 1 >= len(content):
            raise EOFError
        if content[at + 1] != 0 and not 0xD0 <= content[at + 1] <= 0xD7:
            return at
        at += 2


_WEBP_PIXELS = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ANIM", b"ANMF"})


def from_webp(content: Content, place: Place) -> Iterator[Part]:
    if content[8:12] != b"WEBP":
        yield from raw_texts(content, place)
        yield from place.blind("a RIFF file that is no picture")
        return
    end = 8 + struct.unpack("<I", content[4:8])[0]
    at = 12
    while at + 8 <= end:
        kind, size = struct.unpack("<4sI", content[at : at + 8])
        chunk = bytes(content[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
        if kind in (b"ICCP", b"EXIF", b"XMP "):
            yield from raw_texts(chunk, place)
        elif kind not in _WEBP_PIXELS:
            yield from place.within().parts(chunk)
    if at > len(content) + 1:
        yield from place.blind("a WebP that is cut off")
    yield from rest(content, min(at, len(content)), place)


def from_gif(content: Content, place: Place) -> Iterator[Part]:
    flags = content[10]
    at = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    while True:
        block, at = content[at], at + 1
        if block == 0x3B:
            yield from rest(content, at, place)
            return
        if block == 0x21:
            kind, at = content[at], at + 1
            texts, at = _sub_blocks(content, at)
            if kind != 0xF9:  # which is about timing
                yield from raw_texts(texts, place)
        elif block == 0x2C:
            flags = content[at + 8]
            at += 9 + (3 << (flags & 7) + 1 if flags & 0x80 else 0) + 1
            _, at = _sub_blocks(content, at)
        else:
            raise ValueError


def _sub_blocks(content: Content, at: int) -> tuple[bytes, int]:
    pieces = []
    while size := content[at]:
        pieces.append(bytes(content[at + 1 : at + 1 + size]))
        at += 1 + size
    return b"".join(pieces), at + 1
