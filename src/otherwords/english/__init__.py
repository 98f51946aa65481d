"""English text → its spans, sentences, words, quantities and questions. It imports nothing of ours."""
