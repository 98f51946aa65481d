"""Broken files, given to every command that reads a file."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

pytestmark = pytest.mark.fuzz

Refused = Callable[..., str]
Command = Callable[..., tuple[int, str, str]]


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def parquet() -> bytes:
    out = io.BytesIO()
    pl.DataFrame({"id": ["q"] * 50, "variant": ["orig"] * 50, "score": [1.0] * 50}).write_parquet(out)
    return out.getvalue()


HEADER = b'{"status": "success", "eval": {"task": "t", "task_id": "1", "model": "m"}}'
DEEP = b"[" * 100_000 + b"]" * 100_000
BROKEN: dict[str, bytes] = {
    "empty": b"",
    "spaces": b" \n\t\r\n \n",
    "only a BOM": b"\xef\xbb\xbf",
    "NUL": b"\0" * 1000,
    "NUL in text": b'{"id": "a\0", "question": "?\0", "answer": "b"}\n',
    "latin-1": "{'id': 'Zürich'}\n".encode("latin-1"),
    "UTF-16": '{"id": "q", "question": "?", "answer": "b"}\n'.encode("utf-16"),
    "UTF-32": '{"id": "q", "question": "?", "answer": "b"}\n'.encode("utf-32"),
    "half a character": b'{"id": "q", "question": "\xe2\x82',
    "lone surrogate": b'{"id": "\\ud800", "question": 3, "answer": "b"}\n',
    "half a line": b'{"id": "q", "question": "Who',
    "no JSON": b"id: q\nquestion: who?\n",
    "a number": b"12",
    "a huge number": b"9" * 5000,
    "a text": b'"text"',
    "null": b"null",
    "an empty list": b"[]",
    "an empty object": b"{}",
    "a list of nulls": b"[null, null]",
    "NaN": b'{"id": "q", "question": NaN, "answer": NaN, "score": NaN, "variant": NaN}\n',
    "infinite": b'{"id": "q", "question": -Infinity, "answer": Infinity, "score": Infinity}\n',
    "1e999": b'{"id": "q", "question": "?", "choices": [1e999, 2], "answer": 1e999, "score": 1e999}\n',
    "huge index": b'{"id": "q", "question": "?", "choices": ["a", "b"], "answer": ' + b"9" * 400 + b"}\n",
    "negative index": b'{"id": "q", "question": "?", "choices": ["a", "b"], "answer": -1}\n',
    "duplicate ids": b'{"id": "q", "question": "?", "answer": "b", "variant": "orig", "score": 1}\n'
    b'{"id": "q", "question": "!", "answer": "b", "variant": "orig", "score": 0}\n',
    "deep list": DEEP,
    "deep object": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
    "deep question": b'{"id": "q", "question": ' + DEEP + b', "answer": "b", "score": 1, "variant": "v"}\n',
    "open quote": b'id,question,answer,variant,score\n"q,who,b,orig,1\n',
    "ragged": b"id,question,answer,variant,score\nq,who\n",
    "only a header": b"id,question,answer,variant,score\n",
    "same column twice": b"id,id,question,answer,variant,score\nq,q,who,b,orig,1\n",
    "score of 2": b"id,variant,score\nq,orig,2\n",
    "score in words": b"id,variant,score\nq,orig,good\n",
    "a picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "PAR1 and no more": b"PAR1",
    "cut Parquet": parquet()[:-30],
    "Parquet with a hole": parquet()[:60] + b"\xff" * 40 + parquet()[100:],
    "Parquet with a bad end": parquet()[:-12] + b"\xff\xff\xff\x7fPAR1",
    "PK and no more": b"PK\x03\x04",
    "cut zip": zipped({"header.json": HEADER, "summaries.json": b"[]" * 500})[:-40],
    "empty zip": zipped({}),
    "zip of something": zipped({"a.txt": b"hello"}),
    "log without samples": zipped({"header.json": HEADER, "summaries.json": b"null"}),
    "log of lists": zipped({"header.json": b"[]", "summaries.json": b"{}"}),
    "deep header": zipped({"header.json": b'{"eval": ' + DEEP + b"}", "summaries.json": b"[]"}),
    "deep summaries": zipped({"header.json": HEADER, "summaries.json": DEEP}),
    "bomb": zipped({"header.json": HEADER, "summaries.json": b" " * 200_000_000}),
    "control characters": b"\x1b[2J\x07\x1b]0;title\x07" * 20,
    "YAML bomb": b"a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nagents: *c\nbenchmarks: *c\n",
    "YAML object": b"agents: !!python/object/apply:os.system [echo]\nbenchmarks: []\n",
}
DATASET = {
    "vary": ("vary", "{}", "-o", "out.jsonl"),
    "audit": ("audit", "{}", "--json", "out.json"),
    "run": ("run", "{}", "--model", "mockllm/model", "--log-dir", "out"),
    "scan": ("scan", "good.jsonl", "--dataset", "{}"),
}
VARIANTS = {
    "vet": ("vet", "{}"),
    "review": ("review", "{}", "-o", "out.html"),
    "run": ("run", "good.jsonl", "--variants", "{}", "--model", "mockllm/model", "--log-dir", "out"),
    "scan": ("scan", "good.jsonl", "--variants", "{}"),
}
RESULTS = {
    "aggregate": ("aggregate", "--logs", "{}", "--out", "out"),
    "aggregate strictly": ("aggregate", "--logs", "{}", "--out", "out", "--strict"),
    "aggregate publicly": ("aggregate", "--logs", "{}", "--out", "out", "--public"),
    "report": ("report", "{}", "-o", "out"),
    "report as JSON": ("report", "{}", "--json"),
    "report publicly": ("report", "{}", "-o", "out", "--public"),
    "fix": ("fix", "{}"),
    "compare": ("compare", "rows.jsonl", "{}"),
    "check": ("check", "{}", "--min-accuracy", "0.1", "--junit", "out.xml"),
    "check against": ("check", "rows.jsonl", "--baseline", "{}"),
    "plan": ("plan", "--half-width", "0.1", "--pilot", "{}"),
}
OTHERS = {
    "suite": ("run", "--config", "{}"),
    "prices": ("run", "good.jsonl", "--model", "mockllm/model", "--price", "{}", "--log-dir", "out"),
    "audit of a run": ("run", "good.jsonl", "--model", "mockllm/model", "--exclude-ambiguous", "{}"),
}


def filled(arguments: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(part.replace("{}", name) for part in arguments)


def broken(ending: str, folder: Path) -> Iterator[str]:
    """One broken file after the other, under the same name."""
    path = folder / f"broken{ending}"
    for what, content in BROKEN.items():
        path.write_bytes(content)
        yield what
    path.unlink()


@pytest.mark.parametrize("ending", [".jsonl", ".json", ".csv"])
@pytest.mark.parametrize("name", DATASET)
def test_datasets(name: str, ending: str, refused: Refused, tmp_path: Path) -> None:
    for what in broken(ending, tmp_path):
        if (name, ending, what) == ("audit", ".jsonl", "negative index"):
            continue  # this an audit is there to find
        said = refused(*filled(DATASET[name], f"broken{ending}"))
        assert f"broken{ending}" in said, what


@pytest.mark.parametrize("name", VARIANTS)
def test_variants(name: str, refused: Refused, tmp_path: Path) -> None:
    for what in broken(".jsonl", tmp_path):
        assert "broken.jsonl" in refused(*filled(VARIANTS[name], "broken.jsonl")), what


@pytest.mark.parametrize("ending", ["", ".eval"])
@pytest.mark.parametrize("name", RESULTS)
def test_results(name: str, ending: str, refused: Refused, tmp_path: Path) -> None:
    for what in broken(ending, tmp_path):
        assert f"broken{ending}" in refused(*filled(RESULTS[name], f"broken{ending}")), what


@pytest.mark.parametrize("name", OTHERS)
def test_other_files(name: str, refused: Refused, tmp_path: Path) -> None:
    for what in broken(".yaml", tmp_path):
        assert "broken.yaml" in refused(*filled(OTHERS[name], "broken.yaml")), what


EVERY = {**DATASET, **VARIANTS, **RESULTS, **OTHERS}


@pytest.mark.parametrize("name", EVERY)
def test_what_is_no_file(name: str, refused: Refused, tmp_path: Path) -> None:
    ending = ".yaml" if name in OTHERS else ".jsonl"
    (tmp_path / f"folder{ending}").mkdir()
    os.mkfifo(tmp_path / f"pipe{ending}")
    (tmp_path / f"loop{ending}").symlink_to(tmp_path / f"loop{ending}")
    (tmp_path / f"dangling{ending}").symlink_to(tmp_path / "nowhere")
    for kind in ("folder", "pipe", "loop", "dangling", "missing"):
        refused(*filled(EVERY[name], f"{kind}{ending}"))
    refused(*filled(EVERY[name], f"{'x' * 300}{ending}"))


@pytest.mark.parametrize("name", EVERY)
def test_files_that_cannot_be_read(name: str, refused: Refused, tmp_path: Path) -> None:
    """Permissions do not bind root; a process's memory cannot be read from its start by anyone."""
    closed = tmp_path / f"closed{'.yaml' if name in OTHERS else '.jsonl'}"
    if os.geteuid() == 0:
        closed.symlink_to("/proc/self/mem")
    else:
        closed.write_text("{}")
        closed.chmod(0)
    refused(*filled(EVERY[name], closed.name))


HARMLESS = {
    "BOM": lambda text: b"\xef\xbb\xbf" + text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "no last newline": lambda text: text.rstrip(b"\n"),
    "blank lines": lambda text: text.replace(b"\n", b"\n\n\n"),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_does_no_harm(name: str, command: Command, tmp_path: Path) -> None:
    change = HARMLESS[name]
    for good in ("good.jsonl", "rows.jsonl"):
        path = tmp_path / good
        path.write_bytes(change(path.read_bytes()))
    assert command("vary", "good.jsonl", "-o", "v.jsonl")[0] == 0
    assert command("audit", "good.jsonl")[0] == 0
    assert command("aggregate", "--logs", "rows.jsonl", "--out", "out")[0] == 0
    assert pl.read_parquet("out/outcomes.parquet").height == 4
    table = Path("out/outcomes.csv")
    table.write_bytes(change(table.read_bytes()))
    assert command("aggregate", "--logs", "out/outcomes.csv", "--out", "again")[0] == 0
    assert pl.read_parquet("again/outcomes.parquet").height == 4
    if name in ("BOM", "CRLF"):
        frozen = Path("v.jsonl")
        frozen.write_bytes(change(frozen.read_bytes()))
        assert command("vet", "v.jsonl", "-o", "w.jsonl")[0] == 0


LONG = 100 * 1024**2


@pytest.mark.parametrize("name", ["vary", "audit", "vet", "aggregate", "report", "scan variants", "suite"])
def test_a_line_of_100_megabytes(name: str, refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "long.yaml" if name == "suite" else tmp_path / "long.jsonl"
    with path.open("wb") as file:  # a hole in the file: nothing but zeros, and nothing on the disk
        file.write(b'{"id": "q", "question": "')
        file.truncate(LONG)
    arguments = {
        "vary": DATASET["vary"],
        "audit": DATASET["audit"],
        "vet": VARIANTS["vet"],
        "aggregate": RESULTS["aggregate"],
        "report": RESULTS["report"],
        "scan variants": VARIANTS["scan"],
        "suite": OTHERS["suite"],
    }[name]
    refused(*filled(arguments, path.name))


def test_a_question_of_100_megabytes_is_refused_at_once(tmp_path: Path) -> None:
    from otherwords.core.errors import InputError
    from otherwords.items import load_items

    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"question": "x" * LONG, "answer": "y"}))
    with pytest.raises(InputError, match=r"is too long: .* and an item may have 1,000,000"):
        load_items(path)


def test_a_root_holds_for_every_command(refused: Refused, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.jsonl").symlink_to(tmp_path / "good.jsonl")
    (inside / "rows.jsonl").symlink_to(tmp_path / "rows.jsonl")
    for named in ("good.jsonl", "inside/../good.jsonl", "inside/link.jsonl"):
        assert "out of the root" in refused("--root", "inside", *filled(DATASET["vary"], named))
    for arguments in (RESULTS["aggregate"], RESULTS["report"], RESULTS["fix"]):
        assert "out of the root" in refused("--root", "inside", *filled(arguments, "inside"))
    (inside / "mine.jsonl").write_text((tmp_path / "good.jsonl").read_text())
    said = refused("--root", "inside", "vary", "inside/mine.jsonl", "-o", "out.jsonl")
    assert said.startswith("Error: out.jsonl: is out of the root ")
