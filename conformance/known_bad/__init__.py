"""Implementations that are wrong on purpose: each must get exactly its declared verdict (CNF-18)."""
