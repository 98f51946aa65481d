"""What other rooms need to know of English text: spans, sentences, tokens. It imports nothing of ours."""
