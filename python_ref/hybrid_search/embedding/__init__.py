"""Embedding providers (EMB-1 … EMB-3)."""
