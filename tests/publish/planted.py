"""Texts that must not leak, and ways to write them."""

from __future__ import annotations

import base64
import codecs
import gzip
import html
import json
import quopri
import textwrap
import zlib
from collections.abc import Callable
from urllib.parse import quote

STEM = "Which harbour did the grey heron leave before the second storm of that winter?"
CHANGED = "Which harbour did the white heron leave before the second storm of that autumn?"
OPTION = "Old Grimsby pier"
SECRET = "canary:7f3a-xyz"
KEY = "sk-live-4bC9dE2fGh1jK7mN0pQ"
HOME = "/home/rsmith/projects/run.log"
HOST = "gpu-node-17.cluster.internal"

FRAGMENTS: dict[str, tuple[str, str]] = {
    "stem": (STEM, "stem"),
    "two words changed": (CHANGED, "stem"),
    "eight words": ("grey heron leave before the second storm of", "stem"),
    "option": (OPTION, "option"),
    "secret": (SECRET, "secret"),
    "key": (KEY, "API key"),
    "home": (HOME, "home folder"),
    "host": (HOST, "host name"),
}

_CYRILLIC = str.maketrans("aeopcyxi", "аеорсухі")


def _bold(text: str) -> str:
    return "".join(chr(0x1D41A + ord(one) - 97) if "a" <= one <= "z" else one for one in text)


def _wrapped(text: str, width: int, before: str = "", between: str = "\n") -> str:
    return between.join(before + text[at : at + width] for at in range(0, len(text), width))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _inside(text: str, left: str, right: str) -> str:
    """Marks around the middle of each longer word."""
    return " ".join(f"{w[:2]}{left}{w[2:4]}{right}{w[4:]}" if len(w) > 4 else w for w in text.split(" "))


def _hyphenated(text: str) -> str:
    return " ".join(f"{word[:3]}-\n    {word[3:]}" if len(word) > 5 else word for word in text.split(" "))


WRITINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "upper case": str.upper,
    "one word a line": lambda text: text.replace(" ", "\n\n\t"),
    "underscores": lambda text: text.replace(" ", "_"),
    "letter-spaced": lambda text: " ".join(text.replace(" ", "")),
    "csv": lambda text: f'id,prompt\n1,"{text}"\n',
    "json": lambda text: json.dumps({"input": text}),
    "json twice": lambda text: json.dumps(json.dumps({"input": text + "\n"})),
    "json three times": lambda text: json.dumps(json.dumps(json.dumps([f'"{text}"\n']))),
    "json escapes": lambda text: "".join(f"\\u{ord(one):04x}" for one in text),
    "hex escapes": lambda text: "".join(f"\\x{ord(one):02x}" for one in text),
    "octal escapes": lambda text: "".join(f"\\{ord(one):03o}" for one in text),
    "braced escapes": lambda text: "".join(f"\\u{{{ord(one):x}}}" for one in text),
    "url": quote,
    "url twice": lambda text: quote(quote(text)),
    "every letter in a url": lambda text: "".join(f"%{ord(one):02X}" for one in text),
    "html": lambda text: f"<p>{html.escape(text)}</p>",
    "html numbers": lambda text: "".join(f"&#{ord(one)};" for one in text),
    "html hex, twice": lambda text: html.escape("".join(f"&#x{ord(one):x};" for one in text)),
    "nbsp": lambda text: text.replace(" ", "&nbsp;"),
    "a tag a word": lambda text: "<b>" + text.replace(" ", "</b> <b>") + "</b>",
    "tags within words": lambda text: _inside(text, "<i class='x'>", "</i>"),
    "runs of a document": lambda text: _wrapped(text, 5, "<w:r><w:t>", "</w:t></w:r>"),
    "soft hyphens": "\u00ad".join,
    "zero-width": "\u200b".join,
    "bidi": lambda text: "".join(f"\u202a{one}\u202c" for one in text),
    "variation selectors": "\ufe0f".join,
    "tag characters": "\U000e0041".join,
    "accents": lambda text: "".join(one + "\u0301" if one in "aeiou" else one for one in text),
    "full width": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "mathematical": _bold,
    "Cyrillic": lambda text: text.translate(_CYRILLIC),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "backwards": lambda text: text[::-1],
    "base64": _base64,
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    "base64 in lines": lambda text: _wrapped(_base64(text), 76),
    "base64 in short lines": lambda text: _wrapped(_base64(text), 20),
    "base64 in very short lines": lambda text: _wrapped(_base64(text), 6),
    "base64 quoted": lambda text: _wrapped(_base64(text), 30, "> "),
    "base64 in strings": lambda text: '"' + _wrapped(_base64(text), 32, between='"\n  + "') + '"',
    "base64 in json": lambda text: json.dumps(_wrapped(_base64(text), 40)),
    "base64 twice": lambda text: _base64(_base64(text)),
    "base64 behind a word": lambda text: "AVeryLongIdentifierBefore " + _base64(text),
    "base64 of UTF-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 of gzip": lambda text: base64.b64encode(gzip.compress(text.encode())).decode(),
    "base64 of zlib": lambda text: base64.b64encode(zlib.compress(text.encode())).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "base32 in lines": lambda text: _wrapped(base64.b32encode(text.encode()).decode(), 24),
    "base32 in lower case": lambda text: base64.b32encode(text.encode()).decode().lower().rstrip("="),
    "hex": lambda text: text.encode().hex(),
    "hex in pairs": lambda text: text.encode().hex(" "),
    "hex with colons": lambda text: text.encode().hex(":").upper(),
    "hex of a program": lambda text: ", ".join(f"0x{one:02x}" for one in text.encode()),
    "hex in lines": lambda text: _wrapped(text.encode().hex(), 60),
    "markdown": lambda text: _inside(text, "**", "**"),
    "markdown code": lambda text: _inside(text, "`", "`"),
    "markdown quote": lambda text: textwrap.fill(text, 24, initial_indent="> ", subsequent_indent="> "),
    "latex": lambda text: _inside(text, r"\textbf{", "}"),
    "latex hyphens": lambda text: _inside(text, r"\-", r"\-"),
    "latex in json": lambda text: json.dumps(_inside(text, r"\emph{", "}")),
    "hyphenated lines": _hyphenated,
    "quoted-printable": lambda text: quopri.encodestring(_inside(text, "=", "").encode()).decode()
    + "\n" + quopri.encodestring(text.replace("e", "é").encode()).decode() + "\n"
    + "".join(f"={ord(one):02X}" for one in text),
}  # fmt: skip
WRITINGS |= {
    "escapes of a script": lambda text: "".join(f"%u{ord(one):04x}" for one in text),
    "colours of a terminal": lambda text: "".join(f"\x1b[1;3{len(one) % 8}m{one}\x1b[0m" for one in text),
    "a terminal's record": lambda text: json.dumps([0.5, "o", text.replace(" ", " \x1b[32m")]),
    "tags that say it": lambda text: "fine" + "".join(chr(0xE0000 + ord(one)) for one in text),
    "selectors that say it": lambda text: "fine" + "".join(chr(0xE0100 - 16 + ord(one)) for one in text),
    "squares": lambda text: "".join(
        chr(0x1F130 + 32 + ord(one) - 65) if "A" <= one <= "Z" else one for one in text.upper()
    ),
    "hex digits apart": lambda text: " ".join(text.encode().hex()),
    "base64 five times": lambda text: _base64(_base64(_base64(_base64(_base64(text))))),
}
NOT_OF_OPTIONS = frozenset({"letter-spaced", "base64 in very short lines"})
"""Ways of writing in which too little of a short text is left."""
NOT_OF_SHORT = frozenset(
    {
        "letter-spaced",
        "runs of a document",
        "tags within words",
        "base64 in very short lines",
        "rot13",
        "backwards",
    }
    | {"hyphenated lines", "underscores", "one word a line", "a tag a word", "markdown quote"}
    | {"Cyrillic", "accents", "mathematical", "full width", "upper case", "squares"}
)
"""Ways of writing that change a key, a path or a secret into another."""
