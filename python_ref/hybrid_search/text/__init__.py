"""Text analysis (TXT-1 … TXT-9): normalizer, segmenter, stemmer, tokenizer."""
