"""Reads files that may be read and writes files whole or not at all, within the root if one is given."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO

from otherwords.core.errors import InputError

ROOT = "OTHERWORDS_ROOT"
"""The variable of the environment that gives the root; `otherwords --root` sets it."""
LARGEST = 2 * 1024**3
"""Bytes of a dataset, a variants file or a configuration."""


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
        os.chmod(temporary, mode & ~_umask())
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
        if found and not _is_running(int(found[1])):
            Path(entry.path).unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if os.name != "posix":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
