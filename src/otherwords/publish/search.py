"""`scan`: files and folders → findings: forbidden texts, keys, salts, home folders, what cannot be read.

Every text of a file is looked at, by `file_parts`. A file that cannot be read whole is a finding.
"""

from __future__ import annotations

import fnmatch
import mmap
import os
import re
import socket
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import find_keys
from otherwords.publish.file_content import IN_MEMORY, Content, MappedFile
from otherwords.publish.file_parts import parts_of
from otherwords.publish.patterns import TextPatterns
from otherwords.publish.pseudonyms import SALT_HEADER
from otherwords.publish.text_readings import readings, visible
from otherwords.publish.vocabulary import HOST

CANNOT_VOUCH = "cannot vouch"
_LISTED = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in a file, by what it is; never the text itself."""

    file: Path
    kind: str
    """`stem`, `option`, …; `API key`; `cannot vouch: …` where it could not be read."""
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
    allow: Sequence[str] = (),
    on_file: Callable[[int, int], None] | None = None,
) -> ScanResult:
    """Looks through files and folders for texts that must not be published, and for keys and tokens.

    It looks into Inspect logs, archives, compressed files, git's objects and packs, Parquet, Arrow, Avro,
    SQLite, PDF and Office files, notes in pictures, base64, base32, hex and rot13, and names of files, hidden
    ones too. Links are not followed; one that leads out of the folder is a finding. So is every file that
    cannot be read whole as text or as one of these formats: nobody could vouch for it.

    Args:
        paths: A file or a folder, or several.
        patterns: The texts to look for; without any, only keys, salts, home folders and host names are.
        allow: Patterns of file names, such as `fonts/*.woff2`, that need not be readable. What is found in
            such a file is a finding all the same.
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
        here = list(_in_file(root, path, patterns))
        if _is_allowed(root, path, allow):
            here = [one for one in here if not one.kind.startswith(CANNOT_VOUCH)]
        found += here
        with suppress(FileNotFoundError):  # it went away, which is a finding of its own
            size += path.lstat().st_size
        if on_file is not None:
            on_file(done, len(files))
    return ScanResult(len(files), size, tuple(found))


def _is_allowed(root: Path, path: Path, allow: Sequence[str]) -> bool:
    names = {path.name, str(path), path.name if path == root else path.relative_to(root).as_posix()}
    return any(fnmatch.fnmatch(name, pattern) for name in names for pattern in allow)


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
    for kind, places in sorted(find_in_text(name, patterns).items()):
        yield Finding(path, kind, tuple(sorted(places)), in_name=True)
    if path.is_symlink():
        if not _stays_within(root, path):
            yield Finding(path, "link that leads out of the folder")
        return
    if not path.is_file():
        yield Finding(path, f"{CANNOT_VOUCH}: no regular file")
        return
    try:
        content = _content(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    found = [Finding(path, kind, places, parts) for kind, places, parts in find_in(content, patterns)]
    if path.suffix == ".salt" and all(one.kind != "salt" for one in found):
        found.append(Finding(path, "salt"))  # those of versions before 0.3 have no header
    yield from found


def find_in(content: Content, patterns: TextPatterns) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """Kinds of what is found in a file's content, with the places of the items and the number of parts."""
    found: dict[str, set[int]] = {}
    parts: Counter[str] = Counter()
    for part in parts_of(content):
        here = {f"{CANNOT_VOUCH}: {part.blind}": set()} if part.blind else find_in_text(part.text, patterns)
        for kind, places in here.items():
            found.setdefault(kind, set()).update(places)
            parts[kind] += 1
    for kind in sorted(found):
        yield kind, tuple(sorted(found[kind])), parts[kind]


def _content(path: Path) -> Content:
    """Small files are read whole: one that is cut short while it is mapped would end the process."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size <= IN_MEMORY:
            return file.read()
        return MappedFile(file.fileno(), 0, access=mmap.ACCESS_READ)


def _stays_within(root: Path, path: Path) -> bool:
    target, within = Path(os.path.realpath(path)), root.resolve()
    return path != root and (target == within or within in target.parents)


# A folder of a person, unless it is part of an address or the name is one that anybody has.
_HOME = re.compile(
    r"(?<![\w.~-])(?:/home/|/Users/|[A-Za-z]:[\\/]{1,2}Users[\\/]{1,2}|/mnt/[a-z]/Users/)"
    r"(?!(?:user|username|you|your|name|me|runner|shared|public|default|example)\b)[A-Za-z0-9._-]{1,64}",
    re.IGNORECASE,
)
_COMMON_HOSTS = frozenset({"localhost", "main", "linux", "ubuntu", "debian", "host", "server", "docker"})


@cache
def _this_host() -> re.Pattern[str] | None:
    name = socket.gethostname()
    if len(name) < 4 or name.lower() in _COMMON_HOSTS or name.isdigit():
        return None
    return re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)


def find_in_text(text: str, patterns: TextPatterns) -> dict[str, set[int]]:
    """Kinds of what is found, each with the places of the items that it is of."""
    found: dict[str, set[int]] = defaultdict(set)
    views = list(dict.fromkeys(readings(text)))
    for pattern in patterns.find_literally(*views):
        found[pattern.kind] |= {pattern.place} if pattern.place else set()
    own = _this_host()
    for view in map(visible, views):
        for key in find_keys(view):
            found[key.kind] = set()
        if SALT_HEADER in view:
            found["salt"] = set()
        if _HOME.search(view):
            found["home folder"] = set()
        if HOST.search(view) or (own is not None and own.search(view)):
            found["host name"] = set()
    return found


def _items_listed(kind: str, places: tuple[int, ...]) -> str:
    if not places:
        return ""
    thing = "line" if kind == "secret" else "item"
    listed = ", ".join(map(str, places[:_LISTED]))
    more = f" and {len(places) - _LISTED} more" if len(places) > _LISTED else ""
    return f" of {thing}{'s' if len(places) > 1 else ''} {listed}{more}"
