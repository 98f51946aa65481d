"""Paths kept within a root; files and zip members read up to a size; files written whole or not at all."""

from __future__ import annotations

import errno
import gc
import lzma
import os
import re
import stat
import struct
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from io import SEEK_END, BytesIO
from itertools import count
from pathlib import Path
from typing import IO, BinaryIO

from otherwords.core.errors import InputError

if sys.version_info < (3, 14):  # Inspect compresses with zstd, which zipfile reads by itself from 3.14 on
    import zipfile_zstd  # type: ignore[import-untyped]  # noqa: F401
    from zstandard import ZstdError
else:
    from compression.zstd import ZstdError

ROOT = "OTHERWORDS_ROOT"
"""The variable of the environment that gives the root; `otherwords --root` sets it."""
LARGEST = 2 * 1024**3
"""Bytes of a dataset, a variants file or a configuration, or of one member of an archive."""


def within_root(path: str | Path, root: str | Path | None = None) -> Path:
    """`path`, refused if it leads out of `root`, or else of the root that the environment gives."""
    path = Path(path)
    given = root if root is not None else os.environ.get(ROOT)
    if not given:
        return path
    inside = Path(os.path.realpath(given))
    real = Path(os.path.realpath(path))
    if real != inside and inside not in real.parents:
        how = "a link leads" if real != Path(os.path.abspath(path)) else "is"
        raise InputError(f"{how} out of the root {given}", file=path)
    return path


_ADDRESS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
# An address that went through `Path`, which leaves one of its slashes. A drive has one letter only.
_SQUEEZED = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:)/(?!/)")
_SQUEEZED_FILE = re.compile(r"^((?:file|local):)/(?!/)")


def as_address(entry: str | Path) -> str | None:
    """The address that fsspec knows, such as `s3://bucket/logs`; None for a path on this machine."""
    text = str(entry)
    if isinstance(entry, Path) and not os.path.exists(entry):
        text = _SQUEEZED_FILE.sub(r"\1///", entry.as_posix())
        text = _SQUEEZED.sub(r"\1//", text)
    return text if _ADDRESS.match(text) else None


def as_typed(entry: str | Path) -> str:
    """A path or an address as a command takes it."""
    return as_address(entry) or str(entry)


def require_input(path: str | Path, root: str | Path | None = None, *, largest: int | None = None) -> Path:
    """`path`, if it is a regular file of a sane size that may be read."""
    path = within_root(path, root)
    most = LARGEST if largest is None else largest
    try:
        found = path.stat()
    except FileNotFoundError:
        raise InputError("no such file", file=path) from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read: {_said(error)}", file=path) from error
    if stat.S_ISDIR(found.st_mode):
        raise InputError("cannot read: Is a directory", file=path)
    if not stat.S_ISREG(found.st_mode):
        raise InputError("cannot read: it is no regular file", file=path)
    if found.st_size > most:
        raise InputError(f"is too large to be read ({found.st_size:,} bytes of {most:,})", file=path)
    return path


def read_input(path: str | Path, root: str | Path | None = None, *, largest: int | None = None) -> bytes:
    path = require_input(path, root, largest=largest)
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read: {_said(error)}", file=path) from error


def _said(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector is off within the block, and on again afterwards if it was on.

    Parsed JSON has no cycles, and looking for them while it grows takes long: with the collector on, a log of
    20,000 samples takes 1.7 times as long to read (7 instead of 13 times as fast as Inspect's `samples_df`,
    measured with `benchmarks/bench_read.py`).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Discards what the process writes to standard error within the block; errors are still raised.

    polars is written in Rust, which prints a panic to the terminal before Python raises it.
    """
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):  # there is no standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def writing_whole(path: str | Path, *, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A temporary file beside `path` that takes its place only when the block ends well."""
    path = within_root(path)
    temporary: str | None = None
    made: list[Path] = []
    try:
        if path.is_symlink():  # what it leads to is replaced, and the link stays
            path = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, "it is a folder" if path.is_dir() else "it is no regular file")
        made = [folder for folder in path.parents if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        prefix = f".{path.name}.{os.getpid()}-"
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=prefix, delete=False) as file:
            temporary = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode & ~umask())
        os.replace(temporary, path)
        temporary, made = None, []
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=path) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        for folder in made:
            with suppress(OSError):  # something else is in it by now
                folder.rmdir()


def unused_folder(folder: Path) -> Path:
    """`logs-2` for `logs`, or the first number that is free."""
    names = (folder.with_name(f"{folder.name}-{number}") for number in count(2))
    return next(path for path in names if not path.exists())


def write_whole(path: str | Path, content: str | bytes, *, mode: int = 0o666) -> Path:
    with writing_whole(path, mode=mode) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def write_all(contents: Mapping[Path, str | bytes]) -> list[Path]:
    """All of these files, or none: only when each has found room on the disk do they take their places."""
    files: list[IO[bytes]] = []
    with ExitStack() as stack:
        for path, content in contents.items():
            file = stack.enter_context(writing_whole(path))
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            files.append(file)
        for file in files:  # after the last is written: the disk is waited for once, not for each
            os.fsync(file.fileno())
    return list(contents)


def _sweep(path: Path) -> None:
    """Remove what was left by a process that was killed while it wrote this file."""
    left = re.compile(rf"\.{re.escape(path.name)}\.(\d+)-\w+")
    for entry in os.scandir(path.parent):
        found = left.fullmatch(entry.name)
        if found and not is_running(int(found[1])):
            Path(entry.path).unlink(missing_ok=True)


def is_running(process: int) -> bool:
    if os.name != "posix":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


ZIP_MAGIC = b"PK\x03\x04"
HIGHEST_RATIO = 1000
"""To how many times its packed size a member may unpack, once it is larger than `ALWAYS_FINE`."""
ALWAYS_FINE = 64 * 1024**2
# Read in pieces, because some packed formats give out all that a piece unpacks to.
_PIECE = 4 * 1024
_ENTRY, _ENTRY_SIZE = b"PK\x01\x02", 46
_END, _END_SIZE = b"PK\x05\x06", 22
_LONGEST_END = _END_SIZE + 0xFFFF  # with the longest comment
_KEPT_ELSEWHERE = 0xFFFFFFFF  # stands for a number that does not fit in its field
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


def excerpt(stream: BinaryIO, names: Sequence[str]) -> BytesIO | None:
    """The members `names` as an archive of their own; None where they are not found by the plain rules.

    `zipfile` lists every member before it reads one. For a log of 20,000 samples that is a fifth of the time
    that reading takes: with it `benchmarks/bench_read.py` printed 8.6 to 10.9 times the speed of `samples_df`
    (10 is wanted), and 12.7 to 13.5 times when the two members are looked up in the directory directly.
    """
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
        entry = _directory_entry(directory, name.encode())
        packed, _, place = struct.unpack_from("<LL14xL", entry, 20) if entry else (_KEPT_ELSEWHERE, 0, 0)
        header = _read_at(stream, place, 30) if packed < LARGEST else b""
        if not header.startswith(ZIP_MAGIC) or len(header) < 30:
            return None
        entries += entry[:42] + struct.pack("<L", len(members)) + entry[46:]
        members += _read_at(stream, place, 30 + sum(struct.unpack_from("<HH", header, 26)) + packed)
    count = len(names)
    closing = struct.pack("<4s4HLLH", _END, 0, 0, count, count, len(entries), len(members), 0)
    return BytesIO(members + entries + closing)


def _directory_entry(directory: bytes, name: bytes) -> bytes:
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
