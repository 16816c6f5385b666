"""Text analysis (spec 01): normalizer, segmenter, stemmer, tokenizer."""
