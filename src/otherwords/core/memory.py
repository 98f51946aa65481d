"""How many texts are remembered with what was found out about them."""

from __future__ import annotations

OF_AN_ITEM = 24
"""A prompt and its variants: who makes one asks, and who checks it asks again. With more of them, whatever is
read next is no longer near the processor, and all takes longer."""

OF_SENTENCES = 64
"""Sentences and parts of prompts, which come again in other prompts."""
