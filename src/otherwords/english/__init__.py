"""English text → its language, spans, sentences, words, quantities and questions; imports nothing of ours."""
