"""What readers of file formats share: parts, places, limits of unpacking; bytes → texts in any encoding."""

from __future__ import annotations

import bz2
import codecs
import lzma
import mmap
import re
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import IO, Any, NamedTuple, TypeAlias

from otherwords.core.errors import InputError

if sys.version_info < (3, 14):
    from zstandard import ZstdDecompressor
else:
    from compression.zstd import ZstdDecompressor


class MappedFile(mmap.mmap):
    """A file's content, of which only what is looked at is in memory; zipfile asks whether it can seek."""

    def seekable(self) -> bool:
        return True


Content: TypeAlias = "bytes | MappedFile"

DEEPEST = 8
"""Archives and encodings within each other."""
MOST_ENCODED = 5
"""Times that a text is in base64, base32 or hex, one within the other."""
MOST_UNPACKED = 8 * 1024**3
"""Bytes that one file may unpack to, all of it together."""
MOST_WHOLE = 512 * 1024**2
"""Bytes of a table, a document or a picture, which are held in memory."""
WINDOW, OVERLAP = 16 * 1024**2, 64 * 1024
"""Bytes of a text that are looked at together, and those that are looked at twice."""
IN_MEMORY = 32 * 1024**2
"""Bytes of a content that is held in memory; a larger one is mapped."""


class Part(NamedTuple):
    """A text within a file, or the reason why there is none."""

    inside: str
    """Where in the file: the members of archives, joined; empty for the file itself."""
    text: str
    blind: str = ""
    """Why it cannot be vouched for, if it cannot."""


@dataclass
class Budget:
    """How many bytes a file may still unpack to."""

    left: int = field(default_factory=lambda: MOST_UNPACKED)

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise InputError(f"unpacks to more than {MOST_UNPACKED:,} bytes")


def zstd_unpacker() -> Any:
    unpacker = ZstdDecompressor()
    return unpacker.decompressobj() if hasattr(unpacker, "decompressobj") else unpacker


Reader: TypeAlias = "Callable[[Content, Place], Iterator[Part]]"


@dataclass(frozen=True)
class Place:
    """Where in a file something is, how deep, and what is left of its budget."""

    inside: str = ""
    depth: int = 0
    budget: Budget = field(default_factory=Budget)
    is_guess: bool = False
    """It may be of a format by chance; nothing is said of what cannot be read."""
    encoded: int = 0
    """How often it was written in base64, base32 or hex."""
    reader: Reader | None = None
    """Reads what is within a format, of whatever format that is."""
    decoder: Callable[[str, Place], Iterator[Part]] | None = None
    """Reads what is written in a text in base64, base32 or hex."""

    def within(self, name: str = "") -> Place:
        return replace(self, inside=f"{self.inside}/{name}".strip("/"), depth=self.depth + 1)

    def parts(self, content: Content) -> Iterator[Part]:
        """Every text in what stands here."""
        if self.reader is not None:
            yield from self.reader(content, self)

    def text(self, text: str) -> Part:
        return Part(self.inside, text)

    def blind(self, why: str) -> Iterator[Part]:
        if not self.is_guess:
            yield Part(self.inside, "", why)


_STREAM = re.compile(rb"\x1f\x8b\x08|x[\x01\x5e\x9c\xda]|BZh[1-9]1AY&SY|\xfd7zXZ\x00|\x28\xb5\x2f\xfd")
_STEP = 4 * 1024
_UNPACKERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f": lambda: zlib.decompressobj(31),
    b"x": zlib.decompressobj,
    b"B": bz2.BZ2Decompressor,
    b"\xfd": lzma.LZMADecompressor,
    b"\x28": zstd_unpacker,
}
"""By the first byte of a stream."""
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\x0b\x0c\x1b\x08")
_MOST_CONTROLS, _MOST_HIGH = 0.02, 0.3
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


def text_encoding(content: Content) -> str | None:
    """In which encoding it is text, from its first byte to its last; None if it is not."""
    head = bytes(content[:65536])
    marked = [name for mark, name in _MARKS if head.startswith(mark)]
    zeros = [head[start::4].count(0) for start in range(4)]
    quarter = max(1, len(head) // 4)
    guesses = list(marked)
    if 0 in head and not marked:
        if min(zeros[1:]) > 0.9 * quarter - 2 and zeros[0] < quarter // 2 + 1:
            guesses.append("utf-32-le")
        if min(zeros[:3]) > 0.9 * quarter - 2 and zeros[3] < quarter // 2 + 1:
            guesses.append("utf-32-be")
        guesses += ["utf-16-le"] if zeros[1] + zeros[3] > quarter / 2.5 else []
        guesses += ["utf-16-be"] if zeros[0] + zeros[2] > quarter / 2.5 else []
    return next((one for one in (*guesses, "utf-8", "cp1252") if _is_text(content, one)), None)


def _is_text(content: Content, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    controls = high = 0
    try:
        for start in range(0, len(content), WINDOW):
            piece = bytes(content[start : start + WINDOW])
            text = decoder.decode(piece)
            if encoding == "cp1252":
                high += len(piece) - len(piece.decode("ascii", "ignore"))
            plain = text.encode("utf-8", "replace")
            controls += len(plain) - len(plain.translate(None, _CONTROLS))
        decoder.decode(b"", final=True)
    except UnicodeError:
        return False
    if encoding == "cp1252" and (controls or high > _MOST_HIGH * len(content)):
        return False
    return controls <= _MOST_CONTROLS * len(content)


def windows(content: Content) -> Iterator[bytes]:
    """Its bytes in pieces that overlap."""
    for start in range(0, len(content), WINDOW):
        yield bytes(content[max(0, start - OVERLAP) : start + WINDOW])


def raw_texts(content: Content, place: Place) -> Iterator[Part]:
    """What of bytes can be read in one, two or four bytes a letter, and what is packed or encoded there."""
    guess = replace(place.within(), is_guess=True)
    yield from _packed(content, guess)
    for window in windows(content):
        text = window.decode("utf-8", "replace")
        yield place.text(text)
        if place.decoder is not None:
            yield from place.decoder(text, guess)
        if window.count(0) > len(window) // 50:
            for encoding in ("utf-16-le", "utf-16-be"):
                for offset in (0, 1):
                    yield place.text(window[offset:].decode(encoding, "ignore"))
            yield place.text(window.replace(b"\0", b"").decode("utf-8", "replace"))


def _packed(content: Content, place: Place) -> Iterator[Part]:
    """Every whole compressed stream that begins anywhere, as in a note or in what a database has left."""
    left, end = 8 * len(content) + WINDOW, 0
    for found in _STREAM.finditer(content):
        if found.start() < end:
            continue
        unpacker: Any = _UNPACKERS[bytes(found.group(0)[:1])]()
        pieces, at = [], found.start()
        with suppress(zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
            while not unpacker.eof and at < len(content) and left > 0:
                pieces.append(unpacker.decompress(bytes(content[at : at + _STEP])))
                at += _STEP
                left -= len(pieces[-1]) + _STEP
        if left <= 0:
            raise InputError("holds too many beginnings of compressed data")
        if unpacker.eof:
            end = min(at, len(content)) - len(unpacker.unused_data)
            unpacked = b"".join(pieces)
            left += len(unpacked) + at - found.start()
            place.budget.spend(len(unpacked))
            yield from place.parts(unpacked)


def spooled(pieces: Iterator[bytes], budget: Budget) -> Content:
    """All pieces as one content: in memory, or if they are many in a file that is gone with it."""
    file: IO[bytes]
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        size = 0
        for piece in pieces:
            budget.spend(len(piece))
            file.write(piece)
            size += len(piece)
        if size <= IN_MEMORY:
            file.seek(0)
            return file.read()
        file.flush()
        return MappedFile(file.fileno(), 0, access=mmap.ACCESS_READ)


def rest(content: Content, end: int, place: Place) -> Iterator[Part]:
    """What stands behind the end of a format; zeros may."""
    if len(content) - end > MOST_WHOLE:
        yield from place.blind(f"has more than {MOST_WHOLE:,} bytes behind its end")
        return
    left = bytes(content[end:])
    if left.strip(b"\0"):
        yield from place.within().parts(left)
