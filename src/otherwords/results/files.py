"""The files that may hold results: on this machine, or at any address that fsspec knows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from otherwords.core.errors import InputError
from otherwords.core.paths import within_root
from otherwords.results.jsons import key_paths

LARGEST = 2 * 1024**3
"""Bytes that are taken into memory from one file, or from one member of an archive."""
HEAD = 64 * 1024
"""Bytes by which the kind of a file is told."""

_ADDRESS = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
_SQUEEZED = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+:)/(?!/)")


@dataclass(frozen=True)
class ResultFile:
    address: str
    """As it was given, or joined with the folder that was given."""
    system: Any = field(default=None, repr=False, compare=False)
    """The fsspec file system that has it; None on this machine."""
    inside: str = field(default="", repr=False, compare=False)
    """Its path in that system."""

    def __str__(self) -> str:
        return self.address

    @property
    def path(self) -> Path | str:
        return Path(self.address) if self.system is None else self.address

    @property
    def name(self) -> str:
        return PurePosixPath(self.address).name if self.system is not None else Path(self.address).name

    @property
    def folder(self) -> str:
        """All of the address before the name."""
        return self.address[: len(self.address) - len(self.name)]

    def beside(self, name: str) -> ResultFile:
        inside = self.inside[: len(self.inside) - len(self.name)] + name
        return ResultFile(self.folder + name, self.system, inside)

    def open(self) -> BinaryIO:
        if self.system is None:
            return Path(self.address).open("rb")
        try:
            return cast(BinaryIO, self.system.open(self.inside, "rb"))
        except Exception as error:  # each protocol has its own, for refused credentials and the like
            raise OSError(f"{type(error).__name__}: {error}") from error

    @cached_property
    def size(self) -> int:
        return int(
            Path(self.address).stat().st_size if self.system is None else self.system.size(self.inside) or 0
        )

    def read(self) -> bytes:
        if self.size > LARGEST:
            raise InputError(
                f"is too large to be read at once ({self.size:,} bytes of {LARGEST:,})", file=self.address
            )
        with self.open() as file:
            return file.read(LARGEST + 1)


@dataclass(frozen=True)
class Peek:
    """What can be told of a file before it is read."""

    file: ResultFile
    head: bytes
    """Its beginning."""

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names in the JSON at its beginning, two deep: `config`, `config.agent_name`."""
        return key_paths(self.head)


def find_files(given: Sequence[str | Path], ignored: frozenset[str]) -> list[ResultFile]:
    """Every file of `given` and of the folders in it, each once, in a fixed order."""
    found: dict[str, ResultFile] = {}
    for entry in given:
        address = _as_address(entry)
        files = _local(Path(entry), ignored) if address is None else _remote(address, ignored)
        for file in files:
            found.setdefault(file.address, file)
    return list(found.values())


def _as_address(entry: str | Path) -> str | None:
    text = str(entry)
    if isinstance(entry, Path) and not os.path.exists(entry):
        text = _SQUEEZED.sub(r"\1//", text)  # a path has only one of an address's two slashes
    return text if _ADDRESS.match(text) else None


def _local(entry: Path, ignored: frozenset[str]) -> Iterator[ResultFile]:
    try:
        is_folder, is_file = entry.is_dir(), entry.is_file()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"cannot be opened: {error.strerror or error}", file=entry) from error
    if is_folder:
        for path in sorted(entry.rglob("*")):
            if _wanted(path.relative_to(entry).parts, ignored) and path.is_file():
                yield ResultFile(str(within_root(path)))
    elif is_file:
        yield ResultFile(str(within_root(entry)))
    else:
        raise InputError("there is no such file or folder", file=entry)


def _remote(address: str, ignored: frozenset[str]) -> Iterator[ResultFile]:
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]

    try:
        system, root = url_to_fs(address)
        if system.isfile(root):
            yield ResultFile(address, system, root)
            return
        listed = sorted(system.find(root))
    except Exception as error:  # as in `open`; a protocol that is not installed is an ImportError
        raise InputError(f"cannot be reached: {error}", file=address) from error
    if not listed:
        raise InputError("there is no such file or folder", file=address)
    start = address.rstrip("/") + "/"
    for name in listed:
        rest = name[len(root.rstrip("/")) :].lstrip("/")
        if _wanted(PurePosixPath(rest).parts, ignored):
            yield ResultFile(start + rest, system, name)


def _wanted(parts: tuple[str, ...], ignored: frozenset[str]) -> bool:
    return not any(part.startswith(".") for part in parts) and parts[-1] not in ignored
