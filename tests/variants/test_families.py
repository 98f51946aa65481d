"""What must hold for every family, also for one that somebody else brings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.checks import vet
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import STYLES
from otherwords.core.registry import FAMILIES
from otherwords.core.types import Item, Message, Variant, varied_text
from otherwords.english.spans import span_texts
from otherwords.variants.base import RULE_FAMILIES, default_k, make_candidates

CODE = "```python\ndef f(x):\n    y  = x +1\n\n    return y  # The result?\n```"
TABLE = "| city  | people |\n|---|---|\n| Rome | 3,000 |"
QUOTED = "> You should not go.\n> Please  wait."
LISTED = "- the first thing\n- You, your  people"
DATA = (CODE, TABLE, QUOTED, LISTED)
BEFORE = "You are given some data, because people asked about it."
ASKED = "Which of these is the largest number that the code returns?"
LONG = "\n\n".join([BEFORE, *DATA, ASKED])
APART = f"What does this code return for 2 + 3?\n\n{CODE}"


def families() -> list[str]:
    """Those that compute; a family that asks a model has tests of its own."""
    return [name for name, family in FAMILIES if not hasattr(family, "candidates_many")]


def candidates(item: Item, name: str, *, k: int = 20, seed: int = 1) -> list[Variant]:
    return FAMILIES.get(name).candidates(item, k=k, seed=seed)


def texts(variant: Variant) -> list[str]:
    prompt = variant.prompt
    return [prompt] if isinstance(prompt, str) else [turn.content for turn in prompt]


def test_all_families_are_registered() -> None:
    assert set(RULE_FAMILIES) <= set(families())
    assert (
        "paraphrase",
        "format",
        "options",
        "naturalistic",
        *STYLES,
        "position",
        "control",
    ) == RULE_FAMILIES


@pytest.mark.parametrize("name", RULE_FAMILIES)
def test_kind_generator_and_id(name: str) -> None:
    item = Item("i", APART, ("six", "seven", "eight"), 0)
    asked = f"{ASKED} What colour is it?" if name == "dialect" else ASKED
    made = candidates(item, name) or candidates(Item("i", asked), name)
    assert made
    for one in made:
        assert (one.kind, one.generator) == (name, f"{name}/{FAMILIES.get(name).version}")
        assert (one.id, one.item_id) == (f"i#{one.name}", "i")
        assert one.change


def prompts(text: str) -> Iterator[Item]:
    yield Item("text", text)
    yield Item("chat", (Message("system", "Be kind."), Message("user", text)))
    yield Item("choices", text, ("one", "two", "three"), 1)


@pytest.mark.parametrize("name", families())
@pytest.mark.parametrize("text", [LONG, APART, f"{ASKED}\n\n{CODE}", f"{QUOTED}\n\n{BEFORE}\n\n{LISTED}"])
def test_lines_code_lists_tables_and_quotations_come_back_unchanged(name: str, text: str) -> None:
    blocks = [block for block in DATA if block in text]
    for item in prompts(text):
        for one in candidates(item, name):
            said = texts(one)
            for block in blocks:
                assert sum(part.count(block) for part in said) == 1, one.name
            if name != "position":
                lines = varied_text(one.prompt).split("\n")
                added = len(lines) - len(text.split("\n"))
                assert 0 <= added <= 2, one.name  # a title or a preamble before the first line
                unchanged = [
                    old == new for old, new in zip(text.split("\n"), lines[added:], strict=True) if old
                ]
                assert sum(unchanged) >= len(unchanged) - 2, one.name


def test_the_long_prompt_is_within_reach() -> None:
    """The test above would say nothing of a family that makes nothing."""
    made = {name: {one.name for one in candidates(Item("1", LONG), name)} for name in families()}
    assert {"typo", "chat"} <= made["naturalistic"]
    assert {"pert:preamble", "pert:case", "pert:markdown"} <= made["format"]
    assert made["control"] == {"control:antonym", "control:negate"}
    assert len(candidates(Item("1", APART), "position")) == 2
    assert len(candidates(Item("1", LONG, ("one", "two", "three"), 1), "options")) == 2


PIECES = st.sampled_from(
    [
        "What is the capital of France?",
        "Which of the following is the most likely cause?",
        "Which of these is not a mammal?",
        "Please compute the sum, because people asked for it.",
        "Tom has 3 boxes with 12 eggs each.",
        "How many eggs does he have?",
        "It  weighs -2.5 kg,and costs $1,000.50.",
        "Do NOT use `x  = 1` or {name}, you know.",
        'He said "I have  a dream" at 10:30 am.',
        "See https://example.org/a?b=c or /etc/hosts.",
        "Balance KMnO4 + H2O; solve 3x²−4x = 0.",
        "Sort these: pear, fig, nut and 7.",
        "Sort these:\n- pear\n- fig",
        "Question: Who wrote **Hamlet**?",
        CODE,
        TABLE,
        QUOTED,
        "A. red\nB. blue",
        "(1) red\n(2) blue",
        "<text>\nYou came.\n</text>",
        "    indented  code",
        "name,age\nTom,3",
        "",
    ]
)
PROMPTS = st.one_of(
    st.lists(st.tuples(PIECES, st.sampled_from([" ", "\n", "\n\n", "  "])), min_size=1, max_size=6).map(
        lambda parts: "".join(piece + gap for piece, gap in parts)
    ),
    st.text(max_size=80),
)


@pytest.mark.slow
@settings(max_examples=120, deadline=None)
@given(PROMPTS, st.integers(0, 2**60), st.sampled_from(["36", "", "42"]))
def test_no_family_makes_a_no_op_a_twin_or_a_broken_span(text: str, seed: int, right: str) -> None:
    for item in (
        Item("1", text, (), (right,) if right else ()),
        Item("1", text, ("an elm", "an oak", "a fir"), 2),
    ):
        made = [one for name in families() for one in candidates(item, name, seed=seed)]
        seen = [(one.prompt, one.choices) for one in made]
        assert (item.prompt, item.choices) not in seen
        assert len({one.name for one in made}) == len(made)
        for one in made:
            if one.kind == "voice":  # which says numbers in words
                pass
            elif one.kind != "control":
                before, after = compared_texts(item, one)
                assert span_texts(before) == span_texts(after), one.name
            elif one.name != "control:number":
                was, now = (Counter(span_texts(varied_text(one.prompt))) for one in (item, one))
                assert set(was - now) <= {"NOT"}
                assert not now - was


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(PROMPTS, st.integers(0, 2**60))
def test_the_same_seed_makes_the_same(text: str, seed: int) -> None:
    item = Item("1", text, ("an elm", "an oak", "a fir"), 2)
    for name in families():
        assert candidates(item, name, seed=seed) == candidates(item, name, seed=seed)


@pytest.mark.parametrize(
    "text",
    [
        LONG,
        APART,
        "What is the capital of France?",
        "Which planet is the largest in the solar system?",
        "Please explain why you should wash your hands, because people often forget.",
        "Which of these is a noble gas?\nA. Oxygen\nB. Neon\nC. Iron",
        "Sort these numbers in ascending order: 5, 2, 9 and 1.",
        "Sort these words:\n- pear\n- fig",
        "The mill stood by the river. In spring it flooded.\n\nQuestion: When did the mill flood?",
        "Tom has 3 boxes with 12 eggs each. How many eggs does he have?",
    ],
)
def test_the_checks_accept_what_the_families_make(text: str) -> None:
    names = [name for name in RULE_FAMILIES if name != "paraphrase"]
    for item in (Item("1", text, ("an elm", "an oak", "a fir"), 2), Item("1", text, (), ("36",))):
        refused = [one.failures for one in vet(item, make_candidates(item, names, k=40)) if not one.accepted]
        assert refused == []


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_k_takes_the_first(k: int) -> None:
    for item in prompts(LONG):
        for name in families():
            assert candidates(item, name, k=k) == candidates(item, name, k=20)[:k]


def test_without_k_every_family_that_was_asked_for_is_reached() -> None:
    item = Item("1", f"Which of these is a mammal?\n\n{TABLE}", ("cod", "cow", "crow"), 1)
    assert default_k(RULE_FAMILIES) == 24
    made = make_candidates(item, RULE_FAMILIES)
    assert {one.kind for one in made} == {"orig", *RULE_FAMILIES} - {"voice", "dialect"}  # for other prompts
    assert len(made) <= 25
    assert [one.kind for one in make_candidates(item, RULE_FAMILIES, k=3)[1:]] == list(RULE_FAMILIES[:3])


PLUGIN = """
from otherwords.core.types import varied_text
from otherwords.variants.base import reworded

class Shout:
    name, version = "shout", 7

    def candidates(self, item, *, k, seed):
        text = varied_text(item.prompt) + "!"
        return [reworded(item, text, name="shout", family=self, change="shout")][:k]

SHOUT = Shout()
"""
ASK_IT = """
import json
from otherwords.core.types import Item
from otherwords.core.registry import FAMILIES
from otherwords.variants.base import make_candidates

made = make_candidates(Item("1", "Who wrote Hamlet?"), ["format", "shout"], k=2)
shown = [[one.name, one.kind, one.generator, one.prompt] for one in made[1:]]
print(json.dumps([FAMILIES.names()[-1], shown]))
"""


@pytest.mark.slow
def test_a_package_brings_its_own_family_by_entry_point(tmp_path: Path) -> None:
    (tmp_path / "shouting.py").write_text(PLUGIN)
    about = tmp_path / "shouting-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[otherwords.variants]\nshout = shouting:SHOUT\n")
    started = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{ASK_IT}"
    done = subprocess.run([sys.executable, "-c", started], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [
        "shout",
        [
            ["pert:punct", "format", "format/2", "Who wrote Hamlet."],
            ["shout", "shout", "shout/7", "Who wrote Hamlet?!"],
        ],
    ]
