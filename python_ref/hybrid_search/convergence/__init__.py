"""Convergent retrieval: rounds of feedback over the blocks of source code, and where in it the answer lies (CNV-1)."""
