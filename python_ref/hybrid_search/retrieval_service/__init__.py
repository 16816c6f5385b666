"""Semantic, full-text, keyword and hybrid search with Dify's settings (DFY-6)."""
