"""The content of a file → every text in it, and what of it could not be read.

A format is read whole or not vouched for: bytes that are neither text nor of a format that is known here,
that a reader left over, or that unpack to more than the limits, become a part that says so.
"""

from __future__ import annotations

import codecs
import mmap
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import IO, NamedTuple, TypeAlias

from otherwords.core.errors import InputError
from otherwords.core.files import DAMAGE, ZIP_MAGIC
from otherwords.publish.text_readings import encoded_blocks, unescaped


class MappedFile(mmap.mmap):
    """A file's content, of which only what is looked at is in memory; zipfile asks whether it can seek."""

    def seekable(self) -> bool:
        return True


Content: TypeAlias = "bytes | MappedFile"

DEEPEST = 8
"""Archives and encodings within each other."""
MOST_ENCODED = 3
"""Times that a text is in base64, base32 or hex, one within the other."""
MOST_UNPACKED = 8 * 1024**3
"""Bytes that one file may unpack to, all of it together."""
MOST_WHOLE = 512 * 1024**2
"""Bytes of a table, a document or a picture, which are held in memory."""
WINDOW, OVERLAP = 16 * 1024**2, 64 * 1024
"""Bytes of a text that are looked at together, and those that are looked at twice."""
_TELLING = 64
_IN_MEMORY = 32 * 1024**2


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

    def within(self, name: str = "") -> Place:
        return replace(self, inside=f"{self.inside}/{name}".strip("/"), depth=self.depth + 1)

    def text(self, text: str) -> Part:
        return Part(self.inside, text)

    def blind(self, why: str) -> Iterator[Part]:
        if not self.is_guess:
            yield Part(self.inside, "", why)


def parts_of(content: Content, place: Place | None = None) -> Iterator[Part]:
    """Every text in a file. What cannot be vouched for is a part too, with the reason in `blind`."""
    place = place or Place()
    if place.depth > DEEPEST:
        yield Part(place.inside, "", f"is packed more than {DEEPEST} times")
        return
    try:
        yield from _by_format(content, place)
    except InputError as error:
        yield Part(place.inside, "", error.problem)
    except (OSError, tarfile.TarError, UnicodeError, MemoryError, ValueError, *DAMAGE) as error:
        yield from place.blind(f"damaged: {type(error).__name__}")


def _by_format(content: Content, place: Place) -> Iterator[Part]:
    from otherwords.publish import archives

    if not len(content):
        return
    reader = reader_of(content)
    if reader is not None:
        yield from reader(content, place)
        return
    encoding = text_encoding(content)
    if encoding is not None:
        yield from texts(content, encoding, place)
        return
    if zipfile.is_zipfile(archives.as_file(content)):
        yield from archives.from_zip(content, place)  # behind something else
        return
    unpacked = None if place.is_guess else archives.raw_deflated(content, place)
    if unpacked is not None:
        yield from parts_of(unpacked, place.within())
        return
    yield from raw_texts(content, place)
    yield from place.blind("neither text nor of a format that is known")


Reader: TypeAlias = Callable[[Content, Place], Iterator[Part]]


def reader_of(content: Content) -> Reader | None:
    """By how it begins; None for text, and for what is not known."""
    from otherwords.publish import archives, git_objects

    head = bytes(content[:1024])
    if not head:
        return None
    begins = next((reader for start, reader in _readers() if head.startswith(start)), None)
    if begins is not None:
        return begins
    looks: tuple[tuple[bool, Reader], ...] = (
        (archives.is_skippable(head), archives.from_skippable),
        (git_objects.is_checked(content), git_objects.from_checked),
        (git_objects.is_object(head), git_objects.from_object),
        (archives.is_tar(head), archives.from_tar),
        (archives.is_zlib(head), archives.from_zlib),
        (archives.is_lzma(head), archives.from_lzma),
    )
    return next((reader for is_so, reader in looks if is_so), None)


@cache
def _readers() -> tuple[tuple[bytes, Reader], ...]:
    """Formats by their first bytes; imported here, as each of them reads what is within it by `parts_of`."""
    from otherwords.publish import archives, documents, git_objects, pictures

    return (
        (b"\x1f\x8b", archives.from_gzip),
        (b"BZh", archives.from_bz2),
        (b"\xfd7zXZ\x00", archives.from_lzma),
        (b"\x28\xb5\x2f\xfd", archives.from_zstd),
        (ZIP_MAGIC, archives.from_zip),
        (b"PK\x05\x06", archives.from_zip),
        (b"PAR1", documents.from_parquet),
        (b"ARROW1", documents.from_arrow),
        (b"\xff\xff\xff\xff", documents.from_arrow_stream),
        (b"Obj\x01", documents.from_avro),
        (b"SQLite format 3\x00", documents.from_sqlite),
        (b"%PDF-", documents.from_pdf),
        (b"\x89PNG\r\n\x1a\n", pictures.from_png),
        (b"\xff\xd8\xff", pictures.from_jpeg),
        (b"GIF87a", pictures.from_gif),
        (b"GIF89a", pictures.from_gif),
        (b"RIFF", pictures.from_webp),
        (b"PACK\x00\x00\x00", git_objects.from_pack),
        (b"# v2 git bundle\n", git_objects.from_bundle),
        (b"# v3 git bundle\n", git_objects.from_bundle),
    )


# ---- text


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


def texts(content: Content, encoding: str, place: Place) -> Iterator[Part]:
    """The text, window by window, and what is encoded within it."""
    for start in range(0, len(content), WINDOW):
        window = bytes(content[max(0, start - OVERLAP) : start + WINDOW])
        text = window.decode(encoding, "replace")
        yield place.text(text)
        yield from _encoded(text, place)


def _encoded(text: str, place: Place) -> Iterator[Part]:
    """What is written in a text in base64, base32 or hex; its texts together, as there may be many."""
    if place.encoded >= MOST_ENCODED or place.depth >= DEEPEST:
        return
    inner = replace(place.within(), is_guess=True, encoded=place.encoded + 1)
    read: list[str] = []
    raw: list[str] = []
    for block in encoded_blocks(unescaped(text)):
        is_read = False
        for content in block.contents:
            place.budget.spend(len(content))
            if reader_of(content) is not None:
                yield from parts_of(content, replace(inner, is_guess=not block.is_data))
            elif (encoding := text_encoding(content)) is not None:
                read.append(content.decode(encoding, "replace"))
            else:
                raw.append(content.decode("utf-8", "replace"))
                is_read |= not content.strip(b"\0")
                continue
            is_read = True
            if len(content) >= _TELLING:  # shorter ones may be so by chance
                break
        if block.is_data and not is_read:
            yield from place.blind("encoded data that are neither text nor of a format that is known")
    if raw:
        yield place.text("\n".join(raw))
    if read:
        yield inner.text("\n".join(read))
        yield from _encoded("\n".join(read), inner)


def raw_texts(content: Content, place: Place) -> Iterator[Part]:
    """What of bytes can be read as they are, in one, two or four bytes a letter."""
    for start in range(0, len(content), WINDOW):
        window = bytes(content[max(0, start - OVERLAP) : start + WINDOW])
        yield place.text(window.decode("utf-8", "replace"))
        if window.count(0) > len(window) // 50:
            for encoding in ("utf-16-le", "utf-16-be"):
                for offset in (0, 1):
                    yield place.text(window[offset:].decode(encoding, "ignore"))
            yield place.text(window.replace(b"\0", b"").decode("utf-8", "replace"))


def spooled(pieces: Iterator[bytes], budget: Budget) -> Content:
    """All pieces as one content: in memory, or if they are many in a file that is gone with it."""
    file: IO[bytes]
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
        size = 0
        for piece in pieces:
            budget.spend(len(piece))
            file.write(piece)
            size += len(piece)
        if size <= _IN_MEMORY:
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
        yield from parts_of(left, place.within())
