"""A file's content → the reader of its format → every text in it, encoded too, or why it cannot be read.

A format is read whole or not vouched for: bytes that are neither text nor of a format that is known here,
that a reader left over, or that unpack to more than the limits, become a part that says so.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace

from otherwords.core.errors import InputError
from otherwords.core.files import ZIP_MAGIC
from otherwords.publish import archives, documents, git_objects, pictures
from otherwords.publish.file_content import (
    DEEPEST,
    MOST_ENCODED,
    Content,
    Part,
    Place,
    Reader,
    raw_texts,
    text_encoding,
    windows,
)
from otherwords.publish.text_readings import encoded_blocks, unescaped

_READERS: tuple[tuple[bytes, Reader], ...] = (
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
"""Formats by their first bytes."""
_TELLING = 64
"""Bytes from which what reads as a text or as a known format is so by no chance."""


def parts_of(content: Content, place: Place | None = None) -> Iterator[Part]:
    """Every text in a file. What cannot be vouched for is a part too, with the reason in `blind`."""
    place = place or Place(reader=parts_of, decoder=_encoded)
    if place.depth > DEEPEST:
        yield Part(place.inside, "", f"is packed more than {DEEPEST} times")
        return
    try:
        yield from _by_format(content, place)
    except InputError as error:
        yield Part(place.inside, "", error.problem)
    except Exception as error:  # noqa: BLE001  damage breaks a reader anywhere; what it hides is not vouched for
        yield from place.blind(f"damaged: {type(error).__name__}")


def _by_format(content: Content, place: Place) -> Iterator[Part]:
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


def reader_of(content: Content) -> Reader | None:
    """By how it begins; None for text, and for what is not known."""
    head = bytes(content[:1024])
    if not head:
        return None
    begins = next((reader for start, reader in _READERS if head.startswith(start)), None)
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


def texts(content: Content, encoding: str, place: Place) -> Iterator[Part]:
    """The text, window by window, and what is encoded within it."""
    for window in windows(content):
        text = window.decode(encoding, "replace")
        yield place.text(text)
        yield from _encoded(text, place)


def _encoded(text: str, place: Place) -> Iterator[Part]:
    """What is written in a text in base64, base32 or hex; its texts together, as there may be many."""
    if place.encoded >= MOST_ENCODED:
        if any(block.is_data for block in encoded_blocks(text)):
            yield Part(place.inside, "", "encoded data within each other, too often")
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
