"""Prompts in other languages get what needs no language, and never an English frame, label or preamble."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from otherwords import generate_paraphrases, generate_perturbations
from otherwords.checks.reading import compared_texts
from otherwords.core.contract import STYLES
from otherwords.core.registry import FAMILIES, declared_traits
from otherwords.core.types import Item, Variant, variant_id, varied_text
from otherwords.pipeline.templates import vary
from otherwords.variants.base import RULE_FAMILIES, make_candidates
from otherwords.variants.llm import LlmFamily
from otherwords.variants.llm.messages import RULES, Marked, make_request

Scripted = Callable[[str, Callable[[str], str]], str]

PROMPTS = {
    "French": (
        "Quelle est la capitale de la France ?",
        "Résumez le texte suivant en trois phrases.\n\nTexte : Le chat dort sur le canapé depuis ce matin.",
        "Question: Qui a écrit Les Misérables ?\n\nRépondez par oui ou par non.",
        "Classez les villes suivantes : Paris, Lyon, Marseille.",
        "Parmi les suivants, lequel est un mammifère ?\nA. la morue\nB. la vache\nC. le corbeau",
    ),
    "German": (
        "Was ist die Hauptstadt von Österreich?",
        "Wer schrieb den Faust?  Nenne den Autor.",
        "Sortiere die folgenden Wörter:\n- Haus\n- Baum\n- Auto",
        "In welchem Jahr fiel die Berliner Mauer?",
    ),
    "Spanish": (
        "¿Cuál es la capital de España?",
        "Explica la diferencia entre un virus y una bacteria.",
        "¿Quién escribió Don Quijote? Responde con **un solo nombre**.",
    ),
    "Chinese": (
        "法国的首都是哪里？",
        "请用三句话总结下面的文章。\n\n文章：猫在沙发上睡觉。",
        "中国有多少个省?",
    ),
    "Arabic": ("ما هي عاصمة فرنسا؟", "من كتب رواية ثلاثية القاهرة؟ أجب بكلمة واحدة."),
    "Hindi": ("फ्रांस की राजधानी क्या है?", "तीन नदियों के नाम लिखिए।"),
    "mixed": (
        "Quelle est la signification du mot anglais upbringing et comment le traduire ?",
        "Was bedeutet das Wort upbringing auf Deutsch, und wie spricht man es aus?",
        "Was bedeutet der Satz the early bird catches the worm auf Deutsch?",
        "请解释 machine learning 和 deep learning 的区别。",
    ),
    "code only": (
        "```\nx = 1\nprint(x)\n```",
        "`print(3)`",
        "3 + 4 * 5 = ?",
        "🦆🦆🦆?",
        "SELECT name FROM users WHERE id = 3;",
    ),
}
EVERY = [(language, prompt) for language, prompts in PROMPTS.items() for prompt in prompts]
_WORD = re.compile(r"[^\W\d_]+")


def words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


@pytest.mark.parametrize(("language", "prompt"), EVERY)
def test_no_word_comes_in(language: str, prompt: str) -> None:
    for choices, target in (((), ("x",)), (("un", "deux", "trois"), 1)):
        item = Item("i", prompt, choices, target)
        for seed in (0, 1):
            made = make_candidates(item, RULE_FAMILIES, k=60, seed=seed)
            for variant in made[1:]:
                assert variant.kind in ("format", "options"), variant
                assert words(varied_text(variant.prompt)) <= words(prompt), variant.prompt
                assert sorted(variant.choices) == sorted(choices)


@pytest.mark.parametrize(("language", "prompt"), EVERY)
def test_the_functions_for_single_prompts_keep_to_it(language: str, prompt: str) -> None:
    assert [one.name for one in generate_paraphrases(prompt, k=5)] == ["orig"]
    made = generate_perturbations(prompt, ["un", "deux"], 0, k=5)
    assert {one.name for one in made} <= {"orig", "pert:punct", "pert:space", "pert:order_swap"}


def test_what_needs_no_language_is_still_made() -> None:
    def names(prompt: str, *choices: str) -> list[str]:
        item = Item("i", prompt, choices, 0 if choices else ("x",))
        return [one.name for one in make_candidates(item, k=20)[1:]]

    assert names("Was ist die  Hauptstadt von Österreich?", "Wien", "Graz", "Linz") == [
        "pert:punct",
        "pert:order_swap",
        "pert:space",
        "pert:order_shuffle",
    ]
    assert names(PROMPTS["German"][2]) == ["pert:prose"]
    assert names(PROMPTS["French"][4]) == ["pert:enumerator"]
    assert names(PROMPTS["Spanish"][2]) == ["pert:plain"]
    assert names(PROMPTS["Spanish"][0]) == []  # a lone "¿" would be left
    assert names(PROMPTS["Chinese"][0]) == []


@pytest.mark.parametrize(
    ("prompt", "choices", "kept"),
    [
        ("Lequel est un métal ?", ("le fer", "le cuivre", "Toutes les réponses ci-dessus"), [2]),
        ("Welches ist ein Metall?", ("Eisen", "Kupfer", "Alle oben genannten"), [2]),
        ("¿Cuál es un metal?", ("el hierro", "el cobre", "Todas las anteriores"), [2]),
        ("下列哪个是金属？", ("铁", "铜", "以上都是"), [2]),
        ("أي مما يلي معدن؟", ("الحديد", "النحاس", "كل ما سبق"), [2]),
        ("कौन सा धातु है?", ("लोहा", "तांबा", "उपरोक्त सभी"), [2]),
        ("Lequel est un métal ?", ("le fer", "le cuivre", "A et B"), [0, 1, 2]),
        ("Welches ist ein Metall?", ("Eisen", "Kupfer", "nur B"), [0, 1, 2]),
        ("下列哪个是金属？", ("铁", "铜", "A和B"), [0, 1, 2]),
        ("Lequel est un métal ?", ("le fer", "le cuivre", "le bois"), []),
    ],
)
def test_options_that_speak_of_others_stay_where_they_are(
    prompt: str, choices: tuple[str, ...], kept: list[int]
) -> None:
    made = make_candidates(Item("i", prompt, choices, 0), ["options"], k=9)[1:]
    assert bool(made) == (len(kept) < 3)
    assert all(variant.option_order[place] == place for variant in made for place in kept)


def test_the_families_say_for_which_languages_they_are() -> None:
    english = {name for name in RULE_FAMILIES if declared_traits(FAMILIES.get(name)).english_only}
    assert english == {"paraphrase", "naturalistic", *STYLES, "position", "control"}


FRENCH = Item("fr", "Quelle est la capitale de la France ?", (), ("Paris",))
REWORDED = "Quelle ville est la capitale de la France ?"


def test_a_model_is_asked_to_stay_in_the_language_of_the_prompt() -> None:
    request = make_request(Marked(str(FRENCH.prompt)), ["mild", "mild"])
    assert "Write in the language of the text, whatever it is; never translate it" in RULES
    assert str(FRENCH.prompt) in request


@pytest.mark.parametrize(
    ("reply", "status"),
    [('{"same": true}', "accepted"), ('{"same": false}', "rejected"), (None, "undecided")],
)
def test_what_a_model_writes_in_another_language_is_for_the_judge(
    scripted: Scripted, reply: str | None, status: str
) -> None:
    """No check of English words speaks of it, so that nothing but a judge or a person can accept it."""
    llm = LlmFamily(scripted("writer", lambda _: json.dumps({"rewordings": [REWORDED]})), cache=False)
    judge = "none" if reply is None else scripted("judge", lambda _: reply)
    _, one = vary([FRENCH], ["llm"], k=1, llm=llm, judge=judge)[:2]
    assert one.status == status
    assert [check.check for check in one.flags] == ["unread"]
    silent = {check.check for check in one.checks if check.reason == "the prompt is not in English"}
    assert {"wording", "negation", "asked"} <= silent


def test_the_judge_reads_words_of_other_languages_as_they_are() -> None:
    """Slips of typing are mended in English only: "cour" is another word than "cours"."""
    item = Item("fr", "Où se trouve le cours de la reine ?")
    said = Variant(
        variant_id("fr", "n1"), "fr", "n1", "llm", "Où est la cour de la reine ?", change="naturalistic"
    )
    assert compared_texts(item, said) == (item.prompt, said.prompt)
