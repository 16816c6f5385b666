"""Reranking (RNK-1 … RNK-8)."""
