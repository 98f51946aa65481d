from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Decision, Item, Message, Vetted, original, wording_hash
from otherwords.english.parse import EnglishModelError
from otherwords.pipeline.vet import require_match
from otherwords.variants import base
from otherwords.variants.base import make_candidates
from otherwords.variants.file import VariantsFile, add_variants, make_header, read_variants, write_variants

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
    assert read.header.generators == ("paraphrase/4", "format/2", "options/2")
    assert "para2" not in {variant.name for variant in read.accepted}
    assert len(read.accepted) == len(read.vetted) - 2
    require_match(read, ITEMS)


def test_lines_can_be_read_by_people_and_tools(written: VariantsFile) -> None:
    first, second, *_ = [
        json.loads(line) for line in Path("v.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (first["format"], first["version"], first["seed"]) == ("otherwords-variants", 2, 3)
    assert first["language_model"].startswith("en_core_web_sm")
    assert (second["id"], second["accepted"], second["prompt"]) == ("1#orig", True, "Which is a mammal?")
    assert (second["status"], second["decided_by"]) == ("accepted", "invariant")
    assert not {"decision", "judged"} & set(second)
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
            require_match(written, items)
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
            "v.jsonl:1: a variants file of format version 9; this otherwords reads versions 1 to 2" + AGAIN,
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


NO_CHECKS = '{"id": "1#a", "item_id": "1", "name": "a", "kind": "llm", "prompt": "?", "checks": %s}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "v.jsonl:2: bad variant: Invalid JSON: EOF while parsing an object at column 1"),
        ("[]", "v.jsonl:2: bad variant: Input should be an object"),
        ('{"id": "1"}', "v.jsonl:2: bad variant: item_id: Field required"),
        (NO_CHECKS % "3", "v.jsonl:2: bad variant: checks: Input should be a valid array"),
        (NO_CHECKS % '[{"check": "leak"}]', "v.jsonl:2: bad variant: checks.0.verdict: Field required"),
    ],
)
def test_broken_lines(written: VariantsFile, line: str, message: str) -> None:
    header = Path("v.jsonl").read_text().splitlines()[0]
    Path("v.jsonl").write_text(f"{header}\n{line}\n")
    assert refusal(verify=False) == message


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal() == "v.jsonl: no such file"


FLAG = CheckResult("names", "flag", "lost: cow")
JUDGE_SAYS = {
    "same": CheckResult("judge", "pass", "the same in both orders, says the judge"),
    "other": CheckResult("judge", "fail", "not the same, says the judge"),
    "nothing": CheckResult("judge", "flag", "the judge contradicts itself"),
}


def decided(accepted: bool, **fields: str) -> list[Vetted]:
    """The original and a flagged variant that a person decided on."""
    item = ITEMS[0]
    variant = make_candidates(item, ["paraphrase"], k=1)[1]
    shown = {"wording_hash": wording_hash(item, variant), "person": "Ada", "date": "2026-11-02", **fields}
    return [Vetted(original(item), ()), Vetted(variant, (FLAG,), Decision(accepted, **shown))]


def write(vetted: list[Vetted]) -> list[dict[str, object]]:
    header = make_header(ITEMS[:1], families=["paraphrase"], k=1, seed=0)
    write_variants("v.jsonl", vetted, header=header)
    return [json.loads(line) for line in Path("v.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("checks", "status", "decided_by"),
    [
        ((), "accepted", "invariant"),
        ((CheckResult("numbers", "fail", "lost: 3"),), "rejected", "invariant"),
        ((CheckResult("numbers", "fail", "lost: 3"), JUDGE_SAYS["same"]), "rejected", "invariant"),
        ((FLAG,), "undecided", "flag"),
        ((FLAG, JUDGE_SAYS["same"]), "accepted", "judge"),
        ((FLAG, JUDGE_SAYS["other"]), "rejected", "judge"),
        ((FLAG, JUDGE_SAYS["nothing"]), "undecided", "flag"),
    ],
)
def test_the_file_says_which_layer_spoke(
    here: Path, checks: tuple[CheckResult, ...], status: str, decided_by: str
) -> None:
    variant = make_candidates(ITEMS[0], ["paraphrase"], k=1)[1]
    *_, line = write([Vetted(original(ITEMS[0]), ()), Vetted(variant, checks)])
    assert (line["status"], line["decided_by"]) == (status, decided_by)
    assert line["accepted"] == (status == "accepted")
    assert ("judged" in line) == any(check.check == "judge" for check in checks)
    read = read_variants("v.jsonl")
    assert read.vetted[1] == Vetted(variant, checks)
    assert [one.name for one in read.accepted] == ["orig", "para1"][: 1 + (status == "accepted")]


@pytest.mark.parametrize("accepted", [True, False])
def test_the_decision_of_a_person_is_kept(here: Path, accepted: bool) -> None:
    vetted = decided(accepted, note="as good as the original")
    *_, line = write(vetted)
    assert line["decision"] == {
        "accepted": accepted,
        "person": "Ada",
        "date": "2026-11-02",
        "wording_hash": wording_hash(ITEMS[0], vetted[1].variant),
        "note": "as good as the original",
    }
    assert (line["status"], line["decided_by"]) == ("accepted" if accepted else "rejected", "person")
    assert read_variants("v.jsonl").vetted == tuple(vetted)


def forged(**changes: object) -> None:
    """The last line with other fields, under a content hash that fits: as someone would who wants it so."""
    path = Path("v.jsonl")
    first, *others, last = path.read_bytes().splitlines()
    lines = [*others, json.dumps(json.loads(last) | changes, separators=(",", ":")).encode()]
    found = hashlib.sha256(b"\n".join(lines)).hexdigest()[:16]
    header = json.dumps(json.loads(first) | {"content_hash": found}).encode()
    path.write_bytes(b"\n".join([header, *lines]) + b"\n")


def test_a_status_that_contradicts_its_parts_does_not_count(here: Path) -> None:
    variant = make_candidates(ITEMS[0], ["paraphrase"], k=1)[1]
    write([Vetted(original(ITEMS[0]), ()), Vetted(variant, (FLAG,))])
    forged(status="accepted", accepted=True, decided_by="person")
    read = read_variants("v.jsonl").vetted[1]
    assert (read.status, read.accepted, read.decided_by) == ("undecided", False, "flag")


def test_a_decision_on_other_wordings_is_refused(here: Path) -> None:
    write(decided(True))
    forged(prompt="Which one is a fish?")
    assert refusal() == (
        "v.jsonl:3, item '1': the decision of Ada on 'para1' was made of other wordings\n"
        "Check it again with `otherwords vet`."
    )


@pytest.mark.parametrize(
    ("decision", "problem"),
    [
        (3, "decision: Input should be an object"),
        (
            {"accepted": True, "person": "A", "date": "2026-11-02"},
            "decision.wording_hash: Field required",
        ),
        (
            {"accepted": "perhaps", "person": "A", "date": "2026-11-02", "wording_hash": ""},
            "decision.accepted: Input should be a valid boolean",
        ),
        (
            {"accepted": True, "person": "A", "date": "today", "wording_hash": ""},
            "decision: time data 'today' does not match format '%Y-%m-%d'",
        ),
        (
            {"accepted": True, "person": " ", "date": "2026-11-02", "wording_hash": ""},
            "decision: it is not said who decided",
        ),
    ],
)
def test_a_decision_that_cannot_be_read(here: Path, decision: object, problem: str) -> None:
    write(decided(True))
    forged(decision=decision)
    assert refusal() == f"v.jsonl:3: bad variant: {problem}"


def test_a_file_of_format_1_is_read_as_before(here: Path) -> None:
    """What no check refused is accepted; it has neither flags nor decisions."""
    write(decided(False))
    first, *others = Path("v.jsonl").read_text(encoding="utf-8").splitlines()
    header = json.loads(first) | {"version": 1}
    del header["language_model"], header["checks"]
    lines = [json.loads(line) for line in others]
    del lines[1]["decision"]
    lines[1]["checks"] = [{"check": "length", "verdict": "pass", "reason": ""}]
    text = "\n".join(json.dumps(line) for line in lines)
    header["content_hash"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    Path("v.jsonl").write_text(f"{json.dumps(header)}\n{text}\n", encoding="utf-8")
    read = read_variants("v.jsonl")
    assert [one.name for one in read.accepted] == ["orig", "para1"]
    assert [one.decision for one in read.vetted] == [None, None]
    assert (read.header.language_model, read.header.checks) == ("", {})


def test_what_is_added_leaves_the_lines_of_format_1_as_they_are(here: Path) -> None:
    v0_1 = Path(__file__).parents[1] / "pins" / "v0_1" / "made" / "variants.jsonl"
    Path("v.jsonl").write_bytes(v0_1.read_bytes())
    before = read_variants("v.jsonl")
    new = decided(True)
    add_variants("v.jsonl", new, header=before.header, missing=before.missing)
    assert Path("v.jsonl").read_bytes().splitlines()[1:-2] == v0_1.read_bytes().splitlines()[1:]
    read = read_variants("v.jsonl")
    assert read.vetted == (*before.vetted, *new)
    assert json.loads(Path("v.jsonl").read_bytes().splitlines()[0])["version"] == 2


def test_the_language_model_is_named_where_it_was_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def model(*prompts: str) -> str:
        items = [Item(str(number), prompt) for number, prompt in enumerate(prompts)]
        return make_header(items, families=["format"], k=1, seed=0).language_model

    assert model("Who wrote Hamlet?", "Qui a écrit Hamlet ?").startswith("en_core_web_sm")
    assert model("Qui a écrit Hamlet ?") == ""

    def absent() -> str:
        raise EnglishModelError("spaCy")

    monkeypatch.setattr(base, "model_version", absent)
    assert model("Who wrote Hamlet?") == ""
