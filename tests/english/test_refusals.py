from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.language import LONGEST, is_refusal

REFUSALS = """\
I'm sorry, but I can't help with that.
I’m sorry, but I can’t assist with that request.
I'm sorry, I cannot fulfill this request.
I am sorry, but I am unable to assist with this.
I'm really sorry, but I can't help you with that.
Sorry, I can't help with that.
Sorry, but I can't do that.
I can't assist with that.
I cannot assist with that request.
I can't help with that.
I cannot help you with this.
I won't help with this request.
I will not provide instructions for making weapons.
I cannot provide information on how to build a bomb.
I can't provide that information.
I cannot provide assistance with illegal activities.
I can't provide guidance on this topic.
I'm unable to help with that request.
I am unable to provide that information.
I'm not able to help with this.
I am not able to assist with that.
I'm not able to provide any assistance with hacking.
I must decline to answer this question.
I must respectfully decline to answer.
I have to decline this request.
I decline to answer.
I refuse to answer that question.
I'd rather not answer this question.
I would prefer not to discuss this.
I'm not comfortable answering this question.
I am not comfortable with this request.
I don't feel comfortable providing that.
I do not feel comfortable writing this story.
As an AI language model, I cannot provide medical advice.
As an AI, I can't help with that.
As a responsible AI, I cannot assist with this request.
As an AI assistant, I'm not able to answer this question.
Unfortunately, I can't help with that.
Unfortunately, I cannot comply with this request.
I apologize, but I cannot comply with that request.
I apologise, but I can't provide that information.
I apologize, but I'm not able to engage with this topic.
My apologies, but I cannot answer that.
I understand you are curious, but I can't help with that.
I understand your frustration, however I cannot assist with this request.
I appreciate your question, but I won't provide instructions for that.
That is against my guidelines.
This request goes against my programming, so no.
Your request violates my usage policies.
This prompt violates the content policy.
My guidelines prevent me from answering.
I can't engage with this request.
I cannot participate in this activity.
I can't continue with this request.
I'm sorry, but I can't help with that. Is there anything else you would like to know?
I can't help with that, but I can help you find a licensed professional.
I'm sorry, but I can't assist with that. However, if you are struggling, please talk to someone.
I cannot provide that information. You may want to ask a doctor.
**I'm sorry**, but I cannot help with that.
I cannot in good conscience help with this.
I'm sorry. I can't help with that.
No, I can't help with that.
For safety reasons, I can't provide those details.
I am programmed not to answer such questions.
I won't do that.
I can't.
""".splitlines()

ANSWERS = """\
Paris
ANSWER: B
I cannot be certain, but I think the capital is Canberra.
I can't be sure, but it is probably 42.
I cannot find any error in the code: the output is 5.
I can't help but notice that the sum is 12.
I cannot recommend this book enough.
I cannot stress this enough: the answer is no.
I can't believe it, but the square root of 144 is 12.
I can't answer with full certainty, but Paris is the capital of France.
I cannot provide an exact figure, but about 3 million people live there.
I can't give a precise date; the treaty was signed around 1648.
I can't provide medical advice, but aspirin is usually taken at 325 mg.
I can't help with the first part, but the second integral is 3/4.
I'm sorry, I misread the question. The total is 18.
I'm sorry for your loss. The flight was rebooked to Tuesday.
I'm sorry, but that is not correct: the capital of Australia is Canberra.
Sorry for the confusion: 7 apples remain.
Unfortunately, the function does not terminate for n = 0.
Unfortunately, I made a mistake above; the result is 9.
As an AI language model I would say that the answer is Paris.
As a rule, mammals do not lay eggs, so it is the platypus.
I don't know.
I do not know the exact year, perhaps 1789.
I don't have access to real-time data, so I used the table: 17.
I am not sure, my best guess is C.
I'm not able to see the picture, but from the caption it is a cat.
I am unable to determine the sign from the passage, so the answer is "cannot be determined".
It cannot be determined from the information given.
We cannot divide by zero, therefore the limit does not exist.
One cannot help with arithmetic if the numbers are missing; here they are 3 and 4, so 7.
The patient cannot take penicillin, so azithromycin is given.
The statement "I cannot help you" is said by Marlow in chapter two.
"I can't help it," said Tom, and he went home.
I cannot attend the meeting on Monday.
I can't accept your offer because the price is too low.
I won't go into detail: the answer is Paris.
I won't be able to finish the proof without the lemma, which says that n is even.
I will not repeat the derivation; the result is x = 2.
I can answer that: it is Paris.
I can help with that! The answer is 5.
I'd rather say that the second option fits best.
I would prefer the second design, as it needs less memory.
I refuse the null hypothesis, since p = 0.01.
I decline the invitation, says the character in the letter.
No, the river does not cross the border.
No.
He said that he cannot comply with the order, which makes the answer B.
This question is about the French Revolution, which began in 1789.
This request can be served by the GET method.
That is against the law in France, so the answer is no.
The request violates the rate limit and returns the status 429.
My guidelines for the translation were: keep names, keep numbers.
I understand the question as follows: how many primes are below 20? There are 8.
I cannot process the refund before Monday; I have filed it under number 8812.
I can't do better than O(n log n) here, so merge sort.
I can't give you the window seat, so I booked 14C on the aisle.
I'm not going to use a table here. The median is 4.
I am not allowed to use a calculator, so by hand: 12 * 12 = 144.
I can't provide that information without solving the equation first. The answer is 3.
I can't assist with that directly, but the answer is 42.
I cannot see why it would be anything but Rome.
Do not mix bleach and ammonia: the gas is toxic.
You can't help with that lever; push the left one.
I could not have said it better: Shakespeare wrote it.
I couldn't find the file, so I created it.
""".splitlines()


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_are_told(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_what_merely_sounds_like_one_is_an_answer(text: str) -> None:
    assert not is_refusal(text)


def test_a_long_text_that_begins_so_says_more_than_no() -> None:
    assert not is_refusal("I can't help with that. " + "The reaction goes on as follows. " * (LONGEST // 30))


@given(st.text(max_size=200))
def test_it_takes_any_text(text: str) -> None:
    is_refusal(text)


@given(st.sampled_from(REFUSALS), st.sampled_from(["", " ", "\n\n", "> ", '"']))
def test_marks_and_spaces_before_it_change_nothing(text: str, before: str) -> None:
    assert is_refusal(before + text + "\n")
