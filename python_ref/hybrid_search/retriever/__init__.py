"""Retrieval and pagination (RET-1 … RET-10)."""
