"""Texts, ways to write them, and files that hold them, all made in memory."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import html
import io
import json
import lzma
import quopri
import sqlite3
import struct
import tarfile
import tempfile
import textwrap
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import polars as pl
import zstandard

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
    | {"Cyrillic", "accents", "mathematical", "full width", "upper case"}
)
"""Ways of writing that change a key, a path or a secret into another."""


def zipped(content: bytes, name: str = "a.txt", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def office(member: str, template: str) -> Callable[[bytes], bytes]:
    def made(content: bytes) -> bytes:
        out = io.BytesIO()
        text = "".join(
            f"<w:t>{html.escape(content.decode()[at : at + 9])}</w:t>"
            for at in range(0, len(content.decode()), 9)
        )
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<?xml version='1.0'?><Types/>")
            archive.writestr(member, template.replace("TEXT", text))
        return out.getvalue()

    return made


def tarred(content: bytes, kind: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _frame(content: bytes) -> pl.DataFrame:
    return pl.DataFrame({"n": [1, 2], "prompt": ["fine", content.decode()]})


def _written(write: Callable[[pl.DataFrame, io.BytesIO], object]) -> Callable[[bytes], bytes]:
    def made(content: bytes) -> bytes:
        out = io.BytesIO()
        write(_frame(content), out)
        return out.getvalue()

    return made


def sqlite(value: str | bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "a.sqlite")
        database = sqlite3.connect(file)
        database.execute("CREATE TABLE t (n INTEGER, v)")
        database.executemany("INSERT INTO t VALUES (?, ?)", [(1, "fine"), (2, value)])
        database.commit()
        database.close()
        return file.read_bytes()


def png(kind: bytes = b"tEXt", chunk: bytes = b"a\0b", tail: bytes = b"", pixels: bytes = b"\0\0") -> bytes:
    def part(name: bytes, content: bytes) -> bytes:
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    header = part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    body = part(kind, chunk) + part(b"IDAT", zlib.compress(pixels))
    return b"\x89PNG\r\n\x1a\n" + header + body + part(b"IEND", b"") + tail


def jpeg(marker: int = 0xFE, segment: bytes = b"fine", tail: bytes = b"") -> bytes:
    def part(code: int, content: bytes) -> bytes:
        return bytes([0xFF, code]) + struct.pack(">H", len(content) + 2) + content

    scan = part(0xDA, b"\1\1\0\0\x3f\0") + b"\x12\xff\x00\x34"
    return (
        b"\xff\xd8"
        + part(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0")
        + part(marker, segment)
        + scan
        + b"\xff\xd9"
        + tail
    )


def webp(kind: bytes = b"XMP ", chunk: bytes = b"fine") -> bytes:
    def part(name: bytes, content: bytes) -> bytes:
        return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)

    body = b"WEBP" + part(b"VP8L", b"\x2f\0\0\0\0\x07") + part(kind, chunk)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def gif(comment: bytes = b"fine") -> bytes:
    blocks = b"".join(
        bytes([len(comment[at : at + 255])]) + comment[at : at + 255] for at in range(0, len(comment), 255)
    )
    picture = b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    return b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + b"\x21\xfe" + blocks + b"\0" + picture + b"\x3b"


def pdf(text: str, info: str = "fine") -> bytes:
    shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    stream = zlib.compress(f"BT /F1 12 Tf 20 100 Td ({shown}) Tj ET".encode("latin-1", "replace"))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 200] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({info}) >>".encode("latin-1", "replace"),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + one + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % len(out)
    return out + b"xref\n0 7\n0000000000 65535 f \n" + table + end


def notebook(content: bytes) -> bytes:
    lines = [line + "\n" for line in content.decode().split("\n")]
    cell = {"cell_type": "markdown", "metadata": {}, "source": lines}
    return json.dumps(
        {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1
    ).encode()


def git_object(kind: str, content: bytes) -> bytes:
    return zlib.compress(f"{kind} {len(content)}\0".encode() + content)


def git_commit(content: bytes) -> bytes:
    return git_object("commit", b"tree " + b"0" * 40 + b"\nauthor a <a@b.c> 0 +0000\n\n" + content)


def git_pack(content: bytes) -> bytes:
    """One object whole, and the planted one as a change of it."""
    import hashlib

    def sized(kind: int, size: int) -> bytes:
        first, size = kind << 4 | size & 15, size >> 4
        out = bytearray([first | (0x80 if size else 0)])
        while size:
            out.append(size & 0x7F | (0x80 if size >> 7 else 0))
            size >>= 7
        return bytes(out)

    def number(value: int) -> bytes:
        out = bytearray()
        while True:
            out.append(value & 0x7F | (0x80 if value >> 7 else 0))
            value >>= 7
            if not value:
                return bytes(out)

    base = b"a first line that is fine\n"
    inserted = b"".join(
        bytes([len(content[at : at + 127])]) + content[at : at + 127] for at in range(0, len(content), 127)
    )
    delta = number(len(base)) + number(len(base) + len(content)) + bytes([0x90, len(base)]) + inserted
    whole = sized(3, len(base)) + zlib.compress(base)
    change = sized(6, len(delta)) + bytes([len(whole)]) + zlib.compress(delta)
    pack = b"PACK" + struct.pack(">II", 2, 2) + whole + change
    return pack + hashlib.sha1(pack).digest()


_DOCUMENT = "<w:document><w:body><w:p>TEXT</w:p></w:body></w:document>"
_SHEET = "<sst><si>TEXT</si></sst>"
TEXT_CONTAINERS: dict[str, Callable[[bytes], bytes]] = {
    "a.txt": bytes,
    "bom.txt": lambda content: codecs.BOM_UTF8 + content,
    "utf-16.txt": lambda content: content.decode().encode("utf-16"),
    "utf-16-le.txt": lambda content: content.decode().encode("utf-16-le"),
    "utf-16-be.txt": lambda content: content.decode().encode("utf-16-be"),
    "utf-32.txt": lambda content: content.decode().encode("utf-32"),
    "utf-32-le.txt": lambda content: content.decode().encode("utf-32-le"),
    "cp1252.txt": lambda content: "Zürich: ".encode("cp1252") + content,
    "a.html": lambda content: b"<!doctype html><p>" + html.escape(content.decode()).encode() + b"</p>",
    "a.svg": lambda content: (
        b"<svg xmlns='x'><text>" + html.escape(content.decode()).encode() + b"</text></svg>"
    ),
    "a.ipynb": notebook,
    "page.html": lambda content: (
        b'<script>const d = "' + base64.b64encode(gzip.compress(content)) + b'"</script>'
    ),
}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "a.zlib": zlib.compress,
    "a.deflate": lambda content: zlib.compress(content, wbits=-15),
    "a.gz": gzip.compress,
    "two.gz": lambda content: gzip.compress(b"fine") + gzip.compress(content),
    "a.bz2": bz2.compress,
    "a.xz": lzma.compress,
    "a.lzma": lambda content: lzma.compress(content, lzma.FORMAT_ALONE),
    "a.zst": lambda content: zstandard.ZstdCompressor().compress(content),
    "skipped.zst": lambda content: b"\x50\x2a\x4d\x18" + struct.pack("<I", len(content)) + content,
    "a.zip": zipped,
    "stored.zip": lambda content: zipped(content, method=zipfile.ZIP_STORED),
    "lzma.zip": lambda content: zipped(content, method=zipfile.ZIP_LZMA),
    "run.eval": lambda content: zipped(content, "samples/1.json", 93),
    "behind.bin": lambda content: b"#!/bin/sh\n" + zipped(content),
    "before.zip": lambda content: content + b"\n" + zipped(b"fine"),
    "a.tar": tarred,
    "gnu.tar": lambda content: tarred(content, tarfile.GNU_FORMAT),
    "a.tgz": lambda content: gzip.compress(tarred(content)),
    "nested.zip": lambda content: zipped(zipped(lzma.compress(tarred(content))), "inner.zip"),
    "a.parquet": _written(lambda frame, out: frame.write_parquet(out)),
    "zstd.parquet": _written(lambda frame, out: frame.write_parquet(out, compression="zstd")),
    "lists.parquet": _written(
        lambda frame, out: frame.select(m=pl.concat_list("prompt")).write_parquet(out, compression="gzip")
    ),
    "a.arrow": _written(lambda frame, out: frame.write_ipc(out)),
    "zstd.arrow": _written(lambda frame, out: frame.write_ipc(out, compression="zstd")),
    "lz4.arrows": _written(lambda frame, out: frame.write_ipc_stream(out, compression="lz4")),
    "a.avro": _written(lambda frame, out: frame.write_avro(out)),
    "deflate.avro": _written(lambda frame, out: frame.write_avro(out, compression="deflate")),
    "a.sqlite": lambda content: sqlite(content.decode()),
    "blob.sqlite": lambda content: sqlite(gzip.compress(content)),
    "a.docx": office("word/document.xml", _DOCUMENT),
    "a.xlsx": office("xl/sharedStrings.xml", _SHEET),
    "a.pptx": office("ppt/slides/slide1.xml", "<p:sld>TEXT</p:sld>"),
    "a.pdf": lambda content: pdf(content.decode()),
    "title.pdf": lambda content: pdf("fine", content.decode()),
    "note.png": lambda content: png(b"tEXt", b"Comment\0" + content),
    "packed-note.png": lambda content: png(b"zTXt", b"Comment\0\0" + zlib.compress(content)),
    "international.png": lambda content: png(b"iTXt", b"Comment\0\1\0en\0\0" + zlib.compress(content)),
    "exif.png": lambda content: png(b"eXIf", content),
    "private.png": lambda content: png(b"prVt", content),
    "private-packed.png": lambda content: png(b"prVt", zlib.compress(content)),
    "tail.png": lambda content: png(tail=content),
    "comment.jpeg": lambda content: jpeg(0xFE, content),
    "exif.jpeg": lambda content: jpeg(0xE1, b"Exif\0\0" + content),
    "private.jpeg": lambda content: jpeg(0xE9, zlib.compress(content)),
    "tail.jpeg": lambda content: jpeg(tail=content),
    "xmp.webp": lambda content: webp(b"XMP ", content),
    "private.webp": lambda content: webp(b"prvt", gzip.compress(content)),
    "comment.gif": gif,
    "loose-blob": lambda content: git_object("blob", content),
    "loose-commit": git_commit,
    "a.pack": git_pack,
    "a.bundle": lambda content: (
        b"# v2 git bundle\n" + b"1" * 40 + b" refs/heads/main\n\n" + git_pack(content)
    ),
}
CONTAINERS = {**TEXT_CONTAINERS, **PACKED}
