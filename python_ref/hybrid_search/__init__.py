"""Hybrid retrieval for Chinese and English: full text + dense vectors, fusion, rerank, stable pagination.

This package is the reference; the Ruby gem `hybrid_search` gives the same answers bit for bit.
"""

__version__ = "0.1.0"
