"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from otherwords.core.errors import InputError


@contextmanager
def writing_whole(path: str | Path) -> Iterator[IO[bytes]]:
    """A temporary file beside `path` that takes its place only when the block ends well."""
    path = Path(path)
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            temporary = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=path) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_whole(path: str | Path, content: str | bytes) -> Path:
    with writing_whole(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)
    return Path(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
