"""Builds a block index of a repository: `python -m hybrid_search.code_index REPOSITORY --index-dir FOLDER` (CNV-7)."""
