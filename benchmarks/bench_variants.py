"""Accepted variants a second, side by side with nlpaug (keyboard) and llm-consistency (option order).

    pip install nlpaug llm-consistency
    python benchmarks/bench_variants.py

Ours are rule paraphrases, formats and option orders, each vetted by every hard check; only the accepted ones
count. Theirs are not checked at all. One process, 1,000 questions of about 30 words, of which no sentence
comes twice, in ten rounds in which the libraries take turns; the time is that of the processor. A machine is
faster in one second than in the next, so the ratio is taken in each round, and its median is what counts.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from statistics import mean, median
from typing import NamedTuple, TypeAlias

from otherwords.checks import vet
from otherwords.core.types import Item
from otherwords.variants.base import make_candidates

QUESTIONS = 1_000
PER_QUESTION = 9
"""Three of each family."""
WARM_UP = 20
ROUNDS = 40
OURS = "otherwords, all hard checks"
THINGS = "apples pencils books tickets marbles stamps coins shells cards bricks".split()
TEMPLATES = (  # a made-up name in each sentence
    "{a} has {x} {t} and gives {y} of them to {b}, who already had {z}. After that {b} buys another "
    "box of {x} {t}. How many {t} does {b} have now?",
    "A train leaves {c} at {y}:15 and travels to {d} at an average speed of {x} km/h. The distance "
    "to {d} is {z}0 km, and there are no stops. When does the train arrive in {d}?",
    "A {x}-year-old patient from {c} does not have a fever, but has had a dry cough for {y} weeks. "
    "Which of the following is the most likely cause of the symptoms in {d}?",
    "{a} lives in {c} because it is cheaper than {d}. In {c} the rent is ${x}0 per month, and it is "
    "paid every month. What is the total rent of {a} for {y} years, if it does not change?",
    "In {c}, a shop sells {t} for ${y} each. {a} wants to buy {x} of them but cannot spend more than "
    "${z}0. Explain whether {a} can afford them and how much money is left.",
    "You are planning a trip from {c} to {d} for {x} people. You want to leave {c} on Monday and you "
    "do not want to spend more than ${z}00. Which kind of transport to {d} is the cheapest one?",
    "Write a short report about the museum in {c} that was visited by {x} students. Do not mention "
    "{d}, and make sure that the report has at most {y}0 words and no headings.",
    "The following statement was made by {a} in {c}: all {t} that are older than {x} years are kept "
    "in {d}. Does it follow that the {t} in {c} are younger than {z} years?",
)


def questions() -> list[Item]:
    rng = random.Random(7)
    items = []
    for place in range(QUESTIONS):
        a, b, c, d = [_name(rng) for _ in range(4)]
        x, y, z = rng.randint(12, 90), rng.randint(2, 9), rng.randint(20, 60)
        text = TEMPLATES[place % len(TEMPLATES)]
        stem = text.format(a=a, b=b, c=c, d=d, t=rng.choice(THINGS), x=x, y=y, z=z)
        choices = tuple(f"{rng.choice(THINGS)} {number}" for number in rng.sample(range(100), 4))
        items.append(Item(f"q{place}", stem, choices, place % 4))
    return items


def _name(rng: random.Random) -> str:
    syllables = [rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)]
    return "".join(syllables).capitalize()


def ours(item: Item) -> tuple[int, int]:
    """(made, accepted), without the original."""
    vetted = vet(item, make_candidates(item, k=PER_QUESTION))
    return len(vetted) - 1, sum(one.accepted for one in vetted) - 1


def nlpaug_keyboard() -> Callable[[Item], tuple[int, int]]:
    augmenter = import_module("nlpaug.augmenter.char").KeyboardAug()

    def made(item: Item) -> tuple[int, int]:
        texts = augmenter.augment(item.prompt, n=1)
        return len(texts), len(texts)

    return made


def llm_consistency_reorder() -> Callable[[Item], tuple[int, int]]:
    library = import_module("llm_consistency")
    reorder = library.OptionReorderPerturbation()

    def made(item: Item) -> tuple[int, int]:
        options = tuple(
            library.MCOption(label="ABCD"[place], text=text, is_correct=place == item.target)
            for place, text in enumerate(item.choices)
        )
        variants = reorder.generate_variants(
            library.MCQuestion(id=item.id, stem=item.prompt, options=options)
        )
        return len(variants), len(variants)

    return made


Maker: TypeAlias = "Callable[[Item], tuple[int, int]]"


class Tally(NamedTuple):
    a_second: float
    """Kept variants a second of one core."""
    made: int
    kept: int


def tally(make: Maker, items: Sequence[Item]) -> Tally:
    made = kept = 0
    start = time.process_time()
    for item in items:
        some, good = make(item)
        made, kept = made + some, kept + good
    return Tally(kept / (time.process_time() - start), made, kept)


def rounds(makers: Mapping[str, Maker], items: Sequence[Item]) -> dict[str, list[Tally]]:
    """All of one round see the same questions, one after the other."""
    for make in makers.values():
        tally(make, items[:WARM_UP])
    parts = [items[start::ROUNDS] for start in range(ROUNDS)]
    turns = [{label: tally(make, part) for label, make in makers.items()} for part in parts]
    return {label: [turn[label] for turn in turns] for label in makers}


def main() -> None:
    items = questions()
    words = mean(len(str(item.prompt).split()) for item in items)
    print(f"{len(items)} questions of {words:.0f} words on average, {ROUNDS} rounds")
    makers: dict[str, Maker] = {OURS: ours}
    for library, label, prepare in (
        ("nlpaug", "nlpaug keyboard", nlpaug_keyboard),
        ("llm_consistency", "llm-consistency reorder", llm_consistency_reorder),
    ):
        if find_spec(library) is None:
            print(f"{label:<30} not installed; type: pip install {library.replace('_', '-')}")
        else:
            makers[label] = prepare()
    found = rounds(makers, items)
    own = found.pop(OURS)
    made, kept = sum(one.made for one in own), sum(one.kept for one in own)
    rate = median(one.a_second for one in own)
    print(f"{OURS:<30} {rate:10,.0f} accepted variants/s ({kept} of {made} accepted)")
    for label, others in found.items():
        ratios = sorted(mine.a_second / other.a_second for mine, other in zip(own, others, strict=True))
        rate = median(one.a_second for one in others)
        print(
            f"{label:<30} {rate:10,.0f} unchecked variants/s; ours are {median(ratios):.2f} times as fast"
            f" ({ratios[0]:.2f} to {ratios[-1]:.2f} in the rounds)"
        )


if __name__ == "__main__":
    main()
