"""An agent that is a plain function; it writes down what it was asked."""

import hashlib
import json
import os


def answer(prompt):
    if os.environ.get("PINS_ASKED"):
        with open(os.environ["PINS_ASKED"], "a", encoding="utf-8") as file:
            file.write(json.dumps(prompt) + "\n")
    drawn = hashlib.sha256(prompt.encode()).digest()[0]
    if "A) " in prompt:
        return f"ANSWER: {'ABC'[drawn % 3]}"
    return "Paris" if drawn % 4 else "It was Shakespeare."
