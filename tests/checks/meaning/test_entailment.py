from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from otherwords.checks import meaning, vet
from otherwords.checks.meaning import EntailmentCheck, make_check
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.types import Item, Variant, original, variant_id

PAIRS = [
    ("a man eats bread", "the man eats"),
    ("it rains here", "no"),
    ("the sky is blue", "the sky is blue"),
]
ITEM = Item("i", "a man eats bread", (), ())


def said(text: str, kind: str = "llm") -> Variant:
    return replace(original(ITEM), id=variant_id("i", "v"), name="v", kind=kind, prompt=text)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("bert", [0.482527, 0.544922, 0.471696]), ("roberta", [0.527793, 0.666939, 0.594638])],
)
def test_it_computes_what_transformers_computes(
    tiny_model: Callable[..., Path], kind: str, expected: list[float]
) -> None:
    """The numbers are those of the library `transformers` for the same weights."""
    classifier = EntailmentCheck(str(tiny_model(kind))).encoder
    assert classifier.entailment(PAIRS) == pytest.approx(expected, abs=2e-6)


def test_a_text_has_the_same_value_alone_and_beside_a_longer_one(tiny_model: Callable[..., Path]) -> None:
    classifier = EntailmentCheck(str(tiny_model())).encoder
    together = classifier.entailment(PAIRS)
    alone = [classifier.entailment([pair])[0] for pair in PAIRS]
    assert together == pytest.approx(alone, abs=1e-6)


def test_a_text_longer_than_the_model_reads_is_cut(tiny_model: Callable[..., Path]) -> None:
    assert (
        0 < EntailmentCheck(str(tiny_model())).encoder.entailment([("a man " * 50, "it rains " * 50)])[0] < 1
    )


@pytest.mark.parametrize(("floor", "verdict"), [(0.0, "pass"), (0.99, "flag")])
def test_below_the_floor_it_is_for_a_judge(
    tiny_model: Callable[..., Path], floor: float, verdict: str
) -> None:
    folder = tiny_model()
    check = make_check(f"entailment={folder},floor={floor}")
    assert check.settings() == {"model": str(folder), "floor": floor}
    forth, back = EntailmentCheck(str(folder)).encoder.entailment(
        [("a man eats bread", "bread eats"), ("bread eats", "a man eats bread")]
    )
    told = f"follows from the original {forth:.2f}, the original from it {back:.2f}"
    [found] = check.judge([(ITEM, said("bread eats"))])
    assert (found.status, found.reason) == (
        verdict,
        told if verdict == "pass" else f"{told}; the floor is 0.99",
    )


def test_what_surely_does_not_follow_is_refused(
    tiny_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    check = EntailmentCheck(str(tiny_model()))
    sure = iter([[0.9], [0.04]])
    monkeypatch.setattr(check.encoder, "entailment", lambda pairs: next(sure))
    [found] = check.judge([(ITEM, said("bread eats"))])
    assert (found.status, found.reason) == (
        "fail",
        "follows from the original 0.90, the original from it 0.04; the floor is 0.50",
    )


def test_controls_are_not_judged(tiny_model: Callable[..., Path]) -> None:
    [one] = vet(ITEM, [said("no", "control")], [make_check(f"entailment={tiny_model()}")])
    assert one.checks[-1] == ("entailment", "not_applicable", "a control changes the meaning on purpose")


def test_another_kind_of_model_is_refused(tiny_model: Callable[..., Path]) -> None:
    folder = tiny_model("bert", model_type="deberta-v2")
    with pytest.raises(InputError) as caught:
        _ = EntailmentCheck(str(folder)).encoder
    assert str(caught.value) == (
        f"{folder}: a model of type 'deberta-v2' (gelu, absolute positions) cannot be run\n"
        "Types that can be run: bert, roberta, xlm-roberta, with gelu and absolute positions."
    )


def test_a_model_with_other_labels_is_refused(tiny_model: Callable[..., Path]) -> None:
    folder = tiny_model("bert", id2label={"0": "toxic", "1": "fine"})
    with pytest.raises(InputError) as caught:
        EntailmentCheck(str(folder)).encoder.entailment(PAIRS)
    assert str(caught.value) == f"{folder}: no model for the check 'entailment': its labels are toxic, fine"


def test_incomplete_folders_are_refused(tiny_model: Callable[..., Path], tmp_path: Path) -> None:
    folder = tiny_model()
    (folder / "model.safetensors").unlink()
    with pytest.raises(InputError) as caught:
        _ = EntailmentCheck(str(folder)).encoder
    assert str(caught.value) == f"{folder}: no complete model in this folder: model.safetensors is missing"
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError) as caught:
        _ = EntailmentCheck(str(empty)).encoder
    assert str(caught.value) == f"{empty}: no complete model in this folder: config.json is missing"
    with pytest.raises(InputError) as caught:
        _ = EntailmentCheck(str(tmp_path / "nowhere")).encoder
    assert str(caught.value) == f"{tmp_path / 'nowhere'}: no folder with a model for the check 'entailment'"


def test_absent_packages_are_named_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "find_spec", lambda name: None)
    check = make_check("entailment")
    with pytest.raises(MissingDependencyError) as caught:
        check.judge([(ITEM, said("no"))])
    assert str(caught.value) == (
        "The check 'entailment' needs tokenizers and safetensors.\n"
        "Install it with: pip install 'otherwords[entailment]'"
    )


def test_a_model_that_cannot_be_fetched_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def offline(*_: object, **__: object) -> str:
        raise OSError("no network")

    monkeypatch.setattr(hub, "snapshot_download", offline)
    with pytest.raises(InputError) as caught:
        make_check("entailment=someone/some-model").judge([(ITEM, said("no"))])
    assert str(caught.value) == (
        "The model 'someone/some-model' of the check 'entailment' is not here"
        " and could not be fetched (OSError).\n"
        "Give the folder where it is instead of its name."
    )
