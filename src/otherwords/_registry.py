"""What Inspect finds through its entry point: our tasks, solver, scorers and the embedded model."""

from __future__ import annotations

from otherwords.runs.gguf.register import gguf
from otherwords.runs.scoring import answers, short_answer
from otherwords.runs.solving import ask
from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability

__all__ = ["answers", "ask", "gguf", "paraphrase_consistency", "perturbation_stability", "short_answer"]
