from __future__ import annotations

import json
from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Message, Vetted
from otherwords.variants import VariantsFile, make_candidates, make_header, read_variants, write_variants

ITEMS = [
    Item("1", "Which is a mammal?", ("cod", "cow", "crow"), 1),
    Item("2", (Message("system", "Be brief."), Message("user", "Who wrote Hamlet?")), (), ("Shakespeare",)),
]
AGAIN = "\nMake it again with `otherwords vary`."


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VariantsFile:
    monkeypatch.chdir(tmp_path)
    vetted = [
        Vetted(
            variant,
            (CheckResult("length", "fail" if variant.name == "para2" else "pass", "why"),),
        )
        for item in ITEMS
        for variant in make_candidates(item, k=6)
    ]
    header = make_header(ITEMS, families=["paraphrase", "format", "options"], k=6, seed=3)
    written = write_variants("v.jsonl", vetted, header=header)
    read = read_variants("v.jsonl")
    assert read.header == written
    return read


def refusal(**options: bool) -> str:
    with pytest.raises(InputError) as caught:
        read_variants("v.jsonl", **options)
    return str(caught.value)


def test_what_is_written_is_read(written: VariantsFile) -> None:
    read = read_variants("v.jsonl")
    assert read == written
    assert read.header.generators == ("paraphrase/3", "format/1", "options/2")
    assert "para2" not in {variant.name for variant in read.accepted}
    assert len(read.accepted) == len(read.vetted) - 2
    read.require_match(ITEMS)


def test_lines_can_be_read_by_people_and_tools(written: VariantsFile) -> None:
    first, second, *_ = [
        json.loads(line) for line in Path("v.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (first["format"], first["version"], first["seed"]) == ("otherwords-variants", 1, 3)
    assert (second["id"], second["accepted"], second["prompt"]) == ("1#orig", True, "Which is a mammal?")
    assert second["checks"] == [{"check": "length", "verdict": "pass", "reason": "why"}]


def test_windows_line_ends_change_nothing(written: VariantsFile) -> None:
    path = Path("v.jsonl")
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_variants(path) == written


def test_an_edited_file_is_refused_unless_it_is_to_be_checked_again(written: VariantsFile) -> None:
    path = Path("v.jsonl")
    path.write_text(path.read_text().replace("Who wrote Hamlet", "Who wrote Macbeth"))
    assert refusal() == (
        "v.jsonl: was changed after it was written, so its check results may no longer hold\n"
        "Check it again with `otherwords vet`."
    )
    assert len(read_variants(path, verify=False).vetted) == len(written.vetted)


def test_other_items_are_refused(written: VariantsFile) -> None:
    def against(*items: Item) -> str:
        with pytest.raises(InputError) as caught:
            written.require_match(items)
        return str(caught.value)

    three = Item("3", "Q?", (), ("x",))
    assert against(ITEMS[0]) == "v.jsonl: was made for other items: the items lack '2'" + AGAIN
    assert against(*ITEMS, three) == "v.jsonl: was made for other items: the file lacks '3'" + AGAIN
    assert against(three) == "v.jsonl: was made for other items: the items lack '1' and 1 more" + AGAIN
    assert against(Item("1", "Which is a fish?", ("cod", "cow", "crow"), 0), ITEMS[1]) == (
        "v.jsonl: was made for an earlier wording of these items: a prompt, an option or an answer changed"
        + AGAIN
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "v.jsonl:1: not a variants file: its first line is no header" + AGAIN),
        ('{"id": "1"}\n', "v.jsonl:1: not a variants file: its first line is no header" + AGAIN),
        (
            '{"format": "otherwords-variants", "version": 9}\n',
            "v.jsonl:1: a variants file of format version 9; this otherwords reads version 1" + AGAIN,
        ),
        (
            '{"format": "otherwords-variants", "version": 1}\n',
            "v.jsonl:1: bad header: items_hash: Field required",
        ),
    ],
)
def test_what_is_no_variants_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v.jsonl").write_text(content)
    assert refusal() == message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "v.jsonl:2: not valid JSON at column 2"),
        ("[]", "v.jsonl:2: expected an object with a variant's fields"),
        ('{"id": "1"}', "v.jsonl:2: bad variant: item_id: Field required"),
        ('{"checks": 3}', "v.jsonl:2: bad variant: checks must be a list of objects"),
        ('{"checks": [3]}', "v.jsonl:2: bad variant: checks must be a list of objects"),
    ],
)
def test_broken_lines(written: VariantsFile, line: str, message: str) -> None:
    header = Path("v.jsonl").read_text().splitlines()[0]
    Path("v.jsonl").write_text(f"{header}\n{line}\n")
    assert refusal(verify=False) == message


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal() == "v.jsonl: no such file"
