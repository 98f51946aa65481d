"""Each rule makes of its examples what its file says, and nothing of those that it must refuse."""

from __future__ import annotations

import pytest

from otherwords.variants.parse_rules import Rule, load_rules
from otherwords.variants.rewording import all_rewordings

RULES = {rule.name: rule for rule in load_rules()}


def made_by(rule: Rule, text: str) -> list[str]:
    """What the rule makes alone; one that only gives a phrase is seen in a frame such as "Name"."""
    frames = {"named": "name", "told": "ask-for", "indirect": "tell-me", "stem": "complete-sentence"}
    frame = next((frames[need] for need in frames if need in rule.gives), "")
    asked = ("stem",) if rule.needs == "stem" else ()
    own = (*asked, rule.name) if rule.to or rule.stage == "words" else (rule.name, frame)
    return [one.text for one in all_rewordings(text) if one.rules == own]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_does_what_its_examples_say(name: str) -> None:
    rule = RULES[name]
    assert rule.examples
    assert {text: made_by(rule, text) for text in rule.examples} == dict(rule.examples)


@pytest.mark.parametrize("name", [name for name, rule in RULES.items() if rule.refused])
def test_a_rule_refuses_what_it_must(name: str) -> None:
    rule = RULES[name]
    assert {text: made_by(rule, text) for text in rule.refused} == {text: [] for text in rule.refused}


def test_every_rule_is_mild_or_medium() -> None:
    assert {rule.strength for rule in RULES.values()} == {"mild", "medium"}
