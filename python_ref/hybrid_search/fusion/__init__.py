"""Fusion of ranked lists (FUS-1 … FUS-5)."""
