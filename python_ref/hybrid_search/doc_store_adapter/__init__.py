"""Document stores: where documents are stored and searched (DOC-1 … DOC-9)."""
