"""Calls of services over HTTP, for embedding providers and rerank models (EMB-2, RNK-4)."""
