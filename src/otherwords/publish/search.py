"""Files and folders → findings: texts that must not be published, secrets, and keys of services."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import find_keys
from otherwords.publish.file_contents import parts_of
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
