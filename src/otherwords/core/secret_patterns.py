"""Finds and redacts keys in text: API keys, tokens and passwords, by their form, name or the environment.

They are taken out of all that is written or told, and `otherwords scan` looks for them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

REDACTED = "[redacted]"
SHORTEST_VALUE = 8
"""Characters from which a value of the environment is looked for: a shorter one stands in any text."""

# What it is, what every one of its kind has in it (looked for first, since it is much faster), and its looks.
_LOOKS: tuple[tuple[str, str, str], ...] = (
    (
        "private key",
        "PRIVATE KEY",
        # Its body has no five dashes, so that many beginnings without an end take no longer than one.
        r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----"
        r"(?:(?:(?!-----)[\s\S]){1,8000}-----END [A-Z ]{0,40}PRIVATE KEY-----)?",
    ),
    ("API key", "sk-", r"\bsk-(?=[\w-]{0,200}?\d)[A-Za-z0-9_-]{16,}"),
    ("API key", "gsk_", r"\bgsk_[A-Za-z0-9]{20,}"),
    ("API key", "r8_", r"\br8_[A-Za-z0-9]{20,}"),
    ("API key", "pplx-", r"\bpplx-[A-Za-z0-9]{20,}"),
    ("API key", "xai-", r"\bxai-[A-Za-z0-9]{20,}"),
    ("API key", "nvapi-", r"\bnvapi-[A-Za-z0-9_-]{20,}"),
    ("API key", "tgp_v1_", r"\btgp_v1_[A-Za-z0-9_-]{20,}"),
    ("API key", "AIza", r"\bAIza[A-Za-z0-9_-]{30,}"),
    ("AWS key", "AKIA", r"\bAKIA[A-Z0-9]{16}\b"),
    ("AWS key", "ASIA", r"\bASIA[A-Z0-9]{16}\b"),
    ("GitHub token", "gh", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{20,}"),
    ("GitLab token", "glpat-", r"\bglpat-[A-Za-z0-9_-]{16,}"),
    ("Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{20,}"),
    ("Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}"),
    ("web token", "eyJ", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"),
    ("bearer token", "earer", r"\b[Bb]earer\s{1,8}(?=[\w.~+/-]{0,200}?\d)[A-Za-z0-9_.~+/-]{16,}={0,8}"),
    ("address with a password", "://", r"(?<=://)[^/\s:@\"'<>]{1,200}:[^/\s@\"'<>]{1,200}(?=@)"),
    (
        "address with a key",
        "=",
        r"(?<=[?&])(?:sig|key|token|api[_-]?key|access_token|X-Amz-Signature|X-Goog-Signature)"
        r"=[^&\s\"'<>]{8,}",
    ),
    (
        "value of a key",
        "",
        r"(?i)(?<![A-Za-z])(?:api_?-?key|secret|token|password|passwd|credentials?)"
        r"\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?"
        # What is looked ahead for is near: else `token=token=…` takes the square of its length.
        r"(?=[^\s\"',;&<>(){}\[\]\\]{0,200}?\d)(?=[^\s\"',;&<>(){}\[\]\\]{0,200}?[A-Za-z])"
        r"[^\s\"',;&<>(){}\[\]\\]{8,}",
    ),
)
_EACH = tuple((kind, mark, re.compile(look)) for kind, mark, look in _LOOKS)
_NAME = re.compile(
    r"(?:^|[_\-.])(?:api_?key|key|token|secret|password|passwd|pwd|credentials?|authorization|auth)$",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(.{0,40}?(?:key|secret|token|password|passwd|credentials?)\\?[\"']?\s{0,3}[:=]\s{0,3}\\?[\"']?)",
    re.IGNORECASE,
)


class Key(NamedTuple):
    kind: str
    start: int
    end: int


def is_key_name(name: str) -> bool:
    """Whether what goes under this name is a secret: `api_key`, `OPENAI_API_KEY`, `auth-token`."""
    return bool(_NAME.search(name))


def environment_keys() -> dict[str, str]:
    """The values of the environment that are secrets by their name."""
    return {
        name: value
        for name, value in os.environ.items()
        if is_key_name(name) and len(value) >= SHORTEST_VALUE and not value.startswith(("/", "."))
    }


def find_keys(text: str) -> Iterator[Key]:
    """Where something in `text` is a key by its looks, or is a value of the environment."""
    for kind, mark, look in _EACH:
        if mark in text:
            for match in look.finditer(text):
                yield Key(kind, match.start(), match.end())
    for name, value in environment_keys().items():
        at = text.find(value)
        if at >= 0:
            yield Key(f"value of {name}", at, at + len(value))


def redacted(text: str) -> str:
    """`text` with every key in it replaced."""
    for value in environment_keys().values():
        text = text.replace(value, REDACTED)
    for _, mark, look in _EACH:
        if mark in text:
            text = look.sub(_hide, text)
    return text


def without_keys(value: Any) -> Any:
    """`value`, however nested, with keys replaced: by their name in a mapping, and by their looks."""
    if isinstance(value, Mapping):
        return {
            name: REDACTED
            if is_key_name(str(name)) and isinstance(part, str | int | float) and not isinstance(part, bool)
            else without_keys(part)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [without_keys(part) for part in value]
    return redacted(value) if isinstance(value, str) else value


def hide_keys_in(error: BaseException) -> BaseException:
    """The error, with keys replaced in what it says, also in what it was raised from.

    One whose text still has a key, because its class makes the text of something else, is replaced.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.args = tuple(without_keys(part) if isinstance(part, str | dict) else part for part in one.args)
        for name, value in list(getattr(one, "__dict__", {}).items()):
            if isinstance(value, str | dict | list):
                with suppress(AttributeError, TypeError):
                    setattr(one, name, without_keys(value))
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    said = str(error)
    return error if redacted(said) == said else RuntimeError(f"{type(error).__name__}: {redacted(said)}")


def _hide(match: re.Match[str]) -> str:
    """A value loses itself and keeps the name that it goes under."""
    said = match.group(0)
    opening = _OPENING.match(said)
    return (opening.group(1) if opening else "") + REDACTED
