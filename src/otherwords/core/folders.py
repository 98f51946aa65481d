"""`replacing_folder`: a new folder of files, swapped in as a whole, so that old and new never mix."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from otherwords.core.errors import InputError
from otherwords.core.files import is_running, umask, within_root

MOST_KEPT = 1_000
"""Files of others in a folder, above which it is not replaced as one: each of them is linked."""
_EXCHANGE = 2  # of both renameat2 and renamex_np
_HERE = -100  # paths as they are


class _InPlaceError(Exception):
    """The folder itself cannot be replaced."""


@contextmanager
def replacing_folder(folder: str | Path, is_ours: Callable[[str], bool]) -> Iterator[Path]:
    """A new folder to write into, which takes the place of `folder` when the block ends well.

    `is_ours` tells by its name a file that this kind of output may have: those of an earlier output are not
    in the new folder. All others stay: they are linked into it, and must be replaced and not written to.

    Whoever looks, and whenever this process is killed, sees all of the old files or all of the new ones. Only
    where the folder itself cannot be replaced (it is a mount, it holds the current folder, its parent may not
    be written to, or it holds more than `MOST_KEPT` files of others) files take their places one by one.
    """
    shown = within_root(folder)
    target = Path(os.path.realpath(shown))
    made: list[Path] = []
    staged: Path | None = None
    try:
        if target.exists() and not target.is_dir():
            raise OSError(errno.ENOTDIR, "it is a file, and a folder is wanted")
        made = [parent for parent in target.parents if not parent.exists()]
        target.parent.mkdir(parents=True, exist_ok=True)
        sweep_folder(target, is_ours)
        try:
            staged, kept = _beside(target, is_ours)
        except _InPlaceError:
            staged, kept = _new_folder(target, target.name), None
        yield staged
        _wait_for_disk(staged, kept or {})
        if kept is None:
            _replace_files(staged, target, is_ours)
        else:
            old = _swap(staged, target)
            staged, made = None, []
            _discard(old, target, is_ours, kept)
        staged, made = None, []
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=shown) from error
    except InputError as error:
        if staged is None or error.file is None or staged not in Path(error.file).parents:
            raise
        raise InputError(error.problem, file=shown / Path(error.file).relative_to(staged)) from error
    finally:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)
        for parent in made:
            with suppress(OSError):  # something else is in it by now
                parent.rmdir()


def sweep_folder(folder: str | Path, is_ours: Callable[[str], bool]) -> None:
    """Clear away what a process left that was killed while it replaced this folder."""
    target = Path(os.path.realpath(folder))
    left = re.compile(rf"\.{re.escape(target.name)}\.(\d+)-(new|old)-\w+")
    for parent in (target.parent, target):
        for entry in list(os.scandir(parent)) if parent.is_dir() else []:
            found = left.fullmatch(entry.name)
            if not found or is_running(int(found[1])) or not entry.is_dir(follow_symlinks=False):
                continue
            if found[2] == "new":
                shutil.rmtree(entry.path, ignore_errors=True)
            elif not target.exists():  # it was moved away, and the new one had not come
                os.rename(entry.path, target)
            else:
                _discard(Path(entry.path), target, is_ours, {})


def _beside(target: Path, is_ours: Callable[[str], bool]) -> tuple[Path, dict[str, int]]:
    """A new folder beside `target` with links to what stays, and the inodes of that by name."""
    here = Path.cwd()
    if not os.access(target.parent, os.W_OK | os.X_OK) or os.path.ismount(target):
        raise _InPlaceError
    if target.exists() and (target == here or target in here.parents):
        raise _InPlaceError
    staged = _new_folder(target.parent, target.name)
    if not target.exists():
        return staged, {}
    try:
        return staged, _link_all(target, staged, is_ours)
    except (OSError, _InPlaceError):
        shutil.rmtree(staged, ignore_errors=True)
        raise _InPlaceError from None


def _new_folder(parent: Path, name: str) -> Path:
    parent.mkdir(exist_ok=True)
    staged = Path(tempfile.mkdtemp(dir=parent, prefix=f".{name}.{os.getpid()}-new-"))
    staged.chmod(0o777 & ~umask())
    return staged


def _link_all(target: Path, staged: Path, is_ours: Callable[[str], bool]) -> dict[str, int]:
    kept: dict[str, int] = {}
    for name, path in _entries(target):
        if is_ours(name):
            continue
        if len(kept) == MOST_KEPT:
            raise _InPlaceError
        kept[name] = path.lstat().st_ino
        if path.is_dir() and not path.is_symlink():
            (staged / name).mkdir()
            shutil.copystat(path, staged / name)
        else:
            os.link(path, staged / name, follow_symlinks=False)
    shutil.copystat(target, staged)
    return kept


def _entries(folder: Path) -> Iterator[tuple[str, Path]]:
    """Everything within, with its name from `folder` on; a folder before what is in it."""

    def refuse(error: OSError) -> None:
        raise error

    for inside, folders, files in os.walk(folder, onerror=refuse):
        for one in [*folders, *files]:
            path = Path(inside, one)
            yield path.relative_to(folder).as_posix(), path


def _wait_for_disk(staged: Path, kept: dict[str, int]) -> None:
    for name, path in _entries(staged):
        if path.is_file() and not path.is_symlink() and kept.get(name) != path.stat().st_ino:
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _swap(staged: Path, target: Path) -> Path:
    """The staged folder takes its place; where the old one is now, which may be nowhere."""
    old = staged.with_name(staged.name.replace("-new-", "-old-"))
    if not target.exists():
        os.rename(staged, target)
        return old
    os.rename(staged, old)
    if _exchanged(old, target):
        return old
    os.rename(old, staged)
    os.rename(target, old)
    try:
        os.rename(staged, target)
    except OSError:
        os.rename(old, target)
        raise
    return old


def _exchanged(one: Path, other: Path) -> bool:
    """Whether the system could exchange two folders in one step."""
    names = (os.fsencode(one), os.fsencode(other))
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            return bool(libc.renamex_np(*names, _EXCHANGE) == 0)
        if sys.platform.startswith("linux"):
            return bool(libc.renameat2(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
    return False


def _discard(old: Path, target: Path, is_ours: Callable[[str], bool], kept: dict[str, int]) -> None:
    """Remove the old folder; what somebody wrote into it in the meantime goes to the new one."""
    if not old.exists():
        return
    for name, path in reversed(list(_entries(old))):
        new = target / name
        if path.is_dir() and not path.is_symlink():
            with suppress(OSError):
                path.rmdir()
            continue
        was_linked = kept[name] == path.lstat().st_ino if name in kept else os.path.lexists(new)
        if is_ours(name) or was_linked:
            path.unlink()
        else:
            new.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, new)
    with suppress(OSError):
        old.rmdir()


def _replace_files(staged: Path, target: Path, is_ours: Callable[[str], bool]) -> None:
    written = {name for name, path in _entries(staged) if not path.is_dir()}
    for name in sorted(written):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(staged / name, target / name)
    for left in [path for path in target.iterdir() if is_ours(path.name) and path.name not in written]:
        left.unlink()
    shutil.rmtree(staged, ignore_errors=True)
