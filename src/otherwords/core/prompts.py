"""Which part of a prompt is reworded."""

from __future__ import annotations

from dataclasses import replace

from otherwords.core.types import Prompt


def varied_text(prompt: Prompt) -> str:
    """The text itself, or the last user message of a chat; empty when no user speaks."""
    if isinstance(prompt, str):
        return prompt
    return next((message.content for message in reversed(prompt) if message.role == "user"), "")


def with_varied_text(prompt: Prompt, text: str) -> Prompt:
    """`prompt` with that part replaced and every other message as it was."""
    if isinstance(prompt, str):
        return text
    last = max(place for place, message in enumerate(prompt) if message.role == "user")
    return (*prompt[:last], replace(prompt[last], content=text), *prompt[last + 1 :])
