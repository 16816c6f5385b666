"""Convergent retrieval: feedback rounds over blocks of source code that locate the answer in a repository (CNV-1)."""
