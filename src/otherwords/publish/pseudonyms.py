"""Ids, answers, unusual names + a secret salt → pseudonyms for publication; where the salt is kept.

Pseudonyms are keyed hashes. The salt is the key: whoever has it can find an item again, nobody else can test
a guess. The same salt gives the same names in logs, tables and reports, and it is in none of them.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from pathlib import Path

from otherwords.core.contract import CONTROL, HUMAN, LLM, ORIG, STRENGTHS
from otherwords.core.errors import InputError
from otherwords.core.files import write_whole

SALT = "OTHERWORDS_SALT"
"""The variable of the environment that may hold the salt itself."""
SALT_BYTES = 32
WITHHELD = "withheld"
_DIGITS = 16
_WAYS = "typo|chat|typing|voice|nonnative|casual|formal|terse|padded|british|american"
# A person may call a wording anything; these are the names that families and other tools give.
_ONE_VARIANT = (
    rf"(?:{ORIG}|(?:para|prompt|variation|variant|{_WAYS}|{'|'.join(STRENGTHS)}|{LLM}|{HUMAN})[_-]?[0-9]{{0,4}}"
    rf"|(?:pert|{CONTROL}):[a-z_]{{1,24}}[0-9]{{0,4}}|system|instruction-(?:first|last)|[0-9]{{1,4}}"
    r"|[tsd][0-9]{1,4})"  # wordings of a template, a system message or descriptions of tools
)
_VARIANT = re.compile(rf"{_ONE_VARIANT}(?:\+{_ONE_VARIANT}){{0,8}}")
# Kinds and changes are named in code.
_PLAIN = re.compile(r"[a-z][a-z0-9_:.+-]{0,31}|[0-9]{1,4}")


def is_plain(text: str) -> bool:
    """Whether it looks like a name that code gives: one word, in lower case."""
    return bool(_PLAIN.fullmatch(text))


class Pseudonyms:
    """Gives the same pseudonym for the same text and salt."""

    def __init__(self, salt: bytes) -> None:
        _require_long(salt, None)
        self._salt = salt

    def item(self, id_: str) -> str:
        return f"item-{self.digest('id', id_)}" if id_ else id_

    def word(self, what: str, text: str) -> str:
        """`text` itself if it looks like a name of ours, for a `variant`, a `kind` or a `change`."""
        parts = text.split("+") if what == "kind" else [text]
        known = _VARIANT.fullmatch(text) if what == "variant" else all(map(is_plain, parts))
        return text if not text or known else f"{what}-{self.digest(what, text)}"

    def answer(self, task: str, text: str) -> str:
        """One word for the whole answer; in another benchmark the same answer has another one."""
        return f"answer_{self.digest('answer', task, text)}"

    def digest(self, *parts: str) -> str:
        """The first digits of the keyed hash of all `parts`."""
        text = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(self._salt, text, hashlib.sha256).hexdigest()[:_DIGITS]


def find_salt(salt_file: str | Path | None, public: Path) -> bytes:
    """From the file, else from the environment, else from the file beside the folder `public`."""
    if salt_file is None and os.environ.get(SALT):
        salt = os.environ[SALT].strip().encode("utf-8", "surrogateescape")
        _require_long(salt, None)
        return salt
    return read_salt(Path(salt_file) if salt_file is not None else salt_beside(public), public)


def read_salt(path: Path, public: Path) -> bytes:
    """The salt in `path`, made and kept there if there is none. Never within the folder `public`."""
    inside = public.resolve()
    if path.resolve() == inside or inside in path.resolve().parents:
        raise InputError(
            "the salt must not be in a folder that is made to be given away",
            file=path,
            hint="Keep it elsewhere: --salt-file …",
        )
    try:
        with path.open("rb") as file:
            salt = file.read(4096).strip()
    except FileNotFoundError:
        salt = secrets.token_hex(SALT_BYTES).encode()
        write_whole(path, salt + b"\n", mode=0o600)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    _require_long(salt, path)
    return salt


def salt_beside(public: Path) -> Path:
    """Where a salt is kept when nothing else was said: next to the folder that is given away."""
    folder = public.resolve()
    return folder.parent / f"{folder.name}.salt"


def salt_place(salt_file: str | Path | None, public: Path) -> str:
    """Where `find_salt` has the salt from, as a text for the user."""
    if salt_file is None and os.environ.get(SALT):
        return f"the variable {SALT}"
    return str(salt_file or salt_beside(public))


def _require_long(salt: bytes, path: Path | None) -> None:
    if len(salt) < SALT_BYTES // 2:
        raise InputError(
            f"the salt has {len(salt)} bytes, which could be guessed; it takes {SALT_BYTES // 2}", file=path
        )
