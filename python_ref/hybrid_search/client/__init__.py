"""HTTP calls to services, for embedding providers and rerank models (EMB-2, RNK-4)."""
