"""Document stores (DOC-1 … DOC-5)."""
