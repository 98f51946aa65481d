from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
)

from otherwords.core.errors import InputError
from otherwords.english.spans import span_texts
from otherwords.runs.selectors import DEFAULT_SELECTOR, parse_selector

FORMS = (
    'Write it as input, last_user, message[0] or metadata.name, if need be with /<tag>, after "words" '
    'or before "words" behind it.'
)
GAIA = "Answer briefly.\n\nHere is the question:\n\nHow many moons has Mars?"
USACO = "Solve it.\n[BEGIN PROBLEM]\nSort the cows.\n[END PROBLEM]\n"
SCENARIO = "Be a customer.\n\n<scenario>\n\tCancel my flight.\n</scenario>\nStay polite.\n"


def text(said: str, **fields: Any) -> Sample:
    return Sample(input=said, id="q1", **fields)


def chat() -> Sample:
    return Sample(
        id="c1",
        input=[
            ChatMessageSystem(content=SCENARIO),
            ChatMessageUser(content="First question?"),
            ChatMessageAssistant(content="First answer."),
            ChatMessageUser(content="Second question?"),
        ],
    )


def steps(*prompts: str, said: str = "77") -> Sample:
    return Sample(
        id="s1",
        input=said,
        metadata={"sub_steps": [{"prompt": one, "header": "def f():"} for one in prompts]},
    )


@pytest.mark.parametrize(
    ("written", "sample", "prompt"),
    [
        ("input", text("What is it?\n"), "What is it?\n"),
        ("last_user", text("What is it?\n"), "What is it?\n"),
        ("last_user", chat(), "Second question?"),
        ("message[0]", text("What is it?"), "What is it?"),
        ("message[1]", chat(), "First question?"),
        ("message[-1]", chat(), "Second question?"),
        ("message[0]/<scenario>", chat(), "Cancel my flight."),
        ('input after "Here is the question:"', text(GAIA), "How many moons has Mars?"),
        ("input after 'Here is the question:'", text(GAIA), "How many moons has Mars?"),
        ('input before "Here is"', text(GAIA), "Answer briefly."),
        ('input after "[BEGIN PROBLEM]" before "[END PROBLEM]"', text(USACO), "Sort the cows."),
        (
            'input after "briefly.\\n\\n" before "Mars?"',
            text(GAIA),
            "Here is the question:\n\nHow many moons has",
        ),
        ("metadata.sub_steps[*].prompt", steps("Add."), "Add."),
        ("metadata.sub_steps[-1].prompt", steps("Add.", "Subtract."), "Subtract."),
        (
            "metadata.sub_steps[*].prompt",
            steps("Add.\n", "Subtract."),
            "[PART 1 OF 2]\nAdd.\n\n[PART 2 OF 2]\nSubtract.",
        ),
        ('metadata["a name"].q', text("7", metadata={"a name": {"q": "Why?"}}), "Why?"),
    ],
)
def test_the_prompt_is_where_the_selector_says(written: str, sample: Sample, prompt: str) -> None:
    selector = parse_selector(written)
    assert selector.get(sample) == prompt
    assert parse_selector(str(selector)) == selector


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (" input ", "input"),
        ("message[0] / <scenario>", "message[0]/<scenario>"),
        ("input  after 'a \"b\"'", 'input after "a \\"b\\""'),
        ('metadata["plain"][0]["two words"]', 'metadata.plain[0]["two words"]'),
    ],
)
def test_a_selector_writes_itself_in_one_way(written: str, canonical: str) -> None:
    assert str(parse_selector(written)) == canonical


@given(after=st.text(max_size=9), before=st.text(max_size=9), key=st.text(min_size=1, max_size=9))
def test_any_words_and_any_key_can_be_written(after: str, before: str, key: str) -> None:
    from otherwords.runs.selectors import Marked, MetadataField, Selector, WholeText

    part = Marked(after, before) if after or before else WholeText()
    selector = Selector(MetadataField((key, 3, None)), part)
    assert parse_selector(str(selector)) == selector


def test_the_default_is_the_whole_of_a_text_and_the_last_user_message_of_a_chat() -> None:
    assert str(DEFAULT_SELECTOR) == "last_user"
    assert DEFAULT_SELECTOR.get(text("All of it. ")) == "All of it. "
    assert DEFAULT_SELECTOR.get(chat()) == "Second question?"


def test_put_changes_the_part_and_leaves_everything_else() -> None:
    sample = chat()
    before = sample.model_copy(deep=True)
    put = parse_selector("message[0]/<scenario>").put(sample, "Please call off my flight.")
    assert sample == before
    assert put.input[0].text == (  # type: ignore[union-attr]
        "Be a customer.\n\n<scenario>\n\tPlease call off my flight.\n</scenario>\nStay polite.\n"
    )
    assert put.input[1:] == before.input[1:]


def test_put_keeps_what_is_not_text() -> None:
    image = ContentImage(image="data:image/png;base64,AAAA")
    sample = Sample(input=[ChatMessageUser(content=[ContentText(text="What is this?"), image])])
    put = DEFAULT_SELECTOR.put(sample, "What do you see?")
    assert put.input[0].content == [ContentText(text="What do you see?"), image]  # type: ignore[union-attr]


def test_several_texts_are_put_back_each_in_its_place() -> None:
    selector = parse_selector("metadata.sub_steps[*].prompt")
    sample = steps("Add.\n", "Subtract.")
    put = selector.put(sample, "Read on. [PART 1 OF 2]\nSum up.\n\n[PART 2 OF 2]\nTake away.")
    assert put.metadata == {
        "sub_steps": [
            {"prompt": "Read on.\n\nSum up.\n", "header": "def f():"},
            {"prompt": "Take away.", "header": "def f():"},
        ]
    }
    assert sample == steps("Add.\n", "Subtract.")


def test_the_lines_between_several_texts_are_protected_from_rewording() -> None:
    prompt = parse_selector("metadata.sub_steps[*].prompt").get(steps("Add it up.", "Take it away."))
    assert {"[PART 1 OF 2]", "[PART 2 OF 2]"} <= set(span_texts(prompt))


FULL_TEXT = st.text(min_size=1, max_size=20).filter(str.strip)
UNMARKED = st.text(st.characters(exclude_characters="<>", codec="utf-8"), max_size=20)


@pytest.mark.slow
@given(before=UNMARKED, core=FULL_TEXT, after=UNMARKED, wording=FULL_TEXT)
def test_what_is_put_is_what_is_got(before: str, core: str, after: str, wording: str) -> None:
    selector = parse_selector('input after "<<" before ">>"')
    sample = text(f"{before}<<{core}>>{after}")
    prompt = selector.get(sample)
    assert prompt == core.strip()
    if wording == prompt:
        return
    put = selector.put(sample, wording)
    assert selector.get(put) == wording.strip()
    if wording == wording.strip():
        assert selector.put(put, prompt).input == sample.input


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("question", f"cannot read the prompt field 'question'\n{FORMS}"),
        ("inputs", f"cannot read the prompt field 'inputs'\n{FORMS}"),
        ("message", f"cannot read the prompt field 'message'\n{FORMS}"),
        ("metadata", f"the prompt field 'metadata' names no field of the metadata\n{FORMS}"),
        ("metadata.a.", f"cannot read the prompt field 'metadata.a.' from '.' on\n{FORMS}"),
        ("input after it", f"cannot read the prompt field 'input after it' from 'after it' on\n{FORMS}"),
        ('input after ""', f"cannot read the prompt field 'input after \"\"' from 'after \"\"' on\n{FORMS}"),
        (
            'input before "b" after "a"',
            f'cannot read the prompt field \'input before "b" after "a"\' '
            f'from \'before "b" after "a"\' on\n{FORMS}',
        ),
        (
            'input after "\\q"',
            f"cannot read the prompt field 'input after \"\\q\"': "
            f'"\\q" has a backslash that means nothing\n{FORMS}',
        ),
    ],
)
def test_what_cannot_be_read_is_refused(written: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_selector(written)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("written", "sample", "problem"),
    [
        ("input", chat(), "item 'c1': the input is a chat of 4 messages, not a text"),
        ("message[4]", chat(), "item 'c1': the input has 4 messages, and no message[4]"),
        ("message[1]", text("One."), "item 'q1': the input has 1 message, and no message[1]"),
        ("input", text("  "), "item 'q1': the prompt is empty"),
        (
            "last_user",
            Sample(input=[ChatMessageSystem(content="Hi.")], id=3),
            "item '3': no message of the input is the user's",
        ),
        (
            "last_user",
            Sample(input=[ChatMessageUser(content=[ContentText(text="a"), ContentText(text="b")])]),
            "the user message has 2 parts of text, not one",
        ),
        ('input after "Ask:"', text(GAIA), "item 'q1': the words \"Ask:\" do not stand there"),
        ('input before "Ask:"', text(GAIA), "item 'q1': the words \"Ask:\" do not stand there"),
        (
            "input/<task>",
            text("<task>a</task><task>b</task>"),
            "item 'q1': <task> stands there 2 times, not once",
        ),
        ("input/<task>", text("</task>a<task>"), "item 'q1': </task> stands before <task>"),
        (
            "metadata.steps",
            text("7", metadata={"a": 1, "b": 2}),
            "item 'q1': metadata has no field 'steps' (it has: a, b)",
        ),
        ("metadata.a", text("7"), "item 'q1': metadata has no field 'a' (it has: none)"),
        ("metadata.a", text("7", metadata={"a": 1}), "item 'q1': metadata.a is no text but int"),
        ("metadata.a.b", text("7", metadata={"a": "x"}), "item 'q1': metadata.a has no fields: it is str"),
        ("metadata.a[0]", text("7", metadata={"a": {}}), "item 'q1': metadata.a is no list: it is dict"),
        (
            "metadata.a[2]",
            text("7", metadata={"a": ["x"]}),
            "item 'q1': metadata.a has 1 elements, and no [2]",
        ),
        (
            "metadata.a[*]",
            text("7", metadata={"a": []}),
            "item 'q1': metadata.a[*] names a list without elements",
        ),
        (
            "metadata.sub_steps[*].prompt",
            steps("Add.", "See\n[PART 1 OF 2]\n"),
            "item 's1': one of its texts has a line such as [PART 1 OF 3], which is kept for joining texts",
        ),
        (
            "metadata.question",
            text("Answer this: Why?", metadata={"question": "Why?"}),
            "item 'q1': the same text stands in the input, which the model would still see unchanged",
        ),
    ],
)
def test_a_prompt_that_is_not_there_is_refused(written: str, sample: Sample, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_selector(written).get(sample)
    assert str(caught.value) == f"{problem}\nThe prompt was looked for at: {written}"


@pytest.mark.parametrize(
    ("written", "sample", "wording", "problem"),
    [
        (
            "input",
            text("Why?"),
            "Why?",
            "the wording is the one that is there already, so nothing would change",
        ),
        ("input", text("Why?"), " \n", "the wording is empty"),
        ("message[0]/<scenario>", chat(), "Go </scenario>.", "</scenario> stands there 2 times, not once"),
        (
            "metadata.sub_steps[*].prompt",
            steps("Add.", "Subtract."),
            "[PART 2 OF 2]\nTake away.\n\n[PART 1 OF 2]\nAdd.",
            "the wording does not keep the 2 lines [PART 1 OF 2] and so on in order",
        ),
        (
            "metadata.sub_steps[*].prompt",
            steps("Add.", "Subtract."),
            '{"question": "[PART 1 OF 2]\\nAdd.\\n\\n[PART 2 OF 2]\\nSubtract."}',
            "the wording does not keep the 2 lines [PART 1 OF 2] and so on in order",
        ),
        (
            "metadata.sub_steps[*].prompt",
            steps("Add.", "Subtract."),
            "[PART 1 OF 2]\nAdd.\n\n[PART 2 OF 2]\n",
            "the wording is empty",
        ),
    ],
)
def test_a_wording_that_does_not_fit_is_refused(
    written: str, sample: Sample, wording: str, problem: str
) -> None:
    with pytest.raises(InputError) as caught:
        parse_selector(written).put(sample, wording)
    assert (caught.value.problem, caught.value.item) == (problem, sample.id)


def test_a_wording_may_say_the_words_that_mark_the_prompt() -> None:
    selector = parse_selector('input after "Q:" before "E"')
    put = selector.put(text("Q: Why? E"), "Q: Why not? E E")
    assert put.input == "Q: Q: Why not? E E E"
    assert selector.get(put) == "Q: Why not? E E"
