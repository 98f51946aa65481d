"""Git's objects, packs, bundles and indexes → the texts in them, all history included."""

from __future__ import annotations

import hashlib
import re
import struct
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

from otherwords.publish.file_content import Content, Part, Place, raw_texts, rest

_OBJECT = re.compile(rb"(blob|tree|commit|tag) \d+\x00")
_KINDS = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_BY_OFFSET, _BY_NAME = 6, 7
_CHECKED = (b"DIRC", b"\xfftOc", b"RIDX", b"BITM", b"MIDX", b"CGPH")
"""Files of paths, names of objects and numbers, each with its own checksum at the end."""
_DIGEST = 20
_CACHED = 64 * 1024**2
"""Bytes of objects that are kept, since others are told as changes of them."""
_PIECE = 64 * 1024


def is_object(head: bytes) -> bool:
    return bool(_OBJECT.match(head))


def from_object(content: Content, place: Place) -> Iterator[Part]:
    """An object with its header, as git keeps each by itself."""
    head = bytes(content[:64])
    found = _OBJECT.match(head)
    assert found is not None
    yield from _texts(found.group(1), bytes(content[found.end() :]), place)


def _texts(kind: bytes, body: bytes, place: Place) -> Iterator[Part]:
    if kind == b"tree":
        names, at = [], 0
        while at < len(body):
            end = body.index(b"\0", at)
            names.append(body[at:end].decode("utf-8", "replace"))
            at = end + 1 + _DIGEST
        yield place.text("\n".join(names))
    elif kind == b"blob":
        yield from place.within().parts(body)
    else:
        yield place.text(body.decode("utf-8", "replace"))


def is_checked(content: Content) -> bool:
    """An index of git: of a known kind, and its checksum is right."""
    if len(content) < 2 * _DIGEST or not bytes(content[:4]).startswith(_CHECKED):
        return False
    view = memoryview(content)
    try:
        return hashlib.sha1(view[:-_DIGEST], usedforsecurity=False).digest() == bytes(view[-_DIGEST:])
    finally:
        view.release()


def from_checked(content: Content, place: Place) -> Iterator[Part]:
    yield from raw_texts(content, place)


def from_bundle(content: Content, place: Place) -> Iterator[Part]:
    start = content.find(b"\n\nPACK")
    if start < 0:
        yield from place.blind("a git bundle without a pack")
        return
    yield place.text(bytes(content[:start]).decode("utf-8", "replace"))
    yield from from_pack(bytes(content[start + 2 :]), place)


class _Entry(NamedTuple):
    kind: int
    base: int | bytes | None
    """Where the object is that this one is a change of, or its name."""
    start: int
    """Of the compressed bytes."""


class _Pack:
    def __init__(self, content: Content, place: Place) -> None:
        self.content, self.place = content, place
        self.entries: dict[int, _Entry] = {}
        self.by_name: dict[bytes, int] = {}
        self._kept: OrderedDict[int, tuple[bytes, bytes]] = OrderedDict()
        self._size = 0
        self.end = 12

    def read_entries(self) -> None:
        for _ in range(struct.unpack(">I", self.content[8:12])[0]):
            at = self.end
            entry = self._header(at)
            self.entries[at] = entry
            unpacker, place = zlib.decompressobj(), entry.start
            while not unpacker.eof:
                piece = bytes(self.content[place : place + _PIECE])
                if not piece:
                    raise EOFError
                unpacker.decompress(piece)
                place += len(piece)
            self.end = place - len(unpacker.unused_data)

    def _header(self, at: int) -> _Entry:
        byte = self.content[at]
        kind, at = byte >> 4 & 7, at + 1
        while byte & 0x80:
            byte, at = self.content[at], at + 1
        if kind == _BY_NAME:
            return _Entry(kind, bytes(self.content[at : at + _DIGEST]), at + _DIGEST)
        if kind != _BY_OFFSET:
            return _Entry(kind, None, at)
        start, back = self.end, 0
        while True:
            byte, at = self.content[at], at + 1
            back = back << 7 | byte & 0x7F
            if not byte & 0x80:
                return _Entry(kind, start - back, at)
            back += 1

    def object_at(self, at: int) -> tuple[bytes, bytes]:
        """Its kind and its content."""
        chain = []
        while at not in self._kept:
            entry = self.entries[at]
            chain.append((at, entry))
            if entry.base is None:
                break
            at = entry.base if isinstance(entry.base, int) else self.by_name[entry.base]
        kind, body = self._kept.get(at, (b"", b""))
        for place, entry in reversed(chain):
            raw = self._inflated(entry.start)
            kind, body = (_KINDS[entry.kind], raw) if entry.base is None else (kind, _changed(body, raw))
            self.place.budget.spend(len(body))
            self._keep(place, kind, body)
        return kind, body

    def _inflated(self, start: int) -> bytes:
        unpacker, pieces = zlib.decompressobj(), []
        while not unpacker.eof:
            pieces.append(unpacker.decompress(bytes(self.content[start : start + _PIECE])))
            start += _PIECE
        return b"".join(pieces)

    def _keep(self, at: int, kind: bytes, body: bytes) -> None:
        self._kept[at] = kind, body
        self._size += len(body)
        while self._size > _CACHED and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1][1])


def _changed(base: bytes, delta: bytes) -> bytes:
    """`base` after the copies and insertions of a delta."""
    at = 0
    for _ in range(2):  # the sizes before and after
        while delta[at] & 0x80:
            at += 1
        at += 1
    pieces = []
    while at < len(delta):
        order, at = delta[at], at + 1
        if not order & 0x80:
            pieces.append(delta[at : at + order])
            at += order
            continue
        numbers = []
        for bits in (range(4), range(4, 7)):
            number = 0
            for place, bit in enumerate(bits):
                if order >> bit & 1:
                    number |= delta[at] << 8 * place
                    at += 1
            numbers.append(number)
        start, size = numbers[0], numbers[1] or 0x10000
        pieces.append(base[start : start + size])
    return b"".join(pieces)


def from_pack(content: Content, place: Place) -> Iterator[Part]:
    pack = _Pack(content, place)
    pack.read_entries()
    waiting = list(pack.entries)
    while waiting:
        later = []
        for at in waiting:
            try:
                kind, body = pack.object_at(at)
            except KeyError:  # a change of an object that is named, and comes later or is elsewhere
                later.append(at)
                continue
            name = hashlib.sha1(b"%b %d\0%b" % (kind, len(body), body), usedforsecurity=False).digest()
            pack.by_name[name] = at
            yield from _texts(kind, body, place)
        if len(later) == len(waiting):
            yield from place.blind("a git pack with changes of objects that are not in it")
            return
        waiting = later
    yield from rest(content, pack.end + _DIGEST, place)
