"""A folder of public copies: refused if it holds anything else; the list of files that were published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.folders import sweep_folder

MANIFEST = ".otherwords-public"
"""Lists what `--public` wrote into a folder, each file with a hash of its content."""


def require_public_folder(folder: Path) -> None:
    """Refuses a folder with anything in it that an earlier `--public` did not write."""
    sweep_folder(folder, lambda _: False)
    if not folder.exists():
        return
    if not folder.is_dir():
        raise InputError("is a file, and what is public is written to a folder", file=folder)
    known = _read(folder)
    for path in sorted(one for one in folder.rglob("*") if not one.is_dir()):
        name = path.relative_to(folder).as_posix()
        if name == MANIFEST:
            continue
        if name not in known or path.is_symlink() or _hash(path) != known[name]:
            how = "has changed since it was written" if name in known else "was not written by --public"
            raise InputError(
                f"a public folder must be new or empty, and {how}: {name}",
                file=folder,
                hint="Choose another folder, or move that file away.",
            )


def record_public(folder: Path, written: Iterable[Path], staged: Path | None = None) -> None:
    """Notes the files that were written; those that are gone are no longer listed.

    Where they are not in `folder` yet but `staged`, in a new one that takes its place, the list is too.
    """
    new = folder if staged is None else staged
    known = _read(folder) | {path.relative_to(new).as_posix(): _hash(path) for path in written}
    there = {name for name in known if (folder / name).is_file() or (new / name).is_file()}
    kept = {name: digest for name, digest in sorted(known.items()) if name in there}
    write_whole(new / MANIFEST, json.dumps({"files": kept}, indent=1) + "\n")


def _read(folder: Path) -> dict[str, str]:
    try:
        listed = json.loads((folder / MANIFEST).read_text("utf-8"))["files"]
        return {str(name): str(digest) for name, digest in listed.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError("cannot be read", file=folder / MANIFEST) from None


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
