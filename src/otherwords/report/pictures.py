"""Drawings made into pictures by a second process, while this one writes the rest.

The renderer holds on to the interpreter while it works, and for every letter it opens the font's file, unless
only its own font is there. A process of its own helps with both: it works alongside, and it can be told to
leave the machine's fonts alone, which makes the pictures the same on every machine. Where a drawing has
letters that the renderer's font lacks, the machine's fonts are used.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from otherwords.report.theme import PIXELS, png

_WORKER = """
import struct, sys, vl_convert
read, write = sys.stdin.buffer.read, sys.stdout.buffer.write
while head := read(8):
    image = vl_convert.svg_to_png(read(struct.unpack("<Q", head)[0]).decode(), scale=float(sys.argv[1]))
    write(struct.pack("<Q", len(image)) + image)
"""
_NO_FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir></fontconfig>
"""


class Pictures:
    """Starts at once; `wait` gives the pictures in order."""

    def __init__(self, drawings: Sequence[str]) -> None:
        self._drawings = list(drawings)
        self._folder = tempfile.TemporaryDirectory(prefix="otherwords-")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Pictures:
        folder = Path(self._folder.name)
        given, environment = folder / "drawings", dict(os.environ)
        raw = [drawing.encode() for drawing in self._drawings]
        given.write_bytes(b"".join(struct.pack("<Q", len(one)) + one for one in raw))
        if all(map(_is_covered, self._drawings)):
            conf = folder / "fonts.conf"
            conf.write_text(_NO_FONTS.format(folder=folder / "none"))
            environment["FONTCONFIG_FILE"] = str(conf)
        try:
            with given.open("rb") as stdin, (folder / "pictures").open("wb") as stdout:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-c", _WORKER, str(PIXELS)],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=subprocess.DEVNULL,
                    env=environment,
                )
        except OSError:
            self._process = None
        return self

    def wait(self) -> list[bytes]:
        if self._process is None or self._process.wait() != 0:
            return [png(drawing) for drawing in self._drawings]
        raw, found, place = (Path(self._folder.name) / "pictures").read_bytes(), [], 0
        for _ in self._drawings:
            (size,) = struct.unpack_from("<Q", raw, place)
            found.append(raw[place + 8 : place + 8 + size])
            place += 8 + size
        return found

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()


def _is_covered(drawing: str) -> bool:
    """Whether the renderer's own font has every letter: Latin, Greek, Cyrillic and common signs."""
    if drawing.isascii():
        return True
    return all(
        code < 0x0250 or 0x0370 <= code < 0x0530 or 0x2010 <= code < 0x2027 or code in _SIGNS
        for code in set(map(ord, drawing))
    )


_SIGNS = frozenset(map(ord, "−≥≤→←↑↓≠≈∞√€™⅛"))
