"""Texts to vectors, whoever makes them (EMB-1, EMB-2)."""
