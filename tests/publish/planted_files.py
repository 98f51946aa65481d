"""Files that hold a text, in every format that `scan` reads, made in memory."""

from __future__ import annotations

import base64
import bz2
import codecs
import gzip
import html
import io
import json
import lzma
import sqlite3
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import zstandard


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


def _zip_field(content: bytes) -> bytes:
    """A field of a program in a member's header."""
    out, member = io.BytesIO(), zipfile.ZipInfo("a.txt")
    packed = zlib.compress(content)
    member.extra = struct.pack("<HH", 0x9999, len(packed)) + packed
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(member, b"fine")
    return out.getvalue()


def _zip_comment(content: bytes) -> bytes:
    out = io.BytesIO(zipped(b"fine"))
    with zipfile.ZipFile(out, "a") as archive:
        archive.comment = gzip.compress(content)
    return out.getvalue()


def _gzip_field(content: bytes) -> bytes:
    whole, packed = gzip.compress(b"fine"), zlib.compress(content)
    field = b"AB" + struct.pack("<H", len(packed)) + packed
    return whole[:3] + b"\4" + whole[4:10] + struct.pack("<H", len(field)) + field + whole[10:]


def _gzip_name(content: bytes) -> bytes:
    whole = gzip.compress(b"fine")
    return whole[:3] + b"\x08" + whole[4:10] + b"fine " * 120 + content + b"\0" + whole[10:]


def _tar_of_another_kind(content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a")
        entry.type, entry.size = b"Z", len(content)
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def _within(content: bytes) -> pl.DataFrame:
    return pl.DataFrame({"a": [[{"x": gzip.compress(content)}]]})


def _saved(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


PACKED |= {
    "field.zip": _zip_field,
    "comment.zip": _zip_comment,
    "field.gz": _gzip_field,
    "field-of-second.gz": lambda content: gzip.compress(b"fine") + _gzip_field(content),
    "name.gz": _gzip_name,
    "kind.tar": _tar_of_another_kind,
    "bytes-within.parquet": lambda content: _saved(_within(content).write_parquet),
    "bytes-within.arrow": lambda content: _saved(_within(content).write_ipc),
    "encoded-note.png": lambda content: png(b"tEXt", b"Comment\0" + base64.b64encode(gzip.compress(content))),
    "packed-exif.png": lambda content: png(b"eXIf", b"II*\0" + zlib.compress(content)),
    "palette.png": lambda content: png(b"PLTE", content),
    "time.png": lambda content: png(b"tIME", zlib.compress(content)),
    "encoded-comment.jpeg": lambda content: jpeg(0xFE, base64.b64encode(zlib.compress(content))),
    "packed-exif.jpeg": lambda content: jpeg(0xE1, b"Exif\0\0" + zlib.compress(content)),
    "packed-profile.jpeg": lambda content: jpeg(0xE2, b"ICC_PROFILE\0" + lzma.compress(content)),
    "packed-exif.webp": lambda content: webp(b"EXIF", b"II*\0" + bz2.compress(content)),
    "encoded.gif": lambda content: gif(base64.b64encode(zlib.compress(content))),
}
CONTAINERS = {**TEXT_CONTAINERS, **PACKED}
