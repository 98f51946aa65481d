"""One member of a zip archive → its bytes, refused if it would unpack to an absurd size."""

from __future__ import annotations

import lzma
import struct
import sys
import zipfile
import zlib

from otherwords.core.errors import InputError

if sys.version_info < (3, 14):  # Inspect compresses with zstd, which zipfile reads by itself from 3.14 on
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401
    from zstandard import ZstdError
else:
    from compression.zstd import ZstdError

ZIP_MAGIC = b"PK\x03\x04"
LARGEST = 2 * 1024**3
"""Bytes that are taken into memory from one member."""
HIGHEST_RATIO = 1000
"""To how many times its packed size a member may unpack, once it is larger than `ALWAYS_FINE`."""
ALWAYS_FINE = 64 * 1024**2
# Read in pieces, because some packed formats give out all that a piece unpacks to.
_PIECE = 4 * 1024
DAMAGE = (
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
"""What reading a damaged archive raises."""


def read_member(archive: zipfile.ZipFile, name: str | zipfile.ZipInfo) -> bytes:
    """The whole member. InputError if it is too large; one of `DAMAGE` if the archive is damaged."""
    member = archive.getinfo(name) if isinstance(name, str) else name
    if member.file_size > LARGEST or (
        member.file_size > ALWAYS_FINE and member.file_size > HIGHEST_RATIO * member.compress_size
    ):
        raise InputError(
            f"is refused: '{member.filename}' would unpack from {member.compress_size:,} to "
            f"{member.file_size:,} bytes"
        )
    with archive.open(name) as stream:
        pieces = list(iter(lambda: stream.read(_PIECE), b""))
    content = b"".join(pieces)
    if len(content) != member.file_size:
        raise EOFError(f"'{member.filename}' ends after {len(content):,} of {member.file_size:,} bytes")
    return content
