from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from otherwords.audit import audit_json, findings, read_audit
from otherwords.audit.result import GATES
from otherwords.core.errors import InputError
from otherwords.core.types import Item
from otherwords.pipeline.audit import audit_dataset, run_ambiguity_audit

RECORDS = [
    {"id": "q1", "choices": ["Yes", "No", "Maybe"]},
    {"id": "q2", "choices": ["All of the above", "Iron", "Copper"]},
    {"id": "q3", "choices": ["Good option", "Bad option", "Neutral option"]},
    {"choices": ["same", "Same."]},
    {"id": "q5", "question": "Who?", "answer": "me"},
]


def test_records_with_choices_alone_will_do() -> None:
    audit = audit_dataset(RECORDS, name="quiz")
    assert [(one.id, one.label) for one in audit.decisions] == [
        ("q1", "ambiguous"),
        ("q2", "ambiguous"),
        ("q3", "clean"),
        ("item-4", "unanswerable"),
    ]
    assert audit.labels == {"clean": 1, "ambiguous": 2, "unanswerable": 1}
    assert audit.without_options == 1
    assert list(audit.flagged) == ["q1", "q2", "item-4"]
    assert [one.id for one in audit.worst(2)] == ["item-4", "q1"]
    assert audit.position is None


def test_it_has_another_name() -> None:
    assert run_ambiguity_audit(RECORDS, name="quiz") == audit_dataset(RECORDS, name="quiz")


def test_a_file_will_do(tmp_path: Path) -> None:
    path = tmp_path / "my quiz.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    audit = audit_dataset(path)
    assert audit.name == "my_quiz"
    assert audit.labels == {"clean": 1, "ambiguous": 2, "unanswerable": 1}


def test_the_question_is_never_read_for_a_label() -> None:
    plain = [Item("a", "Which?", ("Paris", "Rome"), 0)]
    strange = [Item("a", "All of the above? Yes, no, 10.0, 10.01", ("Paris", "Rome"), 0)]
    assert audit_dataset(plain).decisions == audit_dataset(strange).decisions


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        (["text"], "expected items or records with choices, got str"),
        (
            [{"id": "x"}],
            "item 'x': has neither a question (question, stem, prompt, input, messages) nor choices "
            "(choices, options)",
        ),
        ([{"id": "x", "choices": "abc"}], "item 'x': 'choices' must be a list, got text"),
        (
            [{"id": "x", "choices": ["a", None]}],
            "item 'x': option 2 of 'choices' must be text or a number, got nothing",
        ),
    ],
)
def test_what_is_no_dataset_is_refused(dataset: list[object], said: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        audit_dataset(dataset)  # type: ignore[arg-type]


def quiz(right: int = 1) -> list[Item]:
    options = ("short", "by far the longest of the options", "middle one", "medium x")
    return [
        Item(f"q{n}", f"Question about thing {chr(97 + n % 26) * (n // 26 + 2)}?", options, right)
        for n in range(40)
    ]


def test_findings_in_plain_words() -> None:
    found = dict(findings(audit_dataset(quiz())))
    assert found == {
        "position": "The right answer is A in 0, B in 40, C in 0, D in 0 of 40 items. Evenly spread, B would "
        "have 25% and has 100%: more uneven than chance explains (p < 0.001), and a model that always says B "
        "scores 100%",
        "length": "The right answer is the longest option in 100% (91% to 100%) of 40 items, 25% by chance, "
        "more than by chance; the shortest option in 0% (0% to 9%) of 40 items, 25% by chance",
        "duplicates": "0 items repeat an earlier one, 0 nearly do, of 40 items with a question",
    }


def test_gates_fail_on_what_they_are_named_for() -> None:
    audit = audit_dataset(quiz())
    assert [name for name, why in GATES.items() if why(audit)] == ["position", "length"]
    bad = audit_dataset([quiz(2)[0], quiz(3)[0], Item("bad", "?", ("a",), 0)])
    failed = {name: why(bad) for name, why in GATES.items() if why(bad)}
    assert set(failed) == {"ambiguous", "unanswerable", "duplicates"}
    assert failed["ambiguous"] == "1 of 3 items is not clean"
    assert "1 question has different right answers in different places" in str(failed["duplicates"])


def test_the_file_holds_labels_and_no_text(tmp_path: Path) -> None:
    items = [Item("a\x1b[31m", "secret stem", ("secret option", "Secret option", "thing"), 0)]
    text = audit_json(audit_dataset(items, name="quiz"))
    assert "secret" not in text.lower()
    assert text.isascii()
    path = tmp_path / "audit.json"
    path.write_text(text)
    labels = read_audit(path)
    assert labels.name == "quiz"
    assert labels.decisions["a\x1b[31m"].reasons == ("duplicate_options", "right_answer_twice")
    assert list(labels.flagged) == ["a\x1b[31m"]


GOOD = {"format": "otherwords-audit", "version": 1, "name": "q", "decisions": []}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", ":1: not valid JSON at column 2"),
        ("[]", ": is no audit\nMake it again with `otherwords audit DATASET --json FILE`."),
        (
            json.dumps(GOOD | {"version": 2}),
            ": an audit of format version 2; this otherwords reads version 1\n"
            "Make it again with `otherwords audit DATASET --json FILE`.",
        ),
        (
            json.dumps(GOOD | {"decisions": [{"id": "a", "label": "fine"}]}),
            ", item 'a': the label 'fine' is none of clean, ambiguous, unanswerable\n"
            "Make it again with `otherwords audit DATASET --json FILE`.",
        ),
        (
            json.dumps(GOOD | {"decisions": [{"id": "a", "label": "ambiguous", "reasons": ["<script>"]}]}),
            ", item 'a': has a reason that is not known\n"
            "Make it again with `otherwords audit DATASET --json FILE`.",
        ),
        (
            json.dumps(GOOD | {"decisions": [{"id": "a", "label": "clean"}] * 2}),
            ", item 'a': has two decisions\nMake it again with `otherwords audit DATASET --json FILE`.",
        ),
    ],
)
def test_a_bad_file_is_refused(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "audit.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_audit(path)
    assert str(error.value) == f"{path}{said}"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json: no such file$"):
        read_audit(tmp_path / "absent.json")
