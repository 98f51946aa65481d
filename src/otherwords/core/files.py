"""Files are written whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from otherwords.core.errors import InputError
from otherwords.core.paths import within_root


@contextmanager
def writing_whole(path: str | Path, *, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A temporary file beside `path` that takes its place only when the block ends well."""
    path = within_root(path)
    temporary: str | None = None
    try:
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
        temporary = None
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=path) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_whole(path: str | Path, content: str | bytes, *, mode: int = 0o666) -> Path:
    with writing_whole(path, mode=mode) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def _sweep(path: Path) -> None:
    """Remove what was left by a process that was killed while it wrote this file."""
    left = re.compile(rf"\.{re.escape(path.name)}\.(\d+)-\w+")
    for entry in os.scandir(path.parent):
        found = left.fullmatch(entry.name)
        if found and not _is_running(int(found[1])):
            Path(entry.path).unlink(missing_ok=True)


def _is_running(process: int) -> bool:
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
