"""Files and folders → findings: texts that must not be published, secrets, and keys of services.

Every text of a file is looked at: archives, tables and notes of pictures are opened up to limits.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import gzip
import io
import lzma
import os
import re
import struct
import tarfile
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from otherwords.core.errors import InputError
from otherwords.core.files import DAMAGE, ZIP_MAGIC, quiet_panics, read_member
from otherwords.core.secret_patterns import find_keys
from otherwords.publish.patterns import TextPatterns, unescaped_views

LARGEST = 2 * 1024**3
"""Bytes of a file that is looked through."""
_LISTED = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file, by what it is; never the text itself."""

    file: Path
    kind: str
    """`stem`, `option`, …; `API key`; or why it could not be looked into."""
    places: tuple[int, ...] = ()
    """Of the items, or the lines of secrets."""
    parts: int = 1
    """In how many parts of the file: members of an archive, columns of a table."""
    in_name: bool = False
    """It is in the name of the file itself."""

    def __str__(self) -> str:
        where = self.file.with_name(f"…{self.file.suffix}") if self.in_name else self.file
        inside = ", in its name" if self.in_name else f", in {self.parts:,} parts" if self.parts > 1 else ""
        return f"{where}: {self.kind}{_items_listed(self.kind, self.places)}{inside}"


@dataclass(frozen=True, slots=True)
class ScanResult:
    """What `scan` looked through and found."""

    files: int
    bytes: int
    findings: tuple[Finding, ...]


def scan(
    paths: str | Path | Sequence[str | Path],
    patterns: TextPatterns | None = None,
    *,
    on_file: Callable[[int, int], None] | None = None,
) -> ScanResult:
    """Looks through files and folders for texts that must not be published, and for keys and tokens.

    It looks into Inspect logs, archives, Parquet, base64, notes in PNG files and names of files, hidden ones
    too. Links are not followed; one that leads out of the folder is a finding, and so is what cannot be
    looked into.

    Args:
        paths: A file or a folder, or several.
        patterns: The texts to look for; without any, only keys and tokens are looked for.
        on_file: Called after each file with the number of files done and of all files.

    Returns:
        How much was looked through, and what was found, by file and kind; never the text itself.

    Raises:
        InputError: A path does not exist or cannot be read.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords.publish import TextPatterns, scan
        >>> patterns = TextPatterns()
        >>> patterns.add("stem", "Which harbour did the grey heron leave before the storm?", 1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = Path(folder, "page.html")
        ...     _ = page.write_text("<p>Which harbour did the grey heron leave before the <b>storm</b>?</p>")
        ...     result = scan(folder, patterns)
        >>> [(finding.file.name, finding.kind, finding.places) for finding in result.findings]
        [('page.html', 'stem', (1,))]
    """
    patterns = TextPatterns() if patterns is None else patterns
    paths = [paths] if isinstance(paths, str | Path) else paths
    found: list[Finding] = []
    files = [(root, path) for root in map(Path, paths) for path in _files(root)]
    size = 0
    for done, (root, path) in enumerate(files, start=1):
        found += _in_file(root, path, patterns)
        size += path.lstat().st_size
        if on_file is not None:
            on_file(done, len(files))
    return ScanResult(len(files), size, tuple(found))


def _files(root: Path) -> list[Path]:
    if not os.path.lexists(root):
        raise InputError("there is no such file or folder", file=root)
    if not root.is_dir():
        return [root]
    return sorted(
        Path(folder) / name
        for folder, folders, names in os.walk(root, onerror=_refuse)
        for name in [*names, *(name for name in folders if (Path(folder) / name).is_symlink())]
    )


def _refuse(error: OSError) -> None:
    raise InputError(f"cannot be read: {error.strerror or error}", file=error.filename)


def _in_file(root: Path, path: Path, patterns: TextPatterns) -> Iterator[Finding]:
    name = path.name if path == root else str(path.relative_to(root))
    for kind, places in sorted(_in_text(name, patterns).items()):
        yield Finding(path, kind, tuple(sorted(places)), in_name=True)
    blind = _why_blind(root, path)
    if blind is not None:
        if blind:
            yield Finding(path, blind)
        return
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    found: dict[str, set[int]] = {}
    parts: Counter[str] = Counter()
    for part in parts_of(content):
        here = {part.blind: set()} if part.blind else _in_text(part.text, patterns)
        for kind, places in here.items():
            found.setdefault(kind, set()).update(places)
            parts[kind] += 1
    for kind in sorted(found):
        yield Finding(path, kind, tuple(sorted(found[kind])), parts[kind])


def _why_blind(root: Path, path: Path) -> str | None:
    """Why a file is not opened; empty if that is fine, None if it is opened."""
    if path.is_symlink():
        target, within = Path(os.path.realpath(path)), root.resolve()
        is_inside = path != root and (target == within or within in target.parents)
        return "" if is_inside else "link that leads out of the folder"
    if not path.is_file():
        return "no regular file, and is not looked into"
    if path.stat().st_size > LARGEST:
        return f"larger than {LARGEST:,} bytes, and is not looked into"
    return None


def _in_text(text: str, patterns: TextPatterns) -> dict[str, set[int]]:
    """Kinds of what is found, each with the places of the items that it is of."""
    found: dict[str, set[int]] = defaultdict(set)
    for pattern in patterns.find(text):
        found[pattern.kind].add(pattern.place)
    for view in unescaped_views(text):
        for key in find_keys(view):
            found[key.kind] = set()
    return found


def _items_listed(kind: str, places: tuple[int, ...]) -> str:
    if not places:
        return ""
    thing = "line" if kind == "secret" else "item"
    listed = ", ".join(map(str, places[:_LISTED]))
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return f" of {thing}{'s' if len(places) > 1 else ''} {listed}{more}"


DEEPEST = 4
"""Archives within archives."""
MOST_UNPACKED = 8 * 1024**3
"""Bytes that one file may unpack to, all of it together."""
_PNG = b"\x89PNG\r\n\x1a\n"
# Long enough not to be a word; also in the alphabet that addresses use.
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{64,}={0,2}")
_STREAMS: tuple[tuple[bytes, Callable[[io.BytesIO], io.BufferedIOBase]], ...] = (
    (b"\x1f\x8b", lambda packed: gzip.GzipFile(fileobj=packed)),
    (b"BZh", bz2.BZ2File),
    (b"\xfd7zXZ\x00", lzma.LZMAFile),
)
_UNREADABLE = (
    (b"%PDF-", "a PDF, which is not read"),
    (b"Rar!", "a RAR archive, which is not read"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive, which is not read"),
    (b"\x28\xb5\x2f\xfd", "a zstd file, which is not read"),
)


class Part(NamedTuple):
    inside: str
    """Where in the file: the members of archives, joined; empty for the file itself."""
    text: str
    blind: str = ""
    """Why there is nothing to look at, if there is not."""


class _Budget:
    """How many bytes the file may still unpack to."""

    def __init__(self) -> None:
        self.left = MOST_UNPACKED

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise InputError(f"unpacks to more than {MOST_UNPACKED:,} bytes")


def parts_of(content: bytes) -> Iterator[Part]:
    """Every text in a file. What cannot be looked into is a part too, with the reason in `blind`."""
    yield from _parts(content, "", 0, _Budget())


def _parts(content: bytes, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    if depth > DEEPEST:
        yield Part(inside, "", f"is packed more than {DEEPEST} times")
        return
    try:
        yield from _by_kind(content, inside, depth, budget)
    except InputError as error:
        yield Part(inside, "", error.problem)
    except (OSError, tarfile.TarError, UnicodeError, MemoryError, *DAMAGE) as error:
        yield Part(inside, "", f"cannot be opened, as it is damaged: {type(error).__name__}")


def _by_kind(content: bytes, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    blind = next((why for magic, why in _UNREADABLE if content.startswith(magic)), None)
    stream = next((opener for magic, opener in _STREAMS if content.startswith(magic)), None)
    if blind is not None:
        yield Part(inside, "", blind)
    elif content.startswith((ZIP_MAGIC, b"PK\x05\x06")):
        yield from _from_zip(content, inside, depth, budget)
    elif stream is not None:
        unpacked = _decompressed(stream(io.BytesIO(content)), budget)
        yield from _parts(unpacked, inside, depth + 1, budget)
    elif content[257:262] == b"ustar":
        yield from _from_tar(content, inside, depth, budget)
    elif content.startswith(b"PAR1"):
        yield from _from_parquet(content, inside)
    elif content.startswith(_PNG):
        yield from _from_png(content, inside, depth, budget)
    else:
        for text in decoded(content):
            yield Part(inside, text)
            yield from _from_base64(text, inside, depth, budget)
        if zipfile.is_zipfile(io.BytesIO(content)):  # behind something else
            yield from _from_zip(content, inside, depth, budget)


def _from_zip(content: bytes, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        yield Part(inside, archive.comment.decode("utf-8", "replace"))
        for member in members:
            name = f"{inside}/{member.filename}".lstrip("/")
            yield Part(name, member.filename + "\n" + member.comment.decode("utf-8", "replace"))
            budget.spend(member.file_size)
            if not member.is_dir():
                yield from _parts(read_member(archive, member), name, depth + 1, budget)


def _from_tar(content: bytes, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        for member in archive:
            name = f"{inside}/{member.name}".lstrip("/")
            yield Part(name, f"{member.name}\n{member.linkname}")
            budget.spend(member.size)
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                yield from _parts(file.read(), name, depth + 1, budget)


def _decompressed(stream: io.BufferedIOBase, budget: _Budget) -> bytes:
    pieces = []
    while piece := stream.read(1024 * 1024):
        budget.spend(len(piece))
        pieces.append(piece)
    return b"".join(pieces)


def _from_parquet(content: bytes, inside: str) -> Iterator[Part]:
    """Each column's texts, and the notes of the file, which are not packed."""
    import polars as pl
    from polars.exceptions import PanicException, PolarsError

    try:
        with quiet_panics():
            table = pl.read_parquet(io.BytesIO(content))
    except (PolarsError, PanicException, OSError, ValueError) as error:
        yield Part(inside, "", f"cannot be read as Parquet: {type(error).__name__}")
        return
    yield Part(inside, "\n".join(table.columns))
    yield Part(inside, content[-1024 * 1024 :].decode("utf-8", "replace"))
    for column in table.iter_columns():
        if not column.dtype.is_numeric() and not column.dtype.is_temporal():
            texts = column.unique() if column.dtype == pl.String else column
            values = (str(value) for value in texts.to_list() if value is not None)
            yield Part(f"{inside}/column {column.name}".lstrip("/"), "\n".join(values))


def _from_png(content: bytes, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    """The notes in a PNG, and what comes after its end. What is drawn is not read."""
    at, ended = len(_PNG), False
    while at + 12 <= len(content) and not ended:
        size, kind = struct.unpack_from(">I4s", content, at)
        chunk = content[at + 8 : at + 8 + size]
        at += 12 + size
        ended = kind == b"IEND"
        if kind in (b"tEXt", b"iTXt", b"eXIf"):
            yield Part(inside, chunk.decode("utf-8", "replace").replace("\0", "\n"))
        if kind in (b"zTXt", b"iTXt"):
            yield from _from_compressed_note(chunk, inside, budget)
    if ended and at < len(content):
        yield from _parts(content[at:], inside, depth + 1, budget)


def _from_compressed_note(chunk: bytes, inside: str, budget: _Budget) -> Iterator[Part]:
    for place in (found.start() for found in re.finditer(rb"[\x08\x18\x28\x38\x48\x58\x68\x78]", chunk)):
        unpacker = zlib.decompressobj()
        try:
            text = unpacker.decompress(chunk[place:], 16 * 1024**2)
        except zlib.error:
            continue
        budget.spend(len(text))
        yield Part(inside, text.decode("utf-8", "replace"))
        return


def decoded(content: bytes) -> Iterator[str]:
    """As the text that it may be; bytes that are none are read as what text stands among them."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        yield content.decode("utf-16", "replace")
        return
    try:
        yield content.decode("utf-8")
    except UnicodeDecodeError:
        yield content.decode("utf-8", "replace")
        yield content.decode("cp1252", "replace")
    sample = content[:65536]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(sample) >= 4 and sample[start::2].count(0) > len(sample) // 5:
            yield content.decode(encoding, "replace")


def _from_base64(text: str, inside: str, depth: int, budget: _Budget) -> Iterator[Part]:
    """What is written in base64, as pictures in a page are."""
    for found in _BASE64.finditer(text):
        letters = found.group(0).rstrip("=").replace("-", "+").replace("_", "/")
        try:
            content = base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
        except (binascii.Error, ValueError):
            continue
        budget.spend(len(content))
        yield from _parts(content, inside, depth + 1, budget)
