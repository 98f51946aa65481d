"""The reason codes, and what each says in plain words."""

from __future__ import annotations

from typing import Final

REASONS: Final[dict[str, str]] = {
    "answer_not_an_option": "the answer that is given as right is none of the options",
    "fewer_than_two_options": "fewer than two different options are left to choose from",
    "right_answer_twice": "another option says the same as the right one",
    "duplicate_options": "two options say the same",
    "near_duplicate_options": "two options share nearly all their words",
    "empty_option": "an option is empty",
    "contradictory_options:negation": "two options differ only in a negation",
    "contradictory_options:antonym": "two options differ only in a word and its opposite",
    "crowded_numbers": "two numbers can hardly be told apart",
    "boolean_like": "an option says only yes, no, true, false or maybe",
    "meta_option:all_of_the_above": "an option is about the others: all of them",
    "meta_option:none_of_the_above": "an option is about the others: none of them",
    "meta_option:both_options": "an option is about the others: some of them",
    "meta_option:dont_know": "an option says that one does not know",
    "meta_option:cannot_be_determined": "an option says that it cannot be known",
    "meta_option:other": "an option stands for whatever is not listed",
    "too_many_options": "more options than are compared with one another",
    "critic:ambiguous": "the model critic says ambiguous",
    "critic:unanswerable": "the model critic says unanswerable",
    "critic:no_verdict": "the model critic's reply has no verdict that can be read",
}
"""The worst first."""

UNANSWERABLE: Final = frozenset({"answer_not_an_option", "fewer_than_two_options", "critic:unanswerable"})


def family(code: str) -> str:
    """The code without its detail: `meta_option:other` → `meta_option`."""
    return code.partition(":")[0]
