"""A run's private logs → logs and HAL files that may be given away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.pseudonyms import Pseudonyms, find_salt
from otherwords.results.public import public_outcomes


@dataclass(frozen=True)
class Publishing:
    folder: Path
    names: Pseudonyms

    def logs(self, logs: Sequence[Path], part: str = "") -> list[Path]:
        """Public copies in `folder`, or in its `part`."""
        from otherwords.results.public_logs import write_public_logs

        return write_public_logs(logs, self.folder / part, self.names)

    def outcomes(self, table: pl.DataFrame) -> pl.DataFrame:
        return public_outcomes(table, self.names)


def prepare_publishing(
    folder: str | Path, *, salt_file: str | Path | None = None, private: Sequence[str | Path] = ()
) -> Publishing:
    """Refuses, before anything is paid for, a salt that is none and a folder among the private ones."""
    folder = Path(folder)
    for other in map(Path, private):
        ours, theirs = folder.resolve(), other.resolve()
        if ours == theirs or ours in theirs.parents or theirs in ours.parents:
            raise InputError(
                f"the public folder and the private one ({other}) must not be within each other", file=folder
            )
    if folder.exists() and not folder.is_dir():
        raise InputError("is a file, and public logs are written to a folder", file=folder)
    return Publishing(folder, Pseudonyms(find_salt(salt_file, folder)))
