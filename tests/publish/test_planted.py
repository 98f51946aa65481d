"""What is planted is found, in each way of writing and container; what is harmless is not flagged."""

from __future__ import annotations

import base64
import gzip
import io
import os
import random
import shutil
import subprocess
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from planted import FRAGMENTS, KEY, NOT_OF_OPTIONS, NOT_OF_SHORT, OPTION, SECRET, STEM, WRITINGS
from planted_files import CONTAINERS, PACKED, jpeg, pdf, png, sqlite, webp, zipped

from otherwords.publish import TextPatterns, scan
from otherwords.publish.file_parts import parts_of
from otherwords.publish.search import CANNOT_VOUCH, find_in

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def patterns() -> TextPatterns:
    made = TextPatterns()
    made.add("stem", STEM, 1)
    made.add("option", OPTION, 1)
    made.add("secret", SECRET, 2)
    return made


PATTERNS = patterns()


def kinds(content: bytes) -> set[str]:
    return {kind for kind, _, _ in find_in(content, PATTERNS)}


def cases() -> Iterator[tuple[str, str, str]]:
    """Every way of writing a stem in five containers, every fragment in every container, and as a text."""
    for writing in WRITINGS:
        for container in ("a.txt", "a.gz", "nested.zip", "zstd.parquet", "a.pack"):
            yield "stem", writing, container
    for container in CONTAINERS:
        for fragment in FRAGMENTS:
            yield fragment, "as it is", container
    for writing in WRITINGS:
        yield "two words changed", writing, "a.txt"
        yield "eight words", writing, "a.txt"
        if writing not in NOT_OF_OPTIONS:
            yield "option", writing, "a.txt"
        if writing not in NOT_OF_SHORT:
            for fragment in ("secret", "key", "home", "host"):
                yield fragment, writing, "a.txt"


def found(fragment: str, writing: str, container: str) -> bool:
    text, kind = FRAGMENTS[fragment]
    written = f"It is here: {WRITINGS[writing](text)}\nand here it ends.\n"
    return kind in kinds(CONTAINERS[container](written.encode()))


def test_everything_that_was_planted_is_found() -> None:
    every = sorted(set(cases()))
    assert len(every) > 1000
    assert [case for case in every if not found(*case)] == []


HARMLESS = (
    "id,variant,score\nitem-0123456789abcdef,orig,1.0\nitem-fedcba9876543210,para1,0.0\n",
    "Rewording costs it 3.1 points of accuracy (95% interval 0.4 to 5.8); n = 120 items. It was grey.",
    '{"task": "capitals", "scores": {"match": {"value": "C", "answer": null}}, "epoch": 1, "time": 1.2}',
    "Copyright (c) 2026. Permission is hereby granted, free of charge, to any person obtaining a copy",
    "def median(values: list[float]) -> float:\n    return sorted(values)[len(values) // 2]\n",
)


def harmless() -> Iterator[tuple[str, bytes]]:
    for container, made in CONTAINERS.items():
        for number, text in enumerate(HARMLESS):
            yield f"{container} with text {number}", made(text.encode())
    for writing, written in WRITINGS.items():
        yield writing, written(HARMLESS[1]).encode()
    for path in sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "src/otherwords/report").glob("*.py")]):
        yield path.name, path.read_bytes()[:8000]


def test_harmless_files_are_not_flagged() -> None:
    every = list(harmless())
    assert len(every) > 400
    flagged = {name: kinds(content) for name, content in every}
    assert {name: found for name, found in flagged.items() if found} == {}


def encrypted_zip() -> bytes:
    content = bytearray(zipped(b"fine", method=zipfile.ZIP_STORED))
    for signature, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        content[content.index(signature) + offset] |= 1
    return bytes(content)


RANDOM = random.Random(7).randbytes(4096)
UNREADABLE = {
    "random bytes": RANDOM,
    "random bytes in gzip": gzip.compress(RANDOM),
    "random bytes in zip in tar": CONTAINERS["a.tar"](zipped(RANDOM)),
    "random bytes behind a text": b"fine\n" * 100 + RANDOM,
    "random bytes behind a picture": png(tail=RANDOM),
    "random bytes in a private chunk": png(b"prVt", RANDOM),
    "random bytes in a private segment": jpeg(0xE9, RANDOM),
    "random bytes in a private part": webp(b"prvt", RANDOM),
    "random bytes among pixels": png(pixels=b"\0\0" + RANDOM),
    "random bytes in a database": sqlite(RANDOM),
    "random bytes in base64": CONTAINERS["page.html"](RANDOM),
    "random bytes in hex": RANDOM.hex().encode(),
    "random bytes behind gzip": gzip.compress(b"fine") + RANDOM,
    "random bytes between members": zipped(b"fine")[:-22] + RANDOM + zipped(b"fine")[-22:],
    "a password": encrypted_zip(),
    "half a zip": zipped(b"fine" * 100)[:60],
    "half a gzip": gzip.compress(RANDOM)[:2000],
    "half a PDF": pdf("fine")[:200],
    "half a PNG": png()[:50],
    "half a JPEG": jpeg()[:30],
    "half a Parquet": CONTAINERS["a.parquet"](b"fine")[:-20],
    "half an Arrow": CONTAINERS["a.arrow"](b"fine")[:100],
    "half an Avro": CONTAINERS["a.avro"](b"fine")[:-10],
    "half a database": CONTAINERS["a.sqlite"](b"fine")[:5000],
    "half a pack": CONTAINERS["a.pack"](b"fine" * 50)[:60],
    "a sound": b"RIFF\x10\0\0\0WAVEfmt \0\0\0\0" + RANDOM[:8],
    "a 7z archive": b"7z\xbc\xaf\x27\x1c" + RANDOM,
    "a RAR archive": b"Rar!\x1a\x07\x01\x00" + RANDOM,
    "Cyrillic of the nineties": ("Какая гавань была первой перед бурей " * 5).encode("koi8-r"),
}  # fmt: skip


def test_what_cannot_be_read_is_not_vouched_for() -> None:
    found = {name: kinds(content) for name, content in UNREADABLE.items()}
    silent = [name for name, what in found.items() if not any(one.startswith(CANNOT_VOUCH) for one in what)]
    assert silent == []


def test_without_the_package_for_pdf_there_is_no_vouching(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "pypdf", None)
    why = "cannot vouch: a PDF, and the package that reads it is not there (pip install pypdf)"
    assert kinds(pdf("fine")) == {why}


def seconds(unit: str, size: int) -> float:
    """Of the processor, for a text of so many characters."""
    text = (unit * (size // len(unit))).encode()
    start = time.process_time()
    kinds(text)
    return time.process_time() - start


@pytest.mark.parametrize("unit", ["token=", "&amp;", "<a ", "Which harbour did "])
def test_time_grows_with_the_length(unit: str) -> None:
    """In one of five tries: the processor is shared, and where time grows with the square none would do."""
    assert any(seconds(unit, 160_000) < 2.6 * seconds(unit, 80_000) + 0.02 for _ in range(5))


@pytest.mark.slow
def test_twice_the_text_takes_twice_the_time() -> None:
    seconds("token=", 100_000)
    tries = ((seconds("token=", 1_000_000), seconds("token=", 2_000_000)) for _ in range(4))
    assert any(1.4 * one < two < 2.6 * one for one, two in tries)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_all_history_of_a_repository_is_read(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        author = {
            f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        subprocess.run(
            ["git", *arguments], cwd=tmp_path, check=True, capture_output=True, env={**os.environ, **author}
        )

    git("init", "-q", "--template=", ".")
    (tmp_path / "notes.txt").write_text("a line that is fine\n" * 40 + STEM)
    git("add", ".")
    git("commit", "-q", "-m", "first")
    (tmp_path / "notes.txt").write_text("a line that is fine\n" * 41)
    git("commit", "-q", "-a", "-m", "second")
    loose = {one.kind for one in scan(tmp_path, PATTERNS).findings}
    git("gc", "-q", "--aggressive", "--prune=now")
    assert list((tmp_path / ".git/objects/pack").glob("*.pack"))
    packed = {one.kind for one in scan(tmp_path, PATTERNS).findings}
    assert loose == packed == {"stem"}
    other = TextPatterns()
    other.add("stem", "An altogether different question about the price of tea in the colonies?", 1)
    assert scan(tmp_path, other).findings == ()


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tracemalloc

    monkeypatch.setattr("otherwords.publish.file_content.WINDOW", 64 * 1024)
    monkeypatch.setattr("otherwords.publish.file_content.OVERLAP", 1024)
    file = tmp_path / "long.txt"
    line = b"nothing of note was said in the harbour office on that day, or the next\n"
    peaks = []
    for size in (150_000, 600_000):
        file.write_bytes(line * (size // len(line)))
        tracemalloc.start()
        assert scan(file, PATTERNS).findings == ()
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_a_text_across_two_windows_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("otherwords.publish.file_content.WINDOW", 4096)
    monkeypatch.setattr("otherwords.publish.file_content.OVERLAP", 1024)
    for start in (4050, 4090, 8160):
        for encoding in ("utf-8", "utf-16"):
            text = ("x " * 5000)[:start] + STEM + " y" * 3000
            assert kinds(text.encode(encoding)) == {"stem"}


def test_what_is_found_is_not_printed() -> None:
    out = io.StringIO()
    for kind, places, parts in find_in(f"{STEM} {SECRET} {KEY}".encode(), PATTERNS):
        print(kind, places, parts, file=out)
    assert out.getvalue() == "API key () 1\nsecret (2,) 1\nstem (1,) 1\n"


@pytest.mark.parametrize("length", range(600, 606))
def test_a_block_in_a_page_ends_where_it_ends(length: int) -> None:
    """With and without the signs that fill it up."""
    text = base64.b64encode(gzip.compress(HARMLESS[1].encode() * length, mtime=0)).decode()
    assert kinds(f'<script id="data">{text}</script>'.encode()) == set()


@pytest.mark.parametrize("name", PACKED)
def test_a_damaged_file_ends_no_scan(name: str) -> None:
    """Cut short, or with bytes changed: whatever breaks within a reader is told of that file alone."""
    whole, moments = PACKED[name](STEM.encode()), random.Random(name)
    for _ in range(6):
        place = moments.randrange(1, len(whole))
        for damaged in (whole[:place], whole[:place] + moments.randbytes(3) + whole[place + 3 :]):
            assert all(isinstance(part.blind, str) for part in parts_of(damaged))


@pytest.mark.parametrize(
    "content",
    [b"GIF89a\1\0\1\0\0\0\0,", b"\x89PNG\r\n\x1a\n\0\0\0\0IEND\xaeB`\x82"],
    ids=["gif without its picture", "png without its header"],
)
def test_a_picture_that_breaks_its_reader_is_not_vouched_for(content: bytes) -> None:
    assert any(part.blind.startswith("damaged: ") for part in parts_of(content))


def test_a_list_of_numbers_is_not_taken_for_encoded_data() -> None:
    assert kinds(",".join(map(str, range(1000, 9999))).encode()) == set()
