"""Text analysis (TXT-1 … TXT-10): normalizer, segmenter, stemmer, tokenizer."""
