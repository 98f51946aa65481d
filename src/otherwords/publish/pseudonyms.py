"""Ids, answers and names + a secret salt → what is published of them; salts made, kept, found and exported.

Pseudonyms are keyed hashes. The salt is the key: whoever has it can find an item again, nobody else can test
a guess. The same salt gives the same names in logs, tables and reports, and it is in none of them.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.secret_patterns import redacted
from otherwords.publish.vocabulary import (
    OTHER,
    base_name,
    is_change,
    is_factor,
    is_host,
    is_kind,
    is_reducer,
    is_scorer,
    is_variant,
)

SALT = "OTHERWORDS_SALT"
"""The variable of the environment that may hold the salt itself."""
SALT_HEADER = "otherwords-salt-v1:"
"""Before the salt in its file, so that a scan knows it."""
SALT_BYTES = 32
_DIGITS = 16


class Pseudonyms:
    """What is published in place of each text; the same for the same text and salt."""

    def __init__(self, salt: bytes, *, model_names: bool = False) -> None:
        """`model_names`: models keep their whole name, with the provider's, where it has no path."""
        _require_long(salt, None)
        self._salt, self._model_names = salt, model_names

    def names(self, task: str) -> Pseudonyms:
        """These, whatever the dataset; `Salts` has others for each."""
        return self

    def item(self, id_: str) -> str:
        return f"item-{self.digest('id', id_)}" if id_ else id_

    def variant(self, text: str) -> str:
        return text if is_variant(text) else f"{OTHER}-{self.digest('variant', text)}"

    def kind(self, text: str) -> str:
        return text if not text or is_kind(text) else OTHER

    def change(self, text: str) -> str:
        return text if not text or is_change(text) or is_kind(text) else OTHER

    def factor(self, text: str) -> str:
        return text if is_factor(text) else f"{OTHER}-{self.digest('factor', text)}"

    def scorer(self, text: str) -> str:
        """A scorer, or a part of its score: each part of `name.key` that is not on the list is hashed."""
        parts = text.rsplit("/", 1)[-1].split(".")
        return ".".join(one if is_scorer(one) else f"scorer-{self.digest('scorer', one)}" for one in parts)

    def reducer(self, text: str) -> str:
        return text if is_reducer(text) else f"{OTHER}-{self.digest('reducer', text)}"

    def model(self, text: str) -> str:
        """The last part of its name, since the others may be folders and hosts."""
        text = redacted(text)
        is_whole = re.fullmatch(r"[A-Za-z0-9_-]+(?:/[A-Za-z0-9._:@-]+){1,3}", text)
        if self._model_names and is_whole and base_name(text) and not is_host(text):
            return text
        return base_name(text) or f"model-{self.digest('model', text)}"

    def models(self, texts: Iterable[str]) -> dict[str, str]:
        """All of them; where two would have the same name, with a hash behind it."""
        named = {text: self.model(text) for text in texts}
        shared = Counter(named.values())
        return {
            text: name if shared[name] == 1 else f"{name}-{self.digest('model', text)[:6]}"
            for text, name in named.items()
        }

    def task(self, text: str) -> str:
        return base_name(redacted(text)) or f"task-{self.digest('task', text)}"

    def answer(self, task: str, item: str, text: str) -> str:
        """One word for the whole answer; the same answer to another item has another one."""
        return f"answer_{self.digest('answer', task, item, text)}"

    def digest(self, *parts: str) -> str:
        """The first digits of the keyed hash of all `parts`."""
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(self._salt, text, hashlib.sha256).hexdigest()[:_DIGITS]


class NamesOf(Protocol):
    """Who gives the pseudonyms of a dataset."""

    def names(self, task: str) -> Pseudonyms: ...


@dataclass(frozen=True)
class Salts:
    """The salt of each dataset that is published: from one file, the environment, or the private folder."""

    public: Path
    """The folder that is given away."""
    salt_file: Path | None = None
    model_names: bool = False
    _found: dict[str, Pseudonyms] = field(default_factory=dict, repr=False)

    def names(self, task: str) -> Pseudonyms:
        """Of one dataset, by the last part of its name."""
        if task not in self._found:
            salt = find_salt(self.salt_file, self.public, task)
            self._found[task] = Pseudonyms(salt, model_names=self.model_names)
        return self._found[task]

    @property
    def tasks(self) -> list[str]:
        """The datasets whose salt was asked for."""
        return list(self._found)

    def require(self) -> None:
        """Refuses a salt that is none, before anything is paid for."""
        if self.salt_file is not None or os.environ.get(SALT):
            find_salt(self.salt_file, self.public, "")


def find_salt(salt_file: str | Path | None, public: Path, task: str) -> bytes:
    """From the file, else from the environment, else the one that is kept for the dataset `task`.

    One that an earlier version made beside the folder `public` is used where none is kept.
    """
    if salt_file is None and os.environ.get(SALT):
        salt = _without_header(os.environ[SALT].strip().encode("utf-8", "surrogateescape"))
        _require_long(salt, None)
        return salt
    return read_salt(_salt_path(salt_file, public, task), public)


def _salt_path(salt_file: str | Path | None, public: Path, task: str) -> Path:
    if salt_file is not None:
        return Path(salt_file)
    kept, beside = kept_salt(task), salt_beside(public)
    return beside if beside.exists() and not kept.exists() else kept


def read_salt(path: Path, public: Path | None = None) -> bytes:
    """The salt in `path`, made and kept there if there is none. Never within the folder `public`."""
    inside = None if public is None else public.resolve()
    if inside is not None and (path.resolve() == inside or inside in path.resolve().parents):
        raise InputError(
            "the salt must not be in a folder that is made to be given away",
            file=path,
            hint="Keep it elsewhere: --salt-file …",
        )
    try:
        with path.open("rb") as file:
            salt = _without_header(file.read(4096).strip())
    except FileNotFoundError:
        salt = secrets.token_hex(SALT_BYTES).encode()
        write_salt(path, salt)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    _require_long(salt, path)
    return salt


def write_salt(path: Path, salt: bytes) -> Path:
    """Into a file that only its owner can read, with the header by which a scan knows it."""
    return write_whole(path, SALT_HEADER.encode() + salt + b"\n", mode=0o600)


def _without_header(salt: bytes) -> bytes:
    return salt.removeprefix(SALT_HEADER.encode()).strip()


def salts_folder() -> Path:
    """Where salts are kept by the name of their dataset: in the user's private configuration."""
    folder = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    try:
        return Path(folder or Path.home() / ".config") / "otherwords" / "salts"
    except RuntimeError:
        raise InputError(
            "there is no home folder to keep a salt in", hint="Say where: --salt-file …"
        ) from None


def kept_salt(task: str) -> Path:
    """The file of the dataset's salt; it is the same for `pkg/name`, `name` and `name.jsonl`."""
    name = re.sub(r"[^a-z0-9._-]+", "-", re.split(r"[/\\]", task)[-1].casefold())
    name = re.sub(r"\.(?:jsonl?|csv|parquet|arrow)$", "", name).strip(".-")
    return salts_folder() / f"{name or 'dataset'}.salt"


def kept_salts() -> Iterator[bytes]:
    """Every salt that is kept, and the one of the environment: none of them may be in what is published."""
    if os.environ.get(SALT):
        yield _without_header(os.environ[SALT].strip().encode("utf-8", "surrogateescape"))
    try:
        kept = sorted(salts_folder().glob("*.salt"))
    except (InputError, OSError):
        return
    for path in kept:
        yield read_salt(path)


def salt_beside(public: Path) -> Path:
    """Where versions before 0.3 kept a salt: next to the folder that is given away."""
    folder = public.resolve()
    return folder.parent / f"{folder.name}.salt"


def salt_place(salt_file: str | Path | None, public: Path, task: str) -> str:
    """Where `find_salt` has the salt from, as a text for the user."""
    if salt_file is None and os.environ.get(SALT):
        return f"the variable {SALT}"
    return str(_salt_path(salt_file, public, task))


def _require_long(salt: bytes, path: Path | None) -> None:
    if len(salt) < SALT_BYTES // 2:
        raise InputError(
            f"the salt has {len(salt)} bytes, which could be guessed; it takes {SALT_BYTES // 2}", file=path
        )
